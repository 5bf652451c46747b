"""SciDocs' citation tasks made from any corpus with citations (SPECTER paper, section 3.2).

For each query as many cited papers (or papers most often cited along with it) and as many unrelated ones as asked for:
5 and 25 in the paper. Unrelated is what the query neither cites nor is cited by nor is cited along with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from common.errors import SourceError
from eval.scidocs.ranking import Question
from indexer.paper import Paper

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
        citing: dict[str, list[str]] = {i: [] for i in self._ids}
        for source, cited in self._cited.items():
            for one in cited:
                citing[one].append(source)
        self._citing = citing

    def questions(
        self, task: TaskName, sampling: Sampling | None = None, only: Collection[str] | None = None
    ) -> list[Question]:
        """Draw questions whose queries have enough positives; queries from `only` where it is given.

        Raises:
            SourceError: no paper can be a query.
        """
        drawn = sampling or Sampling()
        generator = np.random.default_rng(drawn.seed)
        choose: Callable[[str, int, np.random.Generator], list[str]]
        choose = self._cited_papers if task == "cite" else self._cocited_papers
        questions: list[Question] = []
        for query in (self._ids[i] for i in generator.permutation(len(self._ids))):
            if len(questions) == drawn.queries:
                break
            if only is not None and query not in only:
                continue
            positives = choose(query, drawn.positives, generator)
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

    def _cited_papers(self, query: str, count: int, generator: np.random.Generator) -> list[str]:
        cited = sorted(self._cited[query])
        return [cited[i] for i in generator.permutation(len(cited))[:count]] if len(cited) >= count else []

    def _cocited_papers(self, query: str, count: int, generator: np.random.Generator) -> list[str]:
        together = self._cocited(query)
        if len(together) < count:
            return []
        papers = sorted(together)
        shuffled = [papers[i] for i in generator.permutation(len(papers))]
        return sorted(shuffled, key=lambda paper: -together[paper])[:count]

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
