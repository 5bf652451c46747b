"""Ask every system the queries of a split, and keep what they answer as TREC runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from citescout.queries import read_queries
from common.errors import SourceError
from eval.indexes import index_of_papers
from eval.report.split_record import read_record
from eval.systems import rows_of, run_systems
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
    depth: int | None = None,
) -> list[Path]:
    """Index what a part of a split searches, unless that is done, and write `FOLDER/runs/PART/SYSTEM.trec`.

    `times.json` beside them gets the seconds of each query; what it says of systems that do not run stays.

    Args:
        folder: written by `eval.split`.
        part: "dev" or "test".
        names: of the systems, see `eval.systems.rows_of`.
        encoder: of the index; None leaves out the systems that need vectors.
        reranker: a cross-encoder, for the systems that read with one; "none" leaves them out.
        depth: candidates that it reads in each of them; their own without.

    Raises:
        SourceError: no split there, no such part, damaged times of an earlier run, or an index that is not that of the
            part, see `eval.indexes`.
        QueryError: see `eval.systems.rows_of`.
    """
    record = read_record(folder)
    papers = folder / f"{part}.papers.jsonl"
    if not papers.is_file():
        raise SourceError(f"{folder} has no part {part!r}")
    rows = rows_of(names, reranker != "none", depth, encoder is not None)
    directory = index_of_papers(lambda: read_papers([str(papers)]), folder / f"index-{part}", encoder, papers)
    if not names and served_manifest(directory)[1].texts_elsewhere:  # an engine scores with the parameters it was given
        rows = [row for row in rows if row.settings.bm25 is None]
    queries = read_queries(str(folder / f"{part}.queries.jsonl"))
    listed = folder / f"{part}.candidates.ids"
    candidates = frozenset(listed.read_text(encoding="utf-8").splitlines()) if listed.is_file() else None
    runs = folder / "runs" / part
    times = dict(read_times(runs))
    written = []
    answered = run_systems(directory, queries, rows, reranker, candidates, finds_copies=record.protocol.copies)
    for name, answers in answered.items():
        path = run_path(runs, name)
        write_run(path, answers.run)
        written.append(path)
        times[name] = answers.seconds
    write_times(runs, times)
    return written
