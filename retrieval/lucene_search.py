"""The best documents of a Lucene index for a bag of weighted terms, ranges of documents searched side by side.

A call from Python into Java costs microseconds, and a query of 150 terms with 1000 hits used to be some thousand of
them, half of its time. So a query goes over as one string, and the hits come back as another. docs/scaling.md has the
times of this and of what else was tried. Several threads are in Java at once here; see `indexer.jvm` for how a method
has to be called then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from common.cpu import usable_cores
from indexer import jvm
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
        similarity = autoclass("org.apache.lucene.search.similarities.BM25Similarity")(k1, b)
        self._searcher = autoclass("org.apache.lucene.search.IndexSearcher")(reader)
        self._searcher.setSimilarity(similarity)
        self._segments = _segments(reader)
        self._parts = _parts([segment.size for segment in self._segments])
        self._collector = autoclass("org.apache.lucene.search.TopScoreDocCollector")
        modes = autoclass("org.apache.lucene.search.ScoreMode")
        self._pruned, self._complete = modes.TOP_SCORES, modes.COMPLETE
        self._bit_set = autoclass("org.apache.lucene.util.FixedBitSet")
        self._parser = autoclass("org.apache.lucene.queryparser.classic.QueryParser")
        self._analyzer = autoclass("org.apache.lucene.analysis.core.WhitespaceAnalyzer")()
        self._merge = autoclass("org.apache.lucene.search.TopDocs").merge
        self._json = autoclass("com.fasterxml.jackson.databind.ObjectMapper")()

    def top(self, weights: Mapping[str, float], k: int, allowed: NDArray[np.bool_] | None = None) -> Found:
        """The `k` best of the documents that are `allowed`, shape (documents,), by descending score, then by number.

        Of documents with the lowest score there may be more in the index than are returned. Weights are not negative.

        Raises:
            JavaError: this process was forked from the one that opened the index.
        """
        jvm.start()
        written = _written(weights)
        parser = self._parser(FIELD, self._analyzer)  # which belongs to one thread at a time
        query = parser.parse(written)
        best = self._best(query, k, len(weights) <= _PRUNED_TERMS, self._bits(allowed))
        # Java writes the shortest decimal fraction that is read as the same 32-bit float.
        record = self._json.writeValueAsString(best)
        hits: list[dict[str, Any]] = orjson.loads(record)["scoreDocs"]
        documents = np.fromiter((hit["doc"] for hit in hits), np.int64, len(hits))
        scores = np.fromiter((hit["score"] for hit in hits), np.float32, len(hits))
        return documents, scores

    def _best(self, query: Any, k: int, pruned: bool, allowed: list[Any]) -> Any:
        """The best documents; unless `pruned`, every one with a term is scored."""
        simplest, mode = self._searcher.rewrite(query), self._pruned if pruned else self._complete
        weight = self._searcher.createWeight(simplest, mode, 1.0)
        counted = 1 if pruned else _EVERY_HIT
        searches = [_threads().submit(self._search, part, weight, k, counted, allowed) for part in self._parts[1:]]
        found = [self._search(self._parts[0], weight, k, counted, allowed), *(one.result() for one in searches)]
        return self._merge(0, k, found) if searches else found[0]

    def _search(self, part: list[_Range], weight: Any, k: int, counted: int, allowed: list[Any]) -> Any:
        """The best of some ranges, where Lucene may leave out what cannot be among them after `counted` hits."""
        wanted = max(1, min(k, sum(one.end - one.start for one in part)))
        collector = self._collector.create(wanted, counted)
        for number, start, end in part:
            segment = self._segments[number].leaf
            scorer = weight.bulkScorer(segment)
            if scorer is not None:  # None where the segment has none of the terms
                into = collector.getLeafCollector(segment)
                bits = allowed[number]
                scorer.score(into, bits, start, end)
        return collector.topDocs()

    def _bits(self, allowed: NDArray[np.bool_] | None) -> list[Any]:
        """The allowed documents of each segment as Lucene has them; None for all."""
        if allowed is None:
            return [None] * len(self._segments)
        return [self._bit_set(_words(allowed[base : base + size]), size) for _, base, size in self._segments]


class _Segment(NamedTuple):
    """Documents that Lucene wrote together. None is ever deleted: what is removed from an index is never allowed."""

    leaf: Any
    base: int  # the number of its first document
    size: int


class _Range(NamedTuple):
    """Some documents of a segment."""

    segment: int
    start: int  # within the segment
    end: int


def _segments(reader: Any) -> list[_Segment]:
    leaves = reader.leaves()
    found = []
    for leaf in leaves.toArray():
        of_leaf = leaf.reader()
        found.append(_Segment(leaf, leaf.docBase, of_leaf.maxDoc()))
    return found


def _parts(sizes: Sequence[int]) -> list[list[_Range]]:
    """The documents of segments of these sizes, shared out evenly among threads."""
    total = sum(sizes)
    count = max(1, min(usable_cores(), total // _DOCUMENTS_A_THREAD))
    bounds = [total * part // count for part in range(count + 1)]
    parts: list[list[_Range]] = [[] for _ in range(count)]
    base = 0
    for number, size in enumerate(sizes):
        for part, (start, end) in zip(parts, pairwise(bounds), strict=True):
            if max(start, base) < min(end, base + size):
                part.append(_Range(number, max(start - base, 0), min(end - base, size)))
        base += size
    return parts


def _words(bits: NDArray[np.bool_]) -> list[int]:
    """Bits in words of 64, the first bit lowest, as Lucene keeps them."""
    packed = np.packbits(bits, bitorder="little")
    words: list[int] = np.pad(packed, (0, -len(packed) % 8)).view("<i8").tolist()
    return words


def _written(weights: Mapping[str, float]) -> str:
    """A query in the syntax of Lucene's classic parser."""
    return " ".join(
        _SYNTAX.sub(r"\\\1", term) + ("" if weight == 1 else f"^{weight:.7f}") for term, weight in weights.items()
    )


@cache
def _threads() -> ThreadPoolExecutor:
    """One pool for all indexes of the process: Java keeps something of every thread that ever called it."""
    return ThreadPoolExecutor(usable_cores(), "lucene")
