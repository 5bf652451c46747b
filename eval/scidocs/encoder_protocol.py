"""Encoders on citation tasks that are made from any corpus with citations, beside random vectors on the same questions.

For each query as many cited papers (or papers most often cited along with it) and as many unrelated ones as asked for:
5 and 25 in the paper (SPECTER, section 3.2). Unrelated is what the query neither cites nor is cited by nor is cited
along with.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from common.errors import SourceError
from eval.scidocs.embeddings import Missing, Question, Rankings, papers_of, random_embeddings, rank
from eval.scidocs.texts import TextFields, is_file_of_embeddings, vectors
from eval.significance import Interval, values_interval
from eval.tables import markdown_table
from eval.trec import name_of
from indexer.paper import Paper
from indexer.readers import read_papers

TaskName = Literal["cite", "co-cite"]
TASK_NAMES: tuple[TaskName, ...] = ("cite", "co-cite")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the questions are drawn; the same numbers and corpus give the same questions for every encoder."""

    queries: int = 1000  # at most
    positives: int = 5
    negatives: int = 25
    seed: int = 0


class CitationTasks:
    """Questions about the papers of one corpus; papers without a title take no part."""

    def __init__(self, papers: Sequence[Paper]) -> None:
        """Of papers with the same id the first counts; citations of others and of itself are no citations."""
        first: dict[str, Paper] = {}
        for paper in papers:
            if paper.title.strip():
                first.setdefault(paper.id, paper)
        # In the order of the ids, so that questions do not depend on the order of the file.
        self._ids = sorted(first)
        self._cited = {i: frozenset(c for c in first[i].citations if c in first and c != i) for i in self._ids}
        self._citing: dict[str, list[str]] = {i: [] for i in self._ids}
        for source, cited in self._cited.items():
            for one in cited:
                self._citing[one].append(source)

    def questions(
        self, task: TaskName, sampling: Sampling | None = None, only: Collection[str] | None = None
    ) -> list[Question]:
        """Draw questions whose queries have enough positives; queries from `only` where it is given.

        Raises:
            SourceError: no paper can be a query.
        """
        drawn = sampling or Sampling()
        generator = np.random.default_rng(drawn.seed)
        questions: list[Question] = []
        for query in (self._ids[i] for i in generator.permutation(len(self._ids))):
            if len(questions) == drawn.queries:
                break
            if only is not None and query not in only:
                continue
            related = Counter(self._cited[query]) if task == "cite" else self._cocited(query)
            positives = _most_often(related, drawn.positives, generator)
            negatives = self._unrelated(query, drawn.negatives, generator) if positives else []
            if positives and negatives:
                relevance = {paper: 1 for paper in positives} | {paper: 0 for paper in negatives}
                questions.append(Question(query, relevance))
        if not questions:
            what = "citations" if task == "cite" else "co-cited papers"
            asked = "" if only is None else f" of the {len(only)} that are allowed"
            raise SourceError(
                f"no paper{asked} has {drawn.positives} {what} and {drawn.negatives} unrelated papers in the corpus"
            )
        return questions

    def _cocited(self, query: str) -> Counter[str]:
        """How many papers cite each other paper along with the query."""
        together = Counter(paper for citing in self._citing[query] for paper in self._cited[citing])
        together.pop(query, None)
        return together

    def _unrelated(self, query: str, count: int, generator: np.random.Generator) -> list[str]:
        related = {query, *self._cited[query], *self._citing[query], *self._cocited(query)}
        enough = min(len(self._ids), count + len(related))
        drawn = (self._ids[i] for i in generator.choice(len(self._ids), enough, replace=False))
        unrelated = [paper for paper in drawn if paper not in related]
        return unrelated[:count] if len(unrelated) >= count else []


def _most_often(times: Counter[str], count: int, generator: np.random.Generator) -> list[str]:
    """So many papers by how often they are counted, drawn where that is equal; none where there are fewer."""
    if len(times) < count:
        return []
    papers = sorted(times)
    shuffled = [papers[i] for i in generator.permutation(len(papers))]
    return sorted(shuffled, key=lambda paper: -times[paper])[:count]


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
        ids = set(papers_of(question for questions in asked.values() for question in questions))
        needed = {paper: texts[paper] for paper in sorted(ids)}
        name = name_of(path)
        for task, questions in asked.items():
            yield _row(name, task, RANDOM, "", questions, _random(questions))
        for model in models:
            ready = is_file_of_embeddings(model)
            for reading in readings[:1] if ready else readings:
                embeddings = vectors(model, needed, reading, raw)
                for task, questions in asked.items():
                    found = rank(questions, embeddings, missing)
                    yield _row(name, task, model, "" if ready else reading, questions, found)


def table(rows: Sequence[EncoderScores]) -> str:
    """Percentages with their intervals, as Markdown."""
    heads = ("corpus", "task", "encoder", "text", "queries", "MAP", "nDCG", "without vector")
    named = ((one, (one.corpus, one.task, one.model, one.reading, one.questions)) for one in rows)
    return markdown_table(heads, [(*what, _percent(one.map), _percent(one.ndcg), one.missing) for one, what in named])


def _row(
    corpus: str, task: str, model: str, reading: str, questions: Sequence[Question], found: Rankings
) -> EncoderScores:
    figures = values_interval(found.average_precision), values_interval(found.ndcg)
    missing = found.missing_queries + found.missing_candidates
    return EncoderScores(corpus, task, model, reading, len(questions), *figures, missing)


def _random(questions: Sequence[Question]) -> Rankings:
    """The means of each question over draws of random vectors."""
    draws = [rank(questions, random_embeddings(papers_of(questions), seed)) for seed in range(_DRAWS)]
    precision = np.mean([draw.average_precision for draw in draws], axis=0)
    return Rankings(precision, np.mean([draw.ndcg for draw in draws], axis=0), 0, 0)


def _percent(found: Interval) -> str:
    return Interval(100 * found.value, 100 * found.low, 100 * found.high, found.alone).shown(".1f")
