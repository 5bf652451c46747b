"""The seven tasks of SciDocs: what each reads from the published folder, and how it is scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from eval.scidocs.classification import classify
from eval.scidocs.embeddings import Embeddings
from eval.scidocs.layout import (
    METADATA_RECOMM,
    Split,
    read_clicks,
    read_labels,
    read_metadata,
    read_propensities,
    read_questions,
)
from eval.scidocs.ranking import Missing, rank
from eval.scidocs.recommendation import recommend


@dataclass(frozen=True, slots=True)
class Options:
    """How to measure."""

    split: Split = "test"  # "val" to choose between encoders without looking at the test papers
    missing: Missing = "penalise"
    jobs: int = 1  # processes of the cross-validation


@dataclass(frozen=True, slots=True)
class TaskScores:
    """One task, one encoder."""

    metrics: Mapping[str, float]  # 0 to 1, in the order of the papers' tables
    note: str = ""  # what else there is to know


@dataclass(frozen=True, slots=True)
class LoadedTask:
    """A task whose files are read."""

    ids: frozenset[str]  # papers that need a vector
    score: Callable[[Embeddings], TaskScores]


@dataclass(frozen=True, slots=True)
class Task:
    """A task before its files are read."""

    name: str
    group: str  # "CLS", "USR", "CITE" or "REC", as in the papers
    read: Callable[[Path, Options], LoadedTask]  # folder of the data → the task; SourceError for what it finds there


def _classification(folder: str) -> Callable[[Path, Options], LoadedTask]:
    def read(data: Path, options: Options) -> LoadedTask:
        train = read_labels(data / folder / "train.csv")
        test = read_labels(data / folder / f"{options.split}.csv")
        trained, tested = ({paper for paper, _ in labels} for labels in (train, test))
        both = len(trained & tested)

        def score(embeddings: Embeddings) -> TaskScores:
            found = classify(train, test, embeddings, options.jobs)
            return TaskScores(
                {"F1": found.f1}, f"C = {found.c:g}" + (f", {both} test papers in train.csv" if both else "")
            )

        return LoadedTask(frozenset(trained | tested), score)

    return read


def _ranking(folder: str) -> Callable[[Path, Options], LoadedTask]:
    def read(data: Path, options: Options) -> LoadedTask:
        questions = read_questions(data / folder / f"{options.split}.qrel")

        def score(embeddings: Embeddings) -> TaskScores:
            found = rank(questions, embeddings, options.missing)
            lost = f"{found.missing_queries} without embedding" if found.missing_queries else ""
            note = f"{len(questions)} queries" + (f", {lost}" if lost else "")
            return TaskScores({"MAP": found.average_precision.mean(), "nDCG": found.ndcg.mean()}, note)

        ids = {question.query for question in questions}.union(*(question.relevance for question in questions))
        return LoadedTask(frozenset(ids), score)

    return read


def _recommendation(data: Path, options: Options) -> LoadedTask:
    folder = data / "recomm"
    train, test = read_clicks(folder / "train.csv"), read_clicks(folder / f"{options.split}.csv")
    # On the validation clicks themselves no epoch may be chosen by them.
    validation = read_clicks(folder / "val.csv") if options.split == "test" else []
    propensities = read_propensities(folder / "propensity_scores.json")
    metadata = read_metadata(data / METADATA_RECOMM)

    ids = frozenset(paper for click in (*train, *validation, *test) for paper in (click.query, *click.shown))
    undescribed = len(ids - metadata.keys())

    def score(embeddings: Embeddings) -> TaskScores:
        found = recommend(train, validation, test, metadata, embeddings, propensities)
        note = f"{len(test)} clicks" + (f", {undescribed} papers without metadata" if undescribed else "")
        return TaskScores({"nDCG": found.ndcg, "P@1": found.precision_at_1}, note)

    return LoadedTask(ids, score)


TASKS = {
    task.name: task
    for task in (
        Task("mag", "CLS", _classification("mag")),
        Task("mesh", "CLS", _classification("mesh")),
        Task("co-view", "USR", _ranking("coview")),
        Task("co-read", "USR", _ranking("coread")),
        Task("cite", "CITE", _ranking("cite")),
        Task("co-cite", "CITE", _ranking("cocite")),
        Task("recomm", "REC", _recommendation),
    )
}
