"""`citescout re-encode`: an index gets the vectors of another encoder."""

from pathlib import Path

import click

from cli.options import encoder_option, index_directory
from common.words import counted


@click.command("re-encode")
@index_directory
@encoder_option("Model that makes the new vectors.")
def command(directory: Path, encoder: str) -> None:
    """Encode the papers of an index again, with another encoder; nothing else of it is built again.

    The index answers as before until all papers are encoded. The same command continues a run that was killed.
    Afterwards the lists are those of `citescout index` with this encoder.
    """
    from indexer.changes import reencode
    from indexer.generations import served_manifest

    before = served_manifest(directory)[1]
    manifest = reencode(directory, encoder)
    if manifest.encoder_digest == before.encoder_digest:
        click.echo(f"The vectors of {directory} are those of {manifest.encoder} already")
        return
    click.echo(
        f"Encoded {counted(manifest.papers, 'paper')} of {directory} with {manifest.encoder} "
        f"instead of {before.encoder or 'none'}"
    )
