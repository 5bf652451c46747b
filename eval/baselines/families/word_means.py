"""Texts as means of the vectors of their words: plain ones, and by smooth inverse frequency (Arora et al. 2017)."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from common.errors import SourceError
from encoders.text import Text
from encoders.word_vectors import EPOCHS, WordVectors, load_word_vectors, require_gensim, train_word2vec
from encoders.words import all_words, content_words, count_matrix
from eval.baselines.base import Baseline, Matrix, Ranker, Setup, VectorRanker, register

# Papers → the vectors of their words.
Source = Callable[[Sequence[Text]], WordVectors]


def word2vec_source(setup: Setup) -> Source:
    """Vectors trained on the papers.

    Raises:
        ModelError: gensim is not installed.
    """
    require_gensim()
    return lambda papers: train_word2vec(tuple(papers), setup.seed, epochs=setup.epochs or EPOCHS)


def glove_source(setup: Setup) -> Source:
    """Vectors read from the user's file.

    Raises:
        SourceError: the user named none, or one that is not there.
    """
    if setup.glove is None:
        raise SourceError("no GloVe vectors: name a text file of them with --glove FILE, such as glove.6B.100d.txt")
    if not setup.glove.is_file():
        raise SourceError(f"no file of word vectors at {setup.glove}")
    return partial(load_word_vectors, setup.glove)


A = 1e-3  # the paper's; it reports 1e-3 to 1e-4 as good


class Average(VectorRanker):
    """Every occurrence of a known word counts alike."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def learn(self, papers: Sequence[Text]) -> Matrix:
        """See `VectorRanker.learn`."""
        self._words = self._source(papers)
        return self.vectors(papers)

    def vectors(self, queries: Sequence[Text]) -> Matrix:
        """See `VectorRanker.vectors`."""
        return _means(queries, self._words.places, self._words.matrix, content_words)


class Sif(Average):
    """Words weigh a / (a + p(w)), p(w) their share of the corpus; stop words are kept and weigh little."""

    def learn(self, papers: Sequence[Text]) -> Matrix:
        """See `VectorRanker.learn`."""
        words = self._source(papers)
        occurrences = np.asarray(count_matrix(papers, words.places, all_words).sum(axis=0), np.float64)
        shares = occurrences / max(occurrences.sum(), 1)
        self._places = words.places
        self._weighted = (words.matrix * (A / (A + shares))[:, None]).astype(np.float32)
        means = _means(papers, self._places, self._weighted, all_words)
        # The first right singular vector of the uncentred matrix, from the products of its columns.
        rows = means.astype(np.float64)
        self._shared: NDArray[np.float64] = np.linalg.eigh(rows.T @ rows)[1][:, -1]
        return self._without_shared(means)

    def vectors(self, queries: Sequence[Text]) -> Matrix:
        """See `VectorRanker.vectors`."""
        return self._without_shared(_means(queries, self._places, self._weighted, all_words))

    def _without_shared(self, means: Matrix) -> Matrix:
        return np.asarray(means - np.outer(means @ self._shared, self._shared), np.float32)


def _means(
    texts: Sequence[Text], places: Mapping[str, int], vectors: Matrix, words_of: Callable[[Text], list[str]]
) -> Matrix:
    """Of the vectors of each text's known words, shape (texts, dimension)."""
    counts = count_matrix(texts, places, words_of)
    return np.asarray((counts @ vectors) / np.maximum(counts.sum(axis=1), 1)[:, None], np.float32)


def _over(ranker: Callable[[Source], Ranker], source: Callable[[Setup], Source]) -> Callable[[Setup], Ranker]:
    return lambda setup: ranker(source(setup))


_SIF = "smooth inverse frequency over"
register(
    Baseline("word2vec", "mean of word2vec vectors that are trained on the corpus", _over(Average, word2vec_source))
)
register(Baseline("glove", "mean of the word vectors of --glove FILE", _over(Average, glove_source), "glove"))
register(Baseline("sif", f"{_SIF} word2vec vectors", _over(Sif, word2vec_source)))
register(Baseline("sif-glove", f"{_SIF} the vectors of --glove FILE", _over(Sif, glove_source), "glove"))
