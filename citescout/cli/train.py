"""`citescout train`: the blend and the reranker, from indexes of one's own corpora."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Callback = Callable[..., Any]

_indexes = click.option(
    "--index",
    "directories",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    required=True,
    help="An index whose papers serve as queries; give it several times for several corpora.",
)
_seed = click.option("--seed", default=0, show_default=True)


def _queries(default: int) -> Callable[[Callback], Callback]:
    return click.option(
        "--queries",
        default=default,
        show_default=True,
        type=click.IntRange(1),
        help="Training queries from each index, the newest first.",
    )


@click.group("train")
def command() -> None:
    """Train the parts of the ranking on your own papers.

    The queries are papers of the indexes, each with everything newer and its own citations hidden. Papers to test on
    must be in the index without their citations, or not at all.
    """


@command.command("blend")
@_indexes
@_queries(150)
@_seed
@click.option("--reranker", default="none", show_default=True, help="Also train the order of lists that it has read.")
@click.option("--depth", default=100, show_default=True, help="Candidates that the cross-encoder reads.")
@click.option("--keep-first", is_flag=True, help="Keep the first model as it ships; train only that of read lists.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="File for the blend.")
def blend(
    directories: tuple[Path, ...], queries: int, seed: int, reranker: str, depth: int, keep_first: bool, out: Path
) -> None:
    """Train the learned final order.

    With a reranker, give indexes of papers that the reranker was not trained on: where it was, it looks better than
    it is, and the order trusts it too much.
    """
    from citescout.blend_lists import train_blend

    train_blend(directories, queries, seed, reranker, depth, keep_first).save(out)
    click.echo(f"Wrote the blend to {out}")


@command.command("reranker")
@_indexes
@_queries(2000)
@_seed
@click.option(
    "--base",
    default="late-join",
    show_default=True,
    metavar="late-join|PATH|HF-ID",
    help="late-join: the recipe of the reranker that ships. Else any encoder, fine-tuned on the BM25 top 10.",
)
@click.option("--steps", type=click.IntRange(1), default=None, help="Training steps; the recipe's own without it.")
@click.option("--dry-run", is_flag=True, help="Only count the queries, the positives and the negatives.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the model.")
def reranker(
    directories: tuple[Path, ...], queries: int, seed: int, base: str, steps: int | None, dry_run: bool, out: Path
) -> None:
    """Train a cross-encoder for `--reranker FOLDER`."""
    from dataclasses import replace

    from citescout.reranker_lists import PAPER, POOL, counts, reranker_lists
    from rerank.training_lists import checked_lists

    late = base == "late-join"
    lists = checked_lists(reranker_lists(directories, queries, seed, POOL if late else PAPER))
    click.echo(str(counts(lists)), err=not dry_run)
    if dry_run:
        return
    if late:
        from rerank.late_join_training import LateJoinSettings, train_late_join

        own = LateJoinSettings(seed=seed)
        train_late_join(lists, out, replace(own, steps=steps or own.steps))
    else:
        from rerank.training import SequencePairSettings, train_sequence_pairs

        paper = SequencePairSettings(seed=seed)
        length = steps or paper.steps
        train_sequence_pairs(base, lists, out, replace(paper, steps=length, warm_up=min(paper.warm_up, length // 10)))
    click.echo(f"Wrote the reranker to {out}")
