"""`citescout sync`: an index of a Zotero library, brought up to date."""

from pathlib import Path

import click

from cli.options import index_directory
from cli.sources import report_problems
from common.words import counted


@click.command("sync")
@index_directory
def command(directory: Path) -> None:
    """Bring an index that `citescout index zotero` made up to date with Zotero.

    Items that are new or changed are added, papers whose items are gone are removed. Where nothing changed, only the
    versions of the items are asked for, and the index stays as it is.
    """
    from fetch.zotero.syncing import sync
    from indexer.readers import ReadReport

    report = ReadReport()
    synced = sync(directory, report)
    if synced.anything:
        counts = f"added {counted(synced.added, 'paper')}, replaced {synced.changed:,}, removed {synced.removed:,}"
        click.echo(f"{directory} follows Zotero: {counts}")
    else:
        click.echo(f"Nothing changed in Zotero: {directory} is up to date")
    report_problems(report)
