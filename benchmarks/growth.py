"""How time, memory and disk grow with the corpus, as a table, JSON and a plot, with a projection.

    python benchmarks/growth.py --work DIR --inside INDEX --out growth.json --plot growth.svg

For every size an index is built and asked by processes of their own. With `--inside`, an index of real papers, these
are part of every corpus and the others are recombined from them (`recombined_papers.py`), so that words, lengths and
citations are as they are in real papers; otherwise papers are synthetic (`synthetic_papers.py`). Vectors are made up
from real ones, not encoded (`growth_corpus.py`). A million papers need 6 GB of disk while it is their turn; every
index is deleted afterwards.

The queries are papers of the index with 150 to 300 words, whole, asked one at a time as drafts without a year. "first
stage" is what a list takes without the blend and the cross-encoder. Each quantity is fitted by a straight line and, to
tell whether it is one, by a power of the number of papers.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from growth_corpus import build, write_papers
from growth_measures import disk, measured

from common.cpu import usable_cores
from indexer.vector_choice import AUTO, VectorOptions

SIZES = [100_000, 300_000, 1_000_000]
PROJECTED = 7_000_000
BUDGET = 16e9  # bytes of memory
_GROUPS = {"seconds": 1.0, "disk, MB": 1e-6, "memory, MB": 1e-6, "p50, ms": 1.0, "p95, ms": 1.0}


def measure(papers: int, given: argparse.Namespace) -> dict[str, Any]:
    """One size."""
    directory, source = given.work / f"index-{papers}", given.work / f"papers-{papers}.jsonl"
    shutil.rmtree(directory, ignore_errors=True)
    try:
        write_papers(source, papers, given.inside)
        vectors = VectorOptions(given.vectors, given.search, None)
        built = build(source, directory, given.inside, vectors)
        source.unlink()
        found = measured(directory, given.queries, given.reranked, given.cold)
        return {"papers": papers, "built": asdict(built), "disk": disk(directory), **found}
    finally:
        source.unlink(missing_ok=True)
        shutil.rmtree(directory, ignore_errors=True)


def quantities(one: dict[str, Any]) -> Iterator[tuple[str, str, float]]:
    """(group, name, value) of one size, in the units of `_GROUPS`."""
    yield "seconds", "build", one["built"]["seconds"]
    yield "seconds", "codes", one["built"]["vector_seconds"]
    for name, value in one["start-up"].items():
        yield "seconds", name, value
    for part, size in [*sorted(one["disk"].items()), ("whole", sum(one["disk"].values()))]:
        yield "disk, MB", part, size
    yield "memory, MB", "build", one["built"]["peak_bytes"]
    for moment, sizes in one["memory"].items():
        yield "memory, MB", f"{moment}: own", sizes["own"]
        yield "memory, MB", f"{moment}: own and mapped", sizes["own"] + sizes["mapped"]
    for stage, times in one["stages"].items():
        yield "p50, ms", stage, times["p50"]
        yield "p95, ms", stage, times["p95"]


def fits(sizes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every quantity at every size, its straight line at `PROJECTED`, and the power of the size with which it grows."""
    papers = np.asarray([one["papers"] for one in sizes], float)
    table = [{(group, name): value * _GROUPS[group] for group, name, value in quantities(one)} for one in sizes]
    rows = []
    for group, name in table[0]:
        values = np.asarray([one[group, name] for one in table])
        power = projected = None
        if len(papers) > 1:
            # The line is fitted where it matters, at the large end; what seems to shrink is noise.
            slope, _ = np.polyfit(papers, values, 1, w=papers)
            projected = float(values[-1] + max(0.0, slope) * (PROJECTED - papers[-1]))
            if (values > 0).all():
                power = float(np.polyfit(np.log(papers), np.log(values), 1)[0])
        rows.append({"group": group, "name": name, "values": values.tolist(), "projected": projected, "power": power})
    return rows


def table(sizes: list[dict[str, Any]], rows: list[dict[str, Any]]) -> Iterator[str]:
    """Markdown."""
    heads = [f"{one['papers']:,}" for one in sizes]
    yield f"| | {' | '.join(heads)} | grows with the power | straight line at {PROJECTED:,} |"
    yield "|---" * (len(heads) + 3) + "|"
    for row in rows:
        cells = [f"{value:,.1f}" for value in row["values"]]
        power = "" if row["power"] is None else f"{row['power']:.2f}"
        projected = "" if row["projected"] is None else f"{row['projected']:,.0f}"
        yield f"| {row['group']}: {row['name']} | {' | '.join(cells)} | {power} | {projected} |"


def verdict(rows: list[dict[str, Any]]) -> str:
    """Whether the projected process fits the budget."""
    needed = [row for row in rows if row["group"] == "memory, MB" and row["name"].endswith("own and mapped")]
    last = needed[-1]
    if last["projected"] is None:
        return "one size alone tells nothing of growth"
    word = "fits" if last["projected"] * 1e6 <= BUDGET else "does not fit"
    return f"{PROJECTED:,} papers, {last['name']}: {last['projected'] / 1e3:.1f} GB, which {word} {BUDGET / 1e9:.0f} GB"


def plot(sizes: list[dict[str, Any]], rows: list[dict[str, Any]], path: Path) -> None:
    """Four panels, both axes logarithmic, lines drawn on to the projection."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot

    papers = [one["papers"] for one in sizes]
    shown = {
        "seconds": ("build", "codes", "first answer"),
        "disk, MB": None,
        "memory, MB": None,
        "p50, ms": ("bm25", "bm25, Pyserini", "encoder", "dense", "graph", "cross-encoder", "first stage"),
    }
    figure, panels = pyplot.subplots(2, 2, figsize=(10, 7))
    for panel, (group, names) in zip(panels.flat, shown.items(), strict=True):
        for row in rows:
            if row["group"] != group or (names and row["name"] not in names):
                continue
            line = panel.plot(papers, row["values"], marker="o", label=row["name"])[0]
            if row["projected"]:
                panel.plot([papers[-1], PROJECTED], [row["values"][-1], row["projected"]], ":", color=line.get_color())
        panel.set(xscale="log", yscale="log", title=group, xlabel="papers")
        panel.minorticks_off()
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    """Measure all sizes; what is known is written after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for what is built and deleted again")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--inside", type=Path, help="index of real papers, with vectors, that every corpus holds")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--reranked", type=int, default=5, help="queries of the cross-encoder, 100 candidates each")
    parser.add_argument("--vectors", default="sq8")
    parser.add_argument("--search", default="flat", help=f"flat, hnsw, ivfpq or {AUTO}")
    parser.add_argument("--cold", action="store_true", help="start up with the index out of the page cache")
    parser.add_argument("--out", type=Path, default=Path("growth.json"))
    parser.add_argument("--plot", type=Path, help="SVG or PNG")
    parser.add_argument("--again", action="store_true", help="only draw what --out holds")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    sizes: list[dict[str, Any]] = []
    if given.again:
        sizes = orjson.loads(given.out.read_bytes())["sizes"]
    else:
        for papers in sorted(given.sizes):
            print(f"{papers:,} papers", file=sys.stderr, flush=True)
            sizes.append(measure(papers, given))
            record = {"cores": usable_cores(), "sizes": sizes, "fits": fits(sizes)}
            given.out.write_bytes(orjson.dumps(record, option=orjson.OPT_INDENT_2))
    rows = fits(sizes)
    print("\n".join(table(sizes, rows)))
    print(f"\n{verdict(rows)}")
    if given.plot:
        plot(sizes, rows, given.plot)


if __name__ == "__main__":
    main()
