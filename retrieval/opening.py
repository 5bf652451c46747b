"""Which retrievers a generation is searched with: the one place that knows where its texts and vectors are."""

from encoders.base import Encoder
from indexer.citations import load_array
from indexer.engines.address import EngineAddress
from indexer.engines.milvus_collection import Collection
from indexer.engines.term_table import TermTable
from indexer.generations import OpenGeneration
from indexer.layout import LAYOUT
from indexer.query_map import read_query_map
from indexer.structures import FLAT
from indexer.vector_search import VectorSearch
from retrieval.bm25 import Bm25
from retrieval.dense import Dense
from retrieval.engines.milvus_bm25 import MilvusBm25
from retrieval.engines.milvus_vectors import MilvusVectors
from retrieval.interface import SparseRetriever, VectorStore


def open_sparse(generation: OpenGeneration) -> SparseRetriever:
    """BM25 over a generation.

    Raises:
        IndexDirectoryError: a file is missing or damaged.
        JavaError: Java, which Lucene needs, cannot be started.
        EngineError: the engine that has the texts does not answer, or lacks some of them.
    """
    folder = generation.folder
    if not generation.manifest.texts_elsewhere:
        return Bm25(folder / LAYOUT.bm25, load_array(folder / LAYOUT.bm25_docids))
    return MilvusBm25(_collection(generation), TermTable(folder / LAYOUT.terms), generation.years)


def open_dense(generation: OpenGeneration, encoder: Encoder) -> Dense:
    """Dense retrieval over a generation.

    Raises:
        IndexDirectoryError: a file is missing or damaged.
        ModelError: the encoder's vectors have another dimension than the index.
        EngineError: the engine that has the vectors does not answer, or lacks some of them.
    """
    store = _store(generation)
    try:
        return Dense(store, encoder, read_query_map(generation.folder))
    except BaseException:
        store.close()
        raise


def _store(generation: OpenGeneration) -> VectorStore:
    folder, manifest = generation.folder, generation.manifest
    if manifest.engine and manifest.dimension:
        return MilvusVectors(_collection(generation), generation.years, manifest.dimension, manifest.vectors)
    structure = folder / LAYOUT.structure if manifest.search != FLAT else None
    return VectorSearch(folder / LAYOUT.vectors, structure, manifest.search)


def _collection(generation: OpenGeneration) -> Collection:
    manifest = generation.manifest
    if manifest.engine is None:
        raise ValueError("no engine holds anything of this generation")
    address = EngineAddress.parsed(manifest.engine.address)
    return Collection.opened(address, manifest.engine.collection, manifest.papers, manifest.dimension)
