"""Triplets of a query, a paper that it cites and one that it does not (section 3.3 of the paper).

Negatives are of three kinds, a third each: papers that cited papers cite, papers near the query by the vectors of
NNSelect that share fewer words with it than any cited one, and random ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from eval.baselines.citeomatic.model import MARGINS, Documents, boost

NEGATIVES = 6  # to one cited paper
LEAST_CITED, MOST_CITED = 2, 100  # papers that cite fewer are no queries; of more, some are drawn
_PAIRS = 2  # times as many pairs as a query has examples
_NEAR = 10  # times as many nearest papers as are wanted, of which some are cited or too alike
_ALIKE = 0.05  # per cent of the cited papers that may share fewer words with the query than a near negative

Docids = NDArray[np.integer]


class Triplets(NamedTuple):
    """Some of one query, or of several."""

    queries: NDArray[np.int64]  # (triplets,)
    cited: NDArray[np.int64]
    others: NDArray[np.int64]
    margins: NDArray[np.float32]

    @classmethod
    def joined(cls, parts: list[Triplets]) -> Triplets:
        """One after the other."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))


class Examples:
    """Where triplets come from."""

    def __init__(self, papers: Documents, cites: list[Docids], cited: NDArray[np.int64], seed: int) -> None:
        """`cites` of each paper by docid; how often each is `cited`."""
        self._words = [papers.words(docid) for docid in range(len(cites))]
        self._cites = cites
        self._boosts = boost(torch.from_numpy(cited.astype(np.float32))).numpy()
        self._chance = np.random.default_rng(seed)
        self.askers = np.asarray([n for n, own in enumerate(cites) if len(own) >= LEAST_CITED], np.int64)

    def batches(self, size: int, samples: int, vectors: NDArray[np.float32] | None) -> Iterator[Triplets]:
        """About `samples` examples, two a triplet, `size` at a time; near ones by `vectors`, where there are any."""
        waiting: list[Triplets] = []
        made = 0
        while made < samples:
            before = made
            for query in self._chance.permutation(self.askers):
                if found := self._of(int(query), vectors):
                    waiting.append(found)
                if 2 * sum(len(part.queries) for part in waiting) >= size:
                    batch, waiting = Triplets.joined(waiting), []
                    made += 2 * len(batch.queries)
                    yield batch
                    if made >= samples:
                        return
            if made == before:  # a corpus that has fewer triplets than a batch
                if not waiting:
                    return
                batch, waiting = Triplets.joined(waiting), []
                made += 2 * len(batch.queries)
                yield batch

    def _of(self, query: int, vectors: NDArray[np.float32] | None) -> Triplets | None:
        cited = np.asarray(self._cites[query], np.int64)
        if len(cited) > MOST_CITED:
            cited = self._chance.choice(cited, MOST_CITED, replace=False)
        negatives = self.negatives(query, cited, vectors)
        others = np.concatenate(list(negatives.values()))
        if len(others) < len(cited):
            return None
        margins = np.concatenate([np.full(len(found), MARGINS[kind]) for kind, found in negatives.items()])
        pairs = _PAIRS * (len(cited) + len(others))
        chosen = self._chance.integers(len(cited), size=pairs)
        against = self._chance.integers(len(others), size=pairs)
        positive, negative = cited[chosen], others[against]
        # An often cited paper is to be further above others, and others further below it.
        margin = margins[against] + self._boosts[positive] - self._boosts[negative]
        return Triplets(np.full(pairs, query, np.int64), positive, negative, margin.astype(np.float32))

    def negatives(
        self, query: int, cited: NDArray[np.int64], vectors: NDArray[np.float32] | None
    ) -> dict[str, NDArray[np.int64]]:
        """Papers that a query does not cite, by kind; without `vectors` the near ones' share is the others'."""
        share = -(-NEGATIVES * len(cited) // 3)
        far = share if vectors is not None else share + -(-share // 2)
        never = {query, *np.asarray(self._cites[query]).tolist()}
        second = {int(docid) for one in self._cites[query] for docid in self._cites[int(one)]} - never
        never |= second
        near: list[int] = []
        if vectors is not None:
            near = [docid for docid in self._near(query, cited, share, vectors) if docid not in never]
            never |= set(near)
        drawn = self._chance.integers(len(self._cites), size=far)
        found = {
            "cited by cited": self._some(sorted(second), far),
            "nearest": self._some(near, share),
            "random": [docid for docid in dict.fromkeys(drawn.tolist()) if docid not in never],
        }
        return {kind: np.asarray(docids, np.int64) for kind, docids in found.items()}

    def _near(self, query: int, cited: NDArray[np.int64], wanted: int, vectors: NDArray[np.float32]) -> list[int]:
        alike = np.percentile([self._overlap(query, int(docid)) for docid in cited], _ALIKE)
        scores = vectors @ vectors[query]
        nearest = np.argsort(-scores, kind="stable")[: _NEAR * wanted]
        return [int(docid) for docid in nearest if self._overlap(query, int(docid)) < alike]

    def _overlap(self, one: int, other: int) -> float:
        """Jaccard coefficient of two papers' words."""
        together = len(self._words[one] | self._words[other])
        return len(self._words[one] & self._words[other]) / together if together else 0.0

    def _some(self, docids: list[int], most: int) -> list[int]:
        if len(docids) <= most:
            return docids
        return [docids[place] for place in self._chance.choice(len(docids), most, replace=False)]
