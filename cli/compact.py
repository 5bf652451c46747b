"""`citescout compact`: tidying up after changes."""

from pathlib import Path

import click

from cli.options import index_directory
from common.words import counted


@click.command("compact")
@index_directory
def command(directory: Path) -> None:
    """Rewrite an index without the remains of removed papers; `info` says when that pays off.

    Afterwards its answers are those of an index built from the same papers at once. Nothing is encoded again.
    """
    from indexer.changes import compact_index
    from indexer.generations import served_manifest

    before = served_manifest(directory)[1]
    manifest = compact_index(directory)
    click.echo(
        f"Compacted {directory}: {counted(manifest.papers, 'paper')}, "
        f"{counted(before.removed, 'removed paper')} dropped, {before.bytes:,} bytes → {manifest.bytes:,}"
    )
