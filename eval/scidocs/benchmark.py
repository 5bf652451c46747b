"""All SciDocs tasks with one set of embeddings, and the table of the papers.

Classes of papers are predicted by a linear support vector machine on their vectors (SPECTER paper, section 3.1). As in
the published code: squared hinge loss, no intercept, one class against the rest, C from seven powers of ten by
three-fold cross-validation on the training papers, macro F1. (The paper mentions a held-out set for C; its figures
come from the code.) The code takes the machine of scikit-learn-contrib's lightning; scikit-learn's solves the same dual
problem by the same descent, here with lightning's tolerance.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common.errors import SourceError
from eval.scidocs import layout
from eval.scidocs.embeddings import Embeddings, Missing, load_embeddings, papers_of, rank
from eval.scidocs.recommendation import recommend
from eval.tables import markdown_table

_FOLDS = 3
_C = np.logspace(-4, 2, 7)
_TOLERANCE = 1e-3
_SEED = 42

Labels = Sequence[tuple[str, str]]  # (paper id, class)


@dataclass(frozen=True, slots=True)
class Classified:
    """How well the classes of the test papers are predicted."""

    f1: float  # macro, 0 to 1
    c: float  # the chosen inverse of the regularisation


def classify(train: Labels, test: Labels, embeddings: Embeddings, jobs: int = 1) -> Classified:
    """Train on some papers, test on others; a paper without a vector is a zero vector in both, as in SciDocs.

    Raises:
        SourceError: fewer than two classes have a training paper for each fold.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import f1_score
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import LinearSVC

    counts = Counter(label for _, label in train)
    if sum(count >= _FOLDS for count in counts.values()) < 2:
        raise SourceError(f"to train a classifier takes two classes of {_FOLDS} papers: here are {dict(counts)}")
    machine = LinearSVC(loss="squared_hinge", dual=True, fit_intercept=False, tol=_TOLERANCE, random_state=_SEED)
    search = GridSearchCV(machine, {"C": _C}, cv=_FOLDS, n_jobs=jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        search.fit(embeddings.find([paper for paper, _ in train]), [label for _, label in train])
    predicted = search.predict(embeddings.find([paper for paper, _ in test]))
    f1 = f1_score([label for _, label in test], predicted, average="macro", zero_division=0.0)
    return Classified(float(f1), float(search.best_params_["C"]))


@dataclass(frozen=True, slots=True)
class Options:
    """How to measure."""

    split: layout.Split = "test"  # "val" to choose between encoders without looking at the test papers
    missing: Missing = "penalise"
    jobs: int = 1  # processes of the cross-validation


Metrics = Mapping[str, float]  # 0 to 1, in the order of the papers' tables
# A task whose files are read: the papers that need a vector, and what their vectors reach, with what else there is to
# know of it.
LoadedTask = tuple[frozenset[str], Callable[[Embeddings], tuple[Metrics, str]]]


@dataclass(frozen=True, slots=True)
class Task:
    """A task before its files are read."""

    group: str  # "CLS", "USR", "CITE" or "REC", as in the papers
    read: Callable[[Path, Options], LoadedTask]  # of its folder; SourceError for what it finds there
    folder: str


def _classification(folder: Path, options: Options) -> LoadedTask:
    train, test = (layout.read_labels(folder / f"{part}.csv") for part in ("train", options.split))
    trained, tested = ({paper for paper, _ in labels} for labels in (train, test))
    both = len(trained & tested)

    def score(embeddings: Embeddings) -> tuple[Metrics, str]:
        found = classify(train, test, embeddings, options.jobs)
        note = f"C = {found.c:g}" + (f", {both} test papers in train.csv" if both else "")
        return {"F1": found.f1}, note

    return frozenset(trained | tested), score


def _ranking(folder: Path, options: Options) -> LoadedTask:
    questions = layout.read_questions(folder / f"{options.split}.qrel")

    def score(embeddings: Embeddings) -> tuple[Metrics, str]:
        found = rank(questions, embeddings, options.missing)
        lost = f", {found.missing_queries} without embedding" if found.missing_queries else ""
        scores = {"MAP": found.average_precision.mean(), "nDCG": found.ndcg.mean()}
        return scores, f"{len(questions)} queries{lost}"

    return frozenset(papers_of(questions)), score


def _recommendation(folder: Path, options: Options) -> LoadedTask:
    train, test = layout.read_clicks(folder / "train.csv"), layout.read_clicks(folder / f"{options.split}.csv")
    # On the validation clicks themselves no epoch may be chosen by them.
    validation = layout.read_clicks(folder / "val.csv") if options.split == "test" else []
    propensities = layout.read_propensities(folder / "propensity_scores.json")
    metadata = layout.read_metadata(folder.parent / layout.METADATA_RECOMM)
    ids = frozenset(paper for click in (*train, *validation, *test) for paper in (click.query, *click.shown))
    undescribed = len(ids - metadata.keys())

    def score(embeddings: Embeddings) -> tuple[Metrics, str]:
        found = recommend(train, validation, test, metadata, embeddings, propensities)
        note = f"{len(test)} clicks" + (f", {undescribed} papers without metadata" if undescribed else "")
        return {"nDCG": found.ndcg, "P@1": found.precision_at_1}, note

    return ids, score


TASKS = {
    "mag": Task("CLS", _classification, "mag"),
    "mesh": Task("CLS", _classification, "mesh"),
    "co-view": Task("USR", _ranking, "coview"),
    "co-read": Task("USR", _ranking, "coread"),
    "cite": Task("CITE", _ranking, "cite"),
    "co-cite": Task("CITE", _ranking, "cocite"),
    "recomm": Task("REC", _recommendation, "recomm"),
}


@dataclass(frozen=True, slots=True)
class TaskResult:
    """A row of the table."""

    metrics: Metrics
    note: str
    papers: int  # of the task
    missing: int  # of them without an embedding


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What one set of embeddings reaches."""

    tasks: Mapping[str, TaskResult]  # by name

    def group_means(self) -> dict[str, float]:
        """The mean over the metrics of each group that is measured, as in the papers' ablations."""
        groups: dict[str, list[float]] = {}
        for name, result in self.tasks.items():
            groups.setdefault(TASKS[name].group, []).extend(result.metrics.values())
        return {group: sum(values) / len(values) for group, values in groups.items()}

    def mean(self) -> float | None:
        """The mean over the twelve metrics, the papers' "Avg."; None where a task was left out."""
        if set(self.tasks) != set(TASKS):
            return None
        values = [value for result in self.tasks.values() for value in result.metrics.values()]
        return sum(values) / len(values)


def run_benchmark(
    data: Path, embeddings: Sequence[Path], names: Sequence[str] = (), options: Options | None = None
) -> Benchmark:
    """Measure the named tasks, or all.

    Raises:
        SourceError: no such folder, a file of it or of the embeddings is missing or malformed, or the embeddings are
            of other papers.
    """
    options = options or Options()
    if not data.is_dir():
        raise SourceError(f"no folder {data}: it should hold mag/, mesh/, coview/, coread/, cite/, cocite/ and recomm/")
    loaded = {
        name: task.read(data / task.folder, options) for name, task in TASKS.items() if not names or name in names
    }
    vectors = load_embeddings(embeddings, frozenset().union(*(ids for ids, _ in loaded.values())))
    results = {}
    for name, (ids, score) in loaded.items():
        missing = vectors.missing(ids)
        if missing == len(ids):
            raise SourceError(f"none of the {missing} papers of {name} has an embedding: leave it out with --task")
        results[name] = TaskResult(*score(vectors), len(ids), missing)
    return Benchmark(results)


def table(benchmark: Benchmark) -> str:
    """Percentages as in the papers: a row for each task, then the means."""
    rows = []
    for name, result in benchmark.tasks.items():
        metrics = ", ".join(f"{metric} {100 * value:.2f}" for metric, value in result.metrics.items())
        rows.append((name, metrics, result.papers, result.missing, result.note))
    found = markdown_table(("task", "metrics", "papers", "without embedding", ""), rows)
    means = ", ".join(f"{group} {100 * mean:.2f}" for group, mean in benchmark.group_means().items())
    overall = benchmark.mean()
    measured = f"{len(benchmark.tasks)} of {len(TASKS)} tasks, so there is no average over all"
    return f"{found}\n\nMeans: {means}; " + (measured if overall is None else f"Avg. {100 * overall:.2f}")
