"""A CTPE out of the texts of indexes: no citation is looked at, so test papers among them give nothing away."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path

import torch

from common.progress import progress
from encoders import word_vectors
from encoders.ctpe.files import save_ctpe
from encoders.ctpe.network import TextCnn
from encoders.ctpe.parts import Parts, Split, parts_of
from encoders.text import Text
from encoders.words import all_words
from indexer.generations import open_generation
from training.checkpoints import check_out, fingerprint, remove_checkpoint
from training.ctpe.settings import CORPUS, ENCODER, RANDOM, CtpeSettings
from training.ctpe.trainer import TrainingHistory, held_out, nearest_by_tf_idf, tf_idf_partners, train_network


@dataclass(frozen=True, slots=True)
class CtpeCounts:
    """What training sees."""

    texts: int  # different ones
    repeated: int  # papers whose text another one has
    words: int  # different ones, known or not
    pairs: int  # texts with words in both parts
    held_out: int  # of the pairs

    def __str__(self) -> str:
        return (
            f"{self.texts:,} texts ({self.repeated:,} repeated ones left out), {self.words:,} words, "
            f"{self.pairs:,} coupled pairs, {self.held_out:,} of them held out"
        )


def count_ctpe(directories: Sequence[Path], settings: CtpeSettings) -> CtpeCounts:
    """What `train_ctpe` would see if every word had a vector; nothing is trained.

    Raises:
        IndexDirectoryError: no index there, or a damaged one.
        TrainingError: too few pairs.
    """
    return _counts(*_texts(directories), settings)


def train_ctpe(
    directories: Sequence[Path], out: Path, settings: CtpeSettings, resume: bool = False
) -> tuple[CtpeCounts, TrainingHistory]:
    """Train a CTPE on the papers of indexes and write it to `out`, a folder for `citescout index --encoder`.

    With `resume`, a checkpoint in `out` is resumed; word vectors are learnt again, and are the same.

    Raises:
        IndexDirectoryError: no index there, or a damaged one.
        TrainingError: too few texts with words in both parts, a loss that is not a number, or a checkpoint in `out`
            that is not resumed, damaged, or of another run.
        SourceError: the file of word vectors cannot be read, or no word of the texts has a vector.
        ModelError: a library is missing, or the transformer cannot be loaded.
    """
    check_out(out, resume)
    texts, repeated = _texts(directories)
    counts = _counts(texts, repeated, settings)  # too few pairs are reported before the words are learnt
    words = _word_vectors(texts, settings)
    pairs = _pairs(texts, words.places, settings.split)
    chosen, kept_back = held_out(len(pairs), settings.seed)
    partners = None
    if settings.negatives == "tfidf":
        partners = tf_idf_partners(nearest_by_tf_idf([pairs[row][0] for row in chosen]))
    torch.manual_seed(settings.seed)
    network = TextCnn(words.matrix, settings.channels)
    network.to("cuda" if torch.cuda.is_available() else "cpu")
    data = hashlib.sha256(words.matrix.tobytes())
    for text, _ in pairs:
        data.update(text.joined().encode("utf-8", "replace"))
    course = train_network(
        network,
        [pairs[row][1] for row in chosen],
        [pairs[row][1] for row in kept_back],
        settings,
        partners,
        out,
        fingerprint(settings, data.hexdigest()),
        resume,
    )
    counts = replace(counts, pairs=len(pairs), held_out=len(kept_back))
    save_ctpe(out, network, words, settings.split, {**asdict(counts), **asdict(course), **asdict(settings)})
    remove_checkpoint(out)
    return counts, course


def ctpe_words(directories: Sequence[Path], settings: CtpeSettings) -> word_vectors.WordVectors:
    """The word vectors that `train_ctpe` would take; see there for the errors."""
    return _word_vectors(_texts(directories)[0], settings)


def _texts(directories: Sequence[Path]) -> tuple[list[Text], int]:
    """The different texts of all indexes, and how many papers have one of an earlier paper.

    Two copies of a text would be an uncoupled pair that is a coupled one.
    """
    seen: dict[Text, None] = {}
    papers = 0
    for directory in directories:
        with open_generation(directory) as generation:
            for _, text in progress(generation.catalog.all_texts(), directory.name, generation.catalog.size):
                seen[text] = None
                papers += 1
    return list(seen), papers - len(seen)


def _counts(texts: Sequence[Text], repeated: int, settings: CtpeSettings) -> CtpeCounts:
    """See `count_ctpe`."""
    places = {word: place for place, word in enumerate(dict.fromkeys(chain.from_iterable(map(all_words, texts))))}
    pairs = _pairs(texts, places, settings.split)
    _, kept_back = held_out(len(pairs), settings.seed)
    return CtpeCounts(len(texts), repeated, len(places), len(pairs), len(kept_back))


def _pairs(texts: Sequence[Text], places: dict[str, int], split: Split) -> list[tuple[Text, Parts]]:
    """The texts that have known words in both parts."""
    found = ((text, parts_of(text, places, split)) for text in texts)
    return [(text, parts) for text, parts in found if len(parts.front) and len(parts.back)]


def _word_vectors(texts: Sequence[Text], settings: CtpeSettings) -> word_vectors.WordVectors:
    if settings.words == CORPUS:
        word_vectors.require_gensim()
        return word_vectors.train_word2vec(tuple(texts), settings.seed, settings.dimension, settings.word_epochs)
    if settings.words == RANDOM:
        return word_vectors.random_word_vectors(texts, settings.seed, settings.dimension)
    if settings.words.startswith(ENCODER):
        return word_vectors.piece_vectors(settings.words.removeprefix(ENCODER), texts)
    return word_vectors.load_word_vectors(Path(settings.words), texts)
