"""A variant of an ablation as a ranker: what it trains, and from what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from common.errors import SourceError, TrainingError
from eval.baselines.base import Ranker, Setup
from eval.baselines.registry import find_baselines
from eval.experiments.ablation import CITATIONS, CO_CITATION, NEIGHBOURS, Coupled, Making, Reads, Tuned
from eval.experiments.ablation_corpora import Corpora
from eval.experiments.base import Inputs
from training.encoder.from_index import (
    VALIDATION_SHARE,
    Recipe,
    scincl_recipe,
    specter_recipe,
    triplets_of,
    without_leaks,
)
from training.split import MOST_VALIDATION_QUERIES
from training.triplets.co_citation import co_citation_triplets
from training.triplets.files import read_triplets
from training.triplets.triplets import Triplets, together

_OWN_SIGNALS = (CITATIONS, NEIGHBOURS, CO_CITATION)
_OWN_WORDS = {"word2vec": "corpus", "word2vec(ran)": "random"}


class Unmeasured(Exception):
    """A variant lacks something that only the user can give, or does not fit the corpora: why."""


@dataclass(frozen=True, slots=True)
class Made:
    """A variant that can be asked."""

    ranker: Ranker
    reads: Reads
    note: str  # what it learned from, "" for nothing


def make(making: Making, corpora: Corpora, folder: Path, inputs: Inputs) -> Made:
    """Train a variant into `folder`, or whatever else it takes.

    Raises:
        Unmeasured: it cannot be made with what is there.
        CitescoutError: a model, library or file is missing, or training fails.
    """
    if isinstance(making, Tuned):
        return _tuned(making, corpora, folder, inputs)
    if isinstance(making, Coupled):
        return _coupled(making, corpora, folder, inputs)
    return Made(find_baselines([making.name])[0].make(Setup(seed=inputs.seed)), "title+abstract", "")


def given(pairs: tuple[str, ...], option: str) -> dict[str, str]:
    """NAME=VALUE of an option as a mapping.

    Raises:
        SourceError: one has no name or no value.
    """
    parted = [pair.partition("=") for pair in pairs]
    if wrong := [name + sign for name, sign, value in parted if not (name and value)]:
        raise SourceError(f"{option} {wrong[0]}: expected NAME=VALUE, the name as the table has it")
    return {name: value for name, _, value in parted}


def base_of(making: Tuned, inputs: Inputs) -> str:
    """The encoder that a variant starts from.

    Raises:
        Unmeasured: the user has not named it.
    """
    return _looked_up(making.init, given(inputs.inits, "--init"), "--init") if making.init else inputs.base


def triplets_for(making: Tuned, corpora: Corpora, inputs: Inputs) -> Triplets:
    """All triplets of a variant.

    Raises:
        Unmeasured: a signal was not given, or the corpora are too small for the ranks.
        SourceError: a file of triplets is missing or damaged.
    """
    ready = given(inputs.signals, "--signal")
    files = {one: _looked_up(one, ready, "--signal") for one in making.signals if one not in _OWN_SIGNALS}
    own = corpora.reading(making.reads)
    recipes: dict[str, Recipe] = {
        CITATIONS: specter_recipe(making.mix, inputs.seed),
        NEIGHBOURS: scincl_recipe(making.mix, inputs.seed, drawing=making.drawing, paper_ranks=making.ranks),
        CO_CITATION: lambda corpus: co_citation_triplets(corpus, making.mix, inputs.seed),
    }
    try:
        found = [triplets_of(own, recipes[one])[0] for one in making.signals if one not in files]
    except TrainingError as error:
        raise Unmeasured(str(error)) from None
    found += [
        without_leaks(read_triplets(Path(file), making.mix, inputs.seed), corpora.held_out)[0]
        for file in files.values()
    ]
    triplets = together(found) if len(found) > 1 else found[0]
    if not len(triplets):
        raise Unmeasured("there is not one triplet")
    return triplets


def _tuned(making: Tuned, corpora: Corpora, folder: Path, inputs: Inputs) -> Made:
    from encoders.pretrained import find_model
    from encoders.transformer import TextEncoder
    from eval.baselines.families.text_encoders import EncoderRanker
    from training.encoder.batches import TripletBatches
    from training.encoder.settings import SCINCL, SPECTER
    from training.encoder.trainer import train_encoder

    base = base_of(making, inputs)
    if not corpora.has(making.reads):
        raise Unmeasured(f"no paper has its {making.reads.rpartition('+')[2]}")
    if not making.signals:
        return Made(EncoderRanker(TextEncoder(find_model(base))), making.reads, "")
    triplets = triplets_for(making, corpora, inputs)
    train, validation = triplets.parted(VALIDATION_SHARE, MOST_VALIDATION_QUERIES, inputs.seed)
    train = train.share(making.share, inputs.seed)
    settings = SCINCL if NEIGHBOURS in making.signals else SPECTER
    settings = settings.with_bitfit() if making.bias_only else settings
    settings = replace(settings, max_tokens=inputs.text_tokens, seed=inputs.seed)
    batches = TripletBatches(train, settings)
    steps = batches.steps(settings.epochs)
    settings = replace(settings, steps=min(steps, inputs.most_steps or steps))
    report = train_encoder(base, triplets.texts, batches, validation.rows, folder, settings)
    note = f"{train}, {triplets.collisions:,} collisions; {report}"
    return Made(EncoderRanker(TextEncoder(find_model(str(folder)))), making.reads, note)


def _coupled(making: Coupled, corpora: Corpora, folder: Path, inputs: Inputs) -> Made:
    from encoders.ctpe.files import load_ctpe
    from eval.baselines.families.text_encoders import EncoderRanker
    from eval.baselines.families.word_means import Average
    from training.ctpe.from_index import ctpe_words, train_ctpe
    from training.ctpe.settings import CtpeSettings

    words = _OWN_WORDS.get(making.words) or _looked_up(making.words, given(inputs.words, "--words"), "--words")
    settings = CtpeSettings(
        words=words, split=making.split, negatives=making.negatives, channels=inputs.channels,
        epochs=inputs.epochs if making.made == "trained" else 0, seed=inputs.seed,
    )  # fmt: skip
    if making.made == "mean":
        vectors = ctpe_words(corpora.directories, settings)
        return Made(Average(lambda _: vectors), "title+abstract", "")
    counts, course = train_ctpe(corpora.directories, folder, settings)
    note = f"{counts.pairs - counts.held_out:,} pairs; {course}" if making.made == "trained" else ""
    return Made(EncoderRanker(load_ctpe(folder)), "title+abstract", note)


def _looked_up(name: str, known: Mapping[str, str], option: str) -> str:
    if name not in known:
        raise Unmeasured(f"it takes {option} '{name}=…'")
    return known[name]
