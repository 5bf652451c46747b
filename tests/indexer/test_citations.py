"""The citation graph as compressed rows equals a dict of sets."""

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.errors import IndexDirectoryError
from indexer.citations import CitationGraph, load_array, there_by


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    papers = draw(st.integers(1, 12))
    number = st.integers(0, papers - 1)
    edges = draw(st.sets(st.tuples(number, number), max_size=40))
    return papers, draw(st.permutations(sorted(edges)))


def graph_of(papers: int, edges: list[tuple[int, int]]) -> CitationGraph:
    return CitationGraph.from_edges(np.asarray(edges, np.int32).reshape(-1, 2), papers)


def assert_same(graph: CitationGraph, papers: int, edges: list[tuple[int, int]], asked: list[int]) -> None:
    cites = {n: sorted(b for a, b in edges if a == n) for n in range(papers)}
    cited_by = {n: sorted(a for a, b in edges if b == n) for n in range(papers)}
    assert len(graph.cites.neighbours) == len(edges)
    for adjacency, expected in ((graph.cites, cites), (graph.cited_by, cited_by)):
        assert [adjacency.of(n).tolist() for n in range(papers)] == list(expected.values())
        positions, neighbours = adjacency.of_all(np.asarray(asked, np.int32))
        pairs = list(zip(positions.tolist(), neighbours.tolist(), strict=True))
        assert pairs == [(place, other) for place, n in enumerate(asked) for other in expected[n]]


@settings(max_examples=100)
@given(graphs(), st.data())
def test_rows_are_the_edges(graph: tuple[int, list[tuple[int, int]]], data: st.DataObject) -> None:
    papers, edges = graph
    asked = data.draw(st.lists(st.integers(0, papers - 1), max_size=8))
    assert_same(graph_of(papers, edges), papers, edges, asked)


@settings(max_examples=30)
@given(graphs())
def test_saved_graph_comes_back(tmp_path_factory: pytest.TempPathFactory, graph) -> None:
    papers, edges = graph
    folder = tmp_path_factory.mktemp("graph") / "graph"
    graph_of(papers, edges).save(folder)
    assert_same(CitationGraph.load(folder), papers, edges, list(range(papers))[::-1] * 2)
    shutil.rmtree(folder)


FILES = ["cites-offsets.npy", "cites-papers.npy", "cited-by-offsets.npy", "cited-by-papers.npy"]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("keep", [None, 0, 5, 60, 129, -1])
def test_damaged_file_of_a_graph_is_refused(tmp_path: Path, name: str, keep: int | None) -> None:
    graph_of(3, [(0, 1), (2, 1), (0, 2)]).save(tmp_path)
    file = tmp_path / name
    data = file.read_bytes()
    file.unlink()
    if keep is not None:
        file.write_bytes(data[:keep])
    with pytest.raises(IndexDirectoryError, match=name):
        CitationGraph.load(tmp_path)


@pytest.mark.parametrize("content", [b"no array", b"\x93NUMPY\x01\x00\xff\xff{", b"\x93NUMPY\x01\x00\x04\x00{'a'"])
def test_file_that_is_no_array_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "years.npy").write_bytes(content)
    with pytest.raises(IndexDirectoryError, match=r"years\.npy"):
        load_array(tmp_path / "years.npy")


def test_pickled_array_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "years.npy", np.asarray([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(IndexDirectoryError):
        load_array(tmp_path / "years.npy")


def test_what_the_system_refuses_is_no_damage_that_a_build_would_mend(tmp_path: Path) -> None:
    (tmp_path / "years.npy").symlink_to("years.npy")
    with pytest.raises(IndexDirectoryError, match=r"^cannot read .*years\.npy: Too many levels of symbolic links$"):
        load_array(tmp_path / "years.npy")


def test_threads_map_the_same_file(tmp_path: Path) -> None:
    np.save(tmp_path / "years.npy", np.arange(5))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(lambda _: load_array(tmp_path / "years.npy").sum(), range(6000)))
    finally:
        sys.setswitchinterval(interval)
    assert set(found) == {10}


@given(graphs(), st.data())
def test_a_paper_of_unknown_year_was_there_when_the_first_one_cited_it(made, data):
    papers, edges = made
    years = data.draw(st.lists(st.sampled_from([0, 0, 1999, 2004, 2010, 2021]), min_size=papers, max_size=papers))
    citing = [[years[a] for a, b in edges if b == paper and years[a]] for paper in range(papers)]
    expected = [year or min(citing[paper], default=max(years)) for paper, year in enumerate(years)]
    found = there_by(graph_of(papers, edges), np.asarray(years, np.int16))
    assert found.tolist() == expected
