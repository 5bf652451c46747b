"""`citescout train reranker`: a cross-encoder from indexes of one's own papers, or from a protocol's training set."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from cli import training_options as shared
from cli.options import OUTPUT_FOLDER, Number, TakesMany, refuse_given, seed, tokens
from common.errors import TrainingError
from common.words import counted
from rerank.token_split import TokenSplit

if TYPE_CHECKING:
    from training.queries import HeldOut, TrainingSplit
    from training.reranker.from_index import ListRecipe, StoredLists
    from training.reranker.lists import TrainingList, TrainingLists
    from training.settings import ListLoss

_QUERIES = 2000


@dataclass(frozen=True, slots=True)
class _Data:
    """What a run trains and validates on."""

    lists: TrainingLists
    validation: Sequence[TrainingList]
    asked: Sequence[TrainingSplit]  # with the same queries, for the weight of the model
    stored: StoredLists


@click.command("reranker", cls=TakesMany)
@shared.indexes("An index whose papers serve as queries; give it several times for several corpora.")
@shared.split
@shared.held_out("neither queries nor candidates")
@click.option(
    "--queries",
    type=click.IntRange(1),
    help=f"Training queries from each index, the newest first; {_QUERIES:,} if not given.",
)
@seed
@click.option(
    "--base",
    default="late-join",
    metavar="late-join|NAME|PATH|HF-ID",
    help="late-join: the recipe of the reranker that ships. Else a model of `citescout models`, such as scibert, or "
    "any other encoder, fine-tuned as by Nogueira et al. (BIR 2020), where the following does not say otherwise.",
)
@click.option(
    "--candidates",
    type=click.Choice(["bm25", "pool"]),
    help="What it learns from: BM25's top 10 (as the paper), or the fused pool's top 130 with hard negatives "
    "(as late-join).",
)
@click.option("--depth", type=click.IntRange(2, 500), help="Candidates of a list; 10 of bm25, 130 of pool.")
@click.option(
    "--loss",
    type=click.Choice(["cross-entropy", "softmax", "distillation"]),
    help="Loss over pairs (as in the paper), over a list (as late-join), or towards a teacher's log-odds.",
)
@click.option("--teacher", default="blend", metavar="blend|default|PATH|HF-ID", help="Teacher of --loss distillation.")
@tokens
@shared.learning_rate
@shared.batch_size
@shared.precision
@shared.steps
@click.option(
    "--validation-share",
    type=Number(0, 0.5),
    default=0.05,
    help="Queries kept back (100 at most): the model with the best F1@20 on their lists is kept, and fitted by them. "
    "Of a split, its development queries are, unless this is 0, which keeps the last model.",
)
@click.option("--evaluate-every", type=click.IntRange(1), default=500, help="Steps.")
@shared.patience("Evaluations after the warm-up without a better F1@20.")
@shared.checkpoint_every(500)
@shared.resume
@shared.dry_run("the queries, positives, negatives and leaks")
@click.option("--out", type=OUTPUT_FOLDER, required=True, help="Folder for the model.")
def reranker(
    directories: tuple[Path, ...],
    split: Path | None,
    sources: tuple[str, ...],
    queries: int | None,
    seed: int,
    base: str,
    candidates: str | None,
    depth: int | None,
    loss: ListLoss | None,
    teacher: str,
    tokens: TokenSplit | None,
    dry_run: bool,
    resume: bool,
    out: Path,
    validation_share: float,
    **given: Any,
) -> None:
    """Train a cross-encoder for `--reranker FOLDER`.

    How much it counts beside the learned order, and how many candidates it reads, is fitted on the queries that
    validate and written beside its weights, to reranking.json.
    """
    from eval.leakage import held_out_titles
    from training.checkpoints import alone_in, remove_checkpoint
    from training.reranker.trainer import check_run, recipe_settings, train_reranker

    if split is None and not directories:
        raise click.UsageError("give --index or --split")
    beside = [name for name, value in (("--index", directories), ("--queries", queries)) if value]
    if split is not None and beside:
        raise click.UsageError(f"--split says who is learned from: leave out {' and '.join(beside)}")
    if loss != "distillation":
        refuse_given(("teacher",), "goes with --loss distillation")
    recipe = _recipe(base, candidates, depth, teacher if loss == "distillation" else None)
    settings = recipe_settings(base, tokens, depth=recipe.depth, loss=loss, seed=seed, **given)
    if not dry_run:
        click.get_current_context().with_resource(alone_in(out))
        check_run(base, out, settings, resume)
    leaks = held_out_titles(sources)
    scratch = Path(click.get_current_context().with_resource(TemporaryDirectory())) if dry_run else None
    if split is not None:
        data = _of_split(split, recipe, leaks, validation_share, seed, scratch)
    else:
        data = _of_indexes(directories, recipe, leaks, validation_share, seed, queries or _QUERIES, scratch or out)
    with closing(data.stored):
        seen = [str(data.stored.lists.shortened(recipe.depth)), str(leaks)]
        click.echo("\n".join(seen), err=not dry_run)
        if dry_run:
            return
        outcome = train_reranker(base, data.lists, out, settings, resume, data.validation)
        click.echo(f"{outcome}", err=True)
    shared.write_record(out, settings, data=seen, result=str(outcome))
    _fit(out, data.asked, tokens)
    remove_checkpoint(out)  # only now: a run that is killed while it fits goes on from there
    if split is None:
        data.stored.file.delete()
    click.echo(f"Wrote the reranker to {out}")


def _recipe(base: str, candidates: str | None, depth: int | None, teacher: str | None) -> ListRecipe:
    """Which lists it learns from; as its base does where that is not said."""
    from training.reranker.from_index import PAPER, POOL
    from training.reranker.trainer import LATE_JOIN

    recipe = POOL if (candidates or ("pool" if base == LATE_JOIN else "bm25")) == "pool" else PAPER
    return replace(recipe, depth=depth or recipe.depth, teacher=teacher)


def _of_indexes(
    directories: Sequence[Path], recipe: ListRecipe, held_out: HeldOut, share: float, seed: int, queries: int,
    folder: Path,
) -> _Data:  # fmt: skip
    """Their newest papers; a share of them validates."""
    import numpy as np

    from indexer.generations import open_generation
    from training.queries import examples
    from training.reranker.from_index import asked_of_index, reranker_lists
    from training.reranker.lists import DEPTH, kept_back

    asked = [asked_of_index(directory, queries, seed, held_out) for directory in directories]
    # Deeper than what is learned from: the validation queries' lists are to be reordered.
    recipe = replace(recipe, depth=max(recipe.depth, DEPTH if share else 0))
    stored = reranker_lists(asked, recipe, folder)
    lists = stored.lists
    kept = kept_back(lists.shortened(DEPTH), share, seed)
    validation = [lists[place].shortened(DEPTH) for place in np.flatnonzero(kept).tolist()]
    validations = []
    for corpus, one in enumerate(asked):
        docids = stored.queries[kept & (stored.queries[:, 0] == corpus), 1]
        with open_generation(one.directory) as generation:
            found = tuple(example for example in examples(generation, docids, one.asking) if example)
        validations.append(replace(one, validation=found))
    return _Data(lists.only(~kept), validation, validations, stored)


def _of_split(
    folder: Path, recipe: ListRecipe, held_out: HeldOut, share: float, seed: int, scratch: Path | None
) -> _Data:  # fmt: skip
    """Its training papers; development queries validate. The lists stay beside its index, for the next base.

    With `scratch` they are only counted, by an index there if they need no vectors.
    """
    from eval.training_split import read_training_split
    from training.reranker.from_index import asked_of_split, reranker_lists, validation_lists

    read = read_training_split(folder, seed=seed, scratch=None if recipe.settings.uses_vectors else scratch)
    click.echo(str(read), err=scratch is None)
    stored = reranker_lists([asked_of_split(read, held_out)], recipe, read.directory.parent / "lists")
    queries, validation = validation_lists(read, recipe) if share and scratch is None else ([], [])
    return _Data(stored.lists, validation, [replace(read, validation=tuple(queries))], stored)


def _fit(out: Path, asked: Sequence[TrainingSplit], tokens: TokenSplit | None) -> None:
    from rerank.reranking import FILE, Reranking
    from training.reranker.reranking import fit_reranking

    try:
        found, without = fit_reranking(out, asked, tokens)
    except TrainingError as error:
        Reranking.unmeasured(tokens=tokens).save(out)
        click.echo(f"{out / FILE}: its weight is not fitted ({error}); it counts as much as the default one", err=True)
        return
    found.save(out)
    weight = f"with the weight {found.weight:.3f} over {found.depth} candidates"
    if not found.weight:
        weight = "nothing beside the learned order, because no weight of it made these lists better"
    click.echo(
        f"It counts {weight}: F1@20 {found.f1_at_20:.4f}, "
        f"MRR {found.mrr:.4f} on {counted(found.queries, 'validation query', 'validation queries')}; "
        f"without it {without}",
        err=True,
    )
