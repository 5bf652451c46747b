"""From what papers say they cite to docids of the same corpus, and to works outside of it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import compress
from typing import NamedTuple, Self

import numpy as np
import orjson
from numpy.typing import NDArray

from common.arrays import ordered, places_in
from indexer.identity.references import work_name

_KEY_BYTES = 8  # among a hundred million works two share a key with a chance of 1 in 4,000


@dataclass(frozen=True, slots=True)
class Links:
    """Who cites what; both arrays of pairs are ascending and without duplicates."""

    edges: NDArray[np.int32]  # (n, 2): docid of the citing paper, docid of the cited one
    outside: NDArray[np.int32]  # (m, 2): docid of the citing paper, place of the work in `keys`
    keys: NDArray[np.uint64]  # (works,) ascending: `work_key` of every work that is cited and no paper of the corpus


def work_key(cited: str) -> int:
    """A number for a work, the same for all spellings of its name (`work_name`)."""
    return _key(work_name(cited))


def _key(spelling: str) -> int:
    return int.from_bytes(blake2b(spelling.encode("utf-8", "replace"), digest_size=_KEY_BYTES).digest())


def find_links(names: Iterable[tuple[str, int]], citations: Callable[[], Iterable[tuple[int, str]]]) -> Links:
    """The links of a corpus.

    Names are compared by hashes of 64 bits: of a hundred million citations among ten million papers one is wrong with
    a chance of 1 in 20,000, and a dictionary of them takes many times the memory and the time.

    Args:
        names: (name, docid) of every name that a paper may be cited by, the surest first.
        citations: Gives (docid, JSON list of what it cites) of every paper that cites something, always in one order.
    """
    known = HashedNames.of(names)
    hashes, citing, counts = array("q"), array("i"), array("i")
    for docid, listed in citations():
        cited = orjson.loads(listed)
        hashes.extend(map(hash, cited))
        citing.append(docid)
        counts.append(len(cited))
    found = known.docids(hashes)
    papers = np.repeat(np.asarray(citing, np.int32), counts)
    unknown = found < 0
    spellings, keys = array("q"), array("Q")
    for name in _where(unknown, counts, citations) if unknown.any() else ():
        spelling = work_name(name)
        spellings.append(hash(spelling))
        keys.append(_key(spelling))
    found[unknown] = known.docids(spellings)
    outside = found[unknown] < 0
    inside = (found >= 0) & (found != papers)
    distinct, works = np.unique(np.asarray(keys, np.uint64)[outside], return_inverse=True)
    return Links(
        edges=_distinct_pairs(papers[inside], found[inside]),
        outside=_distinct_pairs(papers[unknown][outside], works.astype(np.int32)),
        keys=distinct,
    )


class HashedNames(NamedTuple):
    """Names of papers, or what else several of them may have, by their hashes."""

    hashes: NDArray[np.int64]  # ascending
    papers: NDArray[np.int32]

    @classmethod
    def of(cls, names: Iterable[tuple[Hashable, int]]) -> Self:
        """Of (name, docid), the surest first."""
        hashes, papers = array("q"), array("i")
        for name, docid in names:
            hashes.append(hash(name))
            papers.append(docid)
        order = np.argsort(hashes, kind="stable")
        return cls(np.asarray(hashes, np.int64)[order], np.asarray(papers, np.int32)[order])

    def docids(self, hashes: array[int]) -> NDArray[np.int32]:
        """The docid of the first paper of each name, (n,) → (n,); -1 where there is none."""
        wanted = np.asarray(hashes, np.int64)
        places, found = places_in(wanted, self.hashes)
        docids = np.full(len(wanted), -1, np.int32)
        docids[found] = self.papers[places[found]]
        return docids


def _where(
    unknown: NDArray[np.bool_], counts: Iterable[int], citations: Callable[[], Iterable[tuple[int, str]]]
) -> Iterator[str]:
    """What is cited where `unknown` says so, of all citations one after the other, of which papers have `counts`."""
    start, flags = 0, unknown.tobytes()
    for count, (_, listed) in zip(counts, citations(), strict=True):
        here = flags[start : start + count]
        if 1 in here:
            yield from compress(orjson.loads(listed), here)
        start += count


def _distinct_pairs(first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.int32]:
    packed = np.sort(ordered(first, second))  # np.unique without places takes many times as long
    packed = packed[np.diff(packed, prepend=-1) != 0]
    return np.stack([packed >> 32, packed & 0xFFFFFFFF], axis=1).astype(np.int32)
