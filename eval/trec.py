"""Runs and qrels as files in the formats of trec_eval; beside runs, how long systems took: `times.json`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

import numpy as np
import orjson
from pydantic import Field

from common.errors import SourceError, os_errors
from common.files import write_atomically
from common.stored import parsed
from eval.metrics import Graded, Qrels, Run
from indexer.readers.head import COMPRESSED
from indexer.readers.source import file_named

TAG = "citescout"  # of our runs
_HIGHEST = 1e6  # grade
_BEIR = ["query-id", "corpus-id", "score"]  # above the judgements of its collections


def read_qrels(path: Path) -> tuple[Qrels, frozenset[str]]:
    """The gold citations in lines of `query 0 paper relevance`, and the queries that have none (they are left out).

    Those of BEIR have no 0 and a line of names above them. Gold is what has a relevance of 1 or more, as for trec_eval;
    where it is more, or 0, the gold is `Graded`.

    Raises:
        SourceError: the file cannot be read, or a line is malformed, has a relevance that is no whole number, or says a
            second time what a paper is worth.
    """
    judged: dict[str, dict[str, float]] = defaultdict(dict)
    for number, fields in _lines(path, 4, "query 0 paper relevance", _BEIR):
        query, *_, paper, relevance = fields
        if paper in judged[query]:
            raise SourceError(f"{path}, line {number}: paper {paper} is judged twice for query {query}")
        judged[query][paper] = grade = min(_number(path, number, relevance), _HIGHEST)
        if not grade.is_integer():
            raise SourceError(f"{path}, line {number}: the relevance {relevance} is no whole number")
    qrels = {query: _gold(papers) for query, papers in judged.items()}
    gold = {query: cited for query, cited in qrels.items() if cited}
    if not gold:
        raise SourceError(f"{path}: no query has a gold citation")
    return gold, frozenset(qrels.keys() - gold.keys())


def _gold(judged: Mapping[str, float]) -> frozenset[str]:
    grades = {paper: int(worth) for paper, worth in judged.items() if worth >= 0}  # below: not judged
    return frozenset(grades) if all(grade == 1 for grade in grades.values()) else Graded.of(grades)


def write_qrels(path: Path, qrels: Qrels) -> None:
    """Write `query 0 paper 1` lines, sorted.

    Raises:
        SourceError: an id with white space, which the format cannot hold.
    """
    write_atomically(path, "".join(qrels_lines(query, qrels[query]) for query in sorted(qrels)))


def qrels_lines(query: str, cited: Iterable[str]) -> str:
    """The lines of one query; see `write_qrels`."""
    papers = sorted(cited)
    check_ids((query, *papers))
    return "".join(f"{query} 0 {paper} 1\n" for paper in papers)


def read_run(path: Path) -> Run:
    """The lists in lines of `query Q0 paper rank score tag`, ordered as trec_eval does.

    That is by descending score in single precision, as it keeps them, and, of equal scores, by descending id; the rank
    column is not looked at.

    Raises:
        SourceError: the file cannot be read, or a line is malformed or has a paper for a second time.
    """
    scored: dict[str, dict[str, float]] = defaultdict(dict)
    for number, fields in _lines(path, 6, "query Q0 paper rank score tag"):
        query, _, paper, _, value, _ = fields
        if paper in scored[query]:
            raise SourceError(f"{path}, line {number}: paper {paper} stands twice in the list of query {query}")
        scored[query][paper] = float(np.float32(_number(path, number, value)))
    return {
        query: sorted(sorted(papers, reverse=True), key=papers.__getitem__, reverse=True)
        for query, papers in scored.items()
    }


def write_run(path: Path, run: Run, tag: str = TAG) -> None:
    """Write a run; scores are made of the ranks, so that no reader's rule for ties changes the order.

    The `tag`, in which there is no white space, is the last column and says how the lists were made.

    Raises:
        SourceError: an id with white space, which the format cannot hold.
    """
    check_ids(run, *run.values())
    lines = (
        f"{query} Q0 {paper} {place} {len(papers) - place + 1} {tag}\n"
        for query, papers in run.items()
        for place, paper in enumerate(papers, start=1)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "".join(lines))


def tag_of(path: Path) -> str:
    """The tag of a run, by its first line; "" where there is no run or no line."""
    if not path.is_file():
        return ""
    with os_errors(SourceError, f"read {path}"), path.open(encoding="utf-8", errors="replace") as file:
        return next(reversed(file.readline().split()), "")


def run_path(folder: Path, system: str) -> Path:
    """Where the run of a system is kept."""
    return folder / f"{system.replace(' ', '_').replace('/', '_')}.trec"


def run_files(folder: Path) -> list[Path]:
    """The runs of a folder, also compressed ones."""
    return [path for ending in ("", *COMPRESSED) for path in folder.glob(f"*.trec{ending}")]


def system_of(run: Path) -> str:
    """What the system is called whose run is in this file."""
    return name_of(run).replace("_", " ")


def name_of(file: Path) -> str:
    """The name of a run or corpus: that of its file without the ending, and without that of compression."""
    return Path(file.stem if file.suffix in COMPRESSED else file).stem


def check_ids(*groups: Iterable[str], where: str = "") -> None:
    """Before hours of work, too, whose runs could not be written.

    Raises:
        SourceError: an id with white space, which no file of trec_eval can hold.
    """
    for id_ in chain.from_iterable(groups):
        if id_.split() != [id_]:  # not letter by letter: a run has a thousand ids a query
            raise SourceError(
                f"{where}the id {id_!r} cannot stand in a TREC file, which parts its columns by white space: "
                "give the paper another"
            )


def _lines(path: Path, columns: int, form: str, names: Sequence[str] | None = None) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line that is not blank, one after the other: runs have millions.

    Where the first one has these `names`, the others have as many fields.
    """
    content = file_named(path).text()
    if not content.strip():
        raise SourceError(f"{path} is empty")
    lines = content.splitlines()
    if names and lines[0].split() == names:
        columns, lines[0] = len(names), ""
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if fields and len(fields) != columns:
            raise SourceError(f"{path}, line {number}: not of the form '{form}'")
        if fields:
            yield number, fields


def _number(path: Path, line: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if value != value:
        raise SourceError(f"{path}, line {line}: {text!r} is not a number")
    return value


TIMES = "times.json"
# Of one query each.
_Seconds = Annotated[list[Annotated[float, Field(gt=0, lt=1e7)]], Field(min_length=1)]

# System → seconds of each query, in the order of the queries' file.
Times = Mapping[str, Sequence[float]]


def read_times(folder: Path) -> Times:
    """The times beside the runs of a folder; nothing where none were kept.

    Raises:
        SourceError: the file cannot be read, or is not of that form.
    """
    path = folder / TIMES
    if not path.exists():
        return {}
    with os_errors(SourceError, f"read {path}"):
        content = path.read_bytes()
    found: Times = parsed(
        content, dict[str, _Seconds], f"{path} is not of the form {{system: [seconds of each query]}}"
    )
    return found


def write_times(folder: Path, times: Times) -> None:
    """Write them beside the runs; the caller merges what was there."""
    write_atomically(folder / TIMES, orjson.dumps(dict(times)))
