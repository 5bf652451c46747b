"""Milvus, or what it holds, is not as it should be: one line says so, and no answer lacks a part."""

import os
import signal
from pathlib import Path

import pytest
from command_line import printed_by
from milvus_tools import PAPERS, Counting, opened

from common.errors import EngineError
from indexer.engines import milvus_lite_process
from indexer.engines.address import EngineAddress
from indexer.engines.builds import build_on_engine
from indexer.engines.milvus_collection import Collection
from indexer.engines.milvus_connection import Milvus, _version
from retrieval.query import Query

pytestmark = pytest.mark.cluster


def test_lost_papers_are_named(engine: str, tmp_path: Path, encoder: Counting, milvus: Milvus) -> None:
    manifest = build_on_engine(PAPERS, tmp_path / "index", engine)
    assert manifest.engine
    milvus.call("delete", manifest.engine.collection, filter="number in [3, 4]")
    with pytest.raises(EngineError, match="holds 98 of 100 papers") as raised:
        opened(tmp_path / "index")
    assert "\n" not in str(raised.value)


def test_a_missing_collection_is_named(engine: str, tmp_path: Path, encoder: Counting, milvus: Milvus) -> None:
    manifest = build_on_engine(PAPERS, tmp_path / "index", engine)
    assert manifest.engine
    recommender = opened(tmp_path / "index")
    milvus.call("drop_collection", manifest.engine.collection)
    with pytest.raises(EngineError, match="build the index again"):
        recommender.recommend(Query("topic3"))
    with pytest.raises(EngineError, match=f"has no collection {manifest.engine.collection}"):
        opened(tmp_path / "index")
    recommender.close()


def test_vectors_of_another_dimension_are_named(
    engine: str, tmp_path: Path, encoder: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = build_on_engine(PAPERS, tmp_path / "index", engine)
    assert manifest.engine
    with pytest.raises(EngineError, match="have 8 dimensions, those of the index 9"):
        Collection.opened(EngineAddress.parsed(engine), manifest.engine.collection, 100, 9)
    monkeypatch.setattr(Counting, "dimension", 9)
    with pytest.raises(Exception, match="makes vectors of 9 dimensions, the index holds 8"):
        opened(tmp_path / "index")


def test_a_lost_connection_is_one_line_and_a_new_one_answers(lite: str, tmp_path: Path, encoder: Counting) -> None:
    engine = f"milvus-lite:{tmp_path / 'lost.db'}?timeout=2"
    build_on_engine(PAPERS, tmp_path / "index", engine)
    recommender = opened(tmp_path / "index")
    before = [entry.paper.id for entry in recommender.recommend(Query("topic3"))]
    server = milvus_lite_process._manager()._servers[str(tmp_path / "lost.db")]
    os.kill(server._p.pid, signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(EngineError, match="lost the connection") as raised:
            recommender.recommend(Query("topic3"))
        assert "\n" not in str(raised.value)
    recommender.close()
    recommender = opened(tmp_path / "index")
    assert [entry.paper.id for entry in recommender.recommend(Query("topic3"))] == before
    recommender.close()


def test_nobody_answers(lite: str, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"cannot reach Milvus at 127\.0\.0\.1:1") as raised:
        build_on_engine(PAPERS, tmp_path / "index", "milvus://127.0.0.1:1/p?timeout=1", None)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "index").exists()


def test_a_file_that_another_process_has_open(engine: str, encoder: Counting, milvus: Milvus) -> None:
    code = (
        "import sys; from indexer.engines.address import EngineAddress; from common.errors import EngineError\n"
        "from indexer.engines.milvus_connection import Milvus\n"
        "try: Milvus(EngineAddress.parsed(sys.argv[1]))\n"
        "except EngineError as error: print(error)"
    )
    assert "another process has it open" in printed_by(code, engine)


def test_the_emulator_is_refused(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(milvus_lite_process.metadata, "version", lambda name: "3.0.1")
    with pytest.raises(EngineError, match=r"install milvus-lite==2\.5\.1"):
        Milvus(EngineAddress.parsed(engine))


@pytest.mark.parametrize(
    ("version", "address", "says"),
    [
        ("v2.2.9", "milvus://h:1/p", "too old"),
        ("2.4.1-dev", "milvus://h:1/p", "no full-text search"),
        ("2.4.1-dev", "milvus://h:1/p?bm25=lucene", None),
        ("v2.5.0", "milvus://h:1/p", None),
    ],
)
def test_servers_that_are_too_old(version: str, address: str, says: str | None) -> None:
    # A connection without a server behind it: what it would say of itself is given.
    connection = object.__new__(Milvus)
    connection.address, connection.version = EngineAddress.parsed(address), _version(version)
    if says is None:
        connection._check_version()
    else:
        with pytest.raises(EngineError, match=says):
            connection._check_version()
