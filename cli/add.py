"""`citescout add`: more papers for an index."""

import shlex
from pathlib import Path

import click

from cli.options import index_directory
from cli.sources import Duplicates, emptiness_explained, merge_options, reading_options, report_problems
from common.words import counted


@click.command("add")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@index_directory
@reading_options
@merge_options
def command(
    sources: tuple[str, ...], directory: Path, format_name: str | None, strict: bool, duplicates: Duplicates
) -> None:
    """Add the papers of all SOURCEs to an index; a paper whose id is there already replaces that one.

    What is unchanged costs next to nothing, so a growing file may be added again and again. Entries of bibliographies
    whose key is that of a different paper are kept as key-2, and those that have another key than before are renamed. A
    paper that the index has under another id is added, too, and named; --merge-duplicates joins it with the record that
    is there, which keeps its id. Where entries of a file were deleted, `index` makes the index like the file again.
    """
    from common.progress import progress
    from indexer.changes import add_papers
    from indexer.readers import ReadReport, read_papers
    from manuscripts.pdf_papers import PDFS

    report = ReadReport()
    papers = progress(read_papers(sources, strict=strict, report=report, format=format_name, others=(PDFS,)), "reading")
    with emptiness_explained(report):
        change = add_papers(papers, directory, duplicates.merging, renaming=not duplicates.merging)
    counts = change.papers
    click.echo(
        f"Added {counted(counts.added, 'paper')} to {directory}, replaced {counts.replaced + counts.updated:,}, "
        f"{counts.unchanged:,} were there already; it now holds {change.manifest.papers:,}"
    )
    first = change.manifest.docid_count - counts.added - counts.replaced
    duplicates.tell(directory, "add", first)
    if change.manifest.worth_compacting:
        click.echo(f"`citescout compact --index {shlex.quote(str(directory))}` would pay off now", err=True)
    report_problems(report)
