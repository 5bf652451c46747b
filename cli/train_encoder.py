"""`citescout train encoder`: SPECTER, SciNCL, or our own recipe, from indexes or from files of triplets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

import click

from cli import training_options as shared
from cli.options import FILE, OUTPUT_FILE, OUTPUT_FOLDER, Number, TakesMany, refuse_given, seed
from cli.sources import keep_what_is_read
from cli.train_ctpe import command as ctpe
from common.errors import TrainingError
from common.words import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from encoders.text import Text
    from training.encoder.batches import BatchSource
    from training.encoder.settings import EncoderSettings
    from training.queries import HeldOut, TrainingSplit
    from training.triplets.sampling import Mix, Triplets

    _Data = tuple[Sequence[Text], BatchSource, NDArray[np.int64]]  # what is trained on, and validation triplets

RECIPES = ("specter", "scincl", "neighbourhood", "ctpe")


@dataclass(frozen=True, slots=True)
class _Options:
    """What the command is given beside the settings of the training."""

    recipe: str
    directories: tuple[Path, ...]
    split: Path | None
    files: tuple[Path, ...]
    base: str
    sources: tuple[str, ...]
    write_triplets: Path | None
    hard: int
    easy: int
    positive: int | None
    negative: int | None
    easy_from: Literal["filtered", "random"]
    allow_collisions: bool
    share: float
    resume: bool
    dry_run: bool
    seed: int
    out: Path | None
    said: list[str] = field(default_factory=list)

    def say(self, lines: object) -> None:
        """Print what was sampled, and keep it: to standard output where that is all that is asked for."""
        self.said.extend(str(lines).splitlines())
        click.echo(str(lines), err=not self.dry_run)


class ByRecipe(TakesMany):
    """A command whose options depend on the recipe: CTPE is no fine-tuned transformer and has others."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the recipe's command."""
        rest = _without_ctpe(args)
        if rest is None:
            return super().make_context(info_name, args, parent, **extra)
        return ctpe.make_context(f"{info_name} --recipe ctpe", rest, parent, **extra)


def _without_ctpe(args: list[str]) -> list[str] | None:
    """The arguments without a "--recipe ctpe" among them; None where there is none."""
    for place, argument in enumerate(args):
        if argument == "--recipe=ctpe":
            return args[:place] + args[place + 1 :]
        if args[place : place + 2] == ["--recipe", "ctpe"]:
            return args[:place] + args[place + 2 :]
    return None


@click.command("encoder", cls=ByRecipe)
@click.option(
    "--recipe", type=click.Choice(RECIPES), required=True,
    help="See docs/encoders.md; --recipe ctpe --help shows the options of CTPE, which are others.",
)  # fmt: skip
@shared.indexes("Indexes to draw queries from.")
@shared.split
@click.option(
    "--triplets", "files", type=FILE, multiple=True, metavar="FILE...",
    help="Instead of indexes: ready triplets, see docs/formats.md.",
)  # fmt: skip
@click.option(
    "--base", default="minilm", metavar="NAME|PATH|HF-ID",
    help="Model to start from, by its name in `citescout models` (scibert, as in the papers), folder or hub id.",
)  # fmt: skip
@shared.held_out("in no triplet")
@click.option("--write-triplets", type=OUTPUT_FILE, help="Also write the triplets; .gz compresses them.")
@click.option("--hard", default=2, type=click.IntRange(0), help="Hard negatives of a query.")
@click.option("--easy", default=3, type=click.IntRange(0), help="Random negatives of a query.")
@click.option("--k-positive", "positive", type=click.IntRange(1), help="scincl: k⁺, else by corpus size.")
@click.option("--k-negative", "negative", type=click.IntRange(1), help="scincl: k⁻, else by corpus size.")
@click.option(
    "--easy-from", type=click.Choice(["filtered", "random"]), default="filtered",
    help="scincl: random negatives beyond rank k⁻ only, or any.",
)  # fmt: skip
@click.option("--allow-collisions", is_flag=True, help="scincl: a pair may be positive here and negative there.")
@click.option("--share", default=1.0, type=Number(0, 1, min_open=True), help="Share of the queries to use.")
@click.option("--bitfit", is_flag=True, help="Train bias terms only.")
@click.option("--loss", type=click.Choice(["margin", "in-batch"]), help="Another loss than the recipe's.")
@shared.learning_rate
@shared.batch_size
@click.option("--epochs", type=Number(0, min_open=True), help="Passes over the queries, instead of --steps.")
@shared.steps
@click.option(
    "--tokens", "max_tokens", type=click.IntRange(8),
    help="Tokens of a text that training reads; by default as many as in use, 128 for neighbourhood.",
)  # fmt: skip
@shared.precision
@shared.checkpoint_every(200)
@shared.resume
@shared.dry_run("queries, triplets, replacements and leaks")
@seed
@click.option("--out", type=OUTPUT_FOLDER, help="Folder for the encoder.")
def encoder(**given: Any) -> None:
    """Fine-tune an encoder of documents for `citescout index --encoder FOLDER`.

    specter and scincl learn from triplets, neighbourhood from the citations themselves, ctpe from the texts alone.
    """
    options = _Options(**{one.name: given.pop(one.name) for one in fields(_Options) if one.name != "said"})
    out = None if options.dry_run else options.out
    _check_options(options, given)
    keep_what_is_read(options.write_triplets, (*options.files, *options.sources))
    from eval.leakage import held_out_titles
    from eval.training_split import read_training_split
    from training.checkpoints import alone_in, check_out
    from training.encoder.model import load_trainable
    from training.encoder.trainer import train_encoder

    settings = _settings(options, **given)
    if out is not None:  # a wrong name should not cost the time of the sampling
        click.get_current_context().with_resource(alone_in(out))
        check_out(out, options.resume)
        reads = load_trainable(options.base, settings).max_tokens
        if (given["max_tokens"] or 0) > reads:
            raise TrainingError(f"{options.base} reads {reads} tokens: give no more than these as --tokens")
    leaks = held_out_titles(options.sources)
    split = None
    if options.split is not None:
        scratch = Path(click.get_current_context().with_resource(TemporaryDirectory())) if options.dry_run else None
        split = read_training_split(options.split, None, options.seed, scratch)
        options.say(split)
        options = replace(options, directories=(split.directory,))
    if options.recipe == "neighbourhood":
        data = _neighbourhood(options, settings, options.base if out else None, split, leaks)
    else:
        data = _triplets(options, settings, split, leaks)
    if out is not None:
        if not options.resume:  # which the trainer refuses where the checkpoint is of other options than these
            shared.write_record(out, settings, data=options.said)
        report = train_encoder(options.base, *data, out, settings, options.resume)
        shared.write_record(out, settings, data=options.said, result=str(report))
        click.echo(f"Wrote the encoder to {out}: {report}")


def _check_options(options: _Options, given: dict[str, Any]) -> None:
    if sum(map(bool, (options.directories, options.files, options.split))) != 1:
        raise click.UsageError("give one of --index, --split and --triplets")
    if options.recipe == "neighbourhood":
        of_triplets = ("files", "write_triplets", "hard", "easy", "loss")
        refuse_given(of_triplets, "is of no use: the recipe neighbourhood has no triplets, it needs --index or --split")
    if options.recipe != "scincl" or options.files:
        drawn = ("positive", "negative", "easy_from", "allow_collisions")
        refuse_given(drawn, "goes with --recipe scincl and what it draws triplets from, --index or --split")
    if options.out is None and not options.dry_run and options.write_triplets is None:
        raise click.UsageError("give --out, --write-triplets or --dry-run")
    if given["steps"] is not None:
        refuse_given(("epochs",), "is given instead of --steps: leave out one of them")
    if options.recipe != "neighbourhood" and not options.hard + options.easy:
        raise click.UsageError("a triplet has a negative: give --hard or --easy more than 0")


def _settings(options: _Options, bitfit: bool, **given: Any) -> EncoderSettings:
    from training.encoder.settings import NEIGHBOURHOOD, SCINCL, SPECTER

    settings = {"specter": SPECTER, "scincl": SCINCL, "neighbourhood": NEIGHBOURHOOD}[options.recipe]
    settings = replace(settings.with_bitfit() if bitfit else settings, seed=options.seed)
    if given["epochs"] is not None:
        settings = replace(settings, steps=None)
    settings = replace(settings, **{name: value for name, value in given.items() if value is not None})
    if given["batch_size"] is not None:
        settings = replace(settings, chunk=min(settings.chunk, settings.batch_size))
    return replace(settings, unit=settings.loss == "in-batch")


def _triplets(options: _Options, settings: EncoderSettings, split: TrainingSplit | None, leaks: HeldOut) -> _Data:
    from training.encoder.batches import TripletBatches
    from training.encoder.from_index import VALIDATION_SHARE
    from training.queries import MOST_VALIDATION_QUERIES
    from training.triplets.files import write_triplets
    from training.triplets.sampling import Mix

    mix = Mix(options.hard, options.easy)
    if options.files:
        triplets, validation = _from_files(options, mix, leaks), None
    else:
        triplets, validation = _from_indexes(options, mix, split, leaks)
    if not len(triplets):
        if options.files:
            raise TrainingError("zero triplets: the files hold none, or only those whose titles leak")
        raise TrainingError(
            "zero triplets: no paper that may be seen cites another one and has a negative beside it; "
            "--dry-run shows what was left out"
        )
    train = triplets
    if validation is None:
        train, validation = triplets.parted(VALIDATION_SHARE, MOST_VALIDATION_QUERIES, options.seed)
    train = train.share(options.share, options.seed)
    collisions = f"; {triplets.collisions:,} collisions" if triplets.collisions else ""
    options.say(f"{train}; {counted(len(validation), 'triplet')} for validation{collisions}")
    if options.write_triplets:
        write_triplets(train, options.write_triplets)
        click.echo(f"Wrote {counted(len(train), 'triplet')} to {options.write_triplets}", err=not options.dry_run)
    return triplets.texts, TripletBatches(train, settings), validation.rows


def _from_files(options: _Options, mix: Mix, leaks: HeldOut) -> Triplets:
    from training.encoder.from_index import without_leaks
    from training.triplets.files import read_triplets
    from training.triplets.sampling import together

    read = together([read_triplets(file, mix, options.seed) for file in options.files])
    triplets, leaking = without_leaks(read, leaks)
    options.say(f"{counted(leaking, 'triplet')} left out because a title leaks")
    return triplets


def _from_indexes(
    options: _Options, mix: Mix, split: TrainingSplit | None, leaks: HeldOut
) -> tuple[Triplets, Triplets | None]:
    """Triplets to learn from, and those to validate with where a split says which."""
    from training.encoder.from_index import scincl_recipe, specter_recipe, split_triplets, training_corpus, triplets_of
    from training.triplets.scincl import Drawing

    if options.recipe == "specter":
        recipe = specter_recipe(mix, options.seed)
    else:
        drawing = Drawing(options.easy_from, options.allow_collisions)
        recipe = scincl_recipe(mix, options.seed, options.positive, options.negative, drawing)
    corpora = (training_corpus(one, leaks, split) for one in options.directories)
    validation = None
    if split and split.validation:
        triplets, validation, counts = split_triplets(next(corpora), recipe, split, options.seed)
    else:
        triplets, counts = triplets_of(corpora, recipe)
    options.say(f"{counts}\n{leaks}")
    return triplets, validation


def _neighbourhood(
    options: _Options, settings: EncoderSettings, base: str | None, split: TrainingSplit | None, leaks: HeldOut
) -> _Data:
    from training.encoder.batches import NeighbourhoodBatches
    from training.encoder.from_index import neighbourhood_data, training_corpus

    corpora = [training_corpus(one, leaks, split) for one in options.directories]
    data = neighbourhood_data(corpora, options.directories, base, options.share, options.seed, split)
    options.say(f"{data}\n{leaks}")
    return data.texts, NeighbourhoodBatches(data.corpora, settings), data.validation
