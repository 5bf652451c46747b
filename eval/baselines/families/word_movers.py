"""Word mover's distance (Kusner et al., ICML 2015) as a reranker of the best papers of TF-IDF.

The distance of two texts is the least cost of moving the words of one onto the words of the other; moving a word onto
another costs the distance of their vectors, here at length 1 as in gensim. Stop words are left out.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.arrays import unit_rows
from common.errors import ModelError, extra_needed
from common.progress import progress
from encoders.text import Text
from encoders.words import content_words, count_matrix
from eval.baselines.base import AllowedMatrix, Baseline, Ranker, Setup, register
from eval.baselines.families.topics import TfIdf
from eval.baselines.families.word_means import Source, glove_source, word2vec_source
from retrieval.hits import Hits

Shares = NDArray[np.float64]
# (shares of one text's words, shares of the other's, costs between them) → distance.
Distance = Callable[[Shares, Shares, NDArray[np.float64]], float]

# Between opposite directions: that of a text in which no word is known.
_FARTHEST = 2.0


class WordMovers(Ranker):
    """The best of TF-IDF by ascending distance; what lies deeper stays in TF-IDF's order below them."""

    def __init__(self, source: Source, distance: Distance, depth: int) -> None:
        self._source = source
        self._distance = distance
        self._depth = depth

    def fit(self, papers: Sequence[Text]) -> None:
        """See `Ranker.fit`."""
        words = self._source(papers)
        self._places = words.places
        self._words = unit_rows(words.matrix).astype(np.float64)
        self._papers = count_matrix(papers, self._places, content_words)
        self._first = TfIdf()
        self._first.fit(papers)

    def rank(self, queries: Sequence[Text], allowed: AllowedMatrix, depth: int) -> list[Hits]:
        """See `Ranker.rank`."""
        found = self._first.rank(queries, allowed, max(depth, self._depth))
        counts = count_matrix(queries, self._places, content_words)
        rows = progress(range(len(queries)), "word mover's distance", len(queries))
        return [self._reranked(_bag(counts, row), found[row]).first(depth) for row in rows]

    def _reranked(self, query: tuple[NDArray[np.int64], Shares], found: Hits) -> Hits:
        best, rest = found.docids[: self._depth], found.docids[self._depth :]
        distances = [self._to(query, _bag(self._papers, int(docid))) for docid in best]
        head = Hits.best(best, -np.array(distances, np.float64), len(best))
        # Only the order means anything below.
        tail = -_FARTHEST - 1 - np.arange(len(rest), dtype=np.float32)
        return Hits(np.concatenate([head.docids, rest]), np.concatenate([head.scores, tail]))

    def _to(self, one: tuple[NDArray[np.int64], Shares], other: tuple[NDArray[np.int64], Shares]) -> float:
        from scipy.spatial.distance import cdist

        if not len(one[0]) or not len(other[0]):
            return _FARTHEST
        return self._distance(one[1], other[1], cdist(self._words[one[0]], self._words[other[0]]))


def exact(one: Shares, other: Shares, costs: NDArray[np.float64]) -> float:
    """The least cost of transport, by POT's network simplex."""
    from ot import emd2

    return float(emd2(one, other, costs))


def relaxed(one: Shares, other: Shares, costs: NDArray[np.float64]) -> float:
    """A lower bound: every word moves to the nearest of the other text; the larger of both directions (section 4)."""
    return float(max(one @ costs.min(axis=1), other @ costs.min(axis=0)))


def _bag(counts: Any, row: int) -> tuple[NDArray[np.int64], Shares]:
    """The known words of one text, and the share of each."""
    start, end = counts.indptr[row], counts.indptr[row + 1]
    values = counts.data[start:end].astype(np.float64)
    return counts.indices[start:end], values / max(values.sum(), 1)


def by_exact_distance(source: Callable[[Setup], Source], setup: Setup) -> WordMovers:
    """The reranker by exact distances.

    Raises:
        ModelError: POT is not installed.
    """
    with extra_needed(ModelError, "word mover's distance needs POT", "eval"):
        import ot  # noqa: F401
    return WordMovers(source(setup), exact, setup.rerank_depth)


_BY_WMD = "TF-IDF's best by word mover's distance"
_BY_BOUND = "TF-IDF's best by a lower bound of word mover's distance over word2vec vectors, which is cheaper"
register(Baseline("wmd", f"{_BY_WMD} over word2vec vectors", partial(by_exact_distance, word2vec_source)))
register(Baseline("relaxed-wmd", _BY_BOUND, lambda one: WordMovers(word2vec_source(one), relaxed, one.rerank_depth)))
register(
    Baseline(
        "wmd-glove", f"{_BY_WMD} over the vectors of --glove FILE", partial(by_exact_distance, glove_source), "glove"
    )
)
