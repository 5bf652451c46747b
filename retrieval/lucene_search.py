"""The best documents of a Lucene index for a bag of weighted terms, its segments searched side by side.

A call from Python into Java costs microseconds, and a query of 150 terms with 1000 hits used to be some thousand of
them, half of its time. So a query goes over as one string, and the hits come back as another. docs/scaling.md has the
times of this and of what else was tried.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from common.cpu import usable_cores
from indexer.jvm import autoclass
from indexer.lucene import FIELD

# Lucene leaves out documents that cannot be among the best (block-max MaxScore). That pays for a title; a whole
# abstract has so many terms that together they lift nearly every document above the bar, and is scored faster in full.
_PRUNED_TERMS = 16

# Fewer are searched by one thread before a second one has begun.
_DOCUMENTS_A_THREAD = 30_000

_EVERY_HIT = 2**31 - 1

_SYNTAX = re.compile(r'([+\-!(){}\[\]^"~*?:\\/|&<>=])')

Found = tuple[NDArray[np.int64], NDArray[np.float32]]  # Lucene's document numbers and their scores


class LuceneSearch:
    """Search in one open index; safe to share between threads."""

    def __init__(self, reader: Any, k1: float, b: float) -> None:
        self._searcher = autoclass("org.apache.lucene.search.IndexSearcher")(reader)
        self._searcher.setSimilarity(autoclass("org.apache.lucene.search.similarities.BM25Similarity")(k1, b))
        self._parts = _parts(reader)
        self._collector = autoclass("org.apache.lucene.search.TopScoreDocCollector")
        self._modes = autoclass("org.apache.lucene.search.ScoreMode")
        self._parser = autoclass("org.apache.lucene.queryparser.classic.QueryParser")
        self._analyzer = autoclass("org.apache.lucene.analysis.core.WhitespaceAnalyzer")()
        self._merge = autoclass("org.apache.lucene.search.TopDocs").merge
        self._json = autoclass("com.fasterxml.jackson.databind.ObjectMapper")()

    def top(self, weights: Mapping[str, float], k: int) -> Found:
        """The `k` best documents by descending score, equal scores by document number.

        Of documents with the lowest score there may be more in the index than are returned. Weights are not negative.
        """
        # A parser belongs to one thread at a time, and makes the same query as a call a term would.
        query = self._parser(FIELD, self._analyzer).parse(_written(weights))
        full = len(weights) > _PRUNED_TERMS
        mode = self._modes.COMPLETE if full else self._modes.TOP_SCORES
        weight = self._searcher.createWeight(self._searcher.rewrite(query), mode, 1.0)
        first, *others = (
            (leaves, weight, min(k, documents), _EVERY_HIT if full else 1) for leaves, documents in self._parts
        )
        searches = [_threads().submit(self._search, *other) for other in others]
        found = [self._search(*first), *(search.result() for search in searches)]
        best = self._merge(0, k, found) if others else found[0]
        # Java writes the shortest decimal fraction that is read as the same 32-bit float.
        hits: list[dict[str, Any]] = orjson.loads(self._json.writeValueAsString(best))["scoreDocs"]
        documents = np.fromiter((hit["doc"] for hit in hits), np.int64, len(hits))
        scores = np.fromiter((hit["score"] for hit in hits), np.float32, len(hits))
        return documents, scores

    def _search(self, leaves: Any, weight: Any, k: int, counted: int) -> Any:
        """The best of some segments; Lucene leaves out what it can once it has `counted` hits."""
        collector = self._collector.create(k, counted)
        self._searcher.search(leaves, weight, collector)
        return collector.topDocs()


def _parts(reader: Any) -> list[tuple[Any, int]]:
    """Segments, shared out among threads as evenly as they can be whole: (list of segments, documents in them)."""
    segments = sorted(((leaf.reader().maxDoc(), leaf) for leaf in reader.leaves().toArray()), key=lambda one: -one[0])
    total = sum(size for size, _ in segments)
    count = max(1, min(usable_cores(), len(segments), total // _DOCUMENTS_A_THREAD))
    lists = [autoclass("java.util.ArrayList")() for _ in range(count)]
    sizes = [0] * count
    for size, leaf in segments:
        least = sizes.index(min(sizes))
        sizes[least] += size
        lists[least].add(leaf)
    return [(leaves, max(1, size)) for leaves, size in zip(lists, sizes, strict=True)]


def _written(weights: Mapping[str, float]) -> str:
    """A query in the syntax of Lucene's classic parser."""
    return " ".join(
        _SYNTAX.sub(r"\\\1", term) + ("" if weight == 1 else f"^{weight:.7f}") for term, weight in weights.items()
    )


@cache
def _threads() -> ThreadPoolExecutor:
    """One pool for all indexes of the process: Java keeps something of every thread that ever called it."""
    return ThreadPoolExecutor(usable_cores(), "lucene")
