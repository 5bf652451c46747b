"""`--expand`: works that answers name and the index does not have are fetched and added to it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from common.errors import FetchError
from common.words import counted

if TYPE_CHECKING:
    from citescout.recommendation import OutsideWork

_TRIES = 3  # of a request: somebody waits


def expanded(directory: Path, works: Iterable[OutsideWork]) -> bool:
    """Fetch the works from OpenAlex and add them; whether there is anything new, which is reported on standard error.

    Without a connection nothing is added, and that is reported too.

    Raises:
        IndexDirectoryError, IndexLockedError, EngineError: see `indexer.changes.add_papers`.
    """
    from fetch.client import Access
    from fetch.named import can_be_fetched, fetch_named
    from fetch.openalex import BASE_URL
    from indexer.changes import add_papers

    named = list({work.paper.doi or work.paper.id or work.paper.title: work.paper for work in works}.values())
    wanted = [paper for paper in named if can_be_fetched(paper)]
    access = Access(
        os.environ.get("CITESCOUT_OPENALEX_URL") or BASE_URL,
        api_key=os.environ.get("OPENALEX_API_KEY", ""),
        email=os.environ.get("OPENALEX_EMAIL", ""),
        tries=_TRIES,
    )
    try:
        found = fetch_named(wanted, access) if wanted else []
    except FetchError as error:
        click.echo(f"Nothing was fetched, and the index stays as it is: {error}", err=True)
        return False
    if not found:
        click.echo(f"OpenAlex has none of the {counted(len(named), 'work')} that are not in the index", err=True)
        return False
    change = add_papers(found, directory)
    added = change.papers.added
    click.echo(f"Added {added:,} of {counted(len(named), 'work')} to {directory}, which they were not in", err=True)
    return added > 0
