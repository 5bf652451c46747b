"""`citescout encode`: files of papers → a folder of vectors, on this machine or a cluster."""

from pathlib import Path
from typing import Any

import click

from cli.options import FOLDER, encoder_option
from cli.sources import reading_options, report_problems


@click.command("encode")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--out",
    "directory",
    type=FOLDER,
    required=True,
    help="Folder for the vectors, on storage that all machines share; one that was begun is continued.",
)
@click.option(
    "--cluster",
    metavar="HOST:PORT",
    help="Ray cluster that this machine is part of; without it, all processors of this machine.",
)
@encoder_option("Model that makes the document vectors.")
@click.option(
    "--part",
    "part_papers",
    type=click.IntRange(1, 1_000_000),
    default=2048,
    help="Papers in a part, which is what a machine loses when it dies.",
)
@reading_options
def command(directory: Path, format_name: str | None, **options: Any) -> None:
    """Encode the papers of all SOURCEs in bulk; `citescout index --vectors-from` takes the vectors over.

    The same command continues a run that was killed: papers whose vectors are there are not encoded again.
    """
    from indexer.bulk.job import encode_corpus
    from indexer.readers import ReadReport

    report = ReadReport()
    done = encode_corpus(directory=directory, format=format_name, report=report, **options)
    there = f"; {done.known:,} were there already" if done.known else ""
    click.echo(f"Encoded {done.encoded:,} papers{there}. {directory} has {done.folder.papers:,} vectors")
    report_problems(report)
