"""Which papers a protocol keeps, which part each belongs to, and which of its citations count."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from eval.protocols import Part, Protocol
from indexer.paper import Paper


@dataclass(slots=True)
class KeptPapers:
    """The papers that a protocol keeps, in the order in which they come."""

    protocol: Protocol
    ids: list[str] = field(default_factory=list)  # of every record: of a paper that comes twice, two
    record_years: array[int] = field(default_factory=lambda: array("h"))
    years: dict[str, int] = field(default_factory=dict)  # by id, of the last record
    left_out: Counter[str] = field(default_factory=Counter)

    def of(self, papers: Iterable[Paper]) -> Iterator[Paper]:
        """Those of `papers` that are kept; the others are counted."""
        for paper in papers:
            if paper.year is None:
                self.left_out["year"] += 1
            elif self.protocol.abstracts and not paper.abstract:
                self.left_out["abstract"] += 1
            elif self.protocol.span and not self.protocol.span[0] <= paper.year <= self.protocol.span[1]:
                self.left_out["span"] += 1
            else:
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
