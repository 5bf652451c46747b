"""Papers come, change and go: after a compaction the index is the one of a fresh build, before it no ghost is seen."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from living import (
    IDS,
    Model,
    assert_holds,
    assert_same_vectors,
    edges_of,
    lists,
    paper_of,
    recommended,
    use_hash_encoder,
)

from citescout import Query, Recommender
from common.errors import EmptyIndexError, IndexDirectoryError, ModelError, UnknownPapersError
from common.files import sha256
from encoders.transformer import TextEncoder
from indexer.builds import build_index
from indexer.changes import add_papers, compact_index, remove_papers
from indexer.generations import open_generation, served_manifest
from indexer.layout import LAYOUT, data_files
from indexer.paper import Paper
from indexer.structures import ivfpq
from indexer.vector_choice import VectorOptions

operations = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.dictionaries(st.sampled_from(IDS), st.integers(0, 5), min_size=1, max_size=8)),
        st.tuples(st.just("remove"), st.sets(st.sampled_from(IDS), min_size=1, max_size=6)),
        st.tuples(st.just("compact"), st.none()),
    ),
    min_size=1,
    max_size=7,
)


def apply(directory: Path, papers: Model, operation: str, argument: object) -> None:
    """One operation on the index and on the model of it."""
    if operation == "add":
        added = [paper_of(id_, variant) for id_, variant in argument.items()]  # type: ignore[attr-defined]
        add_papers(added, directory)
        papers.update((paper.id, paper) for paper in added)
    elif operation == "remove":
        gone = sorted(set(papers) & argument)[: len(papers) - 1]  # type: ignore[operator]
        remove_papers(gone, directory)
        for id_ in gone:
            del papers[id_]
    else:
        compact_index(directory)


def assert_sequence_compacts_to_a_fresh_build(
    directory: Path, encoder: str | None, vectors: VectorOptions, start: set[str], sequence: list
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TextEncoder, "load", use_hash_encoder)
        patch.setattr(ivfpq, "_BITS", 2)  # what 24 papers can train
        patch.setattr(ivfpq, "_CENTROIDS", 4)
        patch.setattr(ivfpq.IvfPq, "minimum", 8)
        papers = {id_: paper_of(id_, 0) for id_ in start}
        build_index(papers.values(), directory, encoder, vectors=vectors)
        for operation, argument in sequence:
            apply(directory, papers, operation, argument)
            assert_holds(directory, papers)
            assert recommended(directory) <= set(papers)
        compact_index(directory)
        assert_holds(directory, papers)
        manifest = served_manifest(directory)[1]
        assert vectors.kind in {manifest.vectors, None}
        fresh = directory.with_name("fresh")
        again = build_index(papers.values(), fresh, encoder, vectors=VectorOptions(vectors.kind, manifest.search))
        assert (again.vectors, again.eight_bits) == (manifest.vectors, manifest.eight_bits)
        assert lists(directory) == lists(fresh)


@pytest.mark.long
@pytest.mark.parametrize("encoder", [None, "hash"])
@settings(max_examples=10)
@given(start=st.sets(st.sampled_from(IDS), min_size=1), sequence=operations)
def test_any_sequence_is_a_plain_dict_and_compacts_to_a_fresh_build(
    tmp_path_factory: pytest.TempPathFactory, encoder: str | None, start: set[str], sequence: list
) -> None:
    directory = tmp_path_factory.mktemp("living") / "index"
    assert_sequence_compacts_to_a_fresh_build(directory, encoder, VectorOptions(), start, sequence)


@pytest.mark.long
@pytest.mark.parametrize(
    "kept", [("fp16", "flat"), ("fp32", "flat"), ("sq8", "hnsw"), ("fp32", "hnsw"), ("sq8", "ivfpq")]
)
@settings(max_examples=3)
@given(start=st.sets(st.sampled_from(IDS), min_size=8), sequence=operations)
def test_so_it_is_with_every_kind_of_vectors(
    tmp_path_factory: pytest.TempPathFactory, kept: tuple[str, str], start: set[str], sequence: list
) -> None:
    directory = tmp_path_factory.mktemp("living") / "index"
    assert_sequence_compacts_to_a_fresh_build(directory, "hash", VectorOptions(*kept), start, sequence)


def test_a_structure_that_too_few_papers_are_left_for_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TextEncoder, "load", use_hash_encoder)
    monkeypatch.setattr(ivfpq, "_BITS", 2)
    monkeypatch.setattr(ivfpq, "_CENTROIDS", 4)
    monkeypatch.setattr(ivfpq.IvfPq, "minimum", 15)
    build_index(start().values(), tmp_path / "index", "hash", vectors=VectorOptions("sq8", "ivfpq"))
    assert remove_papers(IDS[:10], tmp_path / "index").search == "ivfpq"
    assert compact_index(tmp_path / "index").search == "flat"
    assert_holds(tmp_path / "index", {id_: paper for id_, paper in start().items() if id_ not in IDS[:10]})


def test_vectors_of_a_real_encoder_are_those_of_a_fresh_build_after_a_compaction(
    tmp_path: Path, tiny_bert: Path
) -> None:
    papers = list(start().values())
    build_index(papers[::2], tmp_path / "living", str(tiny_bert))
    for paper in papers[1::2]:
        add_papers([paper], tmp_path / "living")
    compact_index(tmp_path / "living")
    build_index(papers, tmp_path / "fresh", str(tiny_bert))
    living, fresh = open_generation(tmp_path / "living"), open_generation(tmp_path / "fresh")
    assert_same_vectors(living, fresh)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    build_index(start().values(), tmp_path / "index", None)
    return tmp_path / "index"


def start() -> Model:
    return {id_: paper_of(id_, 0) for id_ in IDS[:20]}


def files_of(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): sha256(path) for path in data_files(folder)}


def test_removed_papers_are_neither_found_nor_seeds_nor_queries(directory: Path) -> None:
    gone = ["p03", "p05", "p07"]
    remove_papers(gone, directory)
    recommender = Recommender.open(directory)
    without = Query("neural citation ranking", "a walk of the graph")
    named = Query(without.title, without.abstract, id="p05", already_cited=("p03", "p07"))
    assert [entry.paper.id for entry in recommender.recommend(named)] == [
        entry.paper.id for entry in recommender.recommend(without)
    ]
    assert recommended(directory).isdisjoint(gone)
    assert [recommender.docid_of(id_) for id_ in gone] == [None] * 3
    recommender.close()


def test_a_reference_to_a_paper_that_comes_later_becomes_a_citation(directory: Path) -> None:
    before = served_manifest(directory)[1].citations
    add_papers([Paper("nowhere", "it exists after all")], directory)
    papers = start() | {"nowhere": Paper("nowhere", "it exists after all")}
    assert served_manifest(directory)[1].citations == len(edges_of(papers)) > before
    assert_holds(directory, papers)


def test_unchanged_papers_cost_nothing_and_metadata_keep_their_number(directory: Path) -> None:
    name, manifest = served_manifest(directory)
    change = add_papers(list(start().values()), directory)
    assert (change.papers.unchanged, change.papers.added, served_manifest(directory)) == (20, 0, (name, manifest))
    same_text, other_text = paper_of("p01", 1), paper_of("p02", 2)
    change = add_papers([same_text, other_text, other_text], directory)
    assert (change.papers.updated, change.papers.replaced) == (1, 1)
    assert (change.manifest.papers, change.manifest.removed) == (20, 1)
    assert_holds(directory, start() | {"p01": same_text, "p02": other_text})


def test_a_change_leaves_the_files_of_the_generation_before_as_they_were(directory: Path) -> None:
    reader = open_generation(directory)
    before = files_of(reader.folder)
    for step in range(12):  # Lucene merges segments every ten
        add_papers([Paper(f"new{step}", "graph search"), paper_of("p01", 2 * step)], directory)
        remove_papers([f"new{step}"], directory)
    compact_index(directory)
    assert files_of(reader.folder) == before
    reader.manifest.check(reader.folder, full=True)
    reader.close()


def test_files_that_did_not_change_are_shared(directory: Path) -> None:
    reader = open_generation(directory)
    remove_papers(["p01"], directory)
    following = open_generation(directory)
    for name in (LAYOUT.bm25_docids, *(n for n in reader.manifest.files if n.startswith(LAYOUT.bm25))):
        assert (reader.folder / name).samefile(following.folder / name)
    reader.close()
    following.close()


def test_files_are_copied_where_links_cannot_be_made(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    remove_papers(["p01"], directory)
    add_papers([paper_of("p22", 0)], directory)
    papers = start() | {"p22": paper_of("p22", 0)}
    del papers["p01"]
    assert_holds(directory, papers)


def test_damage_of_a_shared_file_is_not_passed_on(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.manifest._CHECK_FULLY_BYTES", 0)  # as in a large index
    name, manifest = served_manifest(directory)
    file = directory / name / next(n for n in manifest.files if n.startswith("bm25/") and n.endswith((".cfs", ".doc")))
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    for change in (lambda: remove_papers(["p01"], directory), lambda: compact_index(directory)):
        with pytest.raises(IndexDirectoryError, match="damaged"):
            change()
    assert served_manifest(directory) == (name, manifest)


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (["p01", "unknown"], r"1 of 2 ids is not in .* \(unknown\): nothing was removed"),
        (["unknown", "p01", "", "p02"], r"2 of 4 ids are not in .* \(unknown, \): nothing was removed"),
        (["\0"], r"1 of 1 id is not in .*: nothing was removed"),
    ],
)
def test_an_unknown_id_is_named_and_nothing_is_removed(directory: Path, ids: Iterable[str], said: str) -> None:
    before = served_manifest(directory)
    with pytest.raises(UnknownPapersError, match=said):
        remove_papers(ids, directory)
    assert served_manifest(directory) == before
    assert_holds(directory, start())


def test_the_last_paper_cannot_be_removed(directory: Path) -> None:
    with pytest.raises(EmptyIndexError):
        remove_papers(start(), directory)
    with pytest.raises(EmptyIndexError):
        add_papers([], directory)
    assert_holds(directory, start())


def test_changes_need_an_index(tmp_path: Path) -> None:
    for change in (
        lambda: add_papers([Paper("a", "a")], tmp_path / "none"),
        lambda: remove_papers(["a"], tmp_path / "none"),
        lambda: compact_index(tmp_path / "none"),
    ):
        with pytest.raises(IndexDirectoryError, match="no index directory"):
            change()
    assert list(tmp_path.iterdir()) == []


def test_another_model_under_the_same_name_is_refused(
    tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(start().values(), tmp_path / "index", str(tiny_bert))
    monkeypatch.setitem(TextEncoder.load(str(tiny_bert)).__dict__, "digest", "0" * 64)
    with pytest.raises(ModelError, match="not the model"):
        add_papers([Paper("a", "a")], tmp_path / "index")
    assert_holds(tmp_path / "index", start())


def test_codes_are_copied_not_encoded_again(tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = tmp_path / "index"
    build_index(start().values(), directory, str(tiny_bert))
    remove_papers(["p04"], directory)

    def fail(*_: object) -> None:
        raise AssertionError("encoded")

    monkeypatch.setattr("encoders.transformer.TextEncoder.encode", fail)
    add_papers([paper_of("p02", 1)], directory)
    compact_index(directory)
    papers = start() | {"p02": paper_of("p02", 1)}
    del papers["p04"]
    build_index(papers.values(), directory, str(tiny_bert))
    assert_holds(directory, papers)
    monkeypatch.undo()
    build_index(papers.values(), tmp_path / "fresh", str(tiny_bert))
    ours, fresh = open_generation(directory), open_generation(tmp_path / "fresh")
    assert_same_vectors(ours, fresh)


def test_info_says_when_to_compact(directory: Path) -> None:
    assert not remove_papers(["p01", "p02"], directory).worth_compacting
    assert remove_papers(["p03"], directory).worth_compacting
    assert not compact_index(directory).worth_compacting


def test_of_papers_that_come_twice_in_one_build_no_trace_is_left(tmp_path: Path) -> None:
    twice = [paper_of(id_, variant) for variant in (4, 2) for id_ in reversed(IDS)]
    build_index(twice, tmp_path / "index", None)
    build_index([paper_of(id_, 2) for id_ in IDS], tmp_path / "fresh", None)
    assert_holds(tmp_path / "index", {id_: paper_of(id_, 2) for id_ in IDS})
    assert lists(tmp_path / "index") == lists(tmp_path / "fresh")
