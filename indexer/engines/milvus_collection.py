"""One build's collection: its fields and indexes, whether all of it is there, and its rows.

number   primary key, the paper's docid
year     0 where it is not known
text     title and abstract, analysed as in `english.py`    (unless BM25 stays with Lucene)
bm25     what Milvus' full-text function makes of the text  (the same)
vector   32-bit or 16-bit floats                            (unless there is no encoder)
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from common.errors import EngineError
from indexer.engines.address import EngineAddress
from indexer.engines.english import ANALYZER, TEXT_BYTES
from indexer.engines.milvus_connection import Milvus, Row

NUMBER, YEAR, TEXT, BM25, VECTOR = "number", "year", "text", "bm25", "vector"
MOST_HITS = 16_384  # that Milvus gives for one search
# Kinds of `indexer.vectors` that Milvus has a field for.
FLOATS: dict[str, type[np.floating[Any]]] = {"fp16": np.float16, "fp32": np.float32}
_FETCHED = 128  # vectors a request: the embedded engine's time for them grows with their square
_SCANNED = "Bounded"  # nothing is written any more: no search need wait for the newest rows


def create(milvus: Milvus, name: str, dimension: int | None, kind: str) -> bool:
    """Make an empty collection with its indexes, or what of that is missing; `dimension` is None without vectors.

    Returns whether there was none.

    Raises:
        EngineError: the engine refuses.
    """
    fresh = not milvus.call("has_collection", name)
    if fresh:
        schema = _schema(milvus, dimension, kind)
        milvus.call(
            "create_collection", name, schema=schema, num_shards=milvus.address.shards, consistency_level="Strong"
        )
    there = set(milvus.call("list_indexes", name))
    address = milvus.address
    if address.holds_texts and BM25 not in there:
        _index(milvus, name, BM25, "SPARSE_INVERTED_INDEX", "BM25", {"bm25_k1": address.k1, "bm25_b": address.b})
    if dimension is not None and VECTOR not in there:
        _index(milvus, name, VECTOR, address.index, "IP", address.build_parameters())
    return fresh


def _schema(milvus: Milvus, dimension: int | None, kind: str) -> Any:
    from pymilvus import DataType, Function, FunctionType, MilvusClient

    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field(NUMBER, DataType.INT64, is_primary=True)
    schema.add_field(YEAR, DataType.INT16)
    if milvus.address.holds_texts:
        schema.add_field(TEXT, DataType.VARCHAR, max_length=TEXT_BYTES, enable_analyzer=True, analyzer_params=ANALYZER)
        schema.add_field(BM25, DataType.SPARSE_FLOAT_VECTOR)
        function = Function(
            name="full_text", function_type=FunctionType.BM25, input_field_names=[TEXT], output_field_names=[BM25]
        )
        schema.add_function(function)
    if dimension is not None:
        if kind == "fp16":
            milvus.refuse_16_bits()
        schema.add_field(VECTOR, DataType.FLOAT16_VECTOR if kind == "fp16" else DataType.FLOAT_VECTOR, dim=dimension)
    return schema


def _index(milvus: Milvus, name: str, field: str, kind: str, metric: str, parameters: Mapping[str, float]) -> None:
    from pymilvus import MilvusClient

    indexes = MilvusClient.prepare_index_params()
    indexes.add_index(field, index_name=field, index_type=kind, metric_type=metric, params=dict(parameters))
    milvus.call("create_index", name, indexes)


class Collection:
    """Rows and searches of one collection; safe to share between threads."""

    def __init__(self, milvus: Milvus, name: str) -> None:
        self.milvus = milvus
        self.name = name

    @classmethod
    def opened(cls, address: EngineAddress, name: str, papers: int, dimension: int | None) -> Self:
        """Connect and make sure that all of a finished collection is there and in memory.

        Raises:
            EngineError: it is missing or lacks papers, has vectors of another dimension, or the engine does not answer.
        """
        milvus = Milvus(address)
        collection = cls(milvus, name)
        try:
            if not milvus.call("has_collection", name):
                raise EngineError(f"{address.place} has no collection {name}: build the index again")
            if (found := collection.dimension()) != dimension:
                raise EngineError(
                    f"the vectors of {name} in {address.place} have {found or 'no'} dimensions, those of the index "
                    f"{dimension or 'none'}: build the index again"
                )
            collection.load()
            if (count := collection.count()) != papers:
                raise EngineError(
                    f"{name} in {address.place} holds {count:,} of {papers:,} papers (an ingest that did not end, or "
                    "rows that were deleted): build the index again"
                )
        except BaseException:
            milvus.close()
            raise
        return collection

    def dimension(self) -> int | None:
        """Of its vectors; None where it has none."""
        fields = self.milvus.call("describe_collection", self.name)["fields"]
        vector = next((field for field in fields if field["name"] == VECTOR), None)
        return int(vector["params"]["dim"]) if vector else None

    def load(self) -> None:
        """Bring it into memory, where it is searched; waits until all of it is there."""
        self.milvus.call("load_collection", self.name)

    def count(self, first: int | None = None, end: int | None = None) -> int:
        """Rows, with the docids from `first` to before `end` where given; none that was ever written is missed."""
        wanted = "" if first is None else f"{NUMBER} >= {first} and {NUMBER} < {end}"
        rows = self.milvus.call("query", self.name, wanted, output_fields=["count(*)"], consistency_level="Strong")
        return int(rows[0]["count(*)"])

    def search(
        self, field: str, query: Any, k: int, wanted: str, parameters: dict[str, Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Numbers and scores of the best `k` rows for which the expression `wanted` holds.

        Raises:
            EngineError: the engine does not answer, or `k` is more than it gives.
        """
        if k > MOST_HITS:
            raise EngineError(f"Milvus gives at most {MOST_HITS:,} hits for a query, not {k:,}")
        hits = self.milvus.call(
            "search",
            self.name,
            data=[query],
            anns_field=field,
            limit=k,
            filter=wanted,
            search_params={"params": parameters},
            consistency_level=_SCANNED,
        )[0]
        return np.asarray(hits.ids, np.int64), np.asarray(hits.distances, np.float32)

    def vectors(self, docids: Sequence[int]) -> NDArray[np.float32]:
        """The vectors of these papers in their order, shape (n, dimension).

        Raises:
            EngineError: the engine does not answer, or lacks one of them.
        """
        found: dict[int, NDArray[np.float32]] = {}
        distinct = sorted(set(docids))
        for start in range(0, len(distinct), _FETCHED):
            batch = distinct[start : start + _FETCHED]
            rows: Sequence[Row] = self.milvus.call(
                "query", self.name, f"{NUMBER} in {batch}", output_fields=[NUMBER, VECTOR], consistency_level=_SCANNED
            )
            found.update((row[NUMBER], _floats(row[VECTOR])) for row in rows)
        if missing := [docid for docid in distinct if docid not in found]:
            raise EngineError(
                f"{self.name} in {self.milvus.address.place} lacks the vectors of {len(missing):,} papers: "
                "build the index again"
            )
        return np.stack([found[docid] for docid in docids])


def _floats(value: Any) -> NDArray[np.float32]:
    """A vector as pymilvus gives it: a list of numbers, or the bytes of 16-bit ones in a list of their own."""
    if len(value) == 1 and isinstance(value[0], bytes):
        return np.frombuffer(value[0], np.float16).astype(np.float32)
    return np.asarray(value, np.float32)
