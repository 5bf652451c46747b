"""`citescout eval report`: a split and its runs, or experiments, as one page."""

from pathlib import Path
from typing import Any

import click

from cli.options import FOLDER, OUTPUT_FILE, SEED, refuse_given
from cli.sources import keep_what_is_read
from common.files import write_output


@click.command("report")
@click.argument("folder", metavar="[SPLIT]", type=FOLDER, required=False)
@click.option("--experiments", "records", type=FOLDER, help="Show the experiments in this folder.")
@click.option("--part", type=click.Choice(["dev", "test"]), default="test")
@click.option("--baseline", help="System to compare with, as in the tables; else the first, BM25 if run.")
@click.option("--out", type=OUTPUT_FILE, required=True, help="The page: one HTML file that needs nothing else.")
@click.option("--json", "figures", type=OUTPUT_FILE, help="Write all figures as JSON as well.")
@click.option("--seed", default=0, type=SEED, help="Seed of the intervals and tests.")
def report(folder: Path | None, records: Path | None, out: Path, **of_a_split: Any) -> None:
    """Show the runs of a SPLIT on one page: figures with tests, plots, and failures worth reading.

    The runs are those that `citescout eval run SPLIT` wrote, and any others in SPLIT/runs/PART in TREC's format. With
    --experiments instead of a SPLIT, the page shows every NAME.json that `citescout eval experiment NAME` wrote, in the
    folder or below it. The same files give the same bytes.
    """
    if (folder is None) == (records is None):
        raise click.UsageError("give a SPLIT, or --experiments FOLDER")
    if records is not None:
        refuse_given(of_a_split, "goes with a SPLIT, not with --experiments")
        keep_what_is_read(out, records.rglob("*.json"))
        _write({out: _experiments_page(records)})
    elif folder is not None:
        _write(_split_page(folder, out, **of_a_split))


def _experiments_page(records: Path) -> bytes:
    from eval.experiments.report import check_plots, read_records
    from eval.report.page import experiments_html

    found = read_records(records)
    check_plots()
    return experiments_html(found).encode()


def _split_page(
    folder: Path, out: Path, part: str, baseline: str | None, figures: Path | None, seed: int
) -> dict[Path, bytes]:
    import orjson

    from eval.experiments.report import check_plots
    from eval.report.content import as_json, make_report
    from eval.report.measured import read_measured
    from eval.report.page import html
    from eval.split import RECORD

    if figures is not None and figures.resolve() == out.resolve():
        raise click.UsageError("--out and --json name the same file")
    measured = read_measured(folder, part)
    runs = [system.path for system in measured.systems.values()]
    for path in filter(None, (out, figures)):
        keep_what_is_read(path, (folder / RECORD, folder / f"{part}.qrels", measured.papers, measured.queries, *runs))
    check_plots()
    made = make_report(measured, baseline, seed)
    written = {out: html(made).encode()}
    if figures is not None:
        written[figures] = orjson.dumps(as_json(made), option=orjson.OPT_INDENT_2) + b"\n"
    return written


def _write(files: dict[Path, bytes]) -> None:
    for path, content in files.items():
        write_output(path, content)
        click.echo(path)
