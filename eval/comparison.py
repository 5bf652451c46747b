"""Several systems on one set of queries: figures with intervals, and tests against one of them."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from common.errors import SourceError
from eval.metrics import METRICS, Qrels, QueryScores, Run, Scores, score_queries
from eval.significance import Difference, Interval, differences_to, mean_interval
from eval.tables import markdown_table
from eval.trec import read_run, system_of

# LaTeX prints ¡ for < unless it is told of a newer encoding of fonts.
_TEX = str.maketrans(
    {
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
        **{mark: f"${mark}$" for mark in "<>|"},
        **{"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"},
    }
)


@dataclass(frozen=True, slots=True)
class Row:
    """One system."""

    name: str
    figures: Mapping[str, Interval]
    means: Scores  # of all measures
    against: Difference | None  # its F1@20 minus the baseline's; None for the baseline
    adjusted_p: float | None  # of that, after Holm for all systems of the table
    unanswered: int  # queries without a list, which count as zero


def score_files(qrels: Qrels, paths: Sequence[Path], without_gold: Set[str] = frozenset()) -> dict[str, QueryScores]:
    """Scores of run files, by file name without ending; see `scored_runs` for the errors."""
    return {name: scores for name, _, scores in scored_runs(qrels, paths, without_gold)}


def scored_runs(qrels: Qrels, paths: Sequence[Path], without_gold: Set[str]) -> Iterator[tuple[str, Run, QueryScores]]:
    """Each run file's name without ending, its lists and its scores, one after the other: runs are large.

    Lists of the queries `without_gold` are left out, see `read_qrels`.

    Raises:
        SourceError: a damaged file, queries that the qrels do not know, or no gold paper in any list (the qrels of
            another run, as a rule).
    """
    names: set[str] = set()
    for path in paths:
        name = system_of(path)
        if name in names:
            raise SourceError(f"two runs are called {name!r}: rename one")
        names.add(name)
        run = {query: papers for query, papers in read_run(path).items() if query not in without_gold}
        try:
            scores = score_queries(qrels, run)
        except SourceError as error:
            raise SourceError(f"{path}: {error}") from None
        if not any(gold & set(run.get(query, ())) for query, gold in qrels.items()):
            raise SourceError(f"{path}: no list holds a single gold paper; are these the qrels of this run?")
        yield name, run, scores


def compare(scored: Mapping[str, QueryScores], baseline: str | None = None, seed: int = 0) -> list[Row]:
    """A row for every system, in their order; the first is the baseline unless another is named, also by its file.

    Raises:
        SourceError: no such baseline.
    """
    base = next(iter(scored)) if baseline is None else baseline.replace("_", " ")
    if base not in scored:
        raise SourceError(f"no run is called {base!r}: there are {', '.join(scored)}")
    compared = differences_to({name: [one] for name, one in scored.items()}, base, "F1@20", seed)
    rows = []
    for name, one in scored.items():
        figures = {figure: mean_interval([one], figure, seed=seed) for figure in METRICS}
        against, adjusted = compared[name]
        rows.append(Row(name, figures, one.summary(), against, adjusted, one.unanswered))
    return rows


def table_of(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of cells; intervals hold the figure with 95 % confidence."""
    lines = []
    for row in rows:
        means = (row.means.f1_at_20_per_query, row.means.precision_at_1, row.means.bpref)
        against = row.against.interval.shown("+.3f") if row.against else ""
        figures = (*(row.figures[name].shown() for name in METRICS), *(f"{mean:.3f}" for mean in means))
        lines.append([row.name, *figures, against, shown_p(row.adjusted_p)])
    others = ("F1@20 of each query", "P@1", "bpref", "F1@20 against the baseline", "p (Holm)")
    return ["system", *METRICS, *others], lines


def markdown(rows: Sequence[Row]) -> str:
    """The table."""
    return markdown_table(*table_of(rows))


def latex(rows: Sequence[Row]) -> str:
    """The same as a LaTeX `tabular` (booktabs); the best figures are bold, and ranges are comments below."""
    names = list(METRICS)
    best = {name: max(row.figures[name].value for row in rows) for name in names}
    lines = [rf"\begin{{tabular}}{{l{'r' * len(names)}r}}", r"\toprule"]
    lines += [f"System & {' & '.join(names)} & $p$ " + r"\\", r"\midrule"]
    for row in rows:
        values = {name: row.figures[name].value for name in names}
        cells = [rf"\textbf{{{one:.3f}}}" if one == best[name] else f"{one:.3f}" for name, one in values.items()]
        lines.append(
            f"{row.name.translate(_TEX)} & {' & '.join(cells)} & {shown_p(row.adjusted_p).translate(_TEX)} " + r"\\"
        )
    ranged = [
        f"% {row.name} with 95 % intervals: {', '.join(f'{name} {row.figures[name].shown()}' for name in names)}"
        for row in rows
    ]
    base = next(row for row in rows if row.against is None)
    said = (
        f"% Means over {base.means.queries} queries. p: difference of F1@20 to {base.name}, two-sided, Fisher's "
        "randomisation test, after Holm."
    )
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", *ranged, said])


def shown_p(value: float | None) -> str:
    """A p-value as the tables have it; "" for None."""
    return "" if value is None else f"{value:.4f}" if value >= 1e-3 else "< .001"
