"""`citescout eval reproduce`: do the figures that are written down come out again?"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from citescout.cli.options import FOLDER

NOT_REPRODUCED = 3  # exit status; 1 and 2 are errors of input and usage


@click.command("reproduce")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--data", "sources", multiple=True, help="Papers for a NAME that needs them (repeatable).")
@click.option("--work", type=FOLDER, default=None, help="Keep indexes and runs here.")
@click.option("--list", "only_list", is_flag=True, help="Say what is written down, and run nothing.")
def reproduce(names: tuple[str, ...], sources: tuple[str, ...], work: Path | None, only_list: bool) -> None:
    """Run the evaluations whose figures are written down in the package, and compare; all that need no data of yours.

    Those of the papers need the papers' data: give its path with --data. Ends with 3 if a figure does not come out.
    """
    from common.errors import SourceError
    from demo import CORPUS
    from eval.reproduce import expectations
    from eval.reproduce import reproduce as run

    known = expectations()
    if only_list:
        for one in known.values():
            click.echo(f"{one.name}{' (needs --data)' if one.needs_data else ''}: {one.says}")
        return
    if unknown := [name for name in names if name not in known]:
        raise SourceError(f"nothing is written down of {unknown[0]!r}: there are {', '.join(known)}")
    chosen = [known[name] for name in names] or [one for one in known.values() if not one.needs_data]
    if sources and sum(one.needs_data for one in chosen) != 1:
        raise click.UsageError("--data goes with exactly one NAME that needs it")
    missed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for one in chosen:
            for outcome in run(one, work or Path(temporary), sources if one.needs_data else [str(CORPUS)]):
                missed += not outcome.holds
                click.echo(
                    f"{'ok    ' if outcome.holds else 'MISSED'} {one.name}, {outcome.system}, {outcome.figure}: "
                    f"{outcome.found:.3f}, expected {outcome.expected:.3f} ± {outcome.tolerance:g}"
                )
    if missed:
        sys.exit(NOT_REPRODUCED)
