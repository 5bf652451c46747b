"""How time, memory and disk grow with the corpus, as a table, JSON and a plot, with a projection.

    python benchmarks/growth.py --work DIR --inside INDEX --out growth.json --plot growth.svg

For every size an index is built and asked by processes of their own. An index of real papers is part of every corpus,
and the others are recombined from them (`made_up_papers.py`), so that words, lengths and citations are as they are in
real papers. A million papers need 6 GB of disk while it is their turn; every index is deleted afterwards. A run that is
interrupted goes on where it was, with the steps of a size that it had done: papers, index, vectors.

The queries are papers of the index with 150 to 300 words, whole, asked one at a time as drafts without a year. "first
stage" is what a list takes without the blend and the cross-encoder. Each quantity is fitted by a straight line and, to
tell whether it is one, by a power of the number of papers.

Vectors are made up from real ones and not encoded: a million texts would take hours, and size, memory and speed of
vectors do not depend on what they mean. Real papers keep the codes of their index; a made-up one gets those of the
paper that it was made of with noise that leaves a cosine of .8. They go through the index's own writer, into the next
generation of the index.
"""

import argparse
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import orjson
from growth_measures import Quantities, disk, measured
from made_up_papers import recombined, write
from measuring import cost_of, noise, timed
from numpy.typing import NDArray

from common.arrays import unit_rows
from common.cpu import usable_cores
from common.sequences import batches
from encoders.loading import load_encoder
from indexer.assembly import finish, link
from indexer.catalog import Catalog
from indexer.dense_writing import write_dense
from indexer.directory import next_generation, writing
from indexer.generations import open_generation
from indexer.layout import LAYOUT
from indexer.vector_choice import AUTO, VectorOptions, choose
from indexer.vectors import KINDS

ENCODER = "minilm"
_BLOCK = 1 << 16


def add_vectors(directory: Path, real: Path, options: VectorOptions) -> None:
    """Serve a generation that has vectors as well, as if its texts had been encoded."""
    encoder = load_encoder(ENCODER)
    with writing(directory), next_generation(directory) as folder, open_generation(directory) as base:
        choice = choose(options, base.manifest.docid_count, encoder.dimension)
        link((getattr(LAYOUT, name) for name in LAYOUT.__dataclass_fields__), base.folder, folder)
        vectors = np.empty((base.catalog.size, encoder.dimension), KINDS[choice.kind].kept)
        filled = 0
        for block in real_like(base.catalog, real):
            vectors[filled : filled + len(block)] = block
            filled += len(block)
        dense = write_dense(folder, vectors, choice, options)
        manifest = replace(
            dense.described(base.manifest),
            encoder=encoder.name,
            encoder_digest=encoder.digest,
            dimension=encoder.dimension,
            asked=options,
        )
        finish(folder, manifest, base)


def real_like(catalog: Catalog, real: Path) -> Iterator[NDArray[np.float32]]:
    """Vectors of all papers in the order of their docids, some at a time: those of real papers, and near them."""
    rng = np.random.default_rng(5)
    with open_generation(real) as generation:
        known = generation.vectors()
        of_id = {id_: docid for docid, id_ in enumerate(generation.catalog.ids(range(len(known))))}
        for docids in batches(range(catalog.size), _BLOCK):
            ids = catalog.ids(docids)
            rows = np.asarray([of_id[id_] if id_ in of_id else int(id_.rpartition("-")[2]) for id_ in ids])
            made = np.asarray([id_ not in of_id for id_ in ids])
            yield unit_rows(known[rows].astype(np.float32) + noise(rng, len(ids), known.shape[1]) * made[:, None])


SIZES = [100_000, 300_000, 1_000_000]
PROJECTED = 7_000_000


class Row(NamedTuple):
    """One quantity at every size."""

    name: str  # as `growth_measures` has it
    values: list[float]
    projected: float | None  # its straight line at `PROJECTED`
    power: float | None  # of the size, with which it grows


def measure(papers: int, given: argparse.Namespace) -> Quantities:
    """One size; what an interrupted run has done is taken from it."""
    directory, source = given.work / f"index-{papers}", given.work / f"papers-{papers}.jsonl"
    steps = given.work / f"steps-{papers}.json"
    found: Quantities = orjson.loads(steps.read_bytes()) if steps.exists() else {}
    if not found:
        shutil.rmtree(directory, ignore_errors=True)
        if not source.exists():
            partial = source.with_suffix(".partial")
            with open_generation(given.inside) as generation:
                write(recombined(list(generation.catalog.all_papers()), papers), partial)
            partial.rename(source)
        index = ["-m", "citescout", "-q", "index", str(source), "--index", str(directory), "--encoder", "none"]
        built = cost_of([sys.executable, *index])
        found = {"seconds: build": built.seconds, "memory, MB: build": built.peak_bytes / 1e6}
        steps.write_bytes(orjson.dumps(found))
        source.unlink()
    if "seconds: codes" not in found:
        load_encoder(ENCODER)  # once a process
        options = VectorOptions(given.vectors, given.search, None)
        _, found["seconds: codes"] = timed(lambda: add_vectors(directory, given.inside, options))
        steps.write_bytes(orjson.dumps(found))
    found |= disk(directory) | measured(directory, given.queries, given.reranked, given.cold)
    shutil.rmtree(directory)
    steps.unlink()
    return found


def fits(sizes: dict[int, Quantities]) -> list[Row]:
    """Every quantity with its projection."""
    papers = np.asarray(list(sizes), float)
    rows = []
    for name in next(iter(sizes.values())):
        values = np.asarray([one[name] for one in sizes.values()])
        power = projected = None
        if len(papers) > 1:
            # The line is fitted where it matters, at the large end; what seems to shrink is noise.
            slope, _ = np.polyfit(papers, values, 1, w=papers)
            projected = float(values[-1] + max(0.0, slope) * (PROJECTED - papers[-1]))
            if (values > 0).all():
                power = float(np.polyfit(np.log(papers), np.log(values), 1)[0])
        rows.append(Row(name, values.tolist(), projected, power))
    return sorted(rows, key=lambda row: row.name)


def table(sizes: dict[int, Quantities], rows: list[Row]) -> Iterator[str]:
    """Markdown."""
    heads = [f"{papers:,}" for papers in sizes]
    yield f"| | {' | '.join(heads)} | grows with the power | straight line at {PROJECTED:,} |"
    yield "|---" * (len(heads) + 3) + "|"
    for row in rows:
        cells = [f"{value:,.1f}" for value in row.values]
        power = "" if row.power is None else f"{row.power:.2f}"
        projected = "" if row.projected is None else f"{row.projected:,.0f}"
        yield f"| {row.name} | {' | '.join(cells)} | {power} | {projected} |"


def plot(papers: list[int], rows: list[Row], path: Path) -> None:
    """Four panels, both axes logarithmic, lines drawn on to the projection."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot

    shown = {
        "seconds": ("build", "codes", "first answer"),
        "disk, MB": None,
        "memory, MB": None,
        "p50, ms": ("bm25", "bm25, Pyserini", "encoder", "dense", "graph", "cross-encoder", "first stage"),
    }
    figure, panels = pyplot.subplots(2, 2, figsize=(10, 7))
    for panel, (group, names) in zip(panels.flat, shown.items(), strict=True):
        for row in rows:
            of, _, name = row.name.partition(": ")
            if of != group or (names and name not in names):
                continue
            line = panel.plot(papers, row.values, marker="o", label=name)[0]
            if row.projected:
                panel.plot([papers[-1], PROJECTED], [row.values[-1], row.projected], ":", color=line.get_color())
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
    parser.add_argument(
        "--inside", type=Path, required=True, help="index of real papers, with vectors, that every corpus holds"
    )
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--reranked", type=int, default=5, help="queries of the cross-encoder, 100 candidates each")
    parser.add_argument("--vectors", default="sq8")
    parser.add_argument("--search", default="flat", help=f"flat, hnsw, ivfpq or {AUTO}")
    parser.add_argument("--cold", action="store_true", help="start up with the index out of the page cache")
    parser.add_argument("--out", type=Path, default=Path("growth.json"))
    parser.add_argument("--plot", type=Path, help="SVG or PNG")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    sizes: dict[int, Quantities] = {}
    for papers in sorted(given.sizes):
        print(f"{papers:,} papers", file=sys.stderr, flush=True)
        sizes[papers] = measure(papers, given)
        rows = fits(sizes)
        record = {"cores": usable_cores(), "papers": list(sizes), "fits": [row._asdict() for row in rows]}
        given.out.write_bytes(orjson.dumps(record, option=orjson.OPT_INDENT_2))
    print("\n".join(table(sizes, rows)))
    if given.plot:
        plot(list(sizes), rows, given.plot)


if __name__ == "__main__":
    main()
