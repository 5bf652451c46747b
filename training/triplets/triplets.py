"""Triplets with their texts: what is written to files, read from them, and trained on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.arrays import contained, unordered
from encoders.picked_texts import PickedTexts
from encoders.text import Text
from training.triplets.sampling import KINDS, Sampled


@dataclass(frozen=True, slots=True)
class Triplets:
    """Triplets over one list of texts."""

    texts: Sequence[Text]  # may be read when they are asked for
    rows: NDArray[np.int64]  # (n, 3) places in `texts` of query, positive, negative
    kinds: NDArray[np.int8]  # (n,) see `sampling.KINDS`
    linked: NDArray[np.int64]  # `unordered` pairs of places that must not be pushed apart, ascending

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def queries(self) -> NDArray[np.int64]:
        """The different queries, ascending."""
        return np.unique(self.rows[:, 0])

    @property
    def collisions(self) -> int:
        """Pairs that are positive in one triplet and negative in another (SciNCL, appendix A.8)."""
        positive, negative = (unordered(self.rows[:, 0], self.rows[:, end]) for end in (1, 2))
        return len(np.intersect1d(positive, negative))

    def __str__(self) -> str:
        kinds = np.bincount(self.kinds, minlength=len(KINDS))
        named = ", ".join(f"{count:,} {name}" for count, name in zip(kinds, KINDS, strict=True) if count)
        return f"{len(self):,} triplets of {len(self.queries):,} queries" + (f" ({named})" if named else "")

    def only(self, keep: NDArray[np.bool_]) -> Triplets:
        """The triplets that `keep` says, shape (n,), over the same texts."""
        return Triplets(self.texts, self.rows[keep], self.kinds[keep], self.linked)

    def share(self, share: float, seed: int = 0) -> Triplets:
        """The triplets of so large a share of the queries, at least one, drawn at random."""
        queries = self.queries
        some = np.random.default_rng(seed).permutation(queries)[: max(1, round(share * len(queries)))]
        return self.only(np.isin(self.rows[:, 0], some))

    def parted(self, share: float, most: int, seed: int = 0) -> tuple[Triplets, Triplets]:
        """Triplets to train on, and those of `share` of the queries, `most` at most, to validate with."""
        queries = self.queries
        drawn = np.random.default_rng([seed, 1]).permutation(queries)[: min(most, int(share * len(queries)))]
        kept_back = np.isin(self.rows[:, 0], drawn)
        return self.only(~kept_back), self.only(kept_back)


def joined(parts: Iterable[tuple[Sequence[Text], Sampled, NDArray[np.int64]]]) -> Triplets:
    """Triplets of several corpora as one set, without the texts that are in none.

    A part is the corpus's texts by docid, its triplets, and its linked pairs.
    """
    texts: list[tuple[Sequence[Text], NDArray[np.int64]]] = []
    first = 0
    rows, kinds, linked = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int8)], [np.zeros(0, np.int64)]
    for all_texts, sampled, pairs in parts:
        used, places = np.unique(sampled.rows, return_inverse=True)
        rows.append(places.reshape(-1, 3) + first)
        kinds.append(sampled.kinds)
        one, other = pairs >> 32, pairs & 0xFFFFFFFF
        keep = contained(one, used) & contained(other, used)
        ends = [np.searchsorted(used, end[keep]) + first for end in (one, other)]
        linked.append(unordered(ends[0], ends[1]))
        texts.append((all_texts, used))
        first += len(used)
    return Triplets(PickedTexts(texts), np.concatenate(rows), np.concatenate(kinds), np.unique(np.concatenate(linked)))


def together(sets: Sequence[Triplets]) -> Triplets:
    """Several sets as one; a text that is in several is kept once."""
    places: dict[Text, int] = {}
    rows, kinds, linked = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int8)], [np.zeros(0, np.int64)]
    for one in sets:
        new = np.asarray([places.setdefault(text, len(places)) for text in one.texts], np.int64)
        rows.append(new[one.rows])
        kinds.append(one.kinds)
        linked.append(unordered(new[one.linked >> 32], new[one.linked & 0xFFFFFFFF]))
    return Triplets(list(places), np.concatenate(rows), np.concatenate(kinds), np.unique(np.concatenate(linked)))
