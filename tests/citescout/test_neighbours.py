import numpy as np
import pytest
from small_index import recommender_of

from common.errors import QueryError
from indexer.paper import Paper
from retrieval.query import Query


def test_neighbours_agree_with_brute_force(recommender):
    papers = list(recommender.generation.catalog.all_papers())
    cites = {paper.id: set(paper.citations) & {other.id for other in papers} for paper in papers}
    vectors = recommender._first_stage.dense.documents(np.arange(len(papers)))
    chosen = max(papers, key=lambda paper: sum(paper.id in cited for cited in cites.values()))
    number = recommender.docid_of(chosen.id)
    cosines = vectors @ vectors[number]
    cosines[number] = -2
    nearest = papers[int(np.argmax(cosines))]
    found = {one.paper.id: one for one in recommender.neighbours(chosen.id, 60)}
    assert chosen.id not in found
    assert next(s.rank for s in found[nearest.id].sources if s.source == "dense") == 1
    assert any(one.cited_together for one in found.values())
    for one in found.values():
        assert one.cites == (chosen.id in cites[one.paper.id])
        assert one.cited == (one.paper.id in cites[chosen.id])
        assert one.cited_together == sum({chosen.id, one.paper.id} <= cited for cited in cites.values())


def test_without_vectors_words_and_citations_remain(tmp_path):
    papers = [
        Paper("a", "Passage retrieval", citations=("far",)),
        Paper("b", "Passage retrieval again"),
        Paper("far", "Bread"),
        Paper("other", "Butter"),
        Paper("notice", "Retraction notice to: Passage retrieval", citations=("a",)),
    ]
    recommender = recommender_of(papers, tmp_path / "index")
    found = {one.paper.id: {s.source for s in one.sources} for one in recommender.neighbours("a")}
    assert found == {"b": {"bm25"}, "far": {"graph"}}
    with pytest.raises(QueryError, match="no such paper"):
        recommender.neighbours("nobody")
    for near in (recommender.neighbours, recommender.around):
        with pytest.raises(QueryError, match="k must be 0 or more, not -1"):
            near("a", -1)


def test_links_with_own_papers_agree_with_brute_force(recommender):
    papers = {paper.id: paper for paper in recommender.generation.catalog.all_papers()}
    cites = {paper: set(papers[paper].citations) & papers.keys() for paper in papers}
    own = tuple(sorted(papers, key=lambda paper: -len(cites[paper]))[:5])
    found = recommender.recommend(Query("Attention and translation", already_cited=own))
    told = [link for entry in found for link in entry.reasons.own]
    assert {link.how for link in told} >= {"cites it", "is cited with it"}
    for entry in found:
        for link in entry.reasons.own:
            ours, theirs = link.paper.id, entry.paper.id
            assert ours in own
            assert link.together == sum({ours, theirs} <= cited for cited in cites.values())
            assert (link.how == "cites it") == (theirs in cites[ours])
            assert link.how != "is cited by it" or ours in cites[theirs]
            assert link.how != "is cited with it" or link.together
        linked = [paper for paper in own if entry.paper.id in cites[paper]]
        assert len(entry.reasons.own) >= min(len(linked), 3)
    assert all(not entry.reasons.own for entry in recommender.recommend(Query("Attention and translation")))


def test_papers_newer_than_the_query_do_not_link(tmp_path):
    papers = [
        Paper("own", "Bread", year=2000),
        Paper("shown", "Passage retrieval", year=2000),
        Paper("new", "Review", year=2020, citations=("own", "shown")),
    ]
    recommender = recommender_of(papers, tmp_path / "index")

    def links(year):
        entries = recommender.recommend(Query("Passage retrieval", year=year, already_cited=("own",)))
        return next(entry.reasons.own for entry in entries if entry.paper.id == "shown")

    assert [(link.paper.id, link.how, link.together) for link in links(None)] == [("own", "is cited with it", 1)]
    assert links(2010) == ()


def test_a_liked_paper_is_not_linked_with_itself_nor_with_another_record_of_it(tmp_path):
    papers = [
        Paper("liked", "Dense passage retrieval", authors=("Ada Lovelace",), year=2020),
        Paper("record", "Dense Passage Retrieval.", "Passages.", authors=("Ada Lovelace",), year=2020),
        Paper("near", "Sparse passage retrieval", year=2020),
        *(Paper(f"citing{n}", f"Bread {n}", citations=("liked", "record", "near")) for n in range(3)),
    ]
    recommender = recommender_of(papers, tmp_path / "index")
    for liked in ("liked", "record"):
        entries = recommender.recommend(Query("Passage retrieval", liked=(liked,)))
        own = {entry.paper.id: [(link.paper.id, link.together) for link in entry.reasons.own] for entry in entries}
        (shown,) = own.keys() & {"liked", "record"}
        assert (own[shown], own["near"]) == ([], [(liked, 3)])
