"""Building an index as a new generation beside the old one, and opening the one that is served.

A generation is complete before `CURRENT` names it, and `CURRENT` changes by one atomic rename: readers see the old
index or the new one, and a build that dies leaves the old one served.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from common.errors import EmptyIndexError, IndexDirectoryError, IndexLockedError
from common.files import sync_tree, write_atomically
from indexer.catalog import Catalog, CatalogCounts, build_catalog
from indexer.citations import CitationGraph, load_array
from indexer.layout import CURRENT, LAYOUT, LOCK, generation_name, generation_number
from indexer.lucene import build_bm25, paper_numbers
from indexer.manifest import Manifest
from indexer.paper import Paper
from indexer.vectors import build_vectors

if TYPE_CHECKING:
    from encoders.transformer import TextEncoder


def build_index(
    papers: Iterable[Paper],
    directory: Path,
    encoder: str | None = "minilm",
    skipped_records: Callable[[], int] = lambda: 0,
) -> Manifest:
    """Index `papers` as the next generation of `directory` and serve it.

    `encoder` is a preset, a model folder or a hub id; None leaves the dense part out. `skipped_records` is asked once
    all papers are read: how many records the readers left out.

    Raises:
        IndexDirectoryError: no paper at all, or a folder that holds something else than an index.
        IndexLockedError: another process is building there.
        ModelError: the encoder cannot be loaded.
    """
    text_encoder = _load_encoder(encoder)  # before any work: a wrong name should not cost an hour
    with writing(directory):
        generation = directory / generation_name(_next_number(directory))
        generation.mkdir()
        try:
            counts = build_catalog(papers, generation / LAYOUT.catalog.path)
            manifest = _build_from_catalog(generation, counts, text_encoder, skipped_records())
            sync_tree(generation)
            write_atomically(directory / CURRENT, generation.name + "\n")
        except BaseException:
            shutil.rmtree(generation, ignore_errors=True)
            raise
        _remove_old_generations(directory, served=generation.name)
    return manifest


def _build_from_catalog(
    generation: Path, counts: CatalogCounts, encoder: TextEncoder | None, skipped_records: int
) -> Manifest:
    if counts.papers == 0:
        raise EmptyIndexError("no paper to index: the sources hold none that could be read")
    catalog = Catalog(generation / LAYOUT.catalog.path)
    build_bm25(catalog.all_texts(), generation / LAYOUT.bm25.path, counts.papers)
    np.save(generation / LAYOUT.bm25_numbers.path, paper_numbers(generation / LAYOUT.bm25.path))
    graph = CitationGraph.from_edges(catalog.edges(), counts.papers)
    graph.save(generation / LAYOUT.graph.path)
    np.save(generation / LAYOUT.years.path, catalog.years())
    if encoder is not None:
        texts = [text for _, text in catalog.all_texts()]
        build_vectors(encoder.encode(texts, progress=True), generation / LAYOUT.vectors.path)
    catalog.close()
    manifest = Manifest(
        papers=counts.papers,
        citations=graph.edges,
        removed=0,
        encoder=encoder.preset.name if encoder else None,
        dimension=encoder.dimension if encoder else None,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        skipped_records=skipped_records,
        replaced_records=counts.replaced,
    )
    manifest.write(generation)
    return manifest


def _load_encoder(name: str | None) -> TextEncoder | None:
    if name is None:
        return None
    from encoders.transformer import TextEncoder  # torch: only where it is needed

    return TextEncoder.load(name)


@contextmanager
def writing(directory: Path) -> Iterator[None]:
    """Hold the directory's one write lock; creates the directory if there is none.

    Raises:
        IndexLockedError: another process holds it.
        IndexDirectoryError: the folder has other content, or cannot be created.
    """
    try:
        if directory.is_dir() and any(directory.iterdir()) and not _looks_like_index(directory):
            raise IndexDirectoryError(f"{directory} is a folder with other content: give a new or empty one")
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise IndexDirectoryError(f"cannot create the index directory {directory}: {error.strerror}") from None
    lock = FileLock(directory / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise IndexLockedError(f"another process is writing to {directory}: wait for it to end") from None
    try:
        yield
    finally:
        lock.release()
        if {entry.name for entry in directory.iterdir()} <= {LOCK}:
            shutil.rmtree(directory, ignore_errors=True)  # a first build that failed leaves nothing behind


def _looks_like_index(directory: Path) -> bool:
    return all(
        entry.name in {CURRENT, LOCK} or entry.name.startswith(f".{CURRENT}.") or generation_number(entry.name)
        for entry in directory.iterdir()
    )


def _next_number(directory: Path) -> int:
    """One more than the highest; folders left by a build that died are removed."""
    served = _served_name(directory)
    numbers = [0]
    for entry in directory.iterdir():
        number = generation_number(entry.name)
        if number is None:
            continue
        if served is None or number > (generation_number(served) or 0):
            shutil.rmtree(entry)
        else:
            numbers.append(number)
    return max(numbers) + 1


def _remove_old_generations(directory: Path, served: str) -> None:
    """Delete all but the served generation; processes that have an older one open keep reading their open files."""
    for entry in directory.iterdir():
        if generation_number(entry.name) is not None and entry.name != served:
            shutil.rmtree(entry, ignore_errors=True)


def _served_name(directory: Path) -> str | None:
    try:
        return (directory / CURRENT).read_text(encoding="utf-8", errors="replace").strip()
    except FileNotFoundError:
        return None


@dataclass(frozen=True, slots=True)
class OpenGeneration:
    """A generation that is being read."""

    folder: Path
    manifest: Manifest
    catalog: Catalog
    graph: CitationGraph
    years: NDArray[np.int16]  # (papers,), 0 where unknown

    @property
    def name(self) -> str:
        """Such as gen-000002."""
        return self.folder.name


def served_manifest(directory: Path) -> tuple[str, Manifest]:
    """Name and manifest of the served generation, without opening its files.

    Raises:
        IndexDirectoryError: no such folder, no index in it, or a damaged manifest.
    """
    if not directory.is_dir():
        raise IndexDirectoryError(
            f"no index directory {directory}: build one with `citescout index SOURCE --index DIR`"
        )
    name = _served_name(directory)
    if name is None:
        raise IndexDirectoryError(f"{directory} is not an index (it has no file {CURRENT})")
    if generation_number(name) is None or not (directory / name).is_dir():
        raise IndexDirectoryError(f"{directory / CURRENT} names {name!r}, which is not there: build the index again")
    return name, Manifest.read(directory / name)


def open_generation(directory: Path) -> OpenGeneration:
    """Open the served generation of an index directory.

    Raises:
        IndexDirectoryError: no such folder, no index in it, or a missing or damaged file.
    """
    name, manifest = served_manifest(directory)
    folder = directory / name
    manifest.check(folder)
    return OpenGeneration(
        folder=folder,
        manifest=manifest,
        catalog=Catalog(folder / LAYOUT.catalog.path),
        graph=CitationGraph.load(folder / LAYOUT.graph.path),
        years=load_array(folder / LAYOUT.years.path),
    )
