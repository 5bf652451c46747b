"""Ask every system the queries of a split, and keep what they answer as TREC runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from citescout.queries import read_queries
from common.errors import SourceError
from eval.indexes import index_of_papers
from eval.report.record import read_record
from eval.systems import run_systems, systems
from eval.times import read_times, write_times
from eval.trec import run_path, write_run
from indexer.generations import served_manifest
from indexer.readers import read_papers


def run_split(
    folder: Path,
    part: str,
    names: Sequence[str] = (),
    encoder: str | None = "minilm",
    reranker: str = "none",
    depth: int = 100,
) -> list[Path]:
    """Index what a part of a split searches, unless that is done, and write `FOLDER/runs/PART/SYSTEM.trec`.

    `times.json` beside them gets the seconds of each query; what it says of systems that do not run stays.

    Args:
        folder: written by `eval.split`.
        part: "dev" or "test".
        names: of the systems, as in the tables; all that the index can answer without.
        encoder: of the index; None leaves out the systems that need vectors.
        reranker: a cross-encoder, for the systems that use one.
        depth: candidates that it reads.

    Raises:
        SourceError: no split there, no such part, an unknown system, damaged times of an earlier run, or an index that
            is not that of the part, see `eval.indexes`.
    """
    record = read_record(folder)
    papers = folder / f"{part}.papers.jsonl"
    if not papers.is_file():
        raise SourceError(f"{folder} has no part {part!r}")
    rows = systems(reranker != "none", depth)
    if encoder is None:
        rows = [row for row in rows if "dense" not in row.settings.sources or "bm25" in row.settings.sources]
    if unknown := [name for name in names if name not in {row.name for row in rows}]:
        raise SourceError(f"no system {unknown[0]!r}: there are {', '.join(row.name for row in rows)}")
    directory = index_of_papers(lambda: read_papers([str(papers)]), folder / f"index-{part}", encoder, papers)
    if not names and served_manifest(directory)[1].texts_elsewhere:  # an engine scores with the parameters it was given
        rows = [row for row in rows if row.settings.bm25 is None]
    queries = read_queries(str(folder / f"{part}.queries.jsonl"))
    listed = folder / f"{part}.candidates.ids"
    candidates = frozenset(listed.read_text(encoding="utf-8").splitlines()) if listed.is_file() else None
    chosen = [row for row in rows if not names or row.name in names]
    runs = folder / "runs" / part
    times = dict(read_times(runs))
    written = []
    for name, answers in run_systems(
        directory, queries, chosen, reranker, candidates, finds_copies=record.protocol.copies
    ).items():
        path = run_path(runs, name)
        write_run(path, answers.run)
        written.append(path)
        times[name] = answers.seconds
    write_times(runs, times)
    return written
