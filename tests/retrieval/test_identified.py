"""Papers whose identifiers stand in a question."""

import pytest
from small_index import recommender_fixture

from indexer.paper import Paper
from retrieval.query import Query

PAPERS = [
    Paper("loom", "Weaving by cards", "", doi="10.1000/loom.1", citations=("thread",)),
    Paper("bell", "Ringing of changes", "", arxiv="1706.03762"),
    Paper("mill", "Grinding of corn", "", url="https://pubmed.ncbi.nlm.nih.gov/123456/"),
    Paper("thread", "Spinning", ""),
    Paper("sea", "Tides", ""),
    *(Paper(f"other{number}", f"Doi and papers {number}", "") for number in range(9)),
]

recommender = recommender_fixture(PAPERS)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("10.1000/loom.1", ["loom"]),
        ("Which papers are like https://doi.org/10.1000/LOOM.1?", ["loom"]),
        ("papers like arXiv:1706.03762v2", ["bell"]),
        ("after PMID: 123456.", ["mill"]),
        ("doi:10.1000/loom.1 and doi:10.1000/none, https://arxiv.org/abs/1706.03762", ["bell", "loom"]),
        ("PMID: 99 and PMID:123456, arXiv:1.1 (arXiv: 1706.03762)", ["bell", "mill"]),
        (f"{'of that and ' * 90} arXiv:1706.03762", ["bell"]),
        ("as in [10.1000/loom.1](https://doi.org/10.1000/loom.1)", ["loom"]),
        ("10.1000/loom.12", []),
        ("of 1706.03762 papers 123456", []),
    ],
)
def test_they_stand_first(recommender, text, ids):
    found = recommender.answer(Query(text)).recommendations
    assert sorted(one.paper.id for one in found if one.reasons.named) == ids
    assert sorted(one.paper.id for one in found[: len(ids)]) == ids


def test_they_stand_first_for_a_sentence(recommender):
    found = recommender.answer(Query(context="Papers other than these (arXiv:1706.03762) count [CITATION]."))
    assert found.recommendations[0].paper.id == "bell"
    assert found.recommendations[0].reasons.named


def test_one_that_is_cited_already_is_said(recommender):
    answer = recommender.answer(Query(context="Papers on looms (10.1000/loom.1) count.", already_cited=("loom", "sea")))
    assert [one.paper.id for one in answer.named_already] == ["loom"]
    assert "loom" not in [one.paper.id for one in answer.recommendations]


def test_what_they_are_linked_with_is_found(recommender):
    answer = recommender.answer(Query("10.1000/loom.1"))
    assert "thread" in [one.paper.id for one in answer.recommendations]
    assert not answer.query.liked


def test_what_may_not_be_recommended_is_not(recommender):
    for query in (Query("10.1000/loom.1", already_cited=("loom",)), Query("10.1000/loom.1", id="loom")):
        assert "loom" not in [one.paper.id for one in recommender.answer(query).recommendations]
