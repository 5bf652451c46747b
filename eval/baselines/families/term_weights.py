"""TF-IDF: cosine of term counts times log inverse document frequency, by scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from encoders.text import Text
from encoders.words import content_words, fit_counts
from eval.baselines.base import Baseline, Matrix, ScoreRanker, register


class TfIdf(ScoreRanker):
    """idf = ln((1 + papers) / (1 + papers with the word)) + 1, rows at length 1; everything stays sparse."""

    def fit(self, papers: Sequence[Text]) -> None:
        """See `Ranker.fit`."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer = TfidfVectorizer(analyzer=content_words, dtype=np.float32)
        self._by_word = fit_counts(self._vectorizer, papers).T.tocsr()

    def scores(self, queries: Sequence[Text]) -> Matrix:
        """Cosines; a paper without a word of the query is not found, as with BM25."""
        cosines = (self._vectorizer.transform(queries) @ self._by_word).toarray()
        return np.where(cosines > 0, cosines, np.float32(-np.inf))


register(Baseline("tf-idf", "cosine of TF-IDF vectors", lambda _: TfIdf()))
