"""`citescout train`: the blend, the reranker and the encoder, from indexes of one's own corpora."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citescout.cli.groups import Sentences
from citescout.cli.options import FILE, FOLDER, TakesMany, tokens
from citescout.cli.train_encoder import encoder

if TYPE_CHECKING:
    from citescout.training.held_out import HeldOut
    from rerank.losses import LossName

Callback = Callable[..., Any]

_indexes = click.option(
    "--index",
    "directories",
    type=FOLDER,
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


@click.group("train", cls=Sentences)
def command() -> None:
    """Train the parts of the ranking on your own papers.

    The queries are papers of the indexes, each with everything newer and its own citations hidden. Papers to test on
    must be in the index without their citations, or not at all. A paper is no query if nearly its title (Jaccard of the
    words from 0.7) is that of a paper without citations in its index, or of one that is --held-out.
    """


def _held_out_papers(sources: Sequence[str]) -> HeldOut:
    from citescout.training.held_out import HeldOut
    from eval.leakage import evaluation_papers

    return HeldOut(paper.title for paper in evaluation_papers(sources))


@command.command("blend", cls=TakesMany)
@_indexes
@_held_out
@_queries(150)
@_seed
@click.option("--reranker", default="none", show_default=True, help="Also fit how much it weighs.")
@click.option("--depth", default=100, show_default=True, help="Candidates that the cross-encoder reads.")
@click.option("--keep-trees", is_flag=True, help="Keep the trees that ship; fit only the cross-encoder's weight.")
@click.option(
    "--left-out",
    type=FOLDER,
    default=None,
    help="A folder for the blends that never saw one index, NAME.json for each, for eval corpora --left-out.",
)
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1), help="Indexes that are asked at once.")
@click.option("--out", type=FILE, required=True, help="File for the blend.")
def blend(
    directories: tuple[Path, ...],
    sources: tuple[str, ...],
    queries: int,
    seed: int,
    reranker: str,
    depth: int,
    keep_trees: bool,
    left_out: Path | None,
    jobs: int,
    out: Path,
) -> None:
    """Train the learned final order.

    Each query is asked as an abstract and in one other form: a title, some sentences, with papers that it cites, of an
    index without vectors. Indexes whose names agree up to a hyphen (cities, cities-small) are of one corpus.

    With a reranker, give indexes of papers that the reranker was not trained on: where it was, it looks better than
    it is, and would weigh too much.
    """
    from citescout.training.blend import family_of, fit_weight, lessons, train_blend
    from common.errors import TrainingError
    from rerank.blend import Blend

    if left_out is not None and len({family_of(directory.name) for directory in directories}) < 2:
        raise TrainingError("--left-out needs indexes of at least two corpora: name more with --index")
    held_out = _held_out_papers(sources)
    found = list(lessons(directories, queries, seed, held_out, jobs))
    for one in found:
        held_out.add(one.held_out)
    if keep_trees:
        blend = Blend.load()
    else:
        trained = train_blend(found, seed, left_out is not None)
        blend = trained.blend
        for family, other in trained.left_out.items():
            if left_out is not None:
                left_out.mkdir(parents=True, exist_ok=True)
                other.save(left_out / f"{family}.json")
    if reranker != "none":
        blend = fit_weight(blend, directories, found, reranker, depth)
    blend.save(out)
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
    metavar="late-join|NAME|PATH|HF-ID",
    help="late-join: the recipe of the reranker that ships. Else a model of `citescout models`, such as scibert, or "
    "any other encoder, fine-tuned as by Nogueira et al. (BIR 2020), where the following does not say otherwise.",
)
@click.option(
    "--candidates",
    type=click.Choice(["bm25", "pool"]),
    default=None,
    help="What it learns from: BM25's top 10 (as the paper), or the fused pool's top 130 with hard negatives "
    "(as late-join).",
)
@click.option(
    "--depth", type=click.IntRange(2, 500), default=None, help="Candidates of a list; 10 of bm25, 130 of pool."
)
@click.option(
    "--loss",
    type=click.Choice(["cross-entropy", "softmax", "distillation"]),
    default=None,
    help="Of pairs (as the paper), over a list (as late-join), or towards a teacher's log-odds.",
)
@click.option(
    "--teacher", default="blend", show_default=True, metavar="blend|default|PATH|HF-ID", help="For distillation."
)
@tokens
@click.option("--learning-rate", type=click.FloatRange(0, min_open=True), default=None)
@click.option("--batch-size", type=click.IntRange(1), default=None, help="Pairs a step.")
@click.option("--precision", type=click.Choice(["auto", "bf16", "fp32"]), default="auto", show_default=True)
@click.option("--steps", type=click.IntRange(1), default=None, help="Training steps; the recipe's own without it.")
@click.option(
    "--validation-share",
    type=click.FloatRange(0, 0.5),
    default=0.05,
    show_default=True,
    help="Queries kept back (100 at most): the model with the best F1@20 on their lists is kept. 0 keeps the last.",
)
@click.option("--evaluate-every", type=click.IntRange(1), default=500, show_default=True, help="Steps.")
@click.option(
    "--patience", type=click.IntRange(1), default=5, show_default=True, help="Evaluations without a better F1@20."
)
@click.option(
    "--checkpoint-every", type=click.IntRange(0), default=500, show_default=True, help="Steps; 0 for no checkpoints."
)
@click.option("--resume", is_flag=True, help="Go on from the checkpoint in --out, given the same options.")
@click.option("--dry-run", is_flag=True, help="Only count the queries, positives, negatives and leaks.")
@click.option("--out", type=FOLDER, required=True, help="Folder for the model.")
def reranker(
    directories: tuple[Path, ...],
    sources: tuple[str, ...],
    queries: int,
    seed: int,
    base: str,
    candidates: str | None,
    depth: int | None,
    loss: LossName | None,
    teacher: str,
    dry_run: bool,
    resume: bool,
    out: Path,
    validation_share: float,
    evaluate_every: int,
    patience: int,
    checkpoint_every: int,
    **options: Any,
) -> None:
    """Train a cross-encoder for `--reranker FOLDER`."""
    from dataclasses import replace

    from citescout.training.reranker import PAPER, POOL, counts, reranker_lists, taught
    from rerank.training_lists import checked_lists
    from rerank.validation import DEPTH

    late = base == "late-join"
    recipe = POOL if (candidates or ("pool" if late else "bm25")) == "pool" else PAPER
    depth = depth or recipe.depth
    held_out = _held_out_papers(sources)
    # Deeper than what is learned from: the validation queries' lists are to be reordered.
    recipe = replace(recipe, depth=max(depth, DEPTH if validation_share else 0))
    lists = checked_lists(reranker_lists(directories, queries, seed, recipe, held_out))
    click.echo(str(counts(lists, depth)), err=not dry_run)
    click.echo(str(held_out), err=not dry_run)
    if dry_run:
        return
    from rerank.reranker_training import Choices, train_reranker
    from rerank.training_loop import Stops

    if loss == "distillation":
        lists = taught(lists, teacher)
    stops = Stops(checkpoint_every, evaluate_every, patience)
    chosen = Choices(depth=depth, loss=loss, validation_share=validation_share, stops=stops, seed=seed, **options)
    outcome = train_reranker(base, lists, out, chosen, resume)
    click.echo(f"{outcome}", err=True)
    click.echo(f"Wrote the reranker to {out}")


command.add_command(encoder)
