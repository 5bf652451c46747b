"""Every ablation of `ablation_tables` as an experiment: each variant trained, asked, and put beside what was published.

What comes out of few papers and steps is no verdict on a paper; each table says so, with its sizes.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from common.errors import SourceError, TrainingError
from common.files import sha256
from encoders.pretrained import find_model
from encoders.transformer import TextEncoder
from encoders.word_vectors import EPOCHS, require_gensim
from eval.baselines.base import Ranker, Setup
from eval.baselines.registry import find_baselines
from eval.experiments.ablation_corpora import Corpora, open_corpora, text_of
from eval.experiments.ablation_tables import (
    ABLATIONS,
    CITATIONS,
    CO_CITATION,
    NEIGHBOURS,
    Ablation,
    Coupled,
    Making,
    Reads,
    Tuned,
)
from eval.experiments.base import Experiment, Inputs, register
from eval.experiments.ctpe_collections import write_collection
from eval.experiments.findings import Findings, Measured, Panel, Row, counts_of, curves, points, rows_of
from eval.experiments.kept_models import origin, trained
from training.ctpe.settings import CtpeSettings
from training.encoder.from_index import (
    VALIDATION_SHARE,
    Recipe,
    scincl_recipe,
    specter_recipe,
    triplets_of,
    without_leaks,
)
from training.queries import MOST_VALIDATION_QUERIES
from training.triplets.files import read_triplets
from training.triplets.sampling import Triplets, together
from training.triplets.specter import co_citation_triplets

_OWN_SIGNALS = (CITATIONS, NEIGHBOURS, CO_CITATION)
_OWN_WORDS = {"word2vec": "corpus", "word2vec(ran)": "random"}


class Unmeasured(Exception):
    """A variant lacks something that only the user can give, or does not fit the corpora: why."""


@dataclass(frozen=True, slots=True)
class TrainedVariant:
    """A variant that can be asked."""

    ranker: Ranker
    reads: Reads = "title+abstract"
    note: str = ""  # what it learned from


def make(making: Making, corpora: Corpora, folder: Path, inputs: Inputs) -> TrainedVariant:
    """Train a variant into `folder`, or whatever else it takes.

    Raises:
        Unmeasured: it cannot be made with what is there.
        CitescoutError: a model, library or file is missing, or training fails.
    """
    if isinstance(making, Tuned):
        return _tuned(making, corpora, folder, inputs)
    if isinstance(making, Coupled):
        return _coupled(making, corpora, folder, inputs)
    (baseline,) = find_baselines([making])
    return TrainedVariant(baseline.make(Setup(seed=inputs.seed, epochs=inputs.word_epochs)))


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
    read = (read_triplets(Path(file), making.mix, inputs.seed) for file in files.values())
    found += [without_leaks(one, corpora.held_out)[0] for one in read]
    triplets = together(found) if len(found) > 1 else found[0]
    if not len(triplets):
        raise Unmeasured("there is not one triplet")
    return triplets


def _tuned(making: Tuned, corpora: Corpora, folder: Path, inputs: Inputs) -> TrainedVariant:
    from eval.baselines.families.text_encoders import EncoderRanker
    from training.encoder.batches import TripletBatches
    from training.encoder.settings import SCINCL, SPECTER
    from training.encoder.trainer import train_encoder

    base = base_of(making, inputs)
    if not corpora.has(making.reads):
        raise Unmeasured(f"no paper has its {making.reads.rpartition('+')[2]}")
    if not making.signals:
        return TrainedVariant(EncoderRanker(TextEncoder(find_model(base))), making.reads)
    triplets = triplets_for(making, corpora, inputs)
    train, validation = triplets.parted(VALIDATION_SHARE, MOST_VALIDATION_QUERIES, inputs.seed)
    train = train.share(making.share, inputs.seed)
    settings = SCINCL if NEIGHBOURS in making.signals else SPECTER
    settings = settings.with_bitfit() if making.bias_only else settings
    settings = replace(settings, max_tokens=inputs.text_tokens, seed=inputs.seed)
    batches = TripletBatches(train, settings)
    steps = batches.steps(settings.epochs)
    settings = replace(settings, steps=min(steps, inputs.most_steps or steps))

    def train_it(resume: bool) -> str:
        return str(train_encoder(base, triplets.texts, batches, validation.rows, folder, settings, resume))

    report = trained(
        folder, origin(settings, base, triplets.texts, batches.digest(), validation.rows.tolist()), train_it
    )
    note = f"{train}, {triplets.collisions:,} collisions; {report}"
    return TrainedVariant(EncoderRanker(TextEncoder(find_model(str(folder)))), making.reads, note)


def _coupled(making: Coupled, corpora: Corpora, folder: Path, inputs: Inputs) -> TrainedVariant:
    from encoders.ctpe.files import load_ctpe
    from eval.baselines.families.text_encoders import EncoderRanker
    from eval.baselines.families.word_means import Average
    from eval.baselines.families.word_movers import by_exact_distance
    from training.ctpe.from_index import ctpe_words, train_ctpe

    words = _OWN_WORDS.get(making.words) or _looked_up(making.words, given(inputs.words, "--words"), "--words")
    settings = CtpeSettings(
        words=words, split=making.split, negatives=making.negatives, channels=inputs.channels,
        epochs=inputs.epochs if making.made == "trained" else 0, word_epochs=inputs.word_epochs or EPOCHS,
        seed=inputs.seed,
    )  # fmt: skip
    if making.made in ("mean", "wmd"):
        vectors = ctpe_words(corpora.directories, settings)
        if making.made == "wmd":
            return TrainedVariant(by_exact_distance(lambda _: lambda _: vectors, Setup(seed=inputs.seed)))
        return TrainedVariant(Average(lambda _: vectors))

    def train_it(resume: bool) -> str:
        counts, course = train_ctpe(corpora.directories, folder, settings, resume)
        return f"{counts.pairs - counts.held_out:,} pairs; {course}"

    file = Path(words)
    texts = (text_of(paper, "title+abstract") for one in corpora.tested.values() for paper in one.papers)
    said = trained(folder, origin(settings, None, texts, sha256(file) if file.is_file() else ""), train_it)
    return TrainedVariant(EncoderRanker(load_ctpe(folder)), note=said if making.made == "trained" else "")


def _looked_up(name: str, known: Mapping[str, str], option: str) -> str:
    if name not in known:
        raise Unmeasured(f"it takes {option} '{name}=…'")
    return known[name]


def run(ablation: Ablation, inputs: Inputs) -> Findings:
    """Train and ask the variants one after the other.

    Their models stay below the folder of the results, so that a run that was stopped goes on where it was.

    Raises:
        SourceError: a corpus, a variant or a file that was named is not there, models of another run are, or the first
            variant cannot be measured.
        CitescoutError: a model or a library is missing, or training fails.
    """
    variants = ablation.chosen(inputs.variants)
    models = inputs.out / ablation.name
    _check(variants.values(), inputs)
    corpora = open_corpora(_folder(inputs), inputs)
    measured: dict[str, Measured] = {}
    notes = [_caution(ablation, corpora, inputs)]
    for number, (name, making) in enumerate(variants.items(), start=1):
        try:
            made = make(making, corpora, models / str(number), inputs)
        except Unmeasured as why:
            if not measured:
                raise SourceError(f"{ablation.name} compares with {name!r}: {why}") from None
            notes.append(f"{name}: not measured, {why}.")
            continue
        measured[name] = corpora.measure(made.ranker, made.reads, ablation.depth)
        if made.note:
            notes.append(f"{name} (model {number}): {made.note}.")
    rows = rows_of(measured, ablation.figures, seed=inputs.seed)
    return Findings(rows, counts_of(measured), _panels(ablation, rows), ablation.published, tuple(notes))


def _check(makings: Collection[Making], inputs: Inputs) -> None:
    """What is wrong with names and files should not be found out after hours of training."""
    from training.encoder.model import load_trainable
    from training.encoder.settings import SPECTER

    for option, pairs in (("--init", inputs.inits), ("--signal", inputs.signals), ("--words", inputs.words)):
        given(pairs, option)
    for file in given(inputs.signals, "--signal").values():
        if not Path(file).exists():
            raise SourceError(f"no file of triplets at {file}")
    bases = set()
    for making in makings:
        if isinstance(making, Tuned):
            with suppress(Unmeasured):
                bases.add(base_of(making, inputs))
    for base in sorted(bases):
        load_trainable(base, SPECTER)
    if any(isinstance(making, Coupled) for making in makings):
        require_gensim()


def _folder(inputs: Inputs) -> Path:
    """The folder of corpora: the user's, or that of a collection which is drawn now.

    Raises:
        SourceError: none is given, or several.
    """
    drawn = [(name, papers) for name, papers in (("dblp", inputs.dblp), ("arxiv", inputs.arxiv)) if papers]
    if len(drawn) + (inputs.corpora is not None) != 1:
        raise SourceError("name one source of papers: --corpora, or --dblp or --arxiv for an experiment of CTPE")
    if inputs.corpora is not None:
        return inputs.corpora
    ((name, papers),) = drawn
    folder = inputs.out / "collections"
    write_collection(name, papers, folder, inputs.candidates, inputs.seed)
    return folder


def _caution(ablation: Ablation, corpora: Corpora, inputs: Inputs) -> str:
    papers = sum(len(one.papers) for one in corpora.tested.values())
    steps = f", at most {inputs.most_steps:,} steps" if inputs.most_steps else ""
    found = f" Published (a figure without numbers): {ablation.finding}." if ablation.finding else ""
    return (
        f"{ablation.paper}. Here: {papers:,} papers{steps}. The paper had {ablation.size}: what is found at this size "
        f"is no verdict on it.{found}"
    )


def _panels(ablation: Ablation, found: tuple[Row, ...]) -> tuple[Panel, ...]:
    if not ablation.axis:
        return points(found)
    by_rank = {int(row.name.rpartition(" ")[2]): row for row in found}
    return curves([by_rank[rank] for rank in sorted(by_rank)], sorted(by_rank), ablation.axis)


for _one in ABLATIONS:
    register(Experiment(_one.name, _one.question, partial(run, _one), _one.options, _one.paper, on_corpora=True))
