"""How triplets are put together, whatever their positives and hard negatives are; all queries at once, in arrays.

They are drawn from the papers of one corpus and the citations among them. With their texts they are what is written to
files, read from them, and trained on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from common.arrays import contained, ordered, place_within, unordered
from encoders.picked_texts import PickedTexts
from encoders.text import Text
from indexer.citations import Adjacency

Edges = tuple[NDArray[np.int64], NDArray[np.integer]]  # (position of the query, paper) of every edge


@dataclass(frozen=True, slots=True)
class TrainingCorpus:
    """One corpus, without the citations that training must not know."""

    name: str
    texts: Sequence[Text]  # by docid
    cites: Adjacency
    years: NDArray[np.int16]  # (papers,), 0 where unknown
    candidates: NDArray[np.bool_]  # (papers,) may occur in a triplet; every end of an edge is one

    @property
    def queries(self) -> NDArray[np.int64]:
        """The papers that cite another one, ascending."""
        return np.flatnonzero(np.diff(self.cites.offsets) > 0)

    def citations(self) -> NDArray[np.int64]:
        """(citing, cited) of every citation, shape (n, 2), ascending."""
        return np.stack(self.cites.of_all(np.arange(len(self.years))), axis=1).astype(np.int64)

    def linked(self) -> NDArray[np.int64]:
        """`unordered` of every pair of which one cites the other, ascending."""
        return np.unique(unordered(*self.citations().T))


EASY, HARD, UNSAID = 0, 1, 2
KINDS = ("easy", "hard", "unsaid")  # names of the kinds of negatives, in files

# Rounds in which random papers are drawn again for those that were refused.
_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Mix:
    """Negatives of one query; each makes one triplet."""

    hard: int = 2
    easy: int = 3

    @property
    def triplets(self) -> int:
        """Of one query, at most."""
        return self.hard + self.easy


@dataclass(slots=True)
class SamplingCounts:
    """What came out of sampling; adds up over chunks and corpora."""

    queries: int = 0  # that may be one
    without_positives: int = 0  # of those, not in any triplet
    replaced: int = 0  # queries that got easy negatives in the place of hard ones
    replacements: int = 0  # such negatives
    lacking: int = 0  # triplets that could not be made: the corpus is too small
    notes: list[str] = field(default_factory=list)  # what else a recipe has to report

    def add(self, other: SamplingCounts) -> None:
        """Add the counts of other queries."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    def __str__(self) -> str:
        counts = (
            f"{self.queries:,} queries, {self.without_positives:,} of them without a positive; "
            f"{self.replaced:,} with too few hard negatives: {self.replacements:,} easy ones in their place; "
            f"{self.lacking:,} triplets that the corpora are too small for"
        )
        return "\n".join([counts, *self.notes])


@dataclass(frozen=True, slots=True)
class Sampled:
    """Triplets by docid."""

    rows: NDArray[np.int64]  # (n, 3) query, positive, negative
    kinds: NDArray[np.int8]  # (n,) EASY, HARD or UNSAID


def joined_chunks(parts: Iterable[tuple[Sampled, SamplingCounts]]) -> tuple[Sampled, SamplingCounts]:
    """Triplets and counts of several chunks of queries, one after the other."""
    rows, kinds, counts = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int8)], SamplingCounts()
    for sampled, counted in parts:
        rows.append(sampled.rows)
        kinds.append(sampled.kinds)
        counts.add(counted)
    return Sampled(np.concatenate(rows), np.concatenate(kinds)), counts


# (position of the query, paper) → whether it may be an easy negative of that query
Allowed = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class EasyPool:
    """Where random negatives come from."""

    papers: NDArray[np.int64]  # drawn uniformly …
    reach: NDArray[np.int64]  # (queries,) … from the first so many of them
    allowed: Allowed

    @classmethod
    def of_all(cls, papers: NDArray[np.int64], queries: int, allowed: Allowed) -> EasyPool:
        """Every query may get any of the papers."""
        return cls(papers, np.full(queries, len(papers), np.int64), allowed)


def draw(edges: Edges, sizes: NDArray[np.int64], generator: np.random.Generator) -> Edges:
    """Of the distinct papers of query g, `sizes[g]` at random (all if there are fewer), ordered by query."""
    keys = np.unique(ordered(*edges))
    queries, papers = keys >> 32, keys & 0xFFFFFFFF
    order = np.lexsort((generator.random(len(keys)), queries))
    queries, papers = queries[order], papers[order]
    keep = place_within(queries) < sizes[queries]
    return queries[keep], papers[keep]


def draw_easy(pool: EasyPool, wanted: NDArray[np.int64], taken: Edges, generator: np.random.Generator) -> Edges:
    """`wanted[g]` distinct papers of the pool for query g, none of them `taken`; fewer where the pool has no more."""
    found: list[Edges] = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    used = np.unique(ordered(*taken))
    missing = wanted.copy()
    for _ in range(_ROUNDS):
        open_queries = np.flatnonzero((missing > 0) & (pool.reach > 0))
        if not len(open_queries):
            break
        queries = np.repeat(open_queries, 2 * missing[open_queries] + 4)
        papers = pool.papers[(generator.random(len(queries)) * pool.reach[queries]).astype(np.int64)]
        keep = pool.allowed(queries, papers)
        keep[keep] &= ~np.isin(ordered(queries[keep], papers[keep]), used)
        drawn = draw((queries[keep], papers[keep]), missing, generator)
        found.append(drawn)
        used = np.union1d(used, ordered(*drawn))
        missing = missing - np.bincount(drawn[0], minlength=len(missing))
    queries, papers = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.argsort(queries, kind="stable")
    return queries[order], papers[order]


def assemble(
    queries: NDArray[np.int64], positives: Edges, hard: Edges, pool: EasyPool, mix: Mix, generator: np.random.Generator
) -> tuple[Sampled, SamplingCounts]:  # fmt: skip
    """Triplets of `queries`, one for each negative.

    Up to `mix.triplets` positives of a query are drawn; where there are fewer, they take turns. What a query lacks of
    hard negatives it gets in easy ones.
    """
    few = np.full(len(queries), mix.triplets)
    positives = draw(positives, few, generator)
    number = np.bincount(positives[0], minlength=len(queries))
    hard = draw((hard[0], hard[1]), np.where(number > 0, mix.hard, 0), generator)
    lack = np.where(number > 0, mix.hard - np.bincount(hard[0], minlength=len(queries)), 0)
    easy = draw_easy(pool, np.where(number > 0, lack + mix.easy, 0), hard, generator)

    owner = np.concatenate([hard[0], easy[0]])
    negative = np.concatenate([hard[1], easy[1]])
    kinds = np.repeat(np.asarray([HARD, EASY], np.int8), [len(hard[0]), len(easy[0])])
    order = np.argsort(owner, kind="stable")
    owner, negative, kinds = owner[order], negative[order], kinds[order]
    first = np.cumsum(number) - number
    positive = positives[1][first[owner] + place_within(owner) % np.maximum(number[owner], 1)]
    counts = SamplingCounts(
        queries=len(queries),
        without_positives=int((number == 0).sum()),
        replaced=int((lack > 0).sum()),
        replacements=int(lack.sum()),
        lacking=int((number > 0).sum()) * mix.triplets - len(owner),
    )
    return Sampled(np.stack([queries[owner], positive, negative], axis=1), kinds), counts


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
