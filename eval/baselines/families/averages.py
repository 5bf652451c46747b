"""The mean of the word vectors of a text, stop words left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from encoders.text import Text
from encoders.words import content_words, count_matrix
from eval.baselines.base import Baseline, Matrix, Setup, VectorRanker, register
from eval.baselines.word_sources import Source, glove_source, word2vec_source


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
        counts = count_matrix(queries, self._words.places, content_words)
        totals = np.maximum(counts.sum(axis=1), 1)
        return np.asarray((counts @ self._words.matrix) / totals[:, None], np.float32)


def _word2vec(setup: Setup) -> Average:
    return Average(word2vec_source(setup))


def _glove(setup: Setup) -> Average:
    return Average(glove_source(setup))


register(Baseline("word2vec", "mean of word2vec vectors that are trained on the corpus", _word2vec))
register(Baseline("glove", "mean of the word vectors of --glove FILE", _glove, needs="glove"))
