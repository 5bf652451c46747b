"""`citescout verify`: is every file of the index what was written?"""

from pathlib import Path

import click

from cli.options import index_directory


@click.command("verify")
@index_directory
def command(directory: Path) -> None:
    """Compare every file of an index with its checksum.

    An index that is damaged is built again in its place: `citescout index SOURCE... --index DIR` with the same sources.
    """
    from indexer.generations import open_generation

    with open_generation(directory, full_check=True) as generation:
        click.echo(f"{generation.name}: all {len(generation.manifest.files)} files are as they were written")
