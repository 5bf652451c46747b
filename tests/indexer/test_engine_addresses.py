"""Engine addresses: what is read is what is written, and what is wrong is said in one line."""

from pathlib import Path

import pytest

from common.errors import EngineError
from encoders.text import Text
from indexer.engines.address import EngineAddress
from indexer.engines.english import TEXT_BYTES, stored_text, terms
from retrieval.bm25 import Bm25


@pytest.mark.parametrize(
    "text",
    [
        "milvus://localhost:19530/papers",
        "milvus://10.0.0.1:1/p?index=ivf_flat&nlist=7",
        "milvus://[::1]:19530/papers?bm25=lucene&tls=true",
        "milvus://h:19530/p?k1=1.2&b=0.75&shards=2&timeout=5&ef=99",
        "milvus-lite:papers.db",
        "milvus-lite:/tmp/papers.db?collection=mine&index=IVF_FLAT&nprobe=3",
    ],
)
def test_an_address_is_read_from_what_it_writes(text: str) -> None:
    address = EngineAddress.parsed(text)
    assert EngineAddress.parsed(str(address)) == address


def test_the_parts_of_an_address() -> None:
    address = EngineAddress.parsed("milvus://h:19530/p?index=hnsw&M=8&ef=50&k1=0.9&b=0.4")
    assert (address.embedded, address.target, address.collection) == (False, "h:19530", "p")
    assert address.build_parameters() == {"M": 8, "efConstruction": 200}
    assert address.search_parameters(10) == {"ef": 50}
    assert address.search_parameters(1000) == {"ef": 1000}  # Milvus refuses fewer than hits
    assert (address.k1, address.b) == (0.9, 0.4)


def test_a_relative_file_is_the_one_of_this_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert EngineAddress.parsed("milvus-lite:a.db").target == str(tmp_path / "a.db")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("elastic://h:1/p", "is not an engine"),
        ("milvus-lite:", "is not an engine"),
        ("milvus://h/p", "HOST:PORT"),
        ("milvus://h:1", "names no collection"),
        ("milvus://h:1/a-b", "names no collection"),
        ("milvus-lite:a b.db", "Milvus Lite's file"),
        ("milvus-lite:" + "a" * 40, "Milvus Lite's file"),
        ("milvus-lite:a.db?index=HNSW", "FLAT, IVF_FLAT, AUTOINDEX"),
        ("milvus://h:1/p?index=LSH", "HNSW"),
        ("milvus://h:1/p?index=HNSW&nlist=3", "'nlist' is not an option"),
        ("milvus://h:1/p?k1=-1", "k1=-1"),
        ("milvus://h:1/p?b=nan", "b=nan"),
        ("milvus://h:1/p?shards=1.5", "whole number"),
        ("milvus://h:1/p?bm25=bleve", "milvus or lucene"),
        ("milvus://h:1/p?tls=yes", "true or false"),
    ],
)
def test_what_is_wrong_with_an_address_is_said(text: str, says: str) -> None:
    with pytest.raises(EngineError, match=says) as raised:
        EngineAddress.parsed(text)
    assert "\n" not in str(raised.value)


def test_an_engine_scores_as_a_local_index_unless_it_is_reported_otherwise() -> None:
    address = EngineAddress.parsed("milvus://h:1/p")
    assert (address.k1, address.b) == Bm25.parameters


def test_texts_are_cut_between_characters() -> None:
    text, cut = stored_text(Text("é" * 30_000, "é" * 30_000))
    assert cut
    assert len(text.encode()) <= TEXT_BYTES < len(text.encode()) + 2
    assert set(text) == {"é", "\n"}
    assert stored_text(Text("A title", "An abstract")) == ("A title\nAn abstract", False)


def test_words_end_where_letters_and_digits_do() -> None:
    pytest.importorskip("snowballstemmer", reason="the extra milvus is not installed")
    assert terms("The user's networks don't cost 3.5 क्षि!") == ["user", "network", "don", "cost", "3", "5", "क", "षि"]
