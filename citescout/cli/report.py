"""`citescout eval report`: a split and its runs as one page."""

from __future__ import annotations

from pathlib import Path

import click

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("report")
@click.argument("folder", metavar="SPLIT", type=click.Path(path_type=Path, file_okay=False))
@click.option("--part", type=click.Choice(["dev", "test"]), default="test", show_default=True)
@click.option("--baseline", default=None, help="System to compare with, as in the tables; else the first, BM25 if run.")
@click.option("--out", type=_FILE, required=True, help="The page: one HTML file that needs nothing else.")
@click.option("--json", "figures", type=_FILE, default=None, help="Write all figures as JSON as well.")
@click.option("--seed", default=0, show_default=True, help="Of the intervals and tests.")
def report(folder: Path, part: str, baseline: str | None, out: Path, figures: Path | None, seed: int) -> None:
    """Show the runs of a SPLIT on one page: figures with tests, plots, and failures worth reading.

    The runs are those that `citescout eval run SPLIT` wrote, and any others in SPLIT/runs/PART in TREC's format. The
    same runs give the same bytes.
    """
    import orjson

    from common.errors import SourceError
    from common.files import write_atomically
    from eval.report.content import as_json, make_report
    from eval.report.measured import read_measured
    from eval.report.page import html

    made = make_report(read_measured(folder, part), baseline and baseline.replace("_", " "), seed)
    written = {out: html(made).encode()}
    if figures is not None:
        written[figures] = orjson.dumps(as_json(made), option=orjson.OPT_INDENT_2) + b"\n"
    for path, content in written.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)
        except OSError as error:
            raise SourceError(f"cannot write {path}: {error.strerror}") from None
        click.echo(path)
