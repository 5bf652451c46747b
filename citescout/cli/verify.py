"""`citescout verify`: is every file of the index what was written?"""

from __future__ import annotations

from pathlib import Path

import click

from citescout.cli.options import index_directory


@click.command("verify")
@index_directory
def command(directory: Path) -> None:
    """Compare every file of an index with its checksum."""
    from indexer.generations import served_manifest

    name, manifest = served_manifest(directory)
    manifest.check(directory / name, full=True)
    click.echo(f"{name}: all {len(manifest.files)} files are as they were written")
