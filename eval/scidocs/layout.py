"""The files of the SciDocs repository (github.com/allenai/scidocs), read as they are published.

```
{mag,mesh}/{train,val,test}.csv           pid,class_label
{coview,coread,cite,cocite}/{val,test}.qrel   query 0 candidate relevance
recomm/{train,val,test}.csv               query,clicked,"candidate,candidate,…" in the order that was shown
recomm/propensity_scores.json             {"scores": [of the first place, of the second, …]}
paper_metadata_{mag_mesh,view_cite_read,recomm}.json   {id: {title, abstract, year, authors, references, cited_by}}
```

Ids are strings throughout: "007" and "7" are two papers.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson
from numpy.typing import NDArray

from common.errors import SourceError
from common.words import shortened
from eval.scidocs.embeddings import Question
from indexer.readers.source import file_named

Split = Literal["test", "val"]
METADATA_MAG_MESH = "paper_metadata_mag_mesh.json"
METADATA_RECOMM = "paper_metadata_recomm.json"
_SHOWN = 80  # characters of a malformed line


@dataclass(frozen=True, slots=True)
class Click:
    """One click on a list of similar papers."""

    query: str
    clicked: str
    shown: tuple[str, ...]  # the list, best first, with `clicked` in it

    @property
    def place(self) -> int:
        """Place of the clicked paper, from 0."""
        return self.shown.index(self.clicked)


def read_labels(path: Path) -> list[tuple[str, str]]:
    """(paper id, class) of every line; the first line is the header.

    Raises:
        SourceError: see `_rows`.
    """
    return [(paper, label) for _, (paper, label) in _rows(path, 2)]


def read_questions(path: Path) -> list[Question]:
    """The queries of a qrel file in their order, each with its candidates; repeated lines count once.

    Raises:
        SourceError: the file is missing or empty, a line is malformed, or a candidate is judged in two ways.
    """
    questions: dict[str, dict[str, int]] = {}
    for number, line in file_named(path).lines():
        where = f"{path}, line {number}"
        try:
            query, _, candidate, grade = line.decode().split()
            relevance = int(grade)
        except ValueError:
            shown = shortened(line.decode().strip(), _SHOWN)
            raise SourceError(f"{where}: expected `query 0 candidate relevance`, not {shown!r}") from None
        judged = questions.setdefault(query, {})
        if judged.setdefault(candidate, relevance) != relevance:
            raise SourceError(f"{where}: candidate {candidate} of query {query} is judged in two ways")
    if not questions:
        raise SourceError(f"{path}: no line")
    return [Question(query, judged) for query, judged in questions.items()]


def read_clicks(path: Path) -> list[Click]:
    """The clicks of a file; the first line is the header.

    Raises:
        SourceError: see `_rows`; or the clicked paper is not among those shown.
    """
    clicks = []
    for where, (query, clicked, listed) in _rows(path, 3):
        shown = tuple(paper.strip() for paper in listed.strip().split(","))
        if clicked not in shown:
            raise SourceError(f"{where}: the clicked paper {clicked} is not among the candidates")
        clicks.append(Click(query, clicked, shown))
    return clicks


def read_propensities(path: Path) -> NDArray[np.float64]:
    """How over-represented clicks on each place are, from the first place on; the mean is 1.

    Raises:
        SourceError: the file is missing, or is not {"scores": [positive numbers]}.
    """
    record = _json(path)
    scores = record.get("scores") if isinstance(record, dict) else None
    if not isinstance(scores, list) or not scores or not all(isinstance(s, int | float) and s > 0 for s in scores):
        raise SourceError(f'{path}: expected {{"scores": [positive numbers]}}')
    found: NDArray[np.float64] = np.array(scores, np.float64)
    return found * (len(found) / float(found.sum()))


def read_metadata(path: Path) -> Mapping[str, Mapping[str, Any]]:
    """What is known of the papers, by id.

    Raises:
        SourceError: the file is missing, or is no object of objects.
    """
    record = _json(path)
    if not isinstance(record, dict):
        raise SourceError(f"{path}: expected an object of papers by id")
    for paper, fields in record.items():
        if not isinstance(fields, dict):
            raise SourceError(f"{path}: paper {paper} is not an object")
    return record


def _rows(path: Path, columns: int) -> Iterator[tuple[str, list[str]]]:
    """(where, fields) of each line after the header.

    Raises:
        SourceError: the file is missing or has no line after the header, or a line has not so many fields, or an
            empty one.
    """
    reader = csv.reader(StringIO(file_named(path).text(), newline=""), strict=True)
    try:
        rows = [(f"{path}, line {reader.line_num}", [field.strip() for field in row]) for row in reader]
    except csv.Error as error:
        raise SourceError(f"{path}, line {reader.line_num}: {error}") from None
    filled = [(where, fields) for where, fields in rows if any(fields)][1:]
    if not filled:
        raise SourceError(f"{path}: no line after the header")
    for where, fields in filled:
        if len(fields) != columns or not all(fields):
            shown = shortened(",".join(fields), _SHOWN)
            raise SourceError(f"{where}: expected {columns} fields, none empty, not {shown!r}")
        yield where, fields


def _json(path: Path) -> Any:
    try:
        return orjson.loads(file_named(path).text())
    except orjson.JSONDecodeError as error:
        raise SourceError(f"{path}: no JSON ({error})") from None
