"""Which records of a catalog are one paper, by identifiers and titles."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product, starmap

from indexer.catalog import Catalog
from indexer.identity.agreement import (
    different,
    first_authors_agree,
    identifier_holds,
    of_two_publications,
    title_holds,
)
from indexer.identity.keys import id_key, keys_of
from indexer.identity.titles import title_key
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
    (records,) = records_of(catalog, [paper])
    for docid in catalog.docids([paper.id]).values():
        (record,) = catalog.papers([docid])
        if not different(record, paper):
            records[docid] = record
    return [records[docid] for docid in sorted(records)]


def docids_now(catalog: Catalog, papers: Sequence[Paper]) -> list[int | None]:
    """The docid by which a catalog has each of these papers: that of its id, else the lowest of its records'.

    None where it has no record of the paper.
    """
    own = catalog.docids(paper.id for paper in papers)
    there = dict(zip(own, catalog.papers([*own.values()]), strict=True))
    return [
        own[paper.id] if paper.id in own and not different(there[paper.id], paper) else min(records, default=None)
        for paper, records in zip(papers, records_of(catalog, papers), strict=True)
    ]


def records_of(catalog: Catalog, papers: Sequence[Paper]) -> list[dict[int, Paper]]:
    """By docid, the records under other ids that a catalog has of each of these papers, which it need not have."""
    keys = [(*keys_of(paper), id_key(paper.id)) for paper in papers]
    found = catalog.docids_by_key({str(key) for own in keys for key in own})
    itself = catalog.docids(paper.id for paper in papers)
    bearing = [  # by paper, the kind of each key and the others that bear it: mostly none, so that few are read
        [(key.kind, [docid for docid in found.get(str(key), ()) if docid != itself.get(paper.id)]) for key in own]
        for paper, own in zip(papers, keys, strict=True)
    ]
    docids = sorted({docid for own in bearing for _, others in own for docid in others})
    records = dict(zip(docids, catalog.papers(docids), strict=True))
    return [
        {
            docid: records[docid]
            for kind, others in own
            for docid in others
            if same_paper(kind, paper, records[docid], len(others) + 1)
        }
        for paper, own in zip(papers, bearing, strict=True)
    ]


def with_retractions(catalog: Catalog, papers: Sequence[Paper]) -> list[Paper]:
    """The papers, marked as retracted where another record of theirs is, or a notice says so of their whole title."""
    notices = catalog.notices_of_retraction

    def is_retracted(paper: Paper, records: Iterable[Paper]) -> bool:
        said = notices.get(title_key(paper.title), -1)  # the year of the last notice, 0 where it is unknown
        return said == 0 or said >= (paper.year or 0) or any(one.retracted for one in records)

    return [
        replace(paper, retracted=True) if is_retracted(paper, records.values()) else paper
        for paper, records in zip(papers, records_of(catalog, papers), strict=True)
    ]


def other_records(catalog: Catalog, first: int) -> dict[str, str]:
    """By id, each paper from docid `first` on that has another record of a lower docid → the id of that one."""
    found: dict[str, str] = {}
    for _, (_, paper), (docid, other) in _pairs(catalog, first):
        if docid >= first:
            found.setdefault(other.id, paper.id)
    return found


@dataclass(slots=True)
class _Group:
    """Records that are one paper."""

    parts: list[list[int]]  # docids; identifiers join the records of a part, a title joins parts
    keys: dict[str, None]  # that records share

    def docids(self) -> list[int]:
        return [docid for part in self.parts for docid in part]


def groups_of_records(catalog: Catalog, by_kind: Counter[str]) -> Iterator[tuple[list[int], list[str]]]:
    """The docids of records that are one paper, the lowest first, with the keys that they share, the surest first.

    `by_kind` counts what joined them. A title has to hold for all that it joins: of a series of reports each may agree
    with the next one alone. Memory holds the docids of such records, and the keys.
    """
    groups: dict[int, _Group] = {}  # by docid
    for key, (one, _), (other, _) in _pairs(catalog):
        kind = key.partition(":")[0]
        found = (groups.get(docid) or _Group([[docid]], {}) for docid in (one, other))
        less, group = sorted(found, key=lambda group: sum(map(len, group.parts)))
        if less is not group:
            if kind == "title" and not _title_holds_for_all(catalog, less, group):
                continue
            by_kind[kind] += 1
            groups |= dict.fromkeys((one, other, *less.docids()), group)
            group.keys |= less.keys
            if kind == "title":
                group.parts += less.parts
            else:
                group.parts[0] += less.docids()
        group.keys[key] = None
    for group in {id(group): group for _, group in sorted(groups.items())}.values():
        yield sorted(group.docids()), list(group.keys)


def _title_holds_for_all(catalog: Catalog, one: _Group, other: _Group) -> bool:
    """Does a title that holds for a record of each hold for some record of every two parts?"""
    if len(one.parts) == len(other.parts) == 1:
        return True
    parts, others = ([catalog.papers(part) for part in group.parts] for group in (one, other))
    return all(any(starmap(_title_joins, product(*two))) for two in product(parts, others))


def _title_joins(paper: Paper, other: Paper) -> bool:
    return title_holds(paper, other) and not of_two_publications(paper, other)


def _pairs(catalog: Catalog, first: int = 0) -> Iterator[tuple[str, tuple[int, Paper], tuple[int, Paper]]]:
    """A key, and two records that it makes one paper, the lower docid first; see `Catalog.shared_keys`.

    Sorted by keys, so that titles come after DOIs, arXiv ids and PMIDs; of a key the records of one year come first.
    """
    for key, docids in catalog.shared_keys(first):
        kind = key.partition(":")[0]
        pairs = combinations(zip(docids, catalog.papers(docids), strict=True), 2)
        for one, other in sorted(pairs, key=lambda pair: pair[0][1].year != pair[1][1].year):
            apart = kind == "title" and of_two_publications(one[1], other[1])
            if not apart and same_paper(kind, one[1], other[1], len(docids)):
                yield key, one, other
