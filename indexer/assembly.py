"""The parts of a generation that follow from its catalog, and its end: checksums, a look at the whole, the swap."""

import os
import shutil
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common.progress import progress
from encoders.text import Text
from indexer.catalog import Catalog
from indexer.citations import CitationGraph, load_array
from indexer.directory import serve
from indexer.generations import OpenGeneration
from indexer.layout import LAYOUT, data_files
from indexer.lucene import Bm25Writer, documents_kept, labels
from indexer.manifest import Manifest
from indexer.outside import OutsideWorks


def write_bm25(folder: Path, texts: Iterable[tuple[int, Text]], total: int, base: Path | None = None) -> None:
    """Lucene's index of (docid, text) pairs; with `base`, behind those of that generation, whose files it shares."""
    known = load_array(base / LAYOUT.bm25_labels) if base else np.zeros(0, np.int32)
    docids = []
    with Bm25Writer(folder / LAYOUT.bm25, append=base is not None) as bm25:
        for label, (docid, text) in enumerate(progress(texts, "BM25 index", total), start=len(known)):
            bm25.add(label, text)
            docids.append(docid)
    write_bm25_docids(folder, np.concatenate([known, np.array(docids, np.int32)]), base)


def write_bm25_docids(folder: Path, docids: NDArray[np.int32], base: Path | None = None) -> None:
    """What the hits of a finished BM25 index lead to: the docid of every label, and of every document."""
    np.save(folder / LAYOUT.bm25_labels, docids)
    documents = np.zeros(0, np.int32)
    if base:  # all labels of a large index take longer to read than one paper to add
        kept = documents_kept(base / LAYOUT.bm25, folder / LAYOUT.bm25)
        documents = load_array(base / LAYOUT.bm25_docids)[:kept]
    added = docids[labels(folder / LAYOUT.bm25, first=len(documents))]
    np.save(folder / LAYOUT.bm25_docids, np.concatenate([documents, added]))


def write_arrays(folder: Path, docid_count: int) -> int:
    """Years, removed docids, citations and the works outside, from the catalog in `folder`; returns the citations.

    Both graphs are made of all papers every time: a paper that is added may be cited by any that was there.
    """
    with closing(Catalog(folder / LAYOUT.catalog)) as catalog:
        links = catalog.links()
        CitationGraph.from_edges(links.edges, docid_count).save(folder / LAYOUT.graph)
        OutsideWorks.of(links, docid_count).save(folder / LAYOUT.outside)
        np.save(folder / LAYOUT.years, catalog.years(docid_count))
        np.save(folder / LAYOUT.removed, catalog.removed(docid_count))
    return len(links.edges)


def link(parts: Iterable[str], source: Path, target: Path) -> None:
    """Share parts of the generation in `source`, where it has them; copies on file systems without hard links."""
    paths = [source / part for part in parts]
    for file in data_files(source):
        if not any(map(file.is_relative_to, paths)):
            continue
        linked = target / file.relative_to(source)
        linked.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(file, linked)
        except OSError:
            shutil.copyfile(file, linked)


def finish(folder: Path, manifest: Manifest, base: OpenGeneration | None = None) -> Manifest:
    """Write the manifest of a generation whose other files are complete, look at it as a reader will, serve it.

    `base` is the generation with which it shares files; `created` of the manifest is now.

    Raises:
        IndexDirectoryError: a file is not whole (numpy does not report every disk that is full).
    """
    manifest = replace(manifest, created=datetime.now(UTC).isoformat(timespec="seconds"))
    before = base.manifest.files.items() if base else ()
    shared = {name: entry for name, entry in before if base and _same_file(base.folder / name, folder / name)}
    digest = manifest.write(folder, shared)
    written = Manifest.read(folder, digest)
    written.check_parts(folder)
    for path in folder.rglob("*.npy"):
        load_array(path)
    serve(folder, digest)
    return written


def _same_file(one: Path, other: Path) -> bool:
    return other.exists() and one.samefile(other)
