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

    Items that are new or changed are added, and merged where the index was made with --merge-duplicates; papers whose
    items are gone are removed, unless another source has them, too. Where nothing changed, only the versions of the
    items are asked for, and the index stays as it is.
    """
    from fetch.zotero.syncing import sync
    from indexer.readers import ReadReport

    report = ReadReport()
    synced = sync(directory, report)
    if synced.anything:
        counts = f"added {counted(synced.added, 'paper')}, replaced {synced.changed:,}, removed {synced.removed:,}"
        kept = f", kept {synced.kept:,} of which there are other records" if synced.kept else ""
        click.echo(f"{directory} follows Zotero: {counts}{kept}")
    else:
        click.echo(f"Nothing changed in Zotero: {directory} is up to date")
    report_problems(report)
