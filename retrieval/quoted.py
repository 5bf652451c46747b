"""Papers of which a text repeats a passage word for word, as where it quotes their abstract.

Vectors and links say little of that, and what is near such a text in meaning may stand before what it quotes.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import compress, islice, pairwise

import numpy as np

from common.stages import stage
from common.text import words_as_searched
from encoders.text import Text
from indexer.catalog import Catalog
from retrieval.hits import Allowed, Docids
from retrieval.interface import SparseRetriever

_PASSAGE = 14  # words; of shorter ones papers share many by chance (docs/experiments.md)
_SHORTEST = 9  # words of a text that is itself the passage; the rare words of shorter texts count (`rare_words`)
_READ = 10  # papers by BM25 that may hold a passage
# What more papers hold is not theirs, such as a notice of copyright.
_MOST = 3
_TRIED = 5  # passages of a paper, of which one has to be of few


def quoted_in(text: str, found: Docids, catalog: Catalog, bm25: SparseRetriever, allowed: Allowed) -> Docids:
    """The papers, of the first `found` by BM25, that hold a passage of a text and hardly another paper does; ascending.

    Other papers count where they are `allowed`.
    """
    words = words_as_searched(text).split()
    length = min(len(words), _PASSAGE)
    if length < _SHORTEST:
        return np.zeros(0, np.int32)
    with stage("names"):
        first = found[:_READ]
        papers = dict(zip(first.tolist(), catalog.texts(first), strict=True))
        candidates = list(_holding_parts(text, (length + 1) // 3, papers))
        passages = _passages(words, length) if candidates else []

        @cache
        def is_of_few(passage: str) -> bool:
            hits = bm25.search(Counter(bm25.terms(passage)), _READ, allowed)
            return sum(passage in words_as_searched(paper.joined()) for paper in catalog.texts(hits.docids)) <= _MOST

        def is_quoted(paper: Text) -> bool:
            its = set(_passages(words_as_searched(paper.joined()).split(), length))
            shared = [passage in its for passage in passages]
            begins = (now and not before for before, now in pairwise([False, *shared]))
            return any(map(is_of_few, islice(compress(passages, begins), _TRIED)))

        return np.asarray(sorted(docid for docid in candidates if is_quoted(papers[docid])), np.int32)


def _holding_parts(text: str, length: int, papers: Mapping[int, Text]) -> Iterator[int]:
    """Those of some papers, by docid, that hold a part of a text as it stands, which is soon looked up."""
    words = text.lower().split()
    parts = [" ".join(words[start : start + length]) for start in range(0, len(words) - length + 1, length)]
    for docid, paper in papers.items():
        held = paper.joined().lower()
        if any(part in held for part in parts):
            yield docid


def _passages(words: Sequence[str], length: int) -> list[str]:
    """All runs of `length` words, with a space around each word."""
    return [" ".join(["", *words[start : start + length], ""]) for start in range(len(words) - length + 1)]
