"""`citescout info`: what an index holds."""

from __future__ import annotations

from pathlib import Path

import click
import orjson

from citescout.cli.options import index_directory


@click.command("info")
@index_directory
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(directory: Path, as_json: bool) -> None:
    """Show what an index holds."""
    from indexer.generations import served_manifest

    name, manifest = served_manifest(directory)
    facts = {
        "papers": manifest.papers,
        "citations": manifest.citations,
        "removed": manifest.removed,
        "encoder": manifest.encoder,
        "dimension": manifest.dimension,
        "generation": name,
        "created": manifest.created,
        "bytes": manifest.bytes,
        "compact": "would pay off" if manifest.worth_compacting else "not needed",
    }
    if as_json:
        click.echo(orjson.dumps(facts).decode())
        return
    for label, value in facts.items():
        click.echo(f"{label:<11} {value:,}" if isinstance(value, int) else f"{label:<11} {value or '-'}")
