"""LSA and LDA: cosine of a few hundred latent dimensions, by scikit-learn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from encoders.text import Text
from encoders.words import content_words, fit_counts
from eval.baselines.base import Baseline, Matrix, Setup, VectorRanker, register

# CTPE, section 4.3: 100 topics, and gensim's `iterations` (at most so many for the topics of a text) at 100.
TOPICS, ITERATIONS = 100, 100


class TopicRanker(VectorRanker):
    """A model of sparse term vectors with a smaller dense space."""

    def __init__(self, dimension: int, seed: int) -> None:
        self._dimension = dimension
        self._seed = seed

    @abstractmethod
    def vectorizer(self) -> Any:
        """Of scikit-learn, not fitted: texts to sparse rows."""

    @abstractmethod
    def model(self, papers: int, words: int) -> Any:
        """Of scikit-learn, not fitted: sparse rows to dense ones."""

    def learn(self, papers: Sequence[Text]) -> Matrix:
        """See `VectorRanker.learn`."""
        self._vectorizer = self.vectorizer()
        rows = fit_counts(self._vectorizer, papers)
        self._model = self.model(*rows.shape).fit(rows)
        return self._dense(rows)

    def vectors(self, queries: Sequence[Text]) -> Matrix:
        """See `VectorRanker.vectors`."""
        return self._dense(self._vectorizer.transform(queries))

    def _dense(self, rows: Any) -> Matrix:
        vectors = np.asarray(self._model.transform(rows), np.float32)
        # LDA gives a text of no known word the topics' prior, which would be like every other such text.
        vectors[np.diff(rows.indptr) == 0] = 0
        return vectors


class Lsa(TopicRanker):
    """The largest singular directions of the TF-IDF matrix (Deerwester et al. 1990)."""

    def vectorizer(self) -> Any:
        """TF-IDF as in `term_weights`."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        return TfidfVectorizer(analyzer=content_words, dtype=np.float32)

    def model(self, papers: int, words: int) -> Any:
        """Truncated SVD, randomised, seeded; no centring, so that the matrix stays sparse."""
        from sklearn.decomposition import TruncatedSVD

        return TruncatedSVD(min(self._dimension, papers, words), n_iter=7, random_state=self._seed)


class Lda(TopicRanker):
    """Topic shares under latent Dirichlet allocation, by online variational Bayes (Hoffman et al. 2010)."""

    def vectorizer(self) -> Any:
        """Counts of the words of at least two papers."""
        from sklearn.feature_extraction.text import CountVectorizer

        return CountVectorizer(analyzer=content_words, min_df=2, dtype=np.float32)

    def model(self, papers: int, words: int) -> Any:
        """Ten passes over the corpus in batches of 512 papers."""
        from sklearn.decomposition import LatentDirichletAllocation

        return LatentDirichletAllocation(
            self._dimension, learning_method="online", batch_size=512, max_iter=10, random_state=self._seed,
            max_doc_update_iter=ITERATIONS,
        )  # fmt: skip


def _lsa(setup: Setup) -> Lsa:
    return Lsa(TOPICS, setup.seed)


def _lda(setup: Setup) -> Lda:
    return Lda(TOPICS, setup.seed)


register(Baseline("lsa", "latent semantic analysis: TF-IDF reduced to 100 dimensions", _lsa))
register(Baseline("lda", "latent Dirichlet allocation: shares of 100 topics", _lda))
