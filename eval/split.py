"""A corpus by the rules of a protocol, written as files: what to index, whom to ask, and what is to be found.

DIR/split.json              the protocol and its counts
DIR/train.ids               papers whose citations may be learned from
DIR/test.queries.jsonl      the papers that are asked, as `citescout recommend` reads them; dev.* likewise
DIR/test.qrels              what they cite, for trec_eval
DIR/test.papers.jsonl       what the index for them holds
DIR/candidates.ids          what may be found, if answers are to be filtered
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import orjson

from common.errors import SourceError
from common.files import replaced, write_atomically
from eval.protocols import Protocol
from eval.trec import write_qrels
from indexer.catalog import Catalog
from indexer.catalog_writing import build_catalog
from indexer.identity.copies import is_copy
from indexer.paper import Paper

RECORD = "split.json"


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the papers and their citations."""

    papers: int  # with a year: these are indexed
    citations: int  # that count
    train: int  # papers to learn from
    dev: int  # queries
    test: int
    without_year: int  # papers left out
    citing_nothing: int  # papers that are never asked
    citations_outside: int  # citations left out: not in the corpus
    citations_later: int  # of a later year
    with_few_citations: int  # papers of dev and test with fewer than the protocol asks for
    citations_of_copies: int = 0  # of papers of dev and test: of other records of themselves, which nobody need find


@dataclass(frozen=True, slots=True)
class _Part:
    """Development or test set."""

    asked: set[str]
    gold: Mapping[str, frozenset[str]]  # of every paper that might have been asked
    searched: Collection[str]


@dataclass(slots=True)
class _Citations:
    """Which citations count, and how many do not."""

    years: Mapping[str, int]
    outside: int = 0
    later: int = 0

    def of(self, paper: Paper) -> tuple[str, ...]:
        known = [cited for cited in paper.citations if cited in self.years and cited != paper.id]
        counting = tuple(cited for cited in known if self.years[cited] <= self.years[paper.id])
        self.outside += sum(cited not in self.years for cited in paper.citations)
        self.later += len(known) - len(counting)
        return counting


def write_split(papers: Iterable[Paper], protocol: Protocol, folder: Path, source: str = "") -> Counts:
    """Apply a protocol and write its files into `folder`; of several papers with one id the last counts.

    Memory holds ids, years and the citations of the papers that are asked, not texts.

    Raises:
        SourceError: a part is left without queries, or a test id is not in the corpus or cannot be asked.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".catalog.") as temporary:
        path = Path(temporary) / "papers.sqlite"
        total = build_catalog(papers, path).papers
        catalog = Catalog(path)
        try:
            counts = _write(catalog, total, protocol, folder)
        finally:
            catalog.close()
    record = {"source": source, "protocol": _record(protocol), "counts": asdict(counts)}
    write_atomically(folder / RECORD, orjson.dumps(record, option=orjson.OPT_INDENT_2))
    return counts


def _write(catalog: Catalog, total: int, protocol: Protocol, folder: Path) -> Counts:
    years = {paper.id: paper.year for paper in catalog.all_papers() if paper.year is not None}
    rule = _Citations(years)
    cited = {paper.id: len(rule.of(paper)) for paper in catalog.all_papers() if paper.id in years}
    citing = sorted((id_ for id_, count in cited.items() if count), key=lambda id_: (years[id_], id_))
    training, groups = _groups(citing, years, protocol)
    asked_from = {id_ for group in groups.values() for id_ in group}
    counting = _Citations(years)
    references = {}
    copies = 0
    for paper in catalog.all_papers():
        if paper.id in asked_from:
            counted = counting.of(paper)
            references[paper.id] = _without_copies(paper, counted, catalog)
            copies += len(counted) - len(references[paper.id])
    parts: dict[str, _Part] = {}
    for name, group in groups.items():
        searched = _searched(protocol, years, training, group, asked_from)
        gold = {id_: frozenset(c for c in references[id_] if c in searched) for id_ in group}
        parts[name] = _Part(_asked(name, gold, protocol), gold, searched)
    hidden = {id_ for part in parts.values() for id_ in part.asked}
    train = sorted(set(training) - hidden)
    write_atomically(folder / "train.ids", "".join(f"{id_}\n" for id_ in train))
    for name, part in parts.items():
        write_qrels(folder / f"{name}.qrels", {id_: part.gold[id_] for id_ in part.asked})
        queries = (_query(paper, protocol) for paper in catalog.all_papers() if paper.id in part.asked)
        _write_lines(folder / f"{name}.queries.jsonl", queries)
        if protocol.candidates == "filtered":
            write_atomically(folder / f"{name}.candidates.ids", "".join(f"{id_}\n" for id_ in sorted(part.searched)))
        indexed = years if protocol.candidates == "filtered" and protocol.mode == "transductive" else part.searched
        _write_lines(folder / f"{name}.papers.jsonl", _indexed(catalog, indexed, hidden, _Citations(years)))
    return Counts(
        papers=len(years),
        citations=sum(cited.values()),
        train=len(train),
        dev=len(parts["dev"].asked) if "dev" in parts else 0,
        test=len(parts["test"].asked),
        without_year=total - len(years),
        citing_nothing=len(years) - len(citing),
        citations_outside=rule.outside,
        citations_later=rule.later,
        citations_of_copies=copies,
        with_few_citations=sum(len(g) < protocol.least_gold for part in parts.values() for g in part.gold.values()),
    )


def _without_copies(paper: Paper, cited: Sequence[str], catalog: Catalog) -> tuple[str, ...]:
    """What a paper cites, but other records of itself, which are no candidates when it is asked."""
    numbers = catalog.numbers(cited)
    texts = dict(zip(numbers, catalog.texts(list(numbers.values())), strict=True))
    return tuple(id_ for id_ in cited if not is_copy(paper.title, texts[id_].title))


def _groups(citing: list[str], years: Mapping[str, int], protocol: Protocol) -> tuple[list[str], dict[str, list[str]]]:
    """Training papers, and those of each part, oldest first."""
    if protocol.test_ids is not None:
        known = set(citing)
        if missing := sorted(protocol.test_ids - known):
            raise SourceError(f"test id {missing[0]} is not in the corpus, or cites nothing that counts")
        return [i for i in citing if i not in protocol.test_ids], {
            "test": [i for i in citing if i in protocol.test_ids]
        }
    if protocol.first_years is not None:
        dev, test = protocol.first_years
        ends = [sum(years[id_] < first for id_ in citing) for first in (dev, test)]
    else:
        train = int(protocol.train_share * len(citing))
        ends = [train, train + (len(citing) - train) // 2]
    return citing[: ends[0]], {"dev": citing[ends[0] : ends[1]], "test": citing[ends[1] :]}


def _searched(
    protocol: Protocol, years: Mapping[str, int], training: list[str], group: list[str], asked_from: set[str]
) -> Collection[str]:
    """The papers that the queries of a group may find."""
    searched: Collection[str] = years.keys()
    if protocol.candidates != "all":  # the training years, whether a paper cites or not
        last = max((years[id_] for id_ in training), default=0)
        searched = {id_ for id_ in searched if years[id_] <= last and id_ not in asked_from}
    if protocol.mode == "inductive" and protocol.test_ids is None:
        first = min((years[id_] for id_ in group), default=0)
        searched = {id_ for id_ in searched if years[id_] < first}
    return searched


def _asked(name: str, gold: Mapping[str, frozenset[str]], protocol: Protocol) -> set[str]:
    usable = [id_ for id_, cited in gold.items() if len(cited) >= protocol.least_gold]
    if not usable:
        raise SourceError(
            f"no paper of the {name} set has {protocol.least_gold} citations that count: choose other years"
        )
    if protocol.sample is not None and protocol.sample < len(usable):
        drawn = np.random.default_rng(protocol.seed).permutation(len(usable))[: protocol.sample]
        usable = [usable[place] for place in drawn]
    return set(usable)


def _indexed(
    catalog: Catalog, indexed: Collection[str], hidden: set[str], rule: _Citations
) -> Iterator[dict[str, object]]:
    for paper in catalog.all_papers():
        if paper.id in indexed:
            record = asdict(replace(paper, citations=() if paper.id in hidden else rule.of(paper)))
            yield {name: value for name, value in record.items() if value not in ("", (), None)}


def _query(paper: Paper, protocol: Protocol) -> dict[str, object]:
    query: dict[str, object] = {"id": paper.id, "title": paper.title, "abstract": paper.abstract}
    # A query with a year gets nothing newer.
    return query | ({"year": paper.year} if protocol.mode == "inductive" else {})


def _write_lines(path: Path, records: Iterable[dict[str, object]]) -> None:
    with replaced(path) as file:
        file.writelines(orjson.dumps(record) + b"\n" for record in records)


def _record(protocol: Protocol) -> dict[str, object]:
    record = asdict(protocol)
    record["test_ids"] = None if protocol.test_ids is None else len(protocol.test_ids)
    return record
