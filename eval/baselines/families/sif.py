"""Smooth inverse frequency (Arora, Liang and Ma, ICLR 2017): a weighted mean of word vectors without what all share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from encoders.text import Text
from encoders.words import all_words, count_matrix
from eval.baselines.base import Baseline, Matrix, Setup, VectorRanker, register
from eval.baselines.word_sources import Source, glove_source, word2vec_source

A = 1e-3  # the paper's; it reports 1e-3 to 1e-4 as good


class Sif(VectorRanker):
    """Words weigh a / (a + p(w)), p(w) their share of the corpus; stop words are kept and weigh little."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def learn(self, papers: Sequence[Text]) -> Matrix:
        """See `VectorRanker.learn`."""
        words = self._source(papers)
        counts = count_matrix(papers, words.places, all_words)
        occurrences = np.asarray(counts.sum(axis=0), np.float64)
        shares = occurrences / max(occurrences.sum(), 1)
        self._places = words.places
        self._weighted = (words.matrix * (A / (A + shares))[:, None]).astype(np.float32)
        means = self._means(papers)
        self._shared = _first_direction(means)
        return self._without_shared(means)

    def vectors(self, queries: Sequence[Text]) -> Matrix:
        """See `VectorRanker.vectors`."""
        return self._without_shared(self._means(queries))

    def _means(self, texts: Sequence[Text]) -> Matrix:
        counts = count_matrix(texts, self._places, all_words)
        totals = np.maximum(counts.sum(axis=1), 1)
        return np.asarray((counts @ self._weighted) / totals[:, None], np.float32)

    def _without_shared(self, means: Matrix) -> Matrix:
        return np.asarray(means - np.outer(means @ self._shared, self._shared), np.float32)


def _first_direction(vectors: Matrix) -> NDArray[np.float64]:
    """The first right singular vector of the uncentred matrix, from the products of its columns."""
    rows = vectors.astype(np.float64)
    return np.asarray(np.linalg.eigh(rows.T @ rows)[1][:, -1])


def _word2vec(setup: Setup) -> Sif:
    return Sif(word2vec_source(setup))


def _glove(setup: Setup) -> Sif:
    return Sif(glove_source(setup))


register(Baseline("sif", "smooth inverse frequency over word2vec vectors", _word2vec))
register(Baseline("sif-glove", "smooth inverse frequency over the vectors of --glove FILE", _glove, needs="glove"))
