"""`citescout serve`: the web page and the JSON API on one index."""

from __future__ import annotations

from pathlib import Path

import click

from citescout.cli.options import host, index_directory, port, reranker


@click.command("serve")
@index_directory
@reranker
@host
@port
def command(directory: Path, reranker: str, host: str, port: int) -> None:
    """Serve the page and the API of an index; changes of the index are served from the next question on."""
    from citescout.live import LiveRecommender
    from webui import create_app, serve

    serve(create_app(LiveRecommender.open(directory, reranker)), host, port)
