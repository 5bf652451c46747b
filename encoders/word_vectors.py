"""Word vectors: word2vec trained on the corpus itself, a file of vectors such as GloVe's, or out of a transformer."""

import gzip
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TextIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from common.errors import ModelError, SourceError, extra_needed
from encoders.text import Text
from encoders.words import all_words

# CTPE, section 4.3.
DIMENSION, WINDOW, EPOCHS = 100, 10, 100
# A word that stands once in the corpus has no vector.
MIN_COUNT = 2


@dataclass(frozen=True, slots=True)
class WordVectors:
    """The words that are known, and their vectors."""

    places: dict[str, int]  # word → row
    matrix: NDArray[np.float32]  # (words, dimension)


@lru_cache(maxsize=1)  # several baselines use the same vectors one after the other
def train_word2vec(
    papers: tuple[Text, ...], seed: int, dimension: int = DIMENSION, epochs: int = EPOCHS
) -> WordVectors:
    """Skip-gram with 5 negative samples and windows of 10 words to each side (Mikolov et al. 2013).

    The same for the same seed.

    Raises:
        SourceError: no word occurs twice.
    """
    from gensim.models import Word2Vec

    texts = [all_words(text) for text in papers]
    model = Word2Vec(
        vector_size=dimension, sg=1, window=WINDOW, negative=5, min_count=MIN_COUNT, epochs=epochs,
        seed=seed, workers=1, hashfxn=stable_hash,
    )  # fmt: skip
    model.build_vocab(texts)
    if not model.wv.key_to_index:
        raise SourceError("the corpus has no words to learn from: none occurs twice")
    model.train(texts, total_examples=len(texts), epochs=epochs)
    return WordVectors(dict(model.wv.key_to_index), np.array(model.wv.vectors, np.float32))


def random_word_vectors(papers: Sequence[Text], seed: int, dimension: int = DIMENSION) -> WordVectors:
    """Vectors drawn uniformly from [-1, 1), of the words that occur at least twice (CTPE, section 4.3).

    Raises:
        SourceError: no word occurs twice.
    """
    places = {word: row for row, word in enumerate(repeated_words(papers))}
    matrix = np.random.default_rng(seed).uniform(-1, 1, (len(places), dimension))
    return WordVectors(places, matrix.astype(np.float32))


def repeated_words(papers: Sequence[Text]) -> list[str]:
    """The words that occur at least twice, the most frequent first.

    Raises:
        SourceError: there is none.
    """
    counts = Counter(word for text in papers for word in all_words(text))
    words = [word for word, count in counts.most_common() if count >= MIN_COUNT]
    if not words:
        raise SourceError("the corpus has no words to learn from: none occurs twice")
    return words


def load_word_vectors(path: Path, papers: Sequence[Text]) -> WordVectors:
    """The vectors of the words of `papers` in a text file, gzipped or not: a word and its numbers a line.

    This is GloVe's format, and word2vec's with its first line of two counts. Other words are not kept; of a word that
    is listed twice, the first line counts.

    Raises:
        SourceError: no such file, a line that is no vector of the file's dimension, or no word of the papers in it.
    """
    wanted = {word for text in papers for word in all_words(text)}
    places: dict[str, int] = {}
    rows: list[NDArray[np.float32]] = []
    for word, vector in _vectors(path, wanted):
        if word not in places:
            places[word] = len(rows)
            rows.append(vector)
    if not rows:
        raise SourceError(f"{path} has a vector for no word of the corpus")
    return WordVectors(places, np.stack(rows))


def piece_vectors(name: str, papers: Sequence[Text]) -> WordVectors:
    """Vectors of the words that occur at least twice in `papers`, from the encoder of a preset, folder or hub id.

    Each is the mean of the input vectors of a word's pieces, without context.

    Raises:
        ModelError: the encoder cannot be loaded.
        SourceError: no word occurs twice.
    """
    import torch
    from transformers import AutoModel

    from encoders.pretrained import load_pretrained

    words = repeated_words(papers)
    tokenizer, model, _ = load_pretrained(name, AutoModel)
    inputs = model.get_input_embeddings().weight.detach()
    pieces = tokenizer(words, add_special_tokens=False)["input_ids"]
    matrix = torch.stack([inputs[torch.tensor(one, dtype=torch.int64)].sum(0) / max(len(one), 1) for one in pieces])
    return WordVectors({word: row for row, word in enumerate(words)}, matrix.numpy().astype(np.float32))


def _vectors(path: Path, wanted: set[str]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    dimension = 0
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, start=1):
                # Some published files have spaces within words, so the numbers are counted from the end.
                parts = line.rstrip().rsplit(" ", dimension) if dimension else line.split()
                if number == 1 and len(parts) == 2 and all(part.isdigit() for part in parts):
                    dimension = int(parts[1])
                    continue
                dimension = dimension or len(parts) - 1
                if len(parts) != dimension + 1 or not dimension:
                    raise SourceError(f"{path} line {number}: not a word and {dimension or 'its'} numbers")
                if parts[0] not in wanted:
                    continue
                try:
                    vector = np.array(parts[1:], np.float32)
                except ValueError:
                    raise SourceError(f"{path} line {number}: not a word and {dimension} numbers") from None
                if not np.isfinite(vector).all():
                    raise SourceError(f"{path} line {number}: a number that is not finite")
                yield parts[0], vector
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot read word vectors from {path}: {error}") from None


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", newline="\n")
    return path.open(encoding="utf-8", newline="\n")


def require_gensim() -> None:
    """Say clearly what is missing.

    Raises:
        ModelError: gensim is not installed.
    """
    with extra_needed(ModelError, "this needs gensim", "eval"):
        import gensim  # noqa: F401


def stable_hash(text: str) -> int:
    """A hash that does not depend on PYTHONHASHSEED, for gensim's `hashfxn`."""
    return crc32(text.encode("utf-8", "replace"))
