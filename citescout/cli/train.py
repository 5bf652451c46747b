"""`citescout train`: the blend, the reranker and the encoder, from indexes of one's own corpora."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citescout.cli.options import TakesMany
from citescout.cli.train_encoder import encoder

if TYPE_CHECKING:
    from citescout.held_out import HeldOut

Callback = Callable[..., Any]

_indexes = click.option(
    "--index",
    "directories",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    required=True,
    help="An index whose papers serve as queries; give it several times for several corpora.",
)
_held_out = click.option(
    "--held-out",
    "sources",
    multiple=True,
    metavar="SOURCE...",
    help="Papers to test on: files, folders, or a NAME.test.ids beside its corpus. Papers with nearly their titles "
    "are neither queries nor candidates.",
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
    must be in the index without their citations, or not at all. A paper is no query if nearly its title (Jaccard of the
    words from 0.7) is that of a paper without citations in its index, or of one that is --held-out.
    """


def _held_out_papers(sources: Sequence[str]) -> HeldOut:
    from citescout.held_out import HeldOut
    from eval.leakage import evaluation_papers

    return HeldOut(paper.title for paper in evaluation_papers(sources))


@command.command("blend", cls=TakesMany)
@_indexes
@_held_out
@_queries(150)
@_seed
@click.option("--reranker", default="none", show_default=True, help="Also train the order of lists that it has read.")
@click.option("--depth", default=100, show_default=True, help="Candidates that the cross-encoder reads.")
@click.option("--keep-first", is_flag=True, help="Keep the first model as it ships; train only that of read lists.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="File for the blend.")
def blend(
    directories: tuple[Path, ...],
    sources: tuple[str, ...],
    queries: int,
    seed: int,
    reranker: str,
    depth: int,
    keep_first: bool,
    out: Path,
) -> None:
    """Train the learned final order.

    With a reranker, give indexes of papers that the reranker was not trained on: where it was, it looks better than
    it is, and the order trusts it too much.
    """
    from citescout.blend_lists import train_blend

    held_out = _held_out_papers(sources)
    train_blend(directories, queries, seed, reranker, depth, keep_first, held_out).save(out)
    click.echo(str(held_out), err=True)
    click.echo(f"Wrote the blend to {out}")


@command.command("reranker", cls=TakesMany)
@_indexes
@_held_out
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
@click.option("--dry-run", is_flag=True, help="Only count the queries, positives, negatives and leaks.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the model.")
def reranker(
    directories: tuple[Path, ...],
    sources: tuple[str, ...],
    queries: int,
    seed: int,
    base: str,
    steps: int | None,
    dry_run: bool,
    out: Path,
) -> None:
    """Train a cross-encoder for `--reranker FOLDER`."""
    from dataclasses import replace

    from citescout.reranker_lists import PAPER, POOL, counts, reranker_lists
    from rerank.training_lists import checked_lists

    late = base == "late-join"
    held_out = _held_out_papers(sources)
    lists = checked_lists(reranker_lists(directories, queries, seed, POOL if late else PAPER, held_out))
    click.echo(str(counts(lists)), err=not dry_run)
    click.echo(str(held_out), err=not dry_run)
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


command.add_command(encoder)
