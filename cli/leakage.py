"""`citescout eval leakage`: do papers to train on overlap with papers to test on?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.options import OUTPUT_FILE, Number, TakesMany, format_option
from indexer.identity.title_overlap import LEAKING

if TYPE_CHECKING:
    from eval.leakage import Leak

LEAKS = 3  # exit code; 1 is an error, 2 a wrong option


@click.command("leakage", cls=TakesMany)
@click.argument("training", nargs=-1, required=True, metavar="TRAINING...")
@click.option(
    "--against",
    multiple=True,
    required=True,
    metavar="EVALUATION...",
    help="Papers to test on: files, folders, or a NAME.test.ids beside its corpus.",
)
@click.option(
    "--threshold",
    default=LEAKING,
    type=Number(0, 1, min_open=True),
    help="Least Jaccard coefficient of a pair that is listed.",
)
@click.option(
    "--skip-same-id",
    is_flag=True,
    help="Pass over papers of TRAINING with the id of an evaluation paper, for a corpus that holds its test papers.",
)
@format_option(["table", "jsonl"])
@click.option(
    "--report",
    "report_path",
    type=OUTPUT_FILE,
    help="File for all pairs, as JSON lines, and nothing but the counts on the terminal.",
)
def command(
    training: tuple[str, ...],
    against: tuple[str, ...],
    threshold: float,
    skip_same_id: bool,
    format_name: str,
    report_path: Path | None,
) -> None:
    """List the papers of TRAINING whose titles are nearly those of papers to test on.

    Titles are sets of words, in lower case and without special characters; a pair is listed if the words that both
    have are at least the threshold's share of the words that either has (Jaccard). Both sides are read in any format
    that `index` reads.

    The exit code is 0 if nothing leaks, 3 if something does, 1 after an error.
    """
    import orjson

    from cli.sources import keep_what_is_read, report_problems
    from common.files import write_output
    from common.progress import progress
    from eval.leakage import LeakCounts, evaluation_papers, find_leaks
    from indexer.readers import ReadReport, read_papers

    keep_what_is_read(report_path, (*training, *against))
    tested, trained, counts = ReadReport(), ReadReport(), LeakCounts()
    evaluation = evaluation_papers(against, tested)
    papers = progress(read_papers(training, report=trained), "training papers")
    lines = []
    for leak in find_leaks(papers, evaluation, threshold, counts, skip_same_id):
        if report_path:
            lines.append(orjson.dumps(_record(leak), option=orjson.OPT_APPEND_NEWLINE))
        else:
            click.echo(orjson.dumps(_record(leak)).decode() if format_name == "jsonl" else _row(leak))
    if report_path:
        write_output(report_path, b"".join(lines))
    click.echo(str(counts), err=True)
    report_problems(tested)
    report_problems(trained)
    if counts.pairs:
        sys.exit(LEAKS)


def _record(leak: Leak) -> dict[str, object]:
    return {
        "training": leak.training.id,
        "training_title": leak.training.title,
        "evaluation": leak.evaluation.id,
        "evaluation_title": leak.evaluation.title,
        "jaccard": round(leak.jaccard, 4),
    }


def _row(leak: Leak) -> str:
    from cli.references import one_line

    return f"{leak.jaccard:.2f} {one_line(leak.training)}\n   = {one_line(leak.evaluation)}"
