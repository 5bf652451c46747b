"""Where queries are looked for: learnt from citations, honest about what was left out, part of an index's life."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from command_line import run

from citescout import Paper, Query, Recommender, Settings
from demo import CORPUS
from indexer import query_map
from indexer.builds import build_index
from indexer.changes import add_papers, compact_index, remove_papers
from indexer.citations import CitationGraph, there_by
from indexer.generations import open_generation
from indexer.layout import LAYOUT
from indexer.query_map import QueryMap, learn_query_map, read_query_map
from indexer.readers import read_papers

pytestmark = pytest.mark.long

PAPERS, DIMENSION, CITES = 1500, 24, 6


def corpus(seed=0):
    """Unit vectors, and citations of earlier papers that are nearest to a turned vector rather than to the vector."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(PAPERS, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    left, _, right = np.linalg.svd(np.eye(DIMENSION) + 0.15 * rng.normal(size=(DIMENSION, DIMENSION)))
    turn = left @ right
    years = np.sort(rng.integers(1980, 2020, PAPERS)).astype(np.int16)
    scores = vectors @ turn.astype(np.float32) @ vectors.T
    np.fill_diagonal(scores, -9)
    scores[years[None, :] > years[:, None]] = -9
    edges = [(paper, cited) for paper in range(400, PAPERS) for cited in np.argsort(-scores[paper])[:CITES]]
    return vectors, CitationGraph.from_edges(np.asarray(edges, np.int32), PAPERS), years


def recall(vectors, graph, years, askers, way):
    """Share of what each cites among its ten best."""
    found = []
    for paper in askers:
        scores = way(vectors[[paper]])[0] @ vectors.T
        scores[years > years[paper]] = -9
        scores[paper] = -9
        found.append(np.isin(graph.cites.of(paper), np.argsort(-scores)[:10]).mean())
    return float(np.mean(found))


def test_papers_that_the_map_never_saw_find_more_of_what_they_cite():
    vectors, graph, years = corpus()
    left_out = np.arange(PAPERS - 200, PAPERS)
    way = learn_query_map(vectors.__getitem__, graph, years, left_out)
    before = recall(vectors, graph, years, left_out, lambda rows: rows)
    after = recall(vectors, graph, years, left_out, way)
    assert after > before + 0.1


@pytest.mark.parametrize("links", [0, 3, 200])
def test_linked_papers_are_found_as_one_by_one(links):
    rng = np.random.default_rng(links)
    edges = rng.integers(0, 30, (links, 2)).astype(np.int32)
    papers, others = rng.integers(0, 30, 25), rng.integers(0, 30, 40)
    found = query_map._among(CitationGraph.from_edges(edges, 30).cites, papers, others)
    assert found.tolist() == [[[one, other] in edges.tolist() for other in others] for one in papers]


def test_what_is_left_out_leaves_no_trace(monkeypatch):
    monkeypatch.setattr(query_map, "_STEPS", 40)
    vectors, graph, years = corpus()
    left_out = np.arange(700, 900)
    kept = np.setdiff1d(np.arange(PAPERS), left_out)
    edges = [(paper, cited) for paper in kept for cited in graph.cites.of(paper)]
    without = CitationGraph.from_edges(np.asarray(edges, np.int32), PAPERS)
    one, other = (
        learn_query_map(vectors.__getitem__, graph, years, left_out),
        learn_query_map(vectors.__getitem__, without, years),
    )
    np.testing.assert_array_equal(one.matrix, other.matrix)
    assert np.abs(one.matrix - learn_query_map(vectors.__getitem__, graph, years).matrix).max() > 1e-4


def test_only_papers_from_before_a_year_teach_the_map(monkeypatch):
    monkeypatch.setattr(query_map, "_STEPS", 40)
    vectors, graph, years = corpus()
    years = years.copy()
    years[450:1100:3] = 0  # unknown
    before = 2015
    latest = there_by(graph, years)
    older = np.flatnonzero(latest < before)
    assert (years[older] == 0).any()
    edges = [(paper, cited) for paper in older for cited in graph.cites.of(paper)]
    without = CitationGraph.from_edges(np.asarray(edges, np.int32), PAPERS)
    found = learn_query_map(vectors.__getitem__, graph, years, None, before)
    np.testing.assert_array_equal(found.matrix, learn_query_map(vectors.__getitem__, without, latest).matrix)
    assert np.abs(found.matrix - learn_query_map(vectors.__getitem__, graph, years).matrix).max() > 1e-4
    assert learn_query_map(vectors.__getitem__, graph, years, None, int(years[years > 0].min())) is None


def test_citations_that_tell_nothing_and_too_few_of_them_give_no_map(monkeypatch):
    monkeypatch.setattr(query_map, "_STEPS", 40)
    vectors, graph, years = corpus()
    few = CitationGraph.from_edges(np.asarray([(paper, 0) for paper in range(1, 900)], np.int32), PAPERS)
    assert learn_query_map(vectors.__getitem__, few, years) is None
    monkeypatch.setattr(query_map, "LEAST_CITATIONS", 800)
    review = CitationGraph.from_edges(np.asarray([(0, paper) for paper in range(1, 900)], np.int32), PAPERS)
    assert learn_query_map(vectors.__getitem__, review, years) is None
    monkeypatch.undo()
    monkeypatch.setattr(query_map, "_STEPS", 40)
    monkeypatch.setattr(query_map, "_RATE", 0.0)  # nothing is learnt, so nothing is gained
    assert learn_query_map(vectors.__getitem__, graph, years) is None


def test_of_an_index_that_has_grown_to_enough_citations_info_says_what_learns_the_map(tmp_path, monkeypatch):
    papers = [Paper(f"p{number}", f"Graph drawing {number}") for number in range(4)]
    build_index(papers, tmp_path / "index", "static")
    assert "query map" not in run("info", "--index", tmp_path / "index").out
    monkeypatch.setattr(query_map, "LEAST_CITATIONS", 3)
    citing = Paper("new", "Drawing graphs", citations=tuple(paper.id for paper in papers))
    add_papers([citing], tmp_path / "index")
    assert "query map   none; `citescout compact` learns one" in run("info", "--index", tmp_path / "index").out
    assert json.loads(run("info", "--index", tmp_path / "index", "--json").out)["query map"] is None


def test_one_thread_learns_the_map_and_torch_gets_its_threads_back(monkeypatch):
    monkeypatch.setattr(query_map, "_STEPS", 2)
    vectors, graph, years = corpus()
    before, met = torch.get_num_threads(), set()

    def read(docids):
        met.add(torch.get_num_threads())
        return vectors[docids]

    torch.set_num_threads(3)
    try:
        learn_query_map(read, graph, years)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    assert 1 in met


def test_mapped_queries_have_length_one_and_nothing_stays_nothing():
    way = QueryMap(np.random.default_rng(0).normal(size=(5, 5)).astype(np.float32))
    vectors = np.vstack([np.eye(5, dtype=np.float32), np.zeros((1, 5), np.float32)])
    np.testing.assert_allclose(np.linalg.norm(way(vectors), axis=1), [1, 1, 1, 1, 1, 0], rtol=1e-6)


@pytest.fixture(scope="module")
def mapped(tmp_path_factory):
    """A part of the demo corpus as an index with a map, and its papers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(query_map, "LEAST_CITATIONS", 100)
        patch.setattr(query_map, "_STEPS", 30)
        directory = tmp_path_factory.mktemp("mapped") / "index"
        papers = list(read_papers([str(CORPUS)]))[:150]
        build_index(papers, directory)
        yield directory, papers


def matrix(directory):
    generation = open_generation(directory)
    try:
        return read_query_map(generation.folder).matrix
    finally:
        generation.close()


def test_changes_keep_the_map_and_a_compaction_makes_that_of_a_fresh_build(mapped, tmp_path):
    directory, papers = mapped
    assert LAYOUT.query_map in open_generation(directory).manifest.files
    rest = papers[20:]
    build_index(rest, tmp_path / "index")
    first = matrix(tmp_path / "index")
    add_papers(papers[:20], tmp_path / "index")
    np.testing.assert_array_equal(matrix(tmp_path / "index"), first)
    remove_papers([papers[-1].id], tmp_path / "index")
    np.testing.assert_array_equal(matrix(tmp_path / "index"), first)
    add_papers(papers[-1:], tmp_path / "index")
    compact_index(tmp_path / "index")
    compacted = matrix(tmp_path / "index")
    assert np.abs(compacted - first).max() > 0
    # In bf16 a vector's last bits depend on what is encoded with it: the fresh build takes these vectors over.
    build_index(papers, tmp_path / "index")
    np.testing.assert_array_equal(matrix(tmp_path / "index"), compacted)


def test_info_tells_of_the_map(mapped, capsys):
    from cli.main import main

    main(["info", "--index", str(mapped[0])])
    assert "query map   learnt" in capsys.readouterr().out


def projected_scores(recommender, query, way):
    """Scores of the dense source, and what they should be where queries are looked for by `way`."""
    dense = recommender._first_stage.dense
    hits = recommender.pool(query, Settings(sources=("dense",))).hits["dense"]
    return hits.scores, (way(dense.vectors([query.text])) @ dense.documents(hits.docids).T)[0]


def test_a_view_without_citations_knows_only_what_older_papers_cite(mapped, monkeypatch):
    monkeypatch.setattr(query_map, "LEAST_CITATIONS", 100)
    monkeypatch.setattr(query_map, "_STEPS", 30)
    directory, papers = mapped
    citing = sorted((paper for paper in papers if len(paper.citations) > 3), key=lambda paper: paper.year)
    asked = citing[-3:]
    query = Query(asked[0].title, asked[0].abstract, asked[0].id, asked[0].year)
    recommender = Recommender.open(directory)
    generation = open_generation(directory)
    try:
        view = recommender.without_citations_of([paper.id for paper in asked] + ["not in the index"])
        dense = recommender._first_stage.dense
        graph, years = generation.graph, generation.years
        expected = learn_query_map(dense.documents, graph, years, None, asked[0].year)
        assert expected is not None
        assert np.abs(expected.matrix - matrix(directory)).max() > 1e-4
        for one, way in ((view, expected), (recommender, QueryMap(matrix(directory)))):
            np.testing.assert_allclose(*projected_scores(one, query, way), atol=1e-4)
        view.close()  # releases nothing
        np.testing.assert_allclose(*projected_scores(recommender, query, QueryMap(matrix(directory))), atol=1e-4)
        oldest = min(papers, key=lambda paper: paper.year)
        nothing = recommender.without_citations_of([oldest.id])  # nobody older cites anything
        assert nothing._first_stage.dense.query_map is None
        np.testing.assert_allclose(*projected_scores(nothing, query, lambda vectors: vectors), atol=1e-4)
        assert recommender.without_citations_of([])._first_stage.dense.query_map is dense.query_map
    finally:
        generation.close()
        recommender.close()


def test_a_paper_of_the_index_is_checked_without_the_map_that_learned_from_its_citations(mapped):
    directory, papers = mapped
    paper = max(papers, key=lambda one: len(one.citations))
    with Recommender.open(directory) as recommender:
        unmapped = recommender.without_query_map()

        def ranks(asked, query):
            return [one.ranks["dense"] for one in asked.check(query, paper.citations).references]

        inside = Query(paper.title, paper.abstract, year=paper.year)
        assert ranks(recommender, inside) == ranks(unmapped, inside)
        outside = Query(f"Another work than {paper.title}", paper.abstract, year=paper.year)
        assert ranks(recommender, outside) != ranks(unmapped, outside)


def test_where_the_years_of_the_papers_are_unknown_all_but_they_teach_the_map(tmp_path, monkeypatch):
    monkeypatch.setattr(query_map, "LEAST_CITATIONS", 100)
    monkeypatch.setattr(query_map, "_STEPS", 5)
    monkeypatch.setattr(query_map, "_SHARES", (1.0,))
    papers = list(read_papers([str(CORPUS)]))[:150]
    asked = next(paper for paper in papers if len(paper.citations) > 3)
    build_index([replace(paper, year=None) if paper is asked else paper for paper in papers], tmp_path / "index")
    recommender, generation = Recommender.open(tmp_path / "index"), open_generation(tmp_path / "index")
    number = np.asarray([generation.catalog.docids([asked.id])[asked.id]])
    dense = recommender._first_stage.dense
    expected = learn_query_map(dense.documents, generation.graph, generation.years, number)
    # A preprint of a query that is not in the index has its citations.
    for given, copies in (([asked.id], []), (["of no paper"], [asked.id])):
        found = recommender.without_citations_of(given, copies=copies)._first_stage.dense.query_map
        np.testing.assert_array_equal(found.matrix, expected.matrix)
    generation.close()
    recommender.close()
