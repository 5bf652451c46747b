"""`citescout eval split | run | score`: the protocols of the papers, step by step, every step a file."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from cli.options import FOLDER, OUTPUT_FOLDER, Number, encoder_option, refuse_given, seed
from cli.ranking import system_rows
from common.words import counted

_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


def _ascending(
    _context: click.Context, _parameter: click.Parameter, years: tuple[int, int] | None
) -> tuple[int, int] | None:
    if years and years[0] > years[1]:
        raise click.BadParameter(f"{years[0]} is after {years[1]}")
    return years


@click.command("split")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--protocol",
    "name",
    type=click.Choice(["open-research", "dblp", "pubmed", "corpus"]),
    default="corpus",
    help="The rules; the options below change single ones.",
)
@click.option(
    "--mode",
    type=click.Choice(["transductive", "inductive"]),
    help="inductive: a query sees nothing newer than itself; transductive: only its own citations are hidden.",
)
@click.option(
    "--train-share",
    type=Number(0, 1, min_open=True, max_open=True),
    help="Share of the papers, the oldest, to learn from; the rest is halved into development and testing.",
)
@click.option("--first-years", type=(int, int), callback=_ascending, help="First year of development, and of testing.")
@click.option(
    "--span", type=(int, int), callback=_ascending, help="First and last year; papers of others are left out."
)
@click.option("--test-ids", type=_FILE, help="The test papers by name, one id a line.")
@click.option(
    "--candidates",
    type=click.Choice(["all", "filtered", "indexed"]),
    help="What may be found: every paper, or those of the training years, either filtered from an index of all or "
    "indexed alone.",
)
@click.option("--sample", type=click.IntRange(1), help="Queries of each part.")
@click.option("--least-gold", type=click.IntRange(1), help="Citations that a query needs.")
@seed
@click.option("--out", "folder", type=OUTPUT_FOLDER, required=True, help="Folder for the split.")
def split(sources: tuple[str, ...], name: str, seed: int, folder: Path, **given: Any) -> None:
    """Split the papers of all SOURCEs into training, development and test sets, and print how large they are.

    The protocols are those of Nogueira et al. 2020, beside whose Table 1 the sizes stand, and "corpus" for anyone's
    own: by year, and nothing newer than a query is searched. Open Research is split by year, 80/10/10, and asked
    20,000 queries of each part; DBLP and PubMed by the years of Citeomatic, with at least ten citations of each test
    paper, and only papers of the training years are found.
    """
    from cli.sources import keep_what_is_read, report_problems
    from common.errors import SourceError, os_errors
    from eval.corpora import read_ids
    from eval.protocols import PROTOCOLS, markdown
    from eval.split import FILES, write_split
    from indexer.readers import ReadReport, read_papers

    for file in FILES:
        keep_what_is_read(folder / file, [*sources, given["test_ids"]])
    if given["test_ids"]:
        given["test_ids"] = read_ids(given["test_ids"])
    protocol = replace(PROTOCOLS[name], seed=seed, **{key: value for key, value in given.items() if value is not None})
    if protocol.test_ids is not None:
        refuse_given(("train_share", "first_years"), "is of no use: the test papers are named by --test-ids")
    if protocol.first_years is not None:
        refuse_given(("train_share",), "is of no use: the parts go by their first years")
    report = ReadReport()
    with os_errors(SourceError, f"write the split into {folder}"):
        made = write_split(read_papers(sources, report=report), protocol, folder, " ".join(sources))
    report_problems(report)
    counts = made.counts
    click.echo(markdown(made.sizes, made.published))
    click.echo(
        f"\nWritten to {folder} ({protocol.mode}): {counted(counts.train, 'paper')} to learn from, {counts.dev:,} "
        f"development and {counted(counts.test, 'test query', 'test queries')}"
    )
    nothing = counted(counts.citing_nothing, "paper that cites nothing", "papers that cite nothing")
    click.echo(
        f"Left out: {counted(counts.without_year, 'paper')} without a year, {counts.without_abstract:,} without an "
        f"abstract, {counts.outside_span:,} of other years, {counted(counts.citations_outside, 'citation')} of papers "
        f"that are not there, {counts.citations_later:,} of a later year, {counts.citations_of_copies:,} of another "
        f"record of the citing paper; not asked: {nothing}, {counts.with_few_citations:,} with fewer than "
        f"{protocol.least_gold} citations to find"
    )


@click.command("run")
@click.argument("folder", metavar="SPLIT", type=FOLDER)
@click.option("--part", type=click.Choice(["dev", "test"]), default="dev")
@encoder_option("Encoder of the index; none leaves vectors out.", none=True)
@system_rows
def run(
    folder: Path, part: str, systems: tuple[str, ...], encoder: str | None, reranker: str, depth: int | None
) -> None:
    """Ask every system the queries of a SPLIT; TREC runs go to SPLIT/runs/PART."""
    from eval.systems import run_split

    for path in run_split(folder, part, systems, encoder, reranker, depth):
        click.echo(path)


@click.command("score")
@click.argument("qrels", type=_FILE)
@click.argument("runs", nargs=-1, required=True, type=_FILE)
@click.option("--baseline", help="Run to compare with, by file name without ending; else the first.")
@click.option("--format", "form", type=click.Choice(["table", "latex"]), default="table")
@seed
def score(qrels: Path, runs: tuple[Path, ...], baseline: str | None, form: str, seed: int) -> None:
    """Score TREC RUNS by QRELS: figures with 95 % intervals, and tests against a baseline.

    Intervals are of a bootstrap over the queries, p-values of a paired randomisation test with Holm's correction.
    """
    from eval.comparison import compare, latex, markdown, score_files
    from eval.trec import read_qrels

    gold, empty = read_qrels(qrels)
    rows = compare(score_files(gold, runs, empty), baseline, seed=seed)
    click.echo(latex(rows) if form == "latex" else markdown(rows))
    if empty:
        without = (f"query of {qrels} has no gold citation and is", f"queries of {qrels} have no gold citation and are")
        click.echo(f"{counted(len(empty), *without)} left out", err=True)
    for row in rows:
        if row.unanswered:
            queries = counted(len(gold), "query", "queries")
            click.echo(f"{row.name} leaves {row.unanswered:,} of {queries} unanswered: zero each", err=True)
