"""Where queries are looked for: learnt from citations, honest about what was left out, part of an index's life."""

from __future__ import annotations

import numpy as np
import pytest

from citescout import Query, Recommender, Settings
from demo import CORPUS
from indexer import query_map
from indexer.builds import build_index
from indexer.changes import add_papers, compact_index, remove_papers
from indexer.citations import CitationGraph
from indexer.generations import open_generation
from indexer.layout import LAYOUT
from indexer.query_map import QueryMap, learn_query_map, read_query_map
from indexer.readers import read_papers

PAPERS, DIMENSION, CITES = 1500, 24, 6


def corpus(seed=0):
    """Unit vectors, and citations of earlier papers that are nearest to a turned vector rather than to the vector."""
    chance = np.random.default_rng(seed)
    vectors = chance.normal(size=(PAPERS, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    left, _, right = np.linalg.svd(np.eye(DIMENSION) + 0.15 * chance.normal(size=(DIMENSION, DIMENSION)))
    turn = left @ right
    years = np.sort(chance.integers(1980, 2020, PAPERS)).astype(np.int16)
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


def test_citations_that_tell_nothing_and_too_few_of_them_give_no_map(monkeypatch):
    monkeypatch.setattr(query_map, "_STEPS", 40)
    vectors, graph, years = corpus()
    few = CitationGraph.from_edges(np.asarray([(paper, 0) for paper in range(1, 900)], np.int32), PAPERS)
    assert learn_query_map(vectors.__getitem__, few, years) is None
    monkeypatch.setattr(query_map, "_RATE", 0.0)  # nothing is learnt, so nothing is gained
    assert learn_query_map(vectors.__getitem__, graph, years) is None


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
    built = matrix(directory)
    assert LAYOUT.query_map.path in open_generation(directory).manifest.files
    rest = papers[20:]
    build_index(rest, tmp_path / "index")
    first = matrix(tmp_path / "index")
    add_papers(papers[:20], tmp_path / "index")
    np.testing.assert_array_equal(matrix(tmp_path / "index"), first)
    remove_papers([papers[-1].id], tmp_path / "index")
    np.testing.assert_array_equal(matrix(tmp_path / "index"), first)
    add_papers(papers[-1:], tmp_path / "index")
    compact_index(tmp_path / "index")
    np.testing.assert_array_equal(matrix(tmp_path / "index"), built)


def test_info_tells_of_the_map(mapped, capsys):
    from citescout.cli.main import main

    main(["info", "--index", str(mapped[0])])
    assert "query map   learnt" in capsys.readouterr().out


def test_the_dense_source_searches_where_the_map_leads_and_forgets_on_demand(mapped):
    directory, papers = mapped
    asked = next(paper for paper in papers if len(paper.citations) > 3)
    query = Query(asked.title, asked.abstract, asked.id, asked.year)
    recommender = Recommender.open(directory)
    generation = open_generation(directory)
    try:
        dense = recommender._first_stage.dense
        hits = recommender.pool(query, Settings(sources=("dense",))).hits["dense"]
        aim = dense.vectors([query.text]) @ matrix(directory)
        expected = (aim / np.linalg.norm(aim)) @ dense.documents(hits.numbers).T
        np.testing.assert_allclose(hits.scores, expected[0], atol=1e-4)
        recommender.forget([asked.id])
        number = generation.catalog.numbers([asked.id])[asked.id]
        again = learn_query_map(dense.documents, generation.graph, generation.years, np.asarray([number]))
        np.testing.assert_array_equal(dense.query_map.matrix, again.matrix)
    finally:
        generation.close()
        recommender.close()
