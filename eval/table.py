"""Tables of scores as Markdown."""

from __future__ import annotations

from collections.abc import Mapping

from eval.metrics import Scores

# Corpus → system → scores.
Results = Mapping[str, Mapping[str, Scores]]


def summary(results: Results) -> str:
    """One row a system: means over the corpora, and F1@20 relative to BM25's."""
    rows = ["| system | F1@20 | × BM25 | worst corpus | MRR | R@100 | R@1000 |", "|---|---|---|---|---|---|---|"]
    names = next(iter(results.values()))
    bm25 = [scores["BM25"].f1_at_20 for scores in results.values()]
    for name in names:
        found = [scores[name] for scores in results.values()]
        f1 = [one.f1_at_20 for one in found]
        worst = min((value / base for value, base in zip(f1, bm25, strict=True) if base), default=None)
        rows.append(
            f"| {name} | {_mean(f1):.3f} | {_times(_mean(f1), _mean(bm25))} | "
            f"{'–' if worst is None else f'{worst:.2f}'} | {_mean([s.mrr for s in found]):.3f} | "
            f"{_mean([s.recall_at_100 for s in found]):.3f} | {_mean([s.recall_at_1000 for s in found]):.3f} |"
        )
    return "\n".join(rows)


def by_corpus(results: Results) -> str:
    """One row a corpus and system."""
    rows = [
        "| corpus | queries | system | F1@20 | × BM25 | MRR | R@100 | R@1000 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for corpus, scores in results.items():
        for name, one in scores.items():
            rows.append(
                f"| {corpus} | {one.queries} | {name} | {one.f1_at_20:.3f} | "
                f"{_times(one.f1_at_20, scores['BM25'].f1_at_20)} | {one.mrr:.3f} | "
                f"{one.recall_at_100:.3f} | {one.recall_at_1000:.3f} |"
            )
    return "\n".join(rows)


def novel(results: Results) -> str:
    """One row a corpus and system, of the corpora whose authors are known; "" where those of none are."""
    rows = [
        f"| {corpus} | {one.novel.queries} | {name} | {one.novel.known_at_20:.3f} | {one.novel.f1_at_20:.3f} | "
        f"{one.novel.f1_at_20_hidden:.3f} |"
        for corpus, scores in results.items()
        for name, one in scores.items()
        if one.novel
    ]
    head = ["| corpus | queries | system | known of 20 | novel F1@20 | known hidden |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *rows]) if rows else ""


def _times(value: float, base: float) -> str:
    """A ratio; a dash where BM25 finds nothing, as with a handful of queries."""
    return f"{value / base:.2f}" if base else "–"


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
