"""Which records of a catalog are one paper, by identifiers and titles."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from indexer.catalog import Catalog
from indexer.identity.agreement import different, first_authors_agree, identifier_holds, title_holds
from indexer.identity.keys import id_key, keys_of
from indexer.paper import Paper

# A title of more records than this is a column ("Abstracts of current literature") unless the authors agree: the
# same paper seldom comes from more sources.
MOST_RECORDS_OF_A_TITLE = 4


def same_paper(kind: str, paper: Paper, other: Paper, records: int) -> bool:
    """Whether two of the `records` that share a key of this kind (of `identity.keys`) are one paper."""
    if kind == "id":
        return not different(paper, other)
    if kind != "title":
        return identifier_holds(paper, other)
    return title_holds(paper, other) and (
        first_authors_agree(paper, other) is True
        or (records <= MOST_RECORDS_OF_A_TITLE and len({paper.year, other.year} - {None}) < 2)
    )


def known_records(catalog: Catalog, paper: Paper) -> list[Paper]:
    """The records that a catalog has of a paper, the lowest docid first."""
    docids: set[int] = set()
    for key in (*keys_of(paper), id_key(paper.id)):
        found = catalog.docids_by_key([str(key)]).get(str(key), [])
        for docid, other in zip(found, catalog.papers(found), strict=True):
            if other.id != paper.id and same_paper(key.kind, paper, other, len(found) + 1):
                docids.add(docid)
    for docid in catalog.docids([paper.id]).values():
        if not different(catalog.papers([docid])[0], paper):
            docids.add(docid)
    return catalog.papers(sorted(docids))


def other_records(catalog: Catalog, first: int = 0) -> dict[str, str]:
    """By id, each paper from docid `first` on that has another record of a lower docid → the id of that one."""
    found: dict[str, str] = {}
    for _, (_, paper), (docid, other) in _pairs(catalog, first):
        if docid >= first:
            found.setdefault(other.id, paper.id)
    return found


def groups_of_records(catalog: Catalog, by_kind: Counter[str]) -> Iterator[tuple[list[int], list[str]]]:
    """The docids of records that are one paper, the lowest first, with the keys that they share, the surest first.

    `by_kind` counts what joined them. Memory holds one number a paper, and the keys.
    """
    parents = np.arange(catalog.size, dtype=np.int32)
    keys: dict[int, dict[str, None]] = {}
    for key, (one, _), (other, _) in _pairs(catalog):
        root, other_root = sorted((_root(parents, one), _root(parents, other)))
        if root != other_root:
            parents[other_root] = root
            by_kind[key.partition(":")[0]] += 1
        keys[root] = keys.get(root, {}) | keys.pop(other_root, {}) | {key: None}
    members: dict[int, list[int]] = defaultdict(list)
    for docid in np.flatnonzero(parents != np.arange(len(parents))).tolist():
        members[_root(parents, docid)].append(docid)
    for root, others in members.items():
        yield [root, *others], list(keys[root])


def _pairs(catalog: Catalog, first: int = 0) -> Iterator[tuple[str, tuple[int, Paper], tuple[int, Paper]]]:
    """A key, and two records that it makes one paper, the lower docid first; see `Catalog.shared_keys`.

    Sorted by keys, so that DOIs and arXiv ids come before titles and are named first.
    """
    for key, docids in catalog.shared_keys(first):
        kind = key.partition(":")[0]
        for one, other in combinations(zip(docids, catalog.papers(docids), strict=True), 2):
            if same_paper(kind, one[1], other[1], len(docids)):
                yield key, one, other


def _root(parents: NDArray[np.int32], docid: int) -> int:
    while (parent := int(parents[docid])) != docid:
        parents[docid] = parents[parent]
        docid = parent
    return docid
