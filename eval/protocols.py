"""The protocols of the papers, as data: who is asked, who is searched, and which citations are to be found.

`open-research`, `dblp` and `pubmed` are those of Nogueira et al. 2020, as the scripts that its authors published with
Anserini have them; the years are Citeomatic's (Bhagavatula et al. 2018). Papers without a year are left out, and so
are citations of papers that are not there, of the paper itself and of a later year than the citing paper's. Papers are
sorted by year and, within a year, as they come: the oldest are for training, the next for development, the newest for
testing. Papers without a citation that counts are not asked, which is decided after the parting (in `corpus`, before
it). In `dblp` and `pubmed` papers without an abstract are left out as well; gold and candidates of test papers are
papers of the training years, at least ten. Citations of their training and development papers all count, whatever their
years, and those of development papers outside of the candidates, too, though they cannot be found.

Two modes say what may be seen when a query is answered:

- *transductive*, as in the papers: every paper is indexed, those of the development and test sets included, and a
  candidate or a citing paper may be newer than the query. Only the citations of the papers that are asked are hidden.
- *inductive*: an index holds only papers from before the year of its part's first query, which are also all that
  counts as gold, and no query sees anything newer than itself. Where test papers are given by name, whatever their
  years, one index holds all papers, and each query's year decides what it sees.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from pydantic import ConfigDict

from eval.tables import markdown_table
from eval.trec import check_ids
from indexer.paper import Paper

Mode = Literal["transductive", "inductive"]
Candidates = Literal["all", "filtered", "indexed"]
Part = Literal["train", "dev", "test"]
PARTS: tuple[Part, ...] = ("train", "dev", "test")
ShareOf = Literal["papers", "citing"]


@dataclass(frozen=True, slots=True)
class Protocol:
    """The rules of one split."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # of what is read from a file

    name: str = "corpus"
    mode: Mode = "transductive"
    train_share: float = 0.8  # oldest first; the rest is halved into development and testing …
    share_of: ShareOf = "citing"  # all papers, or those with a citation that counts
    first_years: tuple[int, int] | None = None  # … unless the first years of development and of testing are given …
    test_ids: frozenset[str] | None = None  # … or the test papers by name; then there is no development set
    span: tuple[int, int] | None = None  # first and last year; papers of other years are left out
    abstracts: bool = False  # papers without an abstract are left out
    sample: int | None = None  # queries of each part, drawn by the seed; None for all
    least_gold: int = 1  # citations that count, for a query to be asked
    # What may be found, and what counts as gold: everything, or only papers of the training set. Others are then
    # taken out of the answers, as the papers' scripts do, or not indexed in the first place.
    candidates: Candidates = "all"
    # The parts that the rules of later years, `least_gold` and `candidates` are for; in others every citation of a
    # paper that is there counts.
    strict: tuple[Part, ...] = PARTS
    copies: bool = False  # other records of a query's paper count as gold, and systems that read no citations find them
    seed: int = 0


PROTOCOLS: Mapping[str, Protocol] = {
    "open-research": Protocol("open-research", share_of="papers", sample=20_000, copies=True),
    "dblp": Protocol(
        "dblp", first_years=(2008, 2009), span=(1966, 2011), abstracts=True,
        least_gold=10, candidates="filtered", strict=("test",), copies=True,
    ),
    "pubmed": Protocol(
        "pubmed", first_years=(2009, 2010), span=(1966, 2013), abstracts=True,
        least_gold=10, candidates="filtered", strict=("test",), copies=True,
    ),
    "corpus": Protocol(mode="inductive"),
}  # fmt: skip


@dataclass(slots=True)
class KeptPapers:
    """The papers that a protocol keeps, in the order in which they come."""

    protocol: Protocol
    ids: list[str] = field(default_factory=list)  # of every record: of a paper that comes twice, two
    record_years: array[int] = field(default_factory=lambda: array("h"))
    years: dict[str, int] = field(default_factory=dict)  # by id, of the last record
    # By field of `eval.split.Counts`.
    left_out: dict[str, int] = field(
        default_factory=lambda: {"without_year": 0, "without_abstract": 0, "outside_span": 0}
    )

    def of(self, papers: Iterable[Paper]) -> Iterator[Paper]:
        """Those of `papers` that are kept; the others are counted."""
        for paper in papers:
            if paper.year is None:
                self.left_out["without_year"] += 1
            elif self.protocol.abstracts and not paper.abstract:
                self.left_out["without_abstract"] += 1
            elif self.protocol.span and not self.protocol.span[0] <= paper.year <= self.protocol.span[1]:
                self.left_out["outside_span"] += 1
            else:
                check_ids([paper.id])  # it may be found by a query, and stand in a run
                self.ids.append(paper.id)
                self.record_years.append(paper.year)
                self.years[paper.id] = paper.year
                yield paper

    def parts(self, citing: Collection[str] | None = None) -> dict[str, Part]:
        """The part of each paper: by name, by year, or by shares of the records in the order of their years.

        Shares are of the papers in `citing`, if given; the others then go by the year in which training ends.
        """
        protocol = self.protocol
        if protocol.test_ids is not None:
            return {id_: "test" if id_ in protocol.test_ids else "train" for id_ in self.years}
        if protocol.first_years is not None:
            dev, test = protocol.first_years
            return {
                id_: "train" if year < dev else "dev" if year < test else "test" for id_, year in self.years.items()
            }
        order = np.argsort(np.asarray(self.record_years), kind="stable").tolist()
        records = [record for record in order if citing is None or self.ids[record] in citing]
        train = int(len(records) * protocol.train_share)
        ends = (train, train + (len(records) - train) // 2)
        parts: dict[str, Part] = {}
        for place, record in enumerate(records):
            # Of a paper that comes twice the older record decides, as in the authors' converter.
            parts.setdefault(self.ids[record], "train" if place < ends[0] else "dev" if place < ends[1] else "test")
        if citing is None:
            return parts
        last = self.record_years[records[train - 1]] if train else 0
        return {id_: "train" if year <= last else "test" for id_, year in self.years.items()} | parts


@dataclass(slots=True)
class CountingCitations:
    """Which citations count, and how many do not."""

    years: Mapping[str, int]
    parts: Mapping[str, Part]
    strict: Collection[Part]
    counting: int = 0
    outside: int = 0
    later: int = 0

    def of(self, paper: Paper) -> tuple[str, ...]:
        """The citations of a kept paper that count, in their order."""
        known = counting = tuple(cited for cited in paper.citations if cited in self.years and cited != paper.id)
        if self.parts[paper.id] in self.strict:
            counting = tuple(cited for cited in known if self.years[cited] <= self.years[paper.id])
        self.counting += len(counting)
        self.outside += sum(cited not in self.years for cited in paper.citations)
        self.later += len(known) - len(counting)
        return counting


Sizes = Mapping[str, float]  # by what is counted, in the order of the table


def _rows(whole: tuple[float, ...], parts: Mapping[Part, tuple[int, int]]) -> Sizes:
    names = ("papers", "citations of queries", "citations a paper", "characters a paper")
    rows = dict(zip(names, whole, strict=True))
    for part, (queries, pairs) in parts.items():
        rows |= {f"{part}: queries": queries, f"{part}: citations": pairs}
        rows[f"{part}: citations a query"] = pairs / max(queries, 1)
    return rows


# What the papers have of their protocols.
PUBLISHED: Mapping[str, Sizes] = {
    "open-research": _rows(
        (6_892_252, 44_400_729, 6.45, 1_391),
        {"train": (3_343_809, 32_470_673), "dev": (487_582, 5_985_787), "test": (464_449, 5_944_269)},
    ),
    "dblp": _rows(
        (50_227, 156_807, 3.12, 1_193), {"train": (27_322, 106_011), "dev": (8_324, 38_628), "test": (931, 12_168)}
    ),
    "pubmed": _rows(
        (47_347, 825_371, 17.43, 1_504), {"train": (26_793, 558_674), "dev": (2_768, 66_655), "test": (8_815, 200_042)}
    ),
}


def sizes(papers: int, characters: int, parts: Mapping[Part, tuple[int, int]]) -> Sizes:
    """The rows of the table.

    Args:
        papers: That are indexed.
        characters: Of all their titles and abstracts.
        parts: Of each part the queries, before a sample is drawn, and the papers that they cite.
    """
    pairs = sum(count for _, count in parts.values())
    return _rows((papers, pairs, pairs / papers, characters / papers), parts)


def markdown(here: Sizes, there: Sizes | None) -> str:
    """The table, with a column of what is published where there is one."""
    columns = {"here": here, "published": there} if there else {"here": here}
    rows = [[name, *(_number(one[name]) for one in columns.values() if name in one)] for name in here]
    return markdown_table(["", *columns], rows)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
