"""From what papers say they cite to numbers: of papers of the same corpus, and of works outside of it."""

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice

import numpy as np
import orjson
from numpy.typing import NDArray

from indexer.identity.references import work_name

_IDS_AT_A_TIME = 2_000_000
_KEY_BYTES = 8  # among a hundred million works two share a key with a chance of 1 in 4,000


@dataclass(frozen=True, slots=True)
class Links:
    """Who cites what; both arrays of pairs are ascending and without duplicates."""

    edges: NDArray[np.int32]  # (n, 2): number of the citing paper, number of the cited one
    outside: NDArray[np.int32]  # (m, 2): number of the citing paper, place of the work in `keys`
    keys: NDArray[np.uint64]  # (works,) ascending: `work_key` of every work that is cited and no paper of the corpus


def work_key(cited: str) -> int:
    """A number for a work, the same for all spellings of its name (`work_name`)."""
    return int.from_bytes(blake2b(work_name(cited).encode("utf-8", "replace"), digest_size=_KEY_BYTES).digest())


def find_links(names: Iterator[tuple[str, int]], citations: Callable[[], Iterable[tuple[int, str]]]) -> Links:
    """The links of a corpus.

    Args:
        names: (name, number) of every name that a paper may be cited by, the surest first.
        citations: Gives (number, JSON list of what it cites) of every paper that cites something, always in one order.
    """
    found = array("i")  # of every citation the cited number; -1 where it is outside
    # A dictionary is several times as fast as a join; one for some papers at a time bounds the memory.
    while known := dict(islice(names, _IDS_AT_A_TIME)):
        place = 0
        rest = len(found) > 0
        for _, listed in citations():
            cited = orjson.loads(listed)
            here = [_number(known, one) for one in cited]
            if rest:
                for offset, number in enumerate(here, start=place):
                    if found[offset] < 0 <= number:
                        found[offset] = number
                place += len(here)
            else:
                found.extend(here)
    return _links(np.frombuffer(found, np.int32) if len(found) else np.zeros(0, np.int32), citations)


def _number(known: dict[str, int], cited: str) -> int:
    number = known.get(cited)
    return known.get(work_name(cited), -1) if number is None else number


def _links(found: NDArray[np.int32], citations: Callable[[], Iterable[tuple[int, str]]]) -> Links:
    citing, keys = array("i"), array("Q")
    place = 0
    for number, listed in citations():
        cited = orjson.loads(listed)
        citing.extend([number] * len(cited))
        here = found[place : place + len(cited)]
        keys.extend(work_key(one) for one, other in zip(cited, here, strict=True) if other < 0)
        place += len(cited)
    papers = np.asarray(citing, np.int32)
    inside = (found >= 0) & (found != papers)
    works, distinct = _ranked(np.asarray(keys, np.uint64))
    return Links(
        edges=_distinct_pairs(papers[inside], found[inside]),
        outside=_distinct_pairs(papers[found < 0], works),
        keys=distinct,
    )


def _ranked(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """The place of each key among the distinct ones, and these, ascending."""
    order = np.argsort(keys, kind="stable")  # np.unique takes many times as long
    ordered = keys[order]
    starts = np.ones(len(keys), np.bool_)
    starts[1:] = ordered[1:] != ordered[:-1]
    places = np.empty(len(keys), np.int32)
    places[order] = np.cumsum(starts) - 1
    return places, ordered[starts]


def _distinct_pairs(first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.int32]:
    packed = np.sort(first.astype(np.int64) << 32 | second)
    packed = packed[np.diff(packed, prepend=-1) != 0]
    return np.stack([packed >> 32, packed & 0xFFFFFFFF], axis=1).astype(np.int32)
