"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

index_directory = click.option(
    "--index", "directory", type=click.Path(path_type=Path, file_okay=False), required=True, help="The index directory."
)
reranker = click.option(
    "--reranker",
    default="none",
    show_default=True,
    metavar="default|none|PATH|HF-ID",
    help="Cross-encoder that reads the best candidates; default is the one that comes along.",
)
host = click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
port = click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="Port to listen on.")


def comma_separated(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[Any, ...]:
    """Callback: "bm25,dense" → ("bm25", "dense")."""
    return tuple(part.strip() for part in value.split(",") if part.strip())
