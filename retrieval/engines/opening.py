"""The retrievers of a generation whose texts or vectors an engine holds."""

from __future__ import annotations

from indexer.engines.address import EngineAddress
from indexer.engines.milvus_collection import Collection
from indexer.engines.term_table import TermTable
from indexer.generations import OpenGeneration
from indexer.layout import LAYOUT
from retrieval.engines.milvus_bm25 import MilvusBm25
from retrieval.engines.milvus_vectors import MilvusVectors


def open_bm25(generation: OpenGeneration) -> MilvusBm25:
    """BM25 of the engine.

    Raises:
        EngineError: it does not answer, or lacks texts.
    """
    table = TermTable(generation.folder / LAYOUT.terms.path)
    return MilvusBm25(_collection(generation), table, generation.years)


def open_vectors(generation: OpenGeneration, dimension: int) -> MilvusVectors:
    """The engine's vectors, of so many dimensions.

    Raises:
        EngineError: it does not answer, or lacks vectors.
    """
    return MilvusVectors(_collection(generation), generation.years, dimension, generation.manifest.vectors)


def _collection(generation: OpenGeneration) -> Collection:
    manifest = generation.manifest
    if manifest.engine is None:
        raise ValueError("no engine holds anything of this generation")
    address = EngineAddress.parsed(manifest.engine.address)
    return Collection.opened(address, manifest.engine.collection, manifest.papers, manifest.dimension)
