"""`citescout train`: the blend and the reranker, from indexes of one's own corpora."""

from __future__ import annotations

from pathlib import Path

import click

_indexes = click.option(
    "--index",
    "directories",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    required=True,
    help="An index whose papers serve as queries; give it several times for several corpora.",
)
_queries = click.option("--queries", default=150, show_default=True, help="Training queries drawn from each index.")
_seed = click.option("--seed", default=0, show_default=True)


@click.group("train")
def command() -> None:
    """Train the parts of the ranking on your own papers."""


@command.command("blend")
@_indexes
@_queries
@_seed
@click.option(
    "--reranker", default="default", show_default=True, help="Cross-encoder whose score is a feature, or none."
)
@click.option("--depth", default=100, show_default=True, help="Candidates that the cross-encoder reads.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="File for the blend.")
def blend(directories: tuple[Path, ...], queries: int, seed: int, reranker: str, depth: int, out: Path) -> None:
    """Train the learned final order.

    The queries are papers of the indexes, each with everything newer and its own citations hidden. Papers to test on
    must be in the index without their citations (or not at all).
    """
    from citescout.blend_lists import train_blend

    trained = train_blend(directories, queries, seed, reranker, depth)
    trained.save(out)
    click.echo(f"Wrote the blend to {out}")
