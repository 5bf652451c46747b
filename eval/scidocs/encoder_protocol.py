"""Encoders on the citation tasks of corpora, beside random vectors on the same questions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common.errors import SourceError
from encoders.text import Text
from eval.scidocs.citation_tasks import TASK_NAMES, CitationTasks, Sampling
from eval.scidocs.embeddings import Embeddings, random_embeddings
from eval.scidocs.ranking import Missing, Question, rank
from eval.scidocs.texts import TextFields, is_file_of_embeddings, vectors
from eval.significance import Interval, values_interval
from indexer.readers import read_papers

RANDOM = "random"
# Random vectors are drawn this often, so that their row has no luck of its own.
_DRAWS = 20


@dataclass(frozen=True, slots=True)
class EncoderScores:
    """One encoder on one task of one corpus."""

    corpus: str
    task: str
    model: str
    reading: str  # what the encoder got to see; "" where that is not known
    questions: int
    map: Interval
    ndcg: Interval
    missing: int  # queries and candidates without a vector


def evaluate_encoders(
    models: Sequence[str],
    corpora: Sequence[Path],
    readings: Sequence[TextFields] = ("title+abstract",),
    sampling: Sampling | None = None,
    raw: bool = False,
    missing: Missing = "penalise",
    only: Collection[str] | None = None,
) -> Iterator[EncoderScores]:
    """Measure each model on each corpus, for each task one row at a time; random vectors first.

    Args:
        models: Encoders, or files of embeddings (see `eval.scidocs.texts.vectors`).
        corpora: Files of papers with citations.
        readings: What encoders get to see; does not matter to files of embeddings.
        sampling: How the questions are drawn.
        raw: Vectors as the models give them, as in SciDocs, instead of at length 1.
        missing: What papers without a vector do to the figures.
        only: Ids of the papers that may be queries; all without it.

    Raises:
        SourceError: a corpus cannot be read or has no citations to ask for, or see `vectors`.
        ModelError: see `load_encoder`.
    """
    for path in corpora:
        papers = list(read_papers([str(path)]))
        tasks = CitationTasks(papers)
        asked = {task: tasks.questions(task, sampling, only) for task in TASK_NAMES}
        texts = {paper.id: paper.text for paper in reversed(papers) if paper.title.strip()}
        name = path.name.split(".")[0]
        for task, questions in asked.items():
            yield _random_scores(name, task, questions)
        for model in models:
            ready = is_file_of_embeddings(model)
            for reading in readings[:1] if ready else readings:
                embeddings = vectors(model, _needed(asked.values(), texts), reading, raw)
                for task, questions in asked.items():
                    yield _scores(name, task, model, "" if ready else reading, questions, embeddings, missing)


def read_ids(path: Path) -> frozenset[str]:
    """One id a line.

    Raises:
        SourceError: the file cannot be read, or has no id.
    """
    try:
        ids = frozenset(line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot read the ids of {path}: {error}") from None
    if not ids:
        raise SourceError(f"{path}: no id")
    return ids


def table(rows: Sequence[EncoderScores]) -> str:
    """Percentages with their intervals, as Markdown."""
    lines = [
        "| corpus | task | encoder | text | queries | MAP | nDCG | without vector |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        what = f"| {row.corpus} | {row.task} | {row.model} | {row.reading} | {row.questions} |"
        lines.append(f"{what} {_percent(row.map)} | {_percent(row.ndcg)} | {row.missing} |")
    return "\n".join(lines)


def _needed(asked: Collection[Sequence[Question]], texts: dict[str, Text]) -> dict[str, Text]:
    questions = [question for each in asked for question in each]
    ids = {question.query for question in questions}.union(*(question.relevance for question in questions))
    return {paper: texts[paper] for paper in sorted(ids)}


def _scores(
    corpus: str,
    task: str,
    model: str,
    reading: str,
    questions: Sequence[Question],
    embeddings: Embeddings,
    missing: Missing,
) -> EncoderScores:
    found = rank(questions, embeddings, missing)
    return EncoderScores(
        corpus,
        task,
        model,
        reading,
        len(questions),
        values_interval(found.average_precision),
        values_interval(found.ndcg),
        found.missing_queries + found.missing_candidates,
    )


def _random_scores(corpus: str, task: str, questions: Sequence[Question]) -> EncoderScores:
    ids = [paper for question in questions for paper in (question.query, *question.relevance)]
    draws = [rank(questions, random_embeddings(ids, seed)) for seed in range(_DRAWS)]
    precision = np.mean([draw.average_precision for draw in draws], axis=0)
    ndcg = np.mean([draw.ndcg for draw in draws], axis=0)
    return EncoderScores(corpus, task, RANDOM, "", len(questions), values_interval(precision), values_interval(ndcg), 0)


def _percent(found: Interval) -> str:
    return f"{100 * found.value:.1f} [{100 * found.low:.1f}, {100 * found.high:.1f}]"
