"""`citescout eval reproduce`: do the figures that are written down come out again?"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.options import OUTPUT_FOLDER

if TYPE_CHECKING:
    from eval.expected import Expectation

NOT_REPRODUCED = 3  # exit status; 1 and 2 are errors of input and usage


def _models(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs = [value.rpartition("=") for value in values]
    if wrong := [value for value, (row, _, model) in zip(values, pairs, strict=True) if not row or not model]:
        raise click.BadParameter(f"{wrong[0]!r} is not of the form 'ROW=MODEL'")
    return {row: model for row, _, model in pairs}


@click.command("reproduce")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--data", "sources", multiple=True, help="Data for a NAME that needs it (repeatable).")
@click.option(
    "--model",
    "models",
    multiple=True,
    callback=_models,
    metavar="ROW=MODEL",
    help="For a row that needs one: a cross-encoder or encoder by folder or hub id, a FILE.jsonl of embeddings, or a "
    "FILE.trec of somebody's run (repeatable).",
)
@click.option("--work", type=OUTPUT_FOLDER, help="Keep indexes and runs here.")
@click.option("--list", "only_list", is_flag=True, help="Say what is written down and what it needs; run nothing.")
def reproduce(
    names: tuple[str, ...], sources: tuple[str, ...], models: dict[str, str], work: Path | None, only_list: bool
) -> None:
    """Run the evaluations whose figures are written down in the package, and compare; all that need no data of yours.

    Every row of the papers' tables is among them. These need the papers' data (--data) and some a model (--model): rows
    without theirs are listed. Ends with 3 if a figure does not come out.
    """
    from common.errors import SourceError
    from demo import CORPUS
    from eval.expected import expectations
    from eval.reproduce import lacking
    from eval.reproduce import reproduce as run

    known = expectations()
    if unknown := [name for name in names if name not in known]:
        raise SourceError(f"nothing is written down of {unknown[0]!r}: there are {', '.join(known)}")
    if only_list:
        for one in [known[name] for name in names] or known.values():
            _list(one, with_rows=bool(names))
        return
    chosen = [known[name] for name in names] or [one for one in known.values() if one.data is None]
    if (sources or models) and sum(one.data is not None for one in chosen) != 1:
        raise click.UsageError("--data and --model go with exactly one NAME that needs them")
    missed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for one in chosen:
            data, given = (sources, models) if one.data else ([str(CORPUS)], {})
            for outcome in run(one, work or Path(temporary), data, given):
                missed += not outcome.holds
                click.echo(
                    f"{'ok    ' if outcome.holds else 'MISSED'} {one.name}, {outcome.row}, {outcome.figure}: "
                    f"{outcome.found:.3f}, expected {outcome.expected:.3f} ± {outcome.tolerance:g}"
                )
            for row, model in lacking(one, given).items():
                click.echo(f"needs  {one.name}, {row}: {model} (--model '{row}=…')")
    if missed:
        sys.exit(NOT_REPRODUCED)


def _list(one: Expectation, with_rows: bool) -> None:
    click.echo(f"{one.name} ({one.source}): {one.says}" + (f" Needs {one.data}." if one.data else ""))
    for row, expected in one.rows.items() if with_rows else ():
        figures = ", ".join(f"{figure} {value:g}" for figure, value in expected.figures.items())
        click.echo(f"  {row}: {figures}" + (f"; needs {expected.model}" if expected.model else ""))
