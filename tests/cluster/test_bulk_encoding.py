"""`citescout encode` on two Ray nodes: nothing is lost, nothing comes twice, whatever dies."""

import re
import socket
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import orjson
import pytest
from command_line import run_program
from ray_cluster import (
    TwoNodes,
    encode,
    failure,
    finished,
    kill,
    part_files,
    rows,
    start,
    two_nodes,
    wait_until,
)

from citescout import Query, Recommender, Settings
from demo import CORPUS
from encoders.transformer import TextEncoder
from indexer.builds import build_index
from indexer.generations import open_generation
from indexer.readers import read_papers

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'citescout[ray]'"),
]
PART = 8  # papers
PAPERS = {paper.id: paper for paper in read_papers([str(CORPUS)], strict=True)}


@pytest.fixture(scope="module")
def nodes() -> Iterator[TwoNodes]:
    with two_nodes() as found:
        yield found


@pytest.fixture(scope="module")
def vectors(nodes: TwoNodes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo corpus, encoded on both nodes."""
    folder = tmp_path_factory.mktemp("bulk") / "vectors"
    said = encode(CORPUS, "--out", folder, "--cluster", nodes.address, "--part", PART)
    assert f"Encoded {len(PAPERS)} papers. " in said
    return folder


def assert_every_paper_once(folder: Path) -> None:
    assert sorted(id_ for id_, _ in rows(folder)) == sorted(PAPERS)
    assert orjson.loads((folder / "vectors.json").read_bytes())["papers"] == len(PAPERS)


def encoded_and_known(said: str) -> tuple[int, int]:
    found = re.search(r"Encoded ([0-9,]+) papers(?:; ([0-9,]+) were there already)?\.", said)
    assert found, said
    return tuple(int((group or "0").replace(",", "")) for group in found.groups())  # type: ignore[return-value]


def test_vectors_are_those_of_the_encoder(vectors: Path) -> None:
    assert_every_paper_once(vectors)
    expected = TextEncoder.load("minilm", "torch").encode([paper.text for paper in PAPERS.values()])
    found = dict(rows(vectors))
    cosines = [found[id_] @ vector for id_, vector in zip(PAPERS, expected, strict=True)]
    assert min(cosines) >= 0.9999
    assert len(part_files(vectors)) == -(-len(PAPERS) // PART)


def test_an_index_of_them_answers_as_one_that_encoded(
    vectors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(PAPERS.values(), tmp_path / "ordinary")
    encode_texts = TextEncoder.encode
    monkeypatch.setattr(TextEncoder, "encode", lambda *_: pytest.fail("a text was encoded again"))
    build_index(PAPERS.values(), tmp_path / "bulk", vectors_from=vectors)
    monkeypatch.setattr(TextEncoder, "encode", encode_texts)
    ordinary, bulk = open_generation(tmp_path / "ordinary"), open_generation(tmp_path / "bulk")
    assert (np.abs(ordinary.vectors().astype(float) - bulk.vectors()) <= 0.01).all()
    queries = [Query("Dense retrieval", "Passages and queries as vectors."), Query("Citation graphs", year=2015)]
    for query in queries:
        lists = []
        for name in ("ordinary", "bulk"):
            recommender = Recommender.open(tmp_path / name)
            lists.append([entry.paper.id for entry in recommender.recommend(query, Settings(k=20))])
            recommender.close()
        assert lists[0] == lists[1]


def test_what_is_there_is_not_encoded_again(nodes: TwoNodes, vectors: Path) -> None:
    part = part_files(vectors)[3]
    lost = len(rows(vectors))
    part.unlink()
    lost -= len(rows(vectors))
    before = {path.name for path in part_files(vectors)}
    said = encode(CORPUS, "--out", vectors, "--cluster", nodes.address, "--part", PART)
    assert encoded_and_known(said) == (lost, len(PAPERS) - lost)
    assert before < {path.name for path in part_files(vectors)}
    assert_every_paper_once(vectors)


def test_a_node_that_is_killed_loses_and_doubles_nothing(tmp_path: Path) -> None:
    with two_nodes() as nodes:
        process = start(CORPUS, "--out", tmp_path / "vectors", "--cluster", nodes.address, "--part", PART)
        wait_until(lambda: len(part_files(tmp_path / "vectors")) >= 6, process)
        assert nodes.encoders(nodes.worker_raylet), "the node that is killed encodes nothing"
        kill(nodes.worker_raylet)
        assert process.poll() is None
        assert f"Encoded {len(PAPERS)} papers" in finished(process)
    assert_every_paper_once(tmp_path / "vectors")


def test_a_driver_that_is_killed_is_gone_on_with(nodes: TwoNodes, tmp_path: Path) -> None:
    folder = tmp_path / "vectors"
    process = start(CORPUS, "--out", folder, "--cluster", nodes.address, "--part", PART)
    wait_until(lambda: len(part_files(folder)) >= 6, process)
    process.kill()
    process.wait()
    wait_until(lambda: not nodes.encoders())
    there = len(rows(folder))
    assert 6 * PART <= there < len(PAPERS)
    assert orjson.loads((folder / "vectors.json").read_bytes())["complete"] is False
    said = encode(CORPUS, "--out", folder, "--cluster", nodes.address, "--part", PART)
    assert encoded_and_known(said) == (len(PAPERS) - there, there)
    assert_every_paper_once(folder)


def test_no_cluster_is_needed(tmp_path: Path, tiny_bert: Path) -> None:
    """Folders with files in two formats, one of no use, and a broken record; a model of one's own."""
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "a.jsonl").write_text('{"id":"a","title":"Neural ranking"}\nnot json\n')
    (sources / "b.bib").write_text("@article{b, title={Citation graphs}}")
    (sources / "c.txt").write_text("nothing that is known")
    process = start(sources, "--out", tmp_path / "vectors", "--encoder", tiny_bert)
    out, err = process.communicate(timeout=240)
    assert "Encoded 2 papers. " in out, err
    assert "2 papers read, 1 record skipped, 1 file skipped" in err
    assert "line 2" in err
    assert sorted(id_ for id_, _ in rows(tmp_path / "vectors")) == ["a", "b"]


def test_a_broken_record_stops_a_strict_run(nodes: TwoNodes, tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text('{"id":"a","title":"Neural ranking"}\nnot json\n')
    said = failure(source, "--out", tmp_path / "vectors", "--strict", "--cluster", nodes.address)
    assert said.startswith(f"Error: {source}: line 2: no valid JSON")
    assert "UDF" not in said


def test_no_papers(nodes: TwoNodes, tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text('{"id":"a","abstract":""}\n')
    said = failure(source, "--out", tmp_path / "vectors", "--format", "jsonl", "--cluster", nodes.address)
    assert "no paper to encode" in said


def test_vectors_of_another_encoder(nodes: TwoNodes, vectors: Path, tiny_bert: Path) -> None:
    said = failure(CORPUS, "--out", vectors, "--encoder", tiny_bert, "--cluster", nodes.address)
    assert "were made by the encoder 'minilm'" in said


def test_a_damaged_part(nodes: TwoNodes, vectors: Path, tmp_path: Path) -> None:
    folder = tmp_path / "vectors"
    (folder / "parts").mkdir(parents=True)
    (folder / "vectors.json").write_bytes((vectors / "vectors.json").read_bytes())
    part = part_files(vectors)[0]
    (folder / "parts" / part.name).write_bytes(part.read_bytes()[:-100])
    said = failure(CORPUS, "--out", folder, "--cluster", nodes.address)
    assert part.name in said
    assert "is damaged" in said


def test_nothing_at_the_address(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    said = failure(CORPUS, "--out", tmp_path / "vectors", "--cluster", address)
    assert f"no Ray cluster answers at {address}" in said
    assert "is not an address" in failure(CORPUS, "--out", tmp_path / "vectors", "--cluster", "ray://nowhere")


def test_something_else_at_the_address(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            while True:
                try:
                    server.accept()[0].close()
                except OSError:
                    return

        threading.Thread(target=hang_up, daemon=True).start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        command = (CORPUS, "--out", tmp_path / "vectors", "--cluster")
        assert f"cannot use the Ray cluster at {address}" in failure(*command, address)


def test_without_ray_the_command_says_what_to_install(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['ray'] = None; from cli.main import main; main()"
    done = run_program(hidden, "encode", CORPUS, "--out", tmp_path / "vectors")
    assert (done.code, done.err) == (1, "Error: encoding in bulk needs Ray: pip install 'citescout[ray]'\n")
