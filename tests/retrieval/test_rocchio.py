import numpy as np
import pytest

from citescout.settings import Settings
from retrieval.dense import rocchio
from retrieval.query import Query

TITLE = "Attention and translation"


def test_vector_moves_by_the_formula():
    query, liked, disliked = np.eye(3, dtype=np.float32)
    expected = np.asarray([1, 0.75, -0.15]) / np.sqrt(1 + 0.75**2 + 0.15**2)
    assert rocchio(query, liked, disliked) == pytest.approx(expected)
    nothing = np.zeros(3, np.float32)
    assert rocchio(query, nothing, nothing) == pytest.approx(query)
    assert rocchio(nothing, nothing, nothing) == pytest.approx(nothing)


def ids(recommender, settings=None, **feedback):
    return [entry.paper.id for entry in recommender.recommend(Query(TITLE, **feedback), settings or Settings(k=50))]


def test_disliked_papers_are_gone_and_liked_ones_may_stay(recommender):
    whole = ids(recommender)
    steered = ids(recommender, liked=(whole[7],), disliked=(whole[0], whole[2]))
    assert not {whole[0], whole[2]} & set(steered)
    assert whole[7] in steered
    assert ids(recommender, liked=("nobody",), disliked=("no one",)) == whole


def test_neighbours_of_what_is_liked_or_cited_come_up_and_of_what_is_disliked_go_down(recommender):
    dense = Settings(k=300, sources=("dense",), blend=False)
    whole = ids(recommender, dense)
    paper = whole[100]
    (near, *_) = (
        entry.paper.id
        for entry in recommender.recommend(
            Query(*recommender_text(recommender, paper), id=paper), Settings(k=1, sources=("dense",), blend=False)
        )
    )
    liked, disliked = ids(recommender, dense, liked=(paper,)), ids(recommender, dense, disliked=(paper,))
    cited = ids(recommender, dense, already_cited=(paper,))
    assert liked.index(paper) < whole.index(paper)
    assert paper not in cited
    assert liked.index(near) < whole.index(near) < len(whole)
    assert cited.index(near) < whole.index(near)
    assert near not in disliked or disliked.index(near) >= whole.index(near) - 1


def recommender_text(recommender, paper_id):
    (paper,) = recommender.generation.catalog.papers([recommender.docid_of(paper_id)])
    return paper.title, paper.abstract


def test_liked_papers_vote_in_the_citation_graph(recommender):
    graph = Settings(k=300, sources=("bm25", "graph"), blend=False)
    whole = ids(recommender, graph)
    cites, catalog = recommender.generation.graph.cites, recommender.generation.catalog
    inside = {one: set(catalog.ids(cites.of(recommender.docid_of(one)))) & set(whole) for one in whole[60:]}
    liked, cited = next((one, cited) for one, cited in inside.items() if cited)
    steered = ids(recommender, graph, liked=(liked,))
    assert np.mean([steered.index(p) for p in cited]) < np.mean([whole.index(p) for p in cited])
