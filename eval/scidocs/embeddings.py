"""Vectors of papers, and the file that SciDocs keeps them in: {"paper_id": …, "embedding": […]} a line.

Candidates are ranked in the order of their distance from a query, and scored by trec_eval (SPECTER paper, sections 3.2
and 3.3).
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import orjson
from numpy.typing import NDArray

from common.errors import SourceError, os_errors
from common.files import replaced
from common.words import counted
from indexer.readers.source import file_named

log = logging.getLogger(__name__)

# Dimensions of the row "Random" in the papers' tables (Cohan et al. 2020, appendix A).
RANDOM_DIMENSION = 25


@dataclass(frozen=True, slots=True)
class Embeddings:
    """The vectors of some papers."""

    rows: Mapping[str, int]  # paper id → row of `vectors`
    vectors: NDArray[np.float32]  # (papers, dimension)

    def find(self, ids: Sequence[str]) -> NDArray[np.float64]:
        """Shape (len(ids), dimension); a paper without a vector gets zeros, as in SciDocs."""
        found = np.zeros((len(ids), self.vectors.shape[1]))
        for place, paper in enumerate(ids):
            if (row := self.rows.get(paper)) is not None:
                found[place] = self.vectors[row]
        return found

    def missing(self, ids: Iterable[str]) -> int:
        """How many of these papers have no vector."""
        return sum(paper not in self.rows for paper in ids)


def load_embeddings(paths: Sequence[Path], wanted: Collection[str] | None = None) -> Embeddings:
    """Read files of embeddings as one; of two vectors of a paper the later counts, as in SciDocs.

    An empty vector, or one of zeros, is none: it says nothing of the paper. Papers that are not `wanted` are checked,
    but not kept.

    Raises:
        SourceError: a file is missing, a line is malformed or of another dimension, or no paper is a wanted one.
    """
    rows: dict[str, int] = {}
    vectors: list[NDArray[np.float32]] = []
    dimension = lines = 0
    several: set[str] = set()
    for where, paper, vector in (line for path in paths for line in _lines(path)):
        lines += 1
        dimension = dimension or len(vector)
        if len(vector) not in {0, dimension}:
            raise SourceError(f"{where}: {len(vector)} dimensions, where the lines before have {dimension}")
        if not vector.any() or (wanted is not None and paper not in wanted):
            continue
        if paper not in rows:
            rows[paper] = len(vectors)
            vectors.append(vector)
        elif not np.array_equal(vectors[rows[paper]], vector):
            vectors[rows[paper]] = vector
            several.add(paper)
    if not vectors:
        whose = "of a paper that is asked for" if lines else "at all"
        raise SourceError(f"{', '.join(map(str, paths))}: no embedding {whose}")
    if several:
        who = counted(len(several), "paper has", "papers have")
        log.warning("%s several vectors: the last one of each counts", who)
    return Embeddings(rows, np.stack(vectors))


def write_embeddings(path: Path, batches: Iterable[tuple[Sequence[str], NDArray[np.float32]]]) -> int:
    """Write (ids, vectors) batch by batch, and put the file in its place when it is complete; the lines written.

    Raises:
        SourceError: the file cannot be written.
    """
    lines = 0
    with os_errors(SourceError, f"write {path}"), replaced(path) as file:
        for ids, vectors in batches:
            for paper, vector in zip(ids, vectors, strict=True):
                record = {"paper_id": paper, "embedding": np.ascontiguousarray(vector)}
                file.write(orjson.dumps(record, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE))
                lines += 1
    return lines


def random_embeddings(ids: Iterable[str], seed: int = 0, dimension: int = RANDOM_DIMENSION) -> Embeddings:
    """Normal vectors of mean zero: what an encoder reaches that has not read the papers."""
    rows = {paper: row for row, paper in enumerate(dict.fromkeys(ids))}
    vectors = np.random.default_rng(seed).standard_normal((len(rows), dimension), np.float32)
    return Embeddings(rows, vectors)


def _lines(path: Path) -> Iterator[tuple[str, str, NDArray[np.float32]]]:
    """(where, paper id, vector) of each line that is not blank."""
    for number, line in file_named(path, "the embeddings ").lines():
        where = f"{path}, line {number}"
        yield where, *_parse(line, where)


def _parse(line: bytes, where: str) -> tuple[str, NDArray[np.float32]]:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise SourceError(f"{where}: no JSON ({error})") from None
    if not isinstance(record, dict) or not isinstance(record.get("embedding"), list) or "paper_id" not in record:
        raise SourceError(f'{where}: expected {{"paper_id": …, "embedding": [numbers]}}')
    paper = record["paper_id"]
    # A number has lost the zeros that its id may have begun with: nothing can be found by it for sure.
    if not isinstance(paper, str):
        raise SourceError(f"{where}: the paper_id {paper!r} is not a string")
    try:
        with np.errstate(over="ignore"):  # too large for float32 becomes infinite, which is refused below
            vector = np.array(record["embedding"], dtype=np.float32)
    except (TypeError, ValueError):
        vector = np.full(1, np.nan, np.float32)
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise SourceError(f"{where}: the embedding of {paper} is not a list of finite numbers")
    return paper, vector


# SciDocs writes its runs with five decimals, so that closer distances are ties.
_DECIMALS = 5

# What a paper without a vector does to the figures. "penalise": its queries score 0, a relevant candidate is not
# found, any other one stands above all. "leave-out", as in SciDocs: such queries and candidates are left out, which
# may raise the means.
Missing = Literal["penalise", "leave-out"]


@dataclass(frozen=True, slots=True)
class Question:
    """A query paper and the candidates that are to be ranked for it."""

    query: str
    relevance: Mapping[str, int]  # candidate → above 0 for what should be ranked first


def papers_of(questions: Iterable[Question]) -> list[str]:
    """The ids of queries and candidates, as they come."""
    return [paper for question in questions for paper in (question.query, *question.relevance)]


@dataclass(frozen=True, slots=True)
class Rankings:
    """How well the candidates of each query are ranked."""

    average_precision: NDArray[np.float64]  # (queries,), 0 to 1
    ndcg: NDArray[np.float64]  # (queries,), 0 to 1, over all candidates
    missing_queries: int  # without a vector
    missing_candidates: int  # without a vector, over the queries that have one


def rank(questions: Sequence[Question], embeddings: Embeddings, missing: Missing = "penalise") -> Rankings:
    """Rank the candidates of each question by L2 distance, nearest first.

    Raises:
        SourceError: no query has a vector.
    """
    from ir_measures import AP, Qrel, ScoredDoc, iter_calc, nDCG

    known = [question for question in questions if question.query in embeddings.rows]
    if not known:
        raise SourceError("no query has an embedding: these are embeddings of other papers")
    scored = known if missing == "leave-out" else list(questions)
    run = {question.query: _scores(question, embeddings, missing) for question in known}
    values = {question.query: {AP: 0.0, nDCG: 0.0} for question in scored}
    gold = [Qrel(one.query, paper, grade) for one in scored for paper, grade in one.relevance.items()]
    found = [ScoredDoc(query, paper, score) for query, scores in run.items() for paper, score in scores.items()]
    for metric in iter_calc([AP, nDCG], gold, found):
        values[metric.query_id][metric.measure] = metric.value
    return Rankings(
        average_precision=np.array([value[AP] for value in values.values()]),
        ndcg=np.array([value[nDCG] for value in values.values()]),
        missing_queries=len(questions) - len(known),
        missing_candidates=sum(embeddings.missing(question.relevance) for question in known),
    )


def _scores(question: Question, embeddings: Embeddings, missing: Missing) -> dict[str, float]:
    """Scores of the candidates that enter the run, the higher the nearer; all distances are ≤ 0."""
    known = [paper for paper in question.relevance if paper in embeddings.rows]
    differences = embeddings.find(known) - embeddings.find([question.query])
    distances = np.linalg.norm(differences, axis=1).round(_DECIMALS)
    scores = {paper: -float(distance) for paper, distance in zip(known, distances, strict=True)}
    if missing == "penalise":
        above = {paper: 1.0 for paper, grade in question.relevance.items() if paper not in scores and grade <= 0}
        scores.update(above)
    return scores
