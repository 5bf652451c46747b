"""Options that say how sources of papers are read, and what is reported of the reading."""

from __future__ import annotations

import logging
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from indexer.readers import ReadReport

_SHOWN = 10  # problems
_SHOWN_PAIRS = 5  # of ids of one paper

format_option = click.option(
    "--format",
    "format_name",
    metavar="NAME",
    help="Format of the sources, such as bibtex; detected from content without it.",
)
strict_option = click.option(
    "--strict", is_flag=True, help="Stop at the first malformed record instead of skipping it."
)


def report_problems(report: ReadReport) -> None:
    """Tell on standard error what of the sources was left out, cut or replaced, if anything was."""
    if found := report.references_found():
        click.echo(found, err=True)
    if report.problems or report.truncated:
        click.echo(report.summary(), err=True)
    verbose = logging.getLogger().isEnabledFor(logging.INFO)
    shown = report.problems if verbose else report.problems[:_SHOWN]
    for problem in shown:
        click.echo(f"  {problem}", err=True)
    if hidden := report.found - len(shown):
        hint = "" if verbose else "; citescout -v names more of them"
        click.echo(f"  and {hidden:,} more{hint}", err=True)


def report_duplicates(directory: Path, first: int = 0) -> None:
    """Tell which papers from docid `first` on an index has under another id, too, and how that is avoided."""
    from indexer.duplicates import other_records
    from indexer.generations import open_generation

    with open_generation(directory) as generation:
        found = other_records(generation.catalog, first)
    if found:
        shown = [f"{id_} as {other}" for id_, other in islice(found.items(), _SHOWN_PAIRS)]
        papers = "1 paper is" if len(found) == 1 else f"{len(found):,} papers are"
        listed = ", ".join([*shown, "…"] if len(found) > len(shown) else shown)
        click.echo(
            f"{papers} there under another id, too ({listed}): index --merge-duplicates makes one record of a paper",
            err=True,
        )
