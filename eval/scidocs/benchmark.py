"""All SciDocs tasks with one set of embeddings, and the table of the papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import SourceError
from eval.scidocs.embeddings import load_embeddings
from eval.scidocs.tasks import TASKS, Options, TaskScores


@dataclass(frozen=True, slots=True)
class TaskResult:
    """A row of the table."""

    scores: TaskScores
    papers: int  # of the task
    missing: int  # of them without an embedding


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What one set of embeddings reaches."""

    tasks: Mapping[str, TaskResult]  # by name
    replaced: int  # embeddings that a later line replaced by another

    def group_means(self) -> dict[str, float]:
        """The mean over the metrics of each group that is measured, as in the papers' ablations."""
        groups: dict[str, list[float]] = {}
        for name, result in self.tasks.items():
            groups.setdefault(TASKS[name].group, []).extend(result.scores.metrics.values())
        return {group: sum(values) / len(values) for group, values in groups.items()}

    def mean(self) -> float | None:
        """The mean over the twelve metrics, the papers' "Avg."; None where a task was left out."""
        if set(self.tasks) != set(TASKS):
            return None
        values = [value for result in self.tasks.values() for value in result.scores.metrics.values()]
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
    loaded = {name: task.read(data, options) for name, task in TASKS.items() if not names or name in names}
    vectors = load_embeddings(embeddings, frozenset().union(*(task.ids for task in loaded.values())))
    results = {}
    for name, task in loaded.items():
        missing = vectors.missing(task.ids)
        if missing == len(task.ids):
            raise SourceError(f"none of the {missing} papers of {name} has an embedding: leave it out with --task")
        results[name] = TaskResult(task.score(vectors), len(task.ids), missing)
    return Benchmark(results, vectors.replaced)


def table(benchmark: Benchmark) -> str:
    """Percentages as in the papers: a row for each task, then the means."""
    rows = ["| task | metrics | papers | without embedding | |", "|---|---|---|---|---|"]
    for name, result in benchmark.tasks.items():
        metrics = ", ".join(f"{metric} {100 * value:.2f}" for metric, value in result.scores.metrics.items())
        rows.append(f"| {name} | {metrics} | {result.papers} | {result.missing} | {result.scores.note} |")
    means = ", ".join(f"{group} {100 * mean:.2f}" for group, mean in benchmark.group_means().items())
    overall = benchmark.mean()
    measured = f"{len(benchmark.tasks)} of {len(TASKS)} tasks, so there is no average over all"
    rows += ["", f"Means: {means}; " + (measured if overall is None else f"Avg. {100 * overall:.2f}")]
    return "\n".join(rows)
