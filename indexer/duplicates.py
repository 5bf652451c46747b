"""Records of one paper from several sources become one record: `--merge-duplicates` of `citescout index` and `add`.

Everything is kept on disk but one number a paper and the ids of the records that are merged away.
"""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from common.files import write_output
from common.names import told_by
from indexer.catalog import Catalog
from indexer.catalog_writing import build_catalog
from indexer.identity.evidence import different, first_authors_agree, title_holds, unlike
from indexer.identity.keys import keys_of
from indexer.paper import Paper

# A title of more records than this is a column ("Abstracts of current literature") unless the authors agree: the
# same paper seldom comes from more sources.
MOST_RECORDS_OF_A_TITLE = 4


@dataclass(frozen=True, slots=True)
class Group:
    """Records that became one."""

    kept: str  # id
    merged: tuple[str, ...]  # ids that are gone
    keys: tuple[str, ...]  # that the records share, such as doi:10.1000/abc


@dataclass(slots=True)
class MergeReport:
    """What was merged; filled while the merged papers are consumed."""

    replaced: int = 0  # records of different papers that have one id: the last one stays
    of_one_id: int = 0  # records that were joined with one of the same id
    by_kind: Counter[str] = field(default_factory=Counter)  # records merged away, by the kind of key
    groups: list[Group] = field(default_factory=list)

    @property
    def merged(self) -> int:
        """Records that are gone."""
        return self.by_kind.total()

    def summary(self) -> str:
        """One line such as "12 records merged into 11 others: 9 by doi, 3 by title"."""
        kinds = ", ".join(f"{count:,} by {kind}" for kind, count in self.by_kind.most_common())
        merged = f"{self.merged:,} records merged into {len(self.groups):,} others" + (f": {kinds}" if kinds else "")
        return merged + (f"; {self.of_one_id:,} joined with one of the same id" if self.of_one_id else "")


def merge_duplicates(papers: Iterable[Paper], report: MergeReport) -> Iterator[Paper]:
    """One record for each paper, in the order of the ids; citations point to the record that is kept.

    Records are one paper if they share a DOI, arXiv id or PMID (unless their titles have little in common and their
    first authors are not known to agree), or a distinctive title, and neither years nor first authors disagree. Records
    of one id are joined unless they are clearly different papers, of which the last stays.
    """

    def of_one_id(before: Paper, paper: Paper) -> Paper | None:
        if different(before, paper):
            return None
        report.of_one_id += 1
        return _joined(sorted((paper, before), key=_richness, reverse=True))

    with tempfile.TemporaryDirectory(prefix="citescout-") as folder:
        path = Path(folder, "catalog.sqlite")
        report.replaced = build_catalog(papers, path, of_one_id).replaced
        with closing(Catalog(path)) as catalog:
            yield from _merged(catalog, report)


def merged_into(catalog: Catalog, papers: Iterable[Paper], report: MergeReport, gone: list[str]) -> Iterator[Paper]:
    """The papers, each once, as they are to be in the catalog, which has some of them under another id or the same.

    Such a paper is joined with the record in the catalog and gets its id; of several records there the lowest docid
    stays, and the ids of the others are put into `gone`. Papers of the catalog whose citations change come, too. The
    rules are those of `merge_duplicates`.
    """
    with tempfile.TemporaryDirectory(prefix="citescout-") as folder:
        path = Path(folder, "catalog.sqlite")
        build_catalog(merge_duplicates(papers, report), path)
        kept_of = {id_: group.kept for group in report.groups for id_ in group.merged}
        joined: dict[str, Paper] = {}  # by id
        with closing(Catalog(path)) as offered:
            taken = set()
            for paper in offered.all_papers():
                known, keys = known_records(catalog, paper)
                if not known:
                    continue
                taken.add(paper.id)
                kept = kept_of.get(known[0].id, known[0].id)
                group = (paper, joined.get(kept, known[0]), *known[1:])
                joined[kept] = replace(_joined(sorted(group, key=_richness, reverse=True)), id=kept)
                merged = sorted({one.id for one in (paper, *known)} - {kept})
                gone += [one.id for one in known[1:]]
                kept_of.update(dict.fromkeys(merged, kept))
                if merged:
                    report.groups.append(Group(kept, tuple(merged), tuple(keys)))
                    report.by_kind[keys[0].partition(":")[0]] += len(merged)
                else:
                    report.of_one_id += 1
            kept_of = {id_: kept_of.get(kept, kept) for id_, kept in kept_of.items()}
            for paper in offered.all_papers():
                if paper.id not in taken:
                    yield _redirected(paper, kept_of)
            for paper in joined.values():
                yield _redirected(paper, kept_of)
            for paper in catalog.all_papers():
                redirected = _redirected(paper, kept_of)
                if redirected != paper and paper.id not in joined and not offered.docids([paper.id]):
                    yield redirected


def known_records(catalog: Catalog, paper: Paper) -> tuple[list[Paper], list[str]]:
    """The records that a catalog has of a paper, the lowest docid first, and the keys that make them one."""
    docids: set[int] = set()
    keys = []
    for key in keys_of(paper):
        found = catalog.docids_by_key([str(key)]).get(str(key), [])
        for docid, other in zip(found, catalog.papers(found), strict=True):
            if other.id != paper.id and same_paper(key.kind, paper, other, len(found) + 1):
                docids.add(docid)
                keys.append(str(key))
    for docid in catalog.docids([paper.id]).values():
        if not different(catalog.papers([docid])[0], paper):
            docids.add(docid)
    return catalog.papers(sorted(docids)), list(dict.fromkeys(keys))


def other_records(catalog: Catalog, first: int = 0) -> dict[str, str]:
    """By id, each paper from docid `first` on that has another record of a lower docid → the id of that one."""
    found: dict[str, str] = {}
    for _, (_, paper), (docid, other) in _pairs(catalog, first):
        if docid >= first:
            found.setdefault(other.id, paper.id)
    return found


def write_report(report: MergeReport, path: Path) -> None:
    """Write the groups as JSON lines with `kept`, `merged` and `keys`.

    Raises:
        SourceError: the file cannot be written.
    """
    lines = b"".join(orjson.dumps(asdict(group), option=orjson.OPT_APPEND_NEWLINE) for group in report.groups)
    write_output(path, lines)


def _merged(catalog: Catalog, report: MergeReport) -> Iterator[Paper]:
    parents, keys_of = _united(catalog, report)
    members: dict[int, list[int]] = defaultdict(list)
    for docid in np.flatnonzero(parents != np.arange(len(parents))).tolist():
        members[_root(parents, docid)].append(docid)
    kept_of: dict[str, str] = {}  # id that is gone → id that is kept
    records: dict[int, tuple[int, ...]] = {}  # docid that is kept → docids of its group, itself first
    for root, others in members.items():
        group = sorted(catalog.papers([root, *others]), key=_richness, reverse=True)
        ids = [paper.id for paper in group]
        docids = catalog.docids(ids)
        records[docids[ids[0]]] = tuple(docids[paper_id] for paper_id in ids)
        kept_of.update(dict.fromkeys(ids[1:], ids[0]))
        report.groups.append(Group(ids[0], tuple(ids[1:]), tuple(keys_of[root])))
    for docid, paper in enumerate(catalog.all_papers()):
        if paper.id in kept_of:
            continue
        whole = _joined(catalog.papers(records[docid])) if docid in records else paper
        yield _redirected(whole, kept_of)


def _united(catalog: Catalog, report: MergeReport) -> tuple[NDArray[np.int32], dict[int, list[str]]]:
    """The parent of every record in a forest whose trees are the papers, and by root the keys that joined them."""
    parents = np.arange(catalog.size, dtype=np.int32)
    keys: dict[int, list[str]] = {}
    for key, (one, _), (other, _) in _pairs(catalog):
        root, other_root = sorted((_root(parents, one), _root(parents, other)))
        if root != other_root:
            parents[other_root] = root
            report.by_kind[key.partition(":")[0]] += 1
            keys[root] = [*keys.get(root, []), *keys.pop(other_root, []), key]
    return parents, {root: list(dict.fromkeys(found)) for root, found in keys.items()}


def _pairs(catalog: Catalog, first: int = 0) -> Iterator[tuple[str, tuple[int, Paper], tuple[int, Paper]]]:
    """A key, and two records that it makes one paper, the lower docid first; see `Catalog.shared_keys`.

    Sorted by keys, so that identifiers come before titles and are named first.
    """
    for key, docids in catalog.shared_keys(first):
        kind = key.partition(":")[0]
        for one, other in combinations(zip(docids, catalog.papers(docids), strict=True), 2):
            if same_paper(kind, one[1], other[1], len(docids)):
                yield key, one, other


def same_paper(kind: str, paper: Paper, other: Paper, records: int) -> bool:
    """Whether two of the `records` that share a key of this kind (of `identity.keys`) are one paper."""
    agree = first_authors_agree(paper, other) is True
    if kind == "title":
        return title_holds(paper, other) and (
            agree or (records <= MOST_RECORDS_OF_A_TITLE and len({paper.year, other.year} - {None}) < 2)
        )
    # All abstracts of a meeting may share the DOI of the issue that they stand in.
    return agree or not unlike(paper, other)


def _root(parents: NDArray[np.int32], docid: int) -> int:
    while (parent := int(parents[docid])) != docid:
        parents[docid] = parents[parent]
        docid = parent
    return docid


def _richness(paper: Paper) -> tuple[int, int, int]:
    """Which record of a paper is kept: that with the longest abstract, then the most citations, then authors."""
    return len(paper.abstract), len(paper.citations), len(paper.authors)


def _joined(group: Sequence[Paper]) -> Paper:
    """One record of several, the richest first: its fields, and what it lacks from the others in their order.

    The year is the earliest, for a preprint shows when a paper could first be cited; the citations are all together. An
    entry in BibTeX, by whose key manuscripts cite, goes before one of another kind, and of several the longest.
    """
    entries = (paper.original for paper in group if paper.original)
    return replace(
        group[0],
        title=next((paper.title for paper in group if paper.title), ""),
        year=min((paper.year for paper in group if paper.year is not None), default=None),
        authors=max((paper.authors for paper in group), key=told_by),
        venue=next((paper.venue for paper in group if paper.venue), ""),
        doi=next((paper.doi for paper in group if paper.doi), ""),
        arxiv=next((paper.arxiv for paper in group if paper.arxiv), ""),
        url=next((paper.url for paper in group if paper.url), ""),
        original=min(entries, key=lambda entry: (entry.format != "bibtex", -len(entry.text)), default=None),
        retracted=any(paper.retracted for paper in group),
        citations=tuple(dict.fromkeys(cited for paper in group for cited in paper.citations)),
    )


def _redirected(paper: Paper, kept_of: dict[str, str]) -> Paper:
    """The paper citing what is kept of what it cites, each once and without itself."""
    if paper.id not in paper.citations and kept_of.keys().isdisjoint(paper.citations):
        return paper
    distinct = dict.fromkeys(kept_of.get(cited, cited) for cited in paper.citations)
    distinct.pop(paper.id, None)
    return replace(paper, citations=tuple(distinct))
