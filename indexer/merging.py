"""Records of one paper from several sources become one record: `--merge-duplicates` of `citescout index` and `add`.

Everything is kept on disk but the ids of the records that are merged.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType

import orjson

from common.files import write_output
from common.names import told_by
from common.words import counted
from indexer.catalog import Catalog
from indexer.catalog_writing import build_catalog
from indexer.duplicates import groups_of_records, known_records
from indexer.identity.agreement import different
from indexer.identity.identifiers import doi_key
from indexer.identity.keys import keys_of
from indexer.original import Original
from indexer.paper import Paper
from indexer.readers.bibtex_keys import keys_in
from indexer.renaming import is_same_entry


@dataclass(frozen=True, slots=True)
class Group:
    """Records that became one."""

    kept: str  # id
    merged: tuple[str, ...]  # ids that are gone
    keys: tuple[str, ...]  # that the records share, such as doi:10.1000/abc


@dataclass(slots=True)
class MergeReport:
    """What was merged; filled while the merged papers are consumed."""

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
        parts = [f"{counted(self.merged, 'record')} merged into {counted(len(self.groups), 'other')}: {kinds}"]
        if not self.merged:
            parts = [] if self.of_one_id else ["No records merged"]
        if self.of_one_id:
            joined = f"{self.of_one_id:,}" if parts else counted(self.of_one_id, "record")
            parts.append(f"{joined} joined with one of the same id")
        return "; ".join(parts)


def merge_duplicates(papers: Iterable[Paper], report: MergeReport) -> Iterator[Paper]:
    """One record for each paper, in the order of the ids; citations point to the record that is kept.

    Records are one paper if they share a DOI, arXiv id or PMID and `identifier_holds`, or a distinctive title, and
    neither years nor first authors disagree. Records of one id are joined unless they are clearly different papers, of
    which the last stays.
    """
    with tempfile.TemporaryDirectory(prefix="citescout-") as folder:
        path = Path(folder, "catalog.sqlite")
        build_catalog(papers, path, partial(_of_one_id, report))
        with closing(Catalog(path)) as catalog:
            for _, whole in _merged(catalog, _groups(catalog, report)):
                yield whole


def merged_into(
    catalog: Catalog, papers: Iterable[Paper], report: MergeReport, gone: list[str], anew: Set[str] = frozenset()
) -> Iterator[Paper]:
    """The papers, each once, as they are to be in the catalog, which has some of them under another id or the same.

    Such a paper is joined with the record in the catalog and gets its id; of several records there the lowest docid
    stays, and the ids of the others are put into `gone`. What the catalog has of the ids `anew` is not joined, and goes
    where nothing comes under its id. Papers of the catalog whose citations change come, too. The rules are those of
    `merge_duplicates`; of an entry of a bibliography that was edited since, what it says now counts.
    """
    with tempfile.TemporaryDirectory(prefix="citescout-") as folder:
        path, whole_path = Path(folder, "offered.sqlite"), Path(folder, "catalog.sqlite")
        build_catalog(papers, path, partial(_of_one_id, report))
        with closing(Catalog(path)) as offered:
            matched: dict[str, bool] = {}  # by id, whether its entry comes anew, under another id
            for paper in offered.all_papers():
                for one in known_records(catalog, paper):
                    matched[one.id] = matched.get(one.id, False) or (one.id != paper.id and is_same_entry(one, paper))
            known = catalog.docids(matched.keys() | anew)
            there = catalog.papers(sorted(docid for id_, docid in known.items() if id_ not in anew))
            records = (_without_entry(one) if matched.get(one.id) else one for one in there)
            build_catalog(chain(records, offered.all_papers()), whole_path, partial(_brought_up_to_date, report))
            alone = known.keys() - offered.docids(known).keys()
            gone += sorted(alone & anew)
        with closing(Catalog(whole_path)) as both:
            groups = _groups(both, report, known)
            gone += sorted(known.keys() & groups.kept_of.keys())
            for paper in catalog.papers([known[id_] for id_ in sorted(alone & anew)]):
                for id_ in both.docids(paper.other_ids):  # what cites it cites a record of it that is left
                    groups.kept_of[paper.id] = groups.kept_of.get(id_, id_)
            alone -= groups.records.keys()
            for paper, whole in _merged(both, groups):
                if paper.id not in alone or whole != paper:
                    yield whole
            # An id of the catalog that stays there is another paper's than the one that was offered under it.
            staying = catalog.docids(groups.kept_of).keys() - set(gone)
            kept_of = {id_: kept for id_, kept in groups.kept_of.items() if id_ not in staying}
            for paper in catalog.all_papers():
                redirected = _redirected(paper, kept_of)
                if redirected is not paper and paper.id not in known and not both.docids([paper.id]):
                    yield redirected


def write_report(report: MergeReport, path: Path) -> None:
    """Write the groups as JSON lines with `kept`, `merged` and `keys`.

    Raises:
        SourceError: the file cannot be written.
    """
    lines = b"".join(orjson.dumps(asdict(group), option=orjson.OPT_APPEND_NEWLINE) for group in report.groups)
    write_output(path, lines)


@dataclass(frozen=True, slots=True)
class _Groups:
    """Which records of a catalog are one paper."""

    kept_of: dict[str, str]  # id that is gone → id that is kept
    records: dict[str, list[int]]  # id that is kept → docids of its group, the richest first


def _groups(catalog: Catalog, report: MergeReport, known: Mapping[str, int] = MappingProxyType({})) -> _Groups:
    """The groups of more than one record. The richest is kept, or of those that an index knows that of least docid."""
    groups = _Groups({}, {})
    for members, keys in groups_of_records(catalog, report.by_kind):
        group = sorted(catalog.papers(members), key=_richness, reverse=True)
        ids = [paper.id for paper in group]
        kept = min((id_ for id_ in ids if id_ in known), key=lambda id_: known[id_], default=ids[0])
        merged = tuple(id_ for id_ in ids if id_ != kept)
        docids = catalog.docids(ids)
        groups.records[kept] = [docids[id_] for id_ in ids]
        groups.kept_of.update(dict.fromkeys(merged, kept))
        report.groups.append(Group(kept, merged, tuple(keys)))
    return groups


def _merged(catalog: Catalog, groups: _Groups) -> Iterator[tuple[Paper, Paper]]:
    """Every paper that is kept, in the order of the ids, and what it becomes."""
    for paper in catalog.all_papers():
        if paper.id not in groups.kept_of:
            records = groups.records.get(paper.id)
            whole = _joined(catalog.papers(records), paper.id) if records else paper
            yield paper, _redirected(whole, groups.kept_of)


def _richness(paper: Paper) -> tuple[int, int, int]:
    """Which record of a paper is kept: that with the longest abstract, then the most citations, then authors."""
    return len(paper.abstract), len(paper.citations), len(paper.authors)


def _of_one_id(report: MergeReport, before: Paper, paper: Paper) -> Paper | None:
    """One record of two that have one id; None where they are different papers."""
    if different(before, paper):
        return None
    report.of_one_id += 1
    return _one_of(before, paper)


def _brought_up_to_date(report: MergeReport, before: Paper, paper: Paper) -> Paper | None:
    """The same of a record of an index and one that is offered: an edited entry corrects what it said before."""
    if different(before, paper):
        return None
    joined = _as_edited(before, paper) if _edited(before.original, paper.original) else _one_of(before, paper)
    report.of_one_id += joined != before
    return joined


def _one_of(before: Paper, paper: Paper) -> Paper:
    return _joined(sorted((paper, before), key=_richness, reverse=True), paper.id)


def _as_edited(before: Paper, paper: Paper) -> Paper:
    others = before.original.others if before.original else ()
    return replace(
        _joined((paper, before), paper.id),
        abstract=paper.abstract or before.abstract,
        year=paper.year or before.year,
        authors=paper.authors or before.authors,
        original=replace(paper.original, others=others) if paper.original else None,
    )


def _edited(before: Original | None, now: Original | None) -> bool:
    """Is this the same entry in another wording? After a merge, a record may hold an entry of another key."""
    if before is None or now is None or replace(before, others=()) == now or before.format != now.format:
        return False
    return before.format != "bibtex" or keys_in(before.text)[:1] == keys_in(now.text)[:1]


def _joined(group: Sequence[Paper], kept: str) -> Paper:
    """One record, of the id `kept`, of several, the richest first: its fields, and what it lacks from the others.

    The year is the earliest, for a preprint shows when a paper could first be cited; the citations are all together.
    One record says where and how the paper appeared: of those with a DOI other than arXiv's that which says most of it.
    """
    published = max([paper for paper in group if doi_key(paper.doi)] or group, key=_fullness)
    published_first = (published, *group)
    whole = replace(
        group[0],
        id=kept,
        title=next((paper.title for paper in group if paper.title), ""),
        year=min((paper.year for paper in group if paper.year is not None), default=None),
        authors=max((paper.authors for paper in group), key=told_by),
        venue=next((paper.venue for paper in published_first if paper.venue), ""),
        doi=next((paper.doi for paper in published_first if paper.doi), ""),
        arxiv=next((paper.arxiv for paper in group if paper.arxiv), ""),
        url=next((paper.url for paper in published_first if paper.url), ""),
        original=_entry_of(group),
        imprint=published.imprint or max(group, key=_fullness).imprint,
        retracted=any(paper.retracted for paper in group),
        citations=tuple(dict.fromkeys(cited for paper in group for cited in paper.citations)),
    ).keyed_as(group)
    ids = {id_ for paper in group for id_ in (paper.id, *paper.other_ids)} - {kept}
    identifiers = {str(key) for paper in group for key in keys_of(paper) if key.kind != "title"}
    return replace(whole, other_ids=tuple(sorted(ids | (identifiers - set(map(str, keys_of(whole)))))))


def _entry_of(group: Sequence[Paper]) -> Original | None:
    """An entry in BibTeX, by whose key manuscripts cite, before one of another format; of each format the longest."""
    entries = [entry for paper in group if paper.original for entry in (paper.original, *paper.original.others)]
    longest: dict[str, Original] = {}
    for entry in sorted(entries, key=lambda entry: (entry.format != "bibtex", -len(entry.text))):
        longest.setdefault(entry.format, replace(entry, others=()))
    kept = tuple(longest.values())
    return replace(kept[0], others=kept[1:]) if kept else None


def _without_entry(paper: Paper) -> Paper:
    """The record without its entry, but with those of other formats."""
    others = paper.original.others if paper.original else ()
    return replace(paper, original=replace(others[0], others=others[1:]) if others else None)


def _fullness(paper: Paper) -> int:
    return sum(map(bool, astuple(paper.imprint))) if paper.imprint else 0


def _redirected(paper: Paper, kept_of: dict[str, str]) -> Paper:
    """The paper citing what is kept of what it cites, each once and without itself."""
    if paper.id not in paper.citations and kept_of.keys().isdisjoint(paper.citations):
        return paper
    return paper.citing(kept_of.get(cited, cited) for cited in paper.citations)
