"""Cosines of term counts, as they are (TF-IDF) and in a few hundred latent dimensions (LSA, LDA), by scikit-learn."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from encoders.text import Text
from encoders.words import content_words, fit_counts
from eval.baselines.base import Baseline, Matrix, ScoreRanker, VectorRanker, register


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


# CTPE, section 4.3: 100 topics, and gensim's `iterations` (at most so many for the topics of a text) at 100.
TOPICS, ITERATIONS = 100, 100


class TopicRanker(VectorRanker):
    """Sparse term vectors in a smaller dense space."""

    def __init__(self, vectorizer: Any, model: Callable[[int], Any]) -> None:
        """Of scikit-learn, not fitted: texts to sparse rows, and the most dimensions possible → rows to dense ones."""
        self._vectorizer, self.model = vectorizer, model

    def learn(self, papers: Sequence[Text]) -> Matrix:
        """See `VectorRanker.learn`."""
        rows = fit_counts(self._vectorizer, papers)
        self._fitted = self.model(min(rows.shape)).fit(rows)
        return self._dense(rows)

    def vectors(self, queries: Sequence[Text]) -> Matrix:
        """See `VectorRanker.vectors`."""
        return self._dense(self._vectorizer.transform(queries))

    def _dense(self, rows: Any) -> Matrix:
        vectors = np.asarray(self._fitted.transform(rows), np.float32)
        # LDA gives a text of no known word the topics' prior, which would be like every other such text.
        vectors[np.diff(rows.indptr) == 0] = 0
        return vectors


def lsa(dimension: int, seed: int) -> TopicRanker:
    """The largest singular directions of the TF-IDF matrix (Deerwester et al. 1990).

    By truncated SVD, randomised; no centring, so that the matrix stays sparse.
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer=content_words, dtype=np.float32)
    return TopicRanker(vectorizer, lambda most: TruncatedSVD(min(dimension, most), n_iter=7, random_state=seed))


def lda(dimension: int, seed: int) -> TopicRanker:
    """Topic shares under latent Dirichlet allocation, by online variational Bayes (Hoffman et al. 2010).

    Of the words of at least two papers; ten passes over the corpus in batches of 512 papers.
    """
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer

    model = LatentDirichletAllocation(
        dimension, learning_method="online", batch_size=512, max_iter=10, random_state=seed,
        max_doc_update_iter=ITERATIONS,
    )  # fmt: skip
    return TopicRanker(CountVectorizer(analyzer=content_words, min_df=2, dtype=np.float32), lambda _: model)


_LSA = "latent semantic analysis: TF-IDF reduced to 100 dimensions"
register(Baseline("lsa", _LSA, lambda setup: lsa(TOPICS, setup.seed)))
register(Baseline("lda", "latent Dirichlet allocation: shares of 100 topics", lambda setup: lda(TOPICS, setup.seed)))
