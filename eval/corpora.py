"""A folder of corpora with held-out papers: NAME.jsonl(.gz) beside NAME.test.ids, one id a line.

The test papers stay in the corpus (others may cite them) but their own citations are hidden from index and training.
Where not every paper may be found, those that may are in a NAME.candidates.ids, one id a line.
Who wrote the papers may stand in a NAME.meta.jsonl(.gz), one JSON object a line, with the `id` of a paper and its
`authors`, a list of names; other fields are not read.
"""

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from common.errors import SourceError
from common.words import counted, shortened
from eval.metrics import Qrels
from eval.trec import check_ids, name_of
from indexer.identity.title_overlap import is_copy
from indexer.paper import Paper
from indexer.readers import ReadReport, read_papers
from indexer.readers.base import Malformed
from indexer.readers.fields import identifier
from indexer.readers.json_records import Fields, line_records
from indexer.readers.source import file_named
from retrieval.query import Query

UNION = "union"
TEST_IDS, CANDIDATES, META = ".test.ids", ".candidates.ids", ".meta.jsonl"  # behind the name of a corpus

Authors = dict[str, tuple[str, ...]]  # paper id → names
# What records may lack → the field of a paper, and its value where it is unknown.
LACKING: Mapping[str, tuple[str, Any]] = MappingProxyType(
    {"years": ("year", None), "abstracts": ("abstract", ""), "references": ("citations", ())}
)
T = TypeVar("T")

_log = logging.getLogger(__name__)


def sampled(items: Sequence[T], count: int | None, seed: int) -> list[T]:
    """So many of the items, drawn by the seed, in their order; all without a count, or where there are no more."""
    return [items[place] for place in sorted(np.random.default_rng(seed).permutation(len(items))[:count])]


def read_authors(papers: Path) -> Authors:
    """The authors of the corpus in this file; empty where no file of authors is beside it.

    Raises:
        SourceError: the file of authors cannot be read, or a line is malformed.
    """
    path = _packed_or_plain(papers.with_name(name_of(papers) + META))
    if path is None:
        return {}
    with file_named(path).open() as text:
        return dict(_record(fields, f"{path}, {where}") for where, fields in line_records(text))


def _record(fields: Fields | Malformed, place: str) -> tuple[str, tuple[str, ...]]:
    if isinstance(fields, Malformed):
        raise SourceError(f"{place}: {fields.reason}")
    paper, authors = identifier(fields.get("id")), fields.get("authors")
    names = authors if isinstance(authors, list) else [None]
    if not paper or not all(isinstance(name, str) for name in names):
        raise SourceError(f'{place}: must have an "id" and "authors", a list of names')
    return paper, tuple(names)


@dataclass(frozen=True, slots=True)
class TestSet:
    """The held-out papers of a corpus as queries, and what they cite within it."""

    __test__ = False  # not a pytest class

    queries: tuple[Query, ...]
    qrels: Qrels
    candidates: frozenset[str] | None = None  # what may be found; None: all papers


@dataclass(frozen=True, slots=True)
class Corpus:
    """One corpus, or several that are indexed together with their names before the ids."""

    name: str
    parts: tuple[tuple[Path, Path], ...]  # (papers, test ids)
    lacking: Mapping[str, float] = field(default_factory=dict)  # of LACKING → share of the papers that lack it

    def papers(self) -> Iterator[Paper]:
        """All papers without the citations of test papers, and without what records are to lack, drawn by a seed."""
        drawn = {name: np.random.default_rng([list(LACKING).index(name)]) for name in self.lacking}
        for papers, ids in self.parts:
            hidden, prefix = read_ids(ids), self._prefix(ids)
            authors = read_authors(papers)
            for paper in read_papers([str(papers)]):
                cited = () if paper.id in hidden else tuple(prefix + cited for cited in paper.citations)
                known = {"citations": cited, "authors": authors.get(paper.id, paper.authors)}
                lacking = (LACKING[name] for name, share in self.lacking.items() if drawn[name].random() < share)
                yield replace(paper, id=prefix + paper.id, **(known | dict(lacking)))

    def test_set(self, sample: int | None = None, seed: int = 0, for_runs: bool = False) -> TestSet:
        """The test papers with a citation within the corpus that they may find; a seeded sample if asked.

        Of the others it is said that they are not asked.

        Raises:
            SourceError: a file cannot be read; or, of lists that are written as runs, none of these papers is there, or
                an id of the corpus has white space.
        """
        queries: list[Query] = []
        qrels: dict[str, frozenset[str]] = {}
        candidates: set[str] = set()
        limited = False
        for papers, ids in self.parts:
            hidden, prefix = read_ids(ids), self._prefix(ids)
            every = {paper.id: paper for paper in read_papers([str(papers)])}
            if for_runs:
                check_ids(every, where=f"{papers}: ")
            listed = ids.with_name(ids.name.removesuffix(TEST_IDS) + CANDIDATES)
            found = {one: every[one] for one in _there(read_ids(listed), every, listed)} if listed.is_file() else every
            limited |= found is not every
            candidates.update(prefix + one for one in found)
            gold = {paper_id: gold_of(every[paper_id], found) for paper_id in _there(hidden, every, ids)}
            usable = [paper_id for paper_id, cited in gold.items() if cited]
            unasked = [paper_id for paper_id, cited in gold.items() if not cited]
            if usable and unasked:
                what = counted(len(unasked), "paper cites", "papers cite")
                such = shortened(unasked[0])
                _log.warning("%s: %s nothing that may be found, such as %s: not asked", ids, what, such)
            authors = read_authors(papers)
            for paper in map(every.__getitem__, sampled(usable, sample, seed)):
                names = authors.get(paper.id, paper.authors)
                queries.append(Query(paper.title, paper.abstract, prefix + paper.id, paper.year, authors=names))
                qrels[prefix + paper.id] = frozenset(prefix + cited for cited in gold[paper.id])
        if for_runs and not queries:
            raise SourceError(
                f"{self.source}: no test paper cites a paper that it may find there, so nothing can be scored"
            )
        return TestSet(tuple(queries), qrels, frozenset(candidates) if limited else None)

    @property
    def source(self) -> str:
        """The files of its papers, for messages."""
        return ", ".join(str(papers) for papers, _ in self.parts)

    def _prefix(self, ids: Path) -> str:
        """What stands before the ids of a part: its name, in which runs bear no white space."""
        return "" if len(self.parts) == 1 else "_".join(ids.name.removesuffix(TEST_IDS).split()) + "/"


def find_corpora(folder: Path, names: Sequence[str] = ()) -> list[Corpus]:
    """The corpora of a folder, all or those named, each once; the name "union" means all of them in one index.

    Raises:
        SourceError: no such folder, no corpus in it, or an unknown name.
    """
    beside = {ids: papers for ids in sorted(folder.glob("*" + TEST_IDS)) if (papers := papers_beside(ids))}
    named = {ids.name.removesuffix(TEST_IDS): (papers, ids) for ids, papers in beside.items()}
    found = {name: Corpus(name, (part,)) for name, part in named.items()}
    if not found:
        raise SourceError(f"no corpus in {folder}: each is a NAME.jsonl or NAME.jsonl.gz beside a NAME.test.ids")
    every = {**found, UNION: Corpus(UNION, tuple(named.values()))}
    if unknown := [name for name in names if name not in every]:
        raise SourceError(f"no corpus {unknown[0]!r} in {folder}: there are {', '.join(every)}")
    return [every[name] for name in dict.fromkeys(names)] if names else list(found.values())


def papers_beside(ids: Path) -> Path | None:
    """The corpus beside a NAME.test.ids; None where there is none."""
    return _packed_or_plain(ids.with_name(ids.name.removesuffix(TEST_IDS) + ".jsonl"))


def _packed_or_plain(path: Path) -> Path | None:
    return next((one for one in (path.with_name(path.name + ".gz"), path) if one.is_file()), None)


def papers_named_by(ids: Path, report: ReadReport | None) -> Iterator[Paper]:
    """The papers that a NAME.test.ids names, out of the NAME.jsonl(.gz) beside it.

    Raises:
        SourceError: either file is missing or unreadable, or the corpus has none of the papers.
    """
    wanted = read_ids(ids)
    papers = papers_beside(ids)
    if papers is None:
        raise SourceError(f"{ids}: no corpus beside it, {ids.name.removesuffix(TEST_IDS)}.jsonl or .jsonl.gz")
    found = 0
    for paper in read_papers([str(papers)], report=report):
        if paper.id in wanted:
            found += 1
            yield paper
    if not found:
        raise SourceError(f"{ids}: none of its {len(wanted):,} ids is in {papers.name}")


def read_ids(path: Path) -> frozenset[str]:
    """One id a line.

    Raises:
        SourceError: the file cannot be read, or has no id.
    """
    ids = frozenset(map(identifier, file_named(path, "the ids of ").listed())) - {""}
    if not ids:
        raise SourceError(f"{path}: no id")
    return ids


def _there(ids: frozenset[str], papers: Mapping[str, Paper], listed: Path) -> list[str]:
    """Those of the papers, sorted; of any others that the file lists it is said that they do not count."""
    if missing := sorted(ids - papers.keys()):
        not_there = counted(len(missing), "id is of no paper", "ids are of no paper")
        _log.warning("%s: %s of the corpus, such as %s", listed, not_there, shortened(missing[0]))
    return sorted(ids & papers.keys())


def gold_of(paper: Paper, candidates: Mapping[str, Paper]) -> list[str]:
    """What a paper cites of the candidates and may find: no other records of itself, and nothing of a later year."""
    cited = (candidates[id_] for id_ in paper.citations if id_ in candidates)
    newest = paper.year or math.inf  # nothing is newer than a paper without a year
    return [one.id for one in cited if (one.year or 0) <= newest and not is_copy(paper.title, one.title)]
