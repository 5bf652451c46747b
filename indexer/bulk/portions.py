"""What travels through a cluster: portions of papers on the way to an encoder, and what became of them.

A portion is one row, whose columns are lists. So its papers stay together whichever way rows are grouped, and a
portion that is made again after a node was lost is the same one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

import numpy as np
import orjson

from common.arrays import contained
from common.sequences import batches
from encoders.text import Text
from indexer.bulk.parts import Digests, row_digests
from indexer.encoding import text_key
from indexer.readers import ReadReport, read_papers
from indexer.readers.apart import Share
from indexer.readers.report import Problem


@dataclass(frozen=True, slots=True)
class Portion:
    """Papers to encode."""

    ids: list[str]
    titles: list[str]
    abstracts: list[str]
    report: str = ""  # in the last portion of a share, which may have no papers: what happened while it was read

    @property
    def texts(self) -> list[Text]:
        """The papers as encoders read them."""
        return [Text(title, abstract) for title, abstract in zip(self.titles, self.abstracts, strict=True)]


COLUMNS = tuple(column.name for column in fields(Portion))


def portions(share: Share, known: Digests, size: int, strict: bool) -> Iterator[Portion]:
    """The papers of a share whose rows are not in `known`, `size` at a time; the last portion carries the report.

    Raises:
        SourceError, RecordError: as `read_papers`.
    """
    reading = ReadReport()
    left_out = 0
    waiting: list[tuple[str, str, str]] = []
    papers = read_papers(share.sources, strict=strict, report=reading, format=share.format)
    for chunk in batches(((paper.id, paper.title, paper.abstract) for paper in papers), size):
        keys = [text_key(Text(title, abstract)) for _, title, abstract in chunk]
        seen = contained(row_digests([row[0] for row in chunk], keys), known)
        left_out += int(seen.sum())
        waiting += [chunk[row] for row in np.flatnonzero(~seen)]
        while len(waiting) >= size:
            yield _portion(waiting[:size])
            del waiting[:size]
    report = orjson.dumps({"reading": reading, "known": left_out}).decode()
    yield _portion(waiting, report)


def add_up(reports: Iterable[str], into: ReadReport) -> int:
    """Add what shares report to `into`; returns how many papers parts had already."""
    known = 0
    for text in reports:
        found = orjson.loads(text)
        known += found["known"]
        reading = ReadReport(**{**found["reading"], "problems": [Problem(**p) for p in found["reading"]["problems"]]})
        into.add(reading)
    return known


def _portion(rows: list[tuple[str, str, str]], report: str = "") -> Portion:
    ids, titles, abstracts = ([row[column] for row in rows] for column in range(3))
    return Portion(ids, titles, abstracts, report)
