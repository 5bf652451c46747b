"""Building an index."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from common.errors import EmptyIndexError, IndexDirectoryError
from encoders.text import Text
from indexer.assembly import finish, write_arrays, write_bm25, write_bm25_numbers
from indexer.bulk.folder import check_encoder, read_parts
from indexer.catalog import Catalog
from indexer.catalog_writing import CatalogCounts, build_catalog
from indexer.dense_writing import measured_recall, write_dense
from indexer.directory import NextGeneration, next_generation, writing
from indexer.encoding import KnownCodes, PartialCodes, codes_of, text_key
from indexer.generations import load_encoder, open_generation, served_manifest
from indexer.layout import LAYOUT
from indexer.lucene import Bm25Writer
from indexer.manifest import Manifest
from indexer.paper import Paper
from indexer.papers_digest import PapersDigest
from indexer.recall import ExactNeighbours, Recall
from indexer.vector_choice import VectorChoice, VectorOptions, check_options, choose
from indexer.vectors import code_size, dequantise, quantise

if TYPE_CHECKING:
    from encoders.base import Encoder
    from indexer.query_map import Vectors


def build_index(
    papers: Iterable[Paper],
    directory: Path,
    encoder: str | None = "minilm",
    skipped_records: Callable[[], int] = lambda: 0,
    vectors: VectorOptions | None = None,
    vectors_from: Path | None = None,
) -> Manifest:
    """Index `papers` as the next generation of `directory` and serve it.

    `encoder` is a registered name, a model folder or a hub id; None leaves the dense part out. `skipped_records` is
    asked once all papers are read: how many records the readers left out. `vectors` says how vectors are kept and
    searched; those in the folder `vectors_from` (`indexer.bulk.folder`) are taken over.

    Raises:
        IndexDirectoryError: no paper at all, or a folder that holds something else than an index.
        IndexLockedError: another process is building there.
        ModelError: the encoder cannot be loaded.
        VectorFolderError: `vectors_from` is damaged, or of another encoder.
        VectorChoiceError: vectors as `vectors` asks for them do not fit the memory or the number of papers.
    """
    options = vectors or VectorOptions()
    check_options(options)
    text_encoder = load_encoder(encoder)  # before any work: a wrong name should not cost an hour
    if text_encoder and vectors_from:
        check_encoder(vectors_from, text_encoder)
    offered = PapersDigest()
    with writing(directory), next_generation(directory) as following:
        folder = following.folder
        with Bm25Writer(folder / LAYOUT.bm25.path) as bm25:
            counts = build_catalog(_also_to(bm25, offered.passing(papers)), folder / LAYOUT.catalog.path)
            if counts.papers == 0:
                raise EmptyIndexError("no paper to index: the sources hold none that could be read")
            citations = write_arrays(folder, counts.papers)
        catalog = Catalog(folder / LAYOUT.catalog.path)
        if counts.replaced:  # Lucene would count what was replaced in its statistics
            shutil.rmtree(folder / LAYOUT.bm25.path)
            write_bm25(folder, catalog.all_texts(), counts.papers)
        else:
            write_bm25_numbers(folder, np.argsort(counts.arrivals).astype(np.int32))
        choice, recall, partial = VectorChoice(), None, None
        if text_encoder:
            choice = choose(options, counts.papers, text_encoder.dimension)
            partial = PartialCodes(directory, text_encoder, choice.kind)
            recall = _write_vectors(catalog, counts.papers, text_encoder, partial, choice, following, vectors_from)
            map_queries(folder, text_encoder.name)
        catalog.close()
        built = built_manifest(counts, citations, text_encoder, skipped_records(), offered)
        manifest = finish(following, replace(built, vectors=choice.kind, search=choice.search, recall=recall))
        if partial:
            partial.delete()
        return manifest


def built_manifest(
    counts: CatalogCounts, citations: int, encoder: Encoder | None, skipped: int, offered: PapersDigest
) -> Manifest:
    """What a fresh build says of itself, whatever holds its texts and vectors."""
    return Manifest(
        papers=counts.papers,
        citations=citations,
        removed=0,
        encoder=encoder.name if encoder else None,
        encoder_digest=encoder.digest if encoder else None,
        encoder_assumed=_assumed_of(encoder) if encoder else None,
        dimension=encoder.dimension if encoder else None,
        created=now(),
        skipped_records=skipped,
        replaced_records=counts.replaced,
        papers_digest=offered.hexdigest(),
    )


def _assumed_of(encoder: Encoder) -> str | None:
    from encoders.loading import assumed_of  # torch: only where it is needed

    return assumed_of(encoder)


def map_queries(folder: Path, encoder: str, vectors: Vectors | None = None) -> None:
    """Learn where this encoder's queries are looked for, and how near papers are, in a generation that lacks no more.

    `vectors` gives those of an index that keeps them elsewhere.
    """
    from encoders.loading import asks_as_it_tells  # OpenVINO: only where it is needed
    from indexer.nearness import write_nearness
    from indexer.query_map import write_query_map

    write_nearness(folder, vectors)
    if asks_as_it_tells(encoder):
        write_query_map(folder, vectors)


def _also_to(bm25: Bm25Writer, papers: Iterable[Paper]) -> Iterator[Paper]:
    """Hand on the papers; their texts go to Lucene as well, under the numbers in which they come."""
    for arrival, paper in enumerate(papers):
        bm25.add(arrival, Text(paper.title, paper.abstract))
        yield paper


def now() -> str:
    """ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _write_vectors(
    catalog: Catalog,
    papers: int,
    encoder: Encoder,
    partial: PartialCodes,
    choice: VectorChoice,
    following: NextGeneration,
    vectors_from: Path | None,
) -> Recall | None:
    """The dense part of a build; returns what recall it has, where that can be told."""
    texts = (text for _, text in catalog.all_texts())
    exact = ExactNeighbours()
    known = _codes_served(following.directory, encoder, choice.kind)
    if vectors_from:
        for part in read_parts(vectors_from, encoder):
            known.add(part.keys, quantise(part.vectors, choice.kind))
    codes = codes_of(texts, papers, encoder, known, partial, exact)
    write_dense(following.folder, codes, choice)
    return measured_recall(following.folder, choice, exact)


def _codes_served(directory: Path, encoder: Encoder, kind: str) -> KnownCodes:
    """What the served generation knows of this encoder's codes; a build of much the same papers need not encode.

    Codes of another kind are of use only where they are the vectors themselves.
    """
    known = KnownCodes(code_size(encoder.dimension, kind))
    try:
        served = served_manifest(directory)[1]
        if served.engine or served.encoder_digest != encoder.digest or served.vectors not in {kind, "fp32"}:
            return known
        base = open_generation(directory, full_check=True)
    except IndexDirectoryError:
        return known  # none there, or a damaged one, which the build replaces
    keys = [text_key(text) for _, text in base.catalog.all_texts()]
    codes = base.codes()[np.flatnonzero(~base.removed)]
    known.add(keys, codes if served.vectors == kind else quantise(dequantise(codes, served.vectors), kind))
    base.close()
    return known
