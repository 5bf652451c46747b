"""`citescout index`: files of papers → an index directory."""

from __future__ import annotations

from pathlib import Path

import click

from citescout.cli.options import index_directory


@click.command("index")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@index_directory
@click.option(
    "--encoder",
    default="minilm",
    show_default=True,
    metavar="minilm|specter|scincl|PATH|HF-ID|none",
    help="Model that makes the document vectors; none leaves the dense source out.",
)
@click.option("--format", "format_name", default=None, help="Format of the sources; detected from content without it.")
@click.option("--strict", is_flag=True, help="Stop at the first malformed record instead of skipping it.")
def command(sources: tuple[str, ...], directory: Path, encoder: str, format_name: str | None, strict: bool) -> None:
    """Index the papers of all SOURCEs: files, folders, or - for standard input; plain or compressed.

    An index that is already in DIR is served until the new one is complete.
    """
    from indexer.generations import build_index
    from indexer.readers import ReadReport, read_papers

    report = ReadReport()
    papers = read_papers(sources, strict=strict, report=report, format=format_name)
    manifest = build_index(
        papers, directory, None if encoder == "none" else encoder, skipped_records=lambda: report.skipped
    )
    click.echo(f"Indexed {manifest.papers:,} papers with {manifest.citations:,} citations among them in {directory}")
    if manifest.replaced_records:
        click.echo(f"{manifest.replaced_records:,} records had an id seen before; the last of each was kept", err=True)
    if report.skipped:
        click.echo(f"Skipped {report.skipped:,} malformed records:", err=True)
        for problem in report.problems[:10]:
            click.echo(f"  {problem}", err=True)
        if report.skipped > 10:
            click.echo(f"  and {report.skipped - min(10, len(report.problems)):,} more", err=True)
