"""Another encoder for an index that is served: the lists of a fresh build, the old index until then, nothing twice."""

from pathlib import Path

import pytest
from living import IDS, HashEncoder, Model, assert_holds, assert_same_vectors, lists, paper_of, stop_after

import indexer.encoding
from common.errors import IndexDirectoryError, ModelError
from indexer.builds import build_index
from indexer.changes import add_papers, compact_index, reencode, remove_papers
from indexer.generations import open_generation, served_manifest
from indexer.layout import LAYOUT, LOCK, PARTIAL
from indexer.vector_choice import VectorOptions

PAPERS: Model = {id_: paper_of(id_, 0) for id_ in IDS}
TEXTS = len({paper.text for paper in PAPERS.values()})
CHUNK = 5


@pytest.fixture(autouse=True)
def small_chunks(hash_encoder: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer.encoding, "CHUNK", CHUNK)


@pytest.mark.long
@pytest.mark.parametrize("before", ["hash", None])
@pytest.mark.parametrize("asked", [VectorOptions(), VectorOptions("fp32", "hnsw")], ids=["as usual", "fp32 hnsw"])
def test_lists_are_those_of_a_fresh_build(tmp_path: Path, before: str | None, asked: VectorOptions) -> None:
    build_index(PAPERS.values(), tmp_path / "index", before, vectors=asked)
    manifest = reencode(tmp_path / "index", "other-hash")
    fresh = build_index(PAPERS.values(), tmp_path / "fresh", "other-hash", vectors=asked)
    assert_holds(tmp_path / "index", PAPERS)
    assert lists(tmp_path / "index") == lists(tmp_path / "fresh")
    ours, theirs = open_generation(tmp_path / "index"), open_generation(tmp_path / "fresh")
    assert_same_vectors(ours, theirs)
    assert set(manifest.files) == set(fresh.files)
    said = [(one.encoder, one.encoder_digest, one.dimension, one.papers_digest) for one in (manifest, fresh)]
    assert said[0] == said[1]


def test_what_was_added_and_removed_is_compacted_as_well(tmp_path: Path) -> None:
    build_index([PAPERS[id_] for id_ in IDS[5:]], tmp_path / "index", "hash")
    add_papers([PAPERS[id_] for id_ in IDS[:5]], tmp_path / "index")
    remove_papers(IDS[10:12], tmp_path / "index")
    left = {id_: paper for id_, paper in PAPERS.items() if id_ not in IDS[10:12]}
    assert reencode(tmp_path / "index", "other-hash").removed == 0
    build_index(left.values(), tmp_path / "fresh", "other-hash")
    assert_holds(tmp_path / "index", left)
    assert lists(tmp_path / "index") == lists(tmp_path / "fresh")


def test_without_its_encoder_nobody_knows_whether_a_query_map_is_of_use(tmp_path: Path, monkeypatch) -> None:
    model = tmp_path / "model"
    model.mkdir()
    monkeypatch.setattr(HashEncoder, "name", str(model))
    build_index(PAPERS.values(), tmp_path / "index", "hash")
    model.rmdir()
    with pytest.raises(ModelError, match=r"no model folder at .*re-encode"):
        compact_index(tmp_path / "index")
    assert_holds(tmp_path / "index", PAPERS)


def test_a_reader_keeps_the_old_vectors_and_the_rest_is_shared(tmp_path: Path) -> None:
    build_index(PAPERS.values(), tmp_path / "index", "hash")
    reader = open_generation(tmp_path / "index")
    vectors = reader.vectors().copy()
    reencode(tmp_path / "index", "other-hash")
    following = open_generation(tmp_path / "index")
    assert (reader.vectors() == vectors).all()
    reader.manifest.check(reader.folder, full=True)
    shared = {name for name in following.manifest.files if not name.startswith("dense/")}
    assert shared >= {LAYOUT.catalog, LAYOUT.years}
    for name in shared:
        assert (reader.folder / name).samefile(following.folder / name)
    reader.close()


def test_it_goes_on_where_it_was_stopped_though_papers_were_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index([PAPERS[id_] for id_ in IDS[1:]], tmp_path / "index", "hash")
    before = lists(tmp_path / "index")
    with monkeypatch.context() as patch:
        stop_after(2, patch)
        with pytest.raises(KeyboardInterrupt):
            reencode(tmp_path / "index", "other-hash")
    assert served_manifest(tmp_path / "index")[1].encoder == "hash"
    assert lists(tmp_path / "index") == before
    add_papers([PAPERS[IDS[0]]], tmp_path / "index")
    monkeypatch.setattr(HashEncoder, "encoded", 0)
    reencode(tmp_path / "index", "other-hash")
    assert HashEncoder.encoded == TEXTS - 2 * CHUNK
    assert not (tmp_path / "index" / PARTIAL).exists()
    build_index(PAPERS.values(), tmp_path / "fresh", "other-hash")
    assert lists(tmp_path / "index") == lists(tmp_path / "fresh")


def test_the_same_encoder_changes_nothing(tmp_path: Path) -> None:
    build_index(PAPERS.values(), tmp_path / "index", "hash")
    before, encoded = served_manifest(tmp_path / "index"), HashEncoder.encoded
    assert reencode(tmp_path / "index", "hash") == before[1]
    assert (served_manifest(tmp_path / "index"), HashEncoder.encoded) == (before, encoded)


def test_an_encoder_that_was_moved_has_its_new_name_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_index(PAPERS.values(), tmp_path / "index", "hash")
    before, encoded = lists(tmp_path / "index"), HashEncoder.encoded
    monkeypatch.setattr(HashEncoder, "name", "moved")
    reencode(tmp_path / "index", "moved")
    assert served_manifest(tmp_path / "index")[1].encoder == "moved"
    assert HashEncoder.encoded == encoded
    assert lists(tmp_path / "index") == before


def test_an_unknown_encoder_is_refused_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_index(PAPERS.values(), tmp_path / "index", "hash")
    (tmp_path / "index" / LOCK).unlink()
    monkeypatch.undo()
    with pytest.raises(ModelError, match="no model folder"):
        reencode(tmp_path / "index", "./no-such-model")
    assert not (tmp_path / "index" / LOCK).exists()
    with pytest.raises(IndexDirectoryError, match="no index directory"):
        reencode(tmp_path / "nowhere", "./no-such-model")
