"""Builds into Milvus Lite: killed ones are taken up, new ones replace old ones, and what can be kept there."""

import json
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command_line import run_alone
from milvus_tools import PAPERS, ROOT, Counting, collections, opened, use

from citescout.recommender import Recommender
from citescout.settings import Settings
from common.errors import EngineError, IndexDirectoryError, QueryError
from indexer.bm25_parameters import PYSERINI
from indexer.builds import build_index
from indexer.changes import add_papers, compact_index, remove_papers
from indexer.engines import milvus_collection
from indexer.engines.builds import build_on_engine
from indexer.engines.milvus_collection import Collection
from indexer.engines.milvus_connection import Milvus
from indexer.generations import served_manifest
from indexer.paper import Paper
from retrieval.query import Query

pytestmark = pytest.mark.cluster


def test_a_killed_ingest_is_taken_up_where_it_was(
    engine: str, tmp_path: Path, encoder: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying = Counting(dies_at=50)
    use(monkeypatch, dying)
    with pytest.raises(KeyboardInterrupt):
        build_on_engine(PAPERS, tmp_path / "index", engine)
    with pytest.raises(IndexDirectoryError):
        served_manifest(tmp_path / "index")
    assert len(dying.encoded) == 48
    use(monkeypatch, encoder)
    build_on_engine(PAPERS, tmp_path / "index", engine)
    assert sorted(dying.encoded + encoder.encoded) == sorted(paper.title for paper in PAPERS)
    assert len(collections(engine)) == 1
    recommender = opened(tmp_path / "index")
    assert {entry.paper.id for entry in recommender.recommend(Query("topic3"), Settings(k=100))} == {
        paper.id for paper in PAPERS
    }
    recommender.close()


def test_a_process_that_is_killed_leaves_what_can_be_taken_up(engine: str, tmp_path: Path, encoder: Counting) -> None:
    code = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from milvus_tools import PAPERS, Counting
from indexer.engines import builds as engine_builds
from indexer.engines import milvus_ingest

class Dying(Counting):
    def encode(self, texts):
        if len(self.encoded) >= 48:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().encode(texts)

engine_builds.load_encoder = lambda name: Dying()
milvus_ingest.BATCH = 16
engine_builds.build_on_engine(PAPERS, Path(sys.argv[2]), sys.argv[3])
"""
    arguments = [str(Path(__file__).parent), str(tmp_path / "index"), engine]
    done = subprocess.run([sys.executable, "-c", code, *arguments], cwd=ROOT, check=False, timeout=120)  # noqa: S603
    assert done.returncode == -signal.SIGKILL
    build_on_engine(PAPERS, tmp_path / "index", engine)
    assert len(encoder.encoded) == 52
    opened(tmp_path / "index").close()


def test_rows_that_came_twice_are_made_one(engine: str, tmp_path: Path, encoder: Counting, milvus: Milvus) -> None:
    manifest = build_on_engine(PAPERS, tmp_path / "index", engine)
    assert manifest.engine
    collection = Collection(milvus, manifest.engine.collection)
    (row,) = milvus.call("query", collection.name, "number == 5", output_fields=["number", "year", "text", "vector"])
    milvus.call("insert", collection.name, [{**row, "vector": np.frombuffer(row["vector"][0], np.float16)}])
    assert collection.count() == 101
    with pytest.raises(EngineError, match="holds 101 of 100 papers"):
        opened(tmp_path / "index")
    build_on_engine(PAPERS, tmp_path / "index", engine)
    assert collection.count() == 100
    assert len(encoder.encoded) == 116  # the batch of that row


def test_a_build_that_changes_nothing_writes_nothing(engine: str, tmp_path: Path, encoder: Counting) -> None:
    first = build_on_engine(PAPERS, tmp_path / "index", engine)
    second = build_on_engine(reversed(PAPERS), tmp_path / "index", engine)
    assert first.engine == second.engine
    assert len(encoder.encoded) == 100


def test_the_old_index_answers_until_the_new_one_is_there(
    engine: str, tmp_path: Path, encoder: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "index"
    old = build_on_engine(PAPERS, directory, engine)
    changed = [replace(PAPERS[0], title="Another title"), *PAPERS[1:]]
    use(monkeypatch, Counting(dies_at=50))
    with pytest.raises(KeyboardInterrupt):
        build_on_engine(changed, directory, engine)
    recommender = opened(directory)
    assert recommender.recommend(Query("topic3"))
    use(monkeypatch, Counting())
    new = build_on_engine(changed, directory, engine)
    assert recommender.recommend(Query("topic3"))  # a reader keeps the generation that it opened
    assert new.engine and old.engine
    assert set(collections(engine)) == {old.engine.collection, new.engine.collection}
    recommender.close()
    again = [replace(PAPERS[0], title="A third title"), *PAPERS[1:]]
    use(monkeypatch, Counting())
    last = build_on_engine(again, directory, engine)
    assert last.engine
    assert collections(engine) == [last.engine.collection]


def test_indexes_of_other_directories_are_left_alone(engine: str, tmp_path: Path, encoder: Counting) -> None:
    build_on_engine(PAPERS, tmp_path / "one", engine)
    build_on_engine(PAPERS[:50], tmp_path / "two", engine)
    build_on_engine(PAPERS[:40], tmp_path / "two", engine)
    assert len(collections(engine)) == 2
    opened(tmp_path / "one").close()


def test_changes_are_refused(engine: str, tmp_path: Path, encoder: Counting) -> None:
    build_on_engine(PAPERS, tmp_path / "index", engine)
    for change in (
        lambda: add_papers([Paper("new", "New")], tmp_path / "index"),
        lambda: remove_papers(["p001"], tmp_path / "index"),
        lambda: compact_index(tmp_path / "index"),
    ):
        with pytest.raises(EngineError, match="run `citescout index` with --engine on all papers"):
            change()


def test_bm25_parameters_are_those_of_the_build(engine: str, tmp_path: Path, encoder: Counting) -> None:
    build_on_engine(PAPERS, tmp_path / "index", f"{engine}?k1=1.2&b=0.5")
    recommender = opened(tmp_path / "index")
    assert recommender._first_stage.bm25.parameters == (1.2, 0.5)
    assert recommender.recommend(Query("topic3"))
    with pytest.raises(QueryError, match=r"k1 1\.2 and b 0\.5"):
        recommender.recommend(Query("topic3"), Settings(bm25=PYSERINI))
    recommender.close()


def test_long_texts_are_cut_and_counted(engine: str, tmp_path: Path, encoder: Counting) -> None:
    long = [replace(PAPERS[0], abstract="unending " * 9000 + "finally"), *PAPERS[1:]]
    manifest = build_on_engine(long, tmp_path / "index", engine)
    assert manifest.engine
    assert manifest.engine.shortened == 1
    recommender = opened(tmp_path / "index")
    bm25 = recommender._first_stage.bm25
    assert bm25.search({"unend": 1.0}, 5).docids.tolist() == [0]
    assert len(bm25.search({"final": 1.0}, 5)) == 0
    recommender.close()


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("fp16", "?bm25=lucene"),
        ("fp32", ""),
        ("fp32", "?index=IVF_FLAT&nlist=4&nprobe=4"),
        ("fp32", "?index=AUTOINDEX"),
    ],
)
def test_other_ways_to_keep_it(engine: str, tmp_path: Path, encoder: Counting, options: str, kind: str) -> None:
    build_on_engine(PAPERS, tmp_path / "index", engine + options, kind=kind)
    recommender = opened(tmp_path / "index")
    assert (recommender._first_stage.bm25.adjustable) == ("lucene" in options)
    query = Query("Words about topic3", year=2010)
    found = recommender.recommend(query, Settings(sources=("dense",), k=100, blend=False))
    vectors = encoder.encode([Query(paper.title, paper.abstract).text for paper in PAPERS])
    expected = vectors @ encoder.encode_queries([query.text])[0]
    allowed = [number for number, paper in enumerate(PAPERS) if paper.year and paper.year <= 2010]
    best = sorted(allowed, key=lambda number: -expected[number])
    assert {entry.paper.id for entry in found} == {PAPERS[number].id for number in allowed}
    assert found[0].paper.id == PAPERS[best[0]].id
    recommender.close()


def test_16_bit_vectors_are_only_scanned(engine: str, tmp_path: Path, encoder: Counting) -> None:
    with pytest.raises(EngineError, match="--vectors fp32 goes with IVF_FLAT"):
        build_on_engine(PAPERS, tmp_path / "index", f"{engine}?index=IVF_FLAT")


def test_an_index_that_was_not_made_yet_is_made(
    engine: str, tmp_path: Path, encoder: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(milvus_collection, "_index", killed)
        with pytest.raises(KeyboardInterrupt):
            build_on_engine(PAPERS, tmp_path / "index", engine)
    build_on_engine(PAPERS, tmp_path / "index", engine)
    opened(tmp_path / "index").close()


def test_without_an_encoder_there_are_texts_alone(engine: str, tmp_path: Path, encoder: Counting) -> None:
    build_on_engine(PAPERS, tmp_path / "index", engine, None)
    recommender = Recommender.open(tmp_path / "index")
    found = recommender.recommend(Query("topic3"))
    assert {entry.paper.abstract for entry in found} == {"Words about topic3."}
    recommender.close()
    with pytest.raises(EngineError, match="nothing that the engine would hold"):
        build_on_engine(PAPERS, tmp_path / "index", f"{engine}?bm25=lucene", None)


def test_hits_beyond_the_limit_are_refused_not_left_out(engine: str, tmp_path: Path, encoder: Counting) -> None:
    build_on_engine(PAPERS, tmp_path / "index", engine)
    recommender = opened(tmp_path / "index")
    with pytest.raises(EngineError, match="at most 16,384 hits"):
        recommender._first_stage.bm25.search({"topic3": 1.0}, 20_000)
    assert len(recommender._first_stage.bm25.search({"paper": 1.0}, 16_384)) == 100
    recommender.close()


def test_a_directory_goes_back_to_files(engine: str, tmp_path: Path, encoder: Counting) -> None:
    build_on_engine(PAPERS, tmp_path / "index", engine, None)
    manifest = build_index(PAPERS, tmp_path / "index", None)
    assert manifest.engine is None
    recommender = Recommender.open(tmp_path / "index")
    assert recommender.recommend(Query("topic3"))
    recommender.close()


def test_the_command_line(engine: str, tmp_path: Path) -> None:
    papers = tmp_path / "papers.jsonl"
    rows = [{"id": one.id, "title": one.title, "abstract": one.abstract, "year": one.year} for one in PAPERS]
    papers.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    queries = tmp_path / "queries.jsonl"
    queries.write_text(json.dumps({"id": "q", "title": "topic3 topic4", "year": 2012}), encoding="utf-8")
    index = str(tmp_path / "index")
    made = run_alone("index", str(papers), "--index", index, "--engine", engine)
    assert made.code == 0
    assert made.err.startswith("No paper cites another one here")
    assert "Indexed 100 papers" in made.out
    info = json.loads(run_alone("info", "--index", index, "--json").out)
    assert info["engine"].startswith(engine) and info["collection"].startswith("papers_")
    assert info["vectors"] == "fp16"
    found = run_alone("recommend", str(queries), "--index", index, "--format", "jsonl", "-k", "5")
    assert (found.code, found.err) == (0, "")
    assert len(found.out.splitlines()) >= 1
    resolved = run_alone("resolve", str(papers), "--index", index)
    assert resolved.code == 0 and "100 of 100 found" in resolved.err
    wrong = run_alone("add", papers, "--index", index)
    assert wrong.code == 1 and wrong.err.startswith("Error: ") and wrong.err.count("\n") == 1
    shutil.rmtree(tmp_path / "index")
    wrong = run_alone("index", str(papers), "--index", index, "--engine", engine, "--search", "hnsw")
    assert wrong.code == 2 and "its address says how they are searched" in wrong.err
    wrong = run_alone("index", papers, "--index", index, "--engine", "milvus://127.0.0.1:1/p?timeout=1")
    assert wrong.code == 1 and wrong.err.startswith("Error: cannot reach") and wrong.err.count("\n") == 1
