"""Building an index."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from common.errors import EmptyIndexError, IndexDirectoryError
from encoders.base import Encoder
from indexer.assembly import finish, write_arrays, write_bm25_docids
from indexer.bulk.folder import check_encoder, read_parts
from indexer.catalog import Catalog
from indexer.catalog_writing import catalog_build
from indexer.dense_writing import Dense, write_dense
from indexer.directory import next_generation, writing
from indexer.encoding import KnownVectors, PartialVectors, delete_partial, text_key, vectors_of
from indexer.former_ids import keep_former_ids
from indexer.generations import load_encoder, open_generation, served_manifest
from indexer.layout import LAYOUT
from indexer.lucene import Bm25Writer
from indexer.manifest import Manifest
from indexer.nearness import write_nearness
from indexer.paper import Paper
from indexer.papers_digest import PapersDigest
from indexer.query_map import Vectors, write_query_map
from indexer.vector_choice import VectorOptions, check_options, choose
from indexer.vector_search import VectorSearch
from indexer.vectors import KINDS


def build_index(
    papers: Iterable[Paper],
    directory: Path,
    encoder: str | None = "minilm",
    vectors: VectorOptions | None = None,
    vectors_from: Path | None = None,
) -> Manifest:
    """Index `papers` as the next generation of `directory` and serve it.

    `encoder` is a registered name, a model folder or a hub id; None leaves the dense part out. `vectors` says
    how vectors are kept and searched; those in the folder `vectors_from` (`indexer.bulk.folder`) are taken over.

    Raises:
        IndexDirectoryError: no paper at all, or a folder that holds something else than an index.
        IndexLockedError: another process is building there.
        ModelError: the encoder cannot be loaded.
        VectorFolderError: `vectors_from` is damaged, or of another encoder.
        VectorChoiceError: vectors as `vectors` asks for them do not fit the memory or the number of papers.
    """
    options = vectors or VectorOptions()
    check_options(options)
    offered = PapersDigest()
    with writing(directory), next_generation(directory) as folder:
        # Before any work: a wrong name should not cost an hour. Nor a folder that is refused the conversion of a model.
        text_encoder = load_encoder(encoder) if encoder is not None else None
        if text_encoder and vectors_from:
            check_encoder(vectors_from, text_encoder)
        with (
            catalog_build(offered.passing(papers), folder / LAYOUT.catalog) as build,
            ThreadPoolExecutor(1) as beside,
            Bm25Writer(folder / LAYOUT.bm25) as bm25,
        ):
            indexed = beside.submit(bm25.add_all, build.texts())
            docids = build.number()
            if not len(docids):
                raise EmptyIndexError("no paper to index: the sources hold none that could be read")
            indexed.result()
        keep_former_ids(folder / LAYOUT.catalog, directory)
        citations = write_arrays(folder, len(docids))
        write_bm25_docids(folder, docids)
        built = replace(built_manifest(len(docids), citations, text_encoder, offered), asked=options)
        if text_encoder:
            built = encode_papers(folder, len(docids), text_encoder, options, vectors_from).described(built)
        manifest = finish(folder, built)
        if text_encoder:
            delete_partial(directory)
        return manifest


def encode_papers(
    folder: Path, papers: int, encoder: Encoder, options: VectorOptions, vectors_from: Path | None = None
) -> Dense:
    """Write all of a generation that depends on the encoder; its other parts are written, and docids are 0…papers-1.

    Raises:
        VectorChoiceError: see `build_index`.
    """
    choice = choose(options, papers, encoder.dimension)
    known = _vectors_known(folder.parent, encoder, choice.kind, vectors_from)
    catalog = Catalog(folder / LAYOUT.catalog)
    texts = (text for _, text in catalog.all_texts())
    encoded = vectors_of(texts, papers, encoder, known, PartialVectors(folder.parent, encoder, choice.kind))
    catalog.close()
    dense = write_dense(folder, encoded, choice, options)
    map_queries(folder, encoder.name)
    return dense


def built_manifest(papers: int, citations: int, encoder: Encoder | None, offered: PapersDigest) -> Manifest:
    """What a fresh build says of itself, whatever holds its texts and vectors."""
    built = Manifest(papers, citations, papers_digest=offered.hexdigest())
    return encoded_by(built, encoder) if encoder else built


def encoded_by(manifest: Manifest, encoder: Encoder) -> Manifest:
    """The manifest of an index whose vectors this encoder made."""
    from encoders.loading import assumed_of  # OpenVINO: only where it is needed

    return replace(
        manifest,
        encoder=encoder.name,
        encoder_digest=encoder.digest,
        encoder_assumed=assumed_of(encoder),
        dimension=encoder.dimension,
    )


def map_queries(folder: Path, encoder: str, vectors: Vectors | None = None) -> None:
    """Learn where this encoder's queries are looked for, and how near papers are, in a generation that lacks no more.

    `vectors` gives those of an index that keeps them elsewhere.
    """
    from encoders.loading import encodes_queries_alike  # OpenVINO: only where it is needed

    vectors = vectors or VectorSearch(folder / LAYOUT.vectors).vectors
    write_nearness(folder, vectors)
    if encodes_queries_alike(encoder):
        write_query_map(folder, vectors)


def _vectors_known(directory: Path, encoder: Encoder, kind: str, vectors_from: Path | None) -> KnownVectors:
    """What the served generation and the folder `vectors_from` know, which need not be encoded."""
    known = KnownVectors(encoder.dimension, kind)
    _add_served(known, directory, encoder, kind)
    if vectors_from:
        for part in read_parts(vectors_from, encoder):
            known.add(part.keys, part.vectors)
    return known


def _add_served(known: KnownVectors, directory: Path, encoder: Encoder, kind: str) -> None:
    """Vectors of the served generation, where it keeps them with as many bits as are wanted."""
    try:
        served = served_manifest(directory)[1]
        if served.engine or served.encoder_digest != encoder.digest:
            return
        if np.dtype(KINDS[served.vectors].kept).itemsize < np.dtype(KINDS[kind].kept).itemsize:
            return
        base = open_generation(directory, full_check=True)
    except IndexDirectoryError:
        return  # none there, or a damaged one, which the build replaces
    with base:
        keys = [text_key(text) for _, text in base.catalog.all_texts()]
        known.add(keys, base.vectors()[np.flatnonzero(~base.removed)])
