"""`citescout info`: what an index holds."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import orjson

from cli.options import index_directory

# Of an index that has grown since it was built, or that no map helps.
_UNLEARNT = "none; `citescout compact` learns one, where it helps"


@click.command("info")
@index_directory
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(directory: Path, as_json: bool) -> None:
    """Show what an index holds."""
    from indexer.generations import open_generation, served_manifest
    from indexer.layout import LAYOUT
    from indexer.query_map import LEAST_CITATIONS

    name, manifest = served_manifest(directory)
    facts: dict[str, Any] = {
        "papers": manifest.papers,
        "citations": manifest.citations,
        "removed": manifest.removed,
        "encoder": manifest.encoder,
        "assumed": manifest.encoder_assumed,
        "dimension": manifest.dimension,
        "vectors": manifest.vectors if manifest.encoder else None,
        "search": manifest.search if manifest.encoder and not manifest.engine else None,
        "query map": "learnt" if LAYOUT.query_map in manifest.files else None,
        "recall": asdict(manifest.recall) if manifest.recall else None,
        "8 bits": asdict(manifest.eight_bits) if manifest.eight_bits else None,
        "engine": manifest.engine.address if manifest.engine else None,
        "collection": manifest.engine.collection if manifest.engine else None,
        "generation": name,
        "created": manifest.created,
        "bytes": manifest.bytes,
        "compact": "would pay off" if manifest.worth_compacting else "not needed",
    }
    if as_json:
        click.echo(orjson.dumps(facts).decode())
    else:
        for label, recall in (("recall", manifest.recall), ("8 bits", manifest.eight_bits)):
            if recall:
                facts[label] = recall.sentence()
        may_have_map = manifest.encoder and not manifest.engine and manifest.citations >= LEAST_CITATIONS
        facts["query map"] = facts["query map"] or (_UNLEARNT if may_have_map else None)
        for label, value in facts.items():
            if value is not None:
                click.echo(f"{label:<11} {value:,}" if isinstance(value, int) else f"{label:<11} {value}")
    with open_generation(directory):
        pass  # what is known of an index is shown of a damaged one, too
