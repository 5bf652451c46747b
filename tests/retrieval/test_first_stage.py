"""The pool of candidates on the demo corpus: consistent, repeatable, and without what a query may not get back."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from common.errors import QueryError
from encoders.transformer import TextEncoder
from indexer.bm25_parameters import Bm25Parameters
from indexer.builds import build_index
from indexer.citations import CitationGraph
from indexer.generations import OpenGeneration, open_generation
from indexer.paper import Paper
from retrieval.first_stage import SOURCES, FirstStage, FirstStageOptions, Pool
from retrieval.query import Query

QUERY = Query(
    "Dense retrieval with hard negatives",
    "We train a bi-encoder for passage retrieval with negatives from BM25, and rerank its passages.",
)


def fingerprint(pool: Pool) -> list[object]:
    arrays = [pool.docids, pool.fused, pool.cosines, pool.votes, pool.expected, pool.citations, pool.years]
    arrays += [table[source] for table in (pool.ranks, pool.scores) for source in sorted(table)]
    return [array.tobytes() for array in arrays] + [sorted(pool.term_weights.items())]


def test_pool_repeats_what_the_sources_said(stage: FirstStage, generation: OpenGeneration) -> None:
    pool = stage.candidates(QUERY, FirstStageOptions(depth=50))
    docids = pool.docids.tolist()
    assert len(docids) == len(set(docids))
    assert set(docids) == {n for source in SOURCES for n in pool.hits[source].docids.tolist()}
    for source in SOURCES:
        ranked = pool.hits[source].docids.tolist()
        assert 0 < len(ranked) <= 50
        scores = dict(zip(ranked, pool.hits[source].scores.tolist(), strict=True))
        assert pool.ranks[source].tolist() == [ranked.index(n) + 1 if n in scores else 0 for n in docids]
        np.testing.assert_array_equal(pool.scores[source], [scores.get(n, np.nan) for n in docids])
    fused = [sum(1 / (60 + pool.ranks[s][i]) for s in SOURCES if pool.ranks[s][i]) for i in range(len(pool))]
    np.testing.assert_allclose(pool.fused, fused, rtol=1e-6)
    assert (np.diff(pool.fused) <= 0).all()
    papers = generation.catalog.papers(docids)
    assert pool.years.tolist() == [paper.year or 0 for paper in papers]
    everyone = list(generation.catalog.all_papers())
    cited = [sum(p.id in set(q.citations) - {q.id} for q in everyone) for p in papers]
    assert pool.citations.tolist() == cited
    dense = pool.ranks["dense"] > 0
    np.testing.assert_allclose(pool.cosines[dense, 0], pool.scores["dense"][dense], atol=1e-4)


def test_first_hits_are_about_the_query(stage: FirstStage, generation: OpenGeneration) -> None:
    pool = stage.candidates(QUERY, FirstStageOptions())
    titles = " ".join(paper.title.lower() for paper in generation.catalog.papers(pool.docids[:10]))
    assert "retrieval" in titles


def some_paper(generation: OpenGeneration) -> tuple[int, Query]:
    """A paper of the corpus that cites and is cited, as a query."""
    graph = generation.graph
    number = max(range(generation.catalog.size), key=lambda n: min(len(graph.cites.of(n)), len(graph.cited_by.of(n))))
    (paper,) = generation.catalog.papers([number])
    assert len(graph.cites.of(number)) > 2
    return number, Query(paper.title, paper.abstract, paper.id)


def test_the_querys_own_paper_is_no_candidate(stage: FirstStage, generation: OpenGeneration) -> None:
    number, query = some_paper(generation)
    anonymous = stage.candidates(dataclasses.replace(query, id=""), FirstStageOptions())
    assert number in anonymous.docids
    assert number not in stage.candidates(query, FirstStageOptions()).docids


def test_already_cited_papers_are_no_candidates(stage: FirstStage, generation: OpenGeneration) -> None:
    best = stage.candidates(QUERY, FirstStageOptions()).docids[:5]
    cited = (*generation.catalog.ids(best), "nowhere", "\ud800", "")
    pool = stage.candidates(dataclasses.replace(QUERY, already_cited=cited), FirstStageOptions())
    assert len(pool) > 5
    assert not set(pool.docids.tolist()) & set(best.tolist())


def test_papers_newer_than_the_query_are_no_candidates(stage: FirstStage) -> None:
    pool = stage.candidates(dataclasses.replace(QUERY, year=2015), FirstStageOptions())
    assert len(pool) > 0
    assert pool.years.max() <= 2015
    assert len(stage.candidates(dataclasses.replace(QUERY, year=1000), FirstStageOptions())) == int(
        (pool.years == 0).sum()
    )


def with_edges(generation: OpenGeneration, keep: np.ndarray) -> FirstStage:
    edges = generation.catalog.links().edges
    changed = CitationGraph.from_edges(edges[keep], generation.catalog.size)
    assert len(changed.cites.neighbours) < len(generation.graph.cites.neighbours)
    return FirstStage(dataclasses.replace(generation, graph=changed), TextEncoder.load("minilm"))


def test_the_querys_own_citations_are_no_evidence(stage: FirstStage, generation: OpenGeneration) -> None:
    number, query = some_paper(generation)
    edges = generation.catalog.links().edges
    without = with_edges(generation, (edges != number).all(axis=1))
    options = FirstStageOptions(depth=50)
    assert fingerprint(stage.candidates(query, options)) == fingerprint(without.candidates(query, options))
    anonymous = dataclasses.replace(query, id="")
    assert fingerprint(stage.candidates(anonymous, options)) != fingerprint(without.candidates(anonymous, options))


def test_citations_of_newer_papers_are_no_evidence(stage: FirstStage, generation: OpenGeneration) -> None:
    edges = generation.catalog.links().edges
    without = with_edges(generation, (generation.years[edges] <= 2015).all(axis=1))
    query, options = dataclasses.replace(QUERY, year=2015), FirstStageOptions(depth=50)
    assert fingerprint(stage.candidates(query, options)) == fingerprint(without.candidates(query, options))


def with_years(generation: OpenGeneration, years: np.ndarray) -> FirstStage:
    return FirstStage(dataclasses.replace(generation, years=years.astype(np.int16)), None)


def test_what_a_paper_of_unknown_year_cites_counts_once_an_older_paper_cites_it(generation: OpenGeneration) -> None:
    graph, years = generation.graph, generation.years
    cited = next(n for n in range(len(years)) if any(years[graph.cited_by.of(n)] < 2015))
    lonely = next(n for n in range(len(years)) if not len(graph.cited_by.of(n)))
    unknown = years.copy()
    unknown[[cited, lonely]] = 0
    stage, query = with_years(generation, unknown), dataclasses.replace(QUERY, year=2015)
    assert stage.evidence(query).citing[cited]
    assert not stage.evidence(query).citing[lonely]
    assert stage.evidence(query).papers[[cited, lonely]].all()
    newest = dataclasses.replace(QUERY, year=int(years.max()))
    assert stage.evidence(newest).citing[lonely], "nothing in an index is newer than its newest paper"
    assert not stage.evidence(newest, (0,)).citing[lonely], "but what is asked may be its newest paper"


def test_a_draft_has_evidence_from_its_own_year_and_a_paper_of_the_index_has_not(generation: OpenGeneration) -> None:
    one_year = with_years(generation, np.full(len(generation.years), 2020))
    query = dataclasses.replace(QUERY, year=2020)
    assert one_year.evidence(query).citing.all()
    assert not one_year.evidence(query, (0,)).citing.any()
    (itself,) = generation.catalog.ids([0])
    assert not one_year.evidence(dataclasses.replace(query, id=itself)).citing.any()


def test_where_no_year_is_known_that_of_a_query_means_nothing(generation: OpenGeneration) -> None:
    stage = with_years(generation, np.zeros(len(generation.years)))
    options = FirstStageOptions(depth=50)
    found, expected = (stage.candidates(dataclasses.replace(QUERY, year=year), options) for year in (2015, None))
    assert fingerprint(found) == fingerprint(expected)
    assert found.votes.any()


def test_already_cited_papers_vote(stage: FirstStage, generation: OpenGeneration) -> None:
    number, _ = some_paper(generation)
    (cited,) = generation.catalog.ids([number])
    options = FirstStageOptions(sources=("graph",))
    assert len(stage.candidates(QUERY, options)) == 0
    pool = stage.candidates(dataclasses.replace(QUERY, already_cited=(cited,)), options)
    assert set(generation.graph.cites.of(number).tolist()) <= set(pool.docids.tolist())


@pytest.mark.parametrize("sources", [("bm25",), ("dense",), ("bm25", "graph"), ("dense", "bm25")])
def test_a_subset_of_the_sources_is_asked_alone(stage: FirstStage, sources: tuple[str, ...]) -> None:
    pool = stage.candidates(QUERY, FirstStageOptions(sources=sources, depth=30))  # type: ignore[arg-type]
    assert set(pool.hits) == set(pool.ranks) == set(pool.scores) == set(sources)
    assert len(pool) >= 20
    if "graph" not in sources:
        assert not pool.votes.any()
        assert np.isnan(pool.expected).all()


def test_without_an_encoder_there_is_no_dense_source(generation: OpenGeneration) -> None:
    pool = FirstStage(generation, None).candidates(QUERY, FirstStageOptions())
    assert set(pool.hits) == {"bm25", "graph"}
    assert np.isnan(pool.cosines).all()


def test_query_that_matches_nothing_gets_an_empty_pool(stage: FirstStage) -> None:
    pool = stage.candidates(Query("zzqqxx"), FirstStageOptions(sources=("bm25", "graph")))
    assert len(pool) == 0
    assert pool.votes.shape == (0, 3)


@pytest.mark.parametrize("fields", [{}, {"title": " \n", "abstract": "\t"}, {"id": "someone2020"}])
def test_query_without_text_is_refused(fields: dict[str, str]) -> None:
    with pytest.raises(QueryError, match=f"{fields.get('id', '')}.* has neither a title nor an abstract"):
        Query(**fields)


@pytest.mark.parametrize("text", ["the of", "\ud800", "a\0b", "😀", "昨日", "*:* OR [", "word " * 10_000])
def test_hostile_text_is_answered(stage: FirstStage, text: str) -> None:
    pool = stage.candidates(Query(text, text), FirstStageOptions(depth=20))
    assert set(pool.hits) == set(SOURCES)
    assert len(pool.hits["dense"]) == 20


def test_the_same_query_gets_the_same_pool_also_at_once(stage: FirstStage) -> None:
    first = fingerprint(stage.candidates(QUERY, FirstStageOptions()))
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: fingerprint(stage.candidates(QUERY, FirstStageOptions())), range(12)))
    assert all(answer == first for answer in answers)


@pytest.mark.parametrize("parameters", [None, Bm25Parameters(10.0, 0.4)])
def test_bm25_searches_for_the_heaviest_terms_only_if_asked(
    stage: FirstStage, parameters: Bm25Parameters | None
) -> None:
    whole = stage.candidates(QUERY, FirstStageOptions(bm25=parameters))
    few = stage.candidates(QUERY, FirstStageOptions(bm25_terms=4, bm25=parameters))
    kept = stage.bm25.heaviest(whole.term_weights, 4, parameters)
    assert (kept == stage.bm25.heaviest(whole.term_weights, 4)) == (parameters is None)
    assert len(whole.term_weights) > len(kept) == 4
    for pool, asked in ((whole, whole.term_weights), (few, kept)):
        expected = stage.bm25.search(asked, 1000, None, parameters)
        assert pool.hits["bm25"].docids.tolist() == expected.docids.tolist()
        assert pool.hits["bm25"].scores.tolist() == expected.scores.tolist()
    assert few.term_weights == whole.term_weights  # reasons still know every word that is shared


def test_words_that_only_the_query_s_own_paper_holds_are_unknown(tmp_path: Path) -> None:
    """Or a paper of the index would fit it better than the same paper by somebody who is writing it."""
    build_index(
        [Paper("me", "Zebra finches", "Song learning."), *(Paper(f"p{n}", "Finches sing", "") for n in range(9))],
        tmp_path / "ix",
        None,
    )
    opened = open_generation(tmp_path / "ix")
    stage = FirstStage(opened, None)
    own, stranger = (stage.candidates(Query("Zebra finches", id=id_), FirstStageOptions()) for id_ in ("me", ""))
    stage.close()
    opened.close()
    assert own.term_idf["zebra"] == 0 < stranger.term_idf["zebra"]
    assert own.term_idf["finch"] == stranger.term_idf["finch"] > 0
