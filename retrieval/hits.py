"""What one source of candidates returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.order import POSITIVE, Precision, ranked, sure

Docids = NDArray[np.int32]
Scores = NDArray[np.float32]
Allowed = NDArray[np.bool_]  # by docid: may this paper be recommended, or serve as evidence?

# Asked for beyond what is wanted, so that a few papers of equal score at the end do not cost a second search.
SPARE = 16


@dataclass(frozen=True, slots=True)
class Hits:
    """Papers in the order of their scores; equal scores in the order of the docids, which is that of the ids."""

    docids: Docids  # (n,)
    scores: Scores  # (n,), descending

    @classmethod
    def best(
        cls, docids: NDArray[np.integer], scores: NDArray[np.floating], k: int, precision: Precision = POSITIVE
    ) -> Hits:
        """The `k` best of unordered candidates, whose scores differ only where they do so at this precision."""
        order, levelled = ranked(scores, docids, precision)
        return cls(docids[order[:k]].astype(np.int32), levelled[:k].astype(np.float32))

    @classmethod
    def none(cls) -> Hits:
        """No hit."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.float32))

    def first(self, k: int) -> Hits:
        """The `k` best of them."""
        return Hits(self.docids[:k], self.scores[:k])

    def __len__(self) -> int:
        return len(self.docids)


def best_hits(k: int, most: int, top: Callable[[int], Hits], precision: Precision = POSITIVE) -> Hits:
    """The `k` best of a source, of which `top` gives as many as are asked for, at most `most` or `k`.

    Which papers of the lowest score a source gives may be chance: it is asked for more until there are `k` above them.
    """
    asked = max(k, min(k + SPARE, most))
    while True:
        hits = top(asked)
        if len(hits) < asked or asked >= most or sure(hits.scores, precision) >= k:
            return hits.first(k)
        asked = min(4 * asked, most)


def deepened(search: Callable[[Allowed], Hits], allowed: Allowed, wanted: Allowed | None) -> Hits:
    """What a source finds among `allowed` papers; behind it, what else it finds among those of them that are `wanted`.

    With None that is nothing.
    """
    found = search(allowed)
    if wanted is None:
        return found
    rest = allowed & wanted
    rest[found.docids] = False
    more = search(rest)
    return Hits(np.concatenate([found.docids, more.docids]), np.concatenate([found.scores, more.scores]))


def ranks_and_scores(
    docids: Docids, hits: Mapping[str, Hits]
) -> tuple[dict[str, NDArray[np.int32]], dict[str, NDArray[np.float32]]]:
    """Where every source ranked each of `docids`, and with which score."""
    order = np.argsort(docids)
    ranks: dict[str, NDArray[np.int32]] = {}
    scores: dict[str, NDArray[np.float32]] = {}
    for source, found in hits.items():
        places = order[np.searchsorted(docids, found.docids, sorter=order)]
        ranks[source] = np.zeros(len(docids), np.int32)
        ranks[source][places] = np.arange(1, len(found) + 1)
        scores[source] = np.full(len(docids), np.nan, np.float32)
        scores[source][places] = found.scores
    return ranks, scores
