"""`citescout remove`: fewer papers in an index."""

import shlex
from pathlib import Path

import click

from cli.options import index_directory
from common.errors import SourceError
from common.text import STDIN
from common.words import counted


@click.command("remove")
@click.argument("ids", nargs=-1, metavar="ID...")
@index_directory
@click.option("--from", "listing", metavar="FILE", help="File of ids, one a line; - for standard input.")
def command(ids: tuple[str, ...], directory: Path, listing: str | None) -> None:
    """Remove papers from an index: all of them, or none if one of them is not there.

    An ID is a paper's own, that of a record that was merged into it, or its DOI, arXiv id or PMID.
    """
    from indexer.changes import remove_papers
    from indexer.generations import served_manifest
    from indexer.readers.source import file_named

    wanted = [*ids, *(file_named(listing).listed() if listing else ())]
    if not wanted:
        if listing:
            raise SourceError(f"{STDIN if listing == '-' else listing} holds no id")
        raise click.UsageError("give ids, or a file of ids with --from")
    before = served_manifest(directory)[1].papers
    manifest = remove_papers(wanted, directory)
    removed = counted(before - manifest.papers, "paper")
    click.echo(f"Removed {removed} from {directory}; it now holds {manifest.papers:,}")
    if manifest.worth_compacting:
        click.echo(f"`citescout compact --index {shlex.quote(str(directory))}` would pay off now", err=True)
