import random
from dataclasses import replace

import numpy as np
import pytest
from small_index import recommender_fixture

from citescout.checking import check_lists, score_list
from citescout.filters import Filters
from citescout.settings import Settings
from common.errors import QueryError
from eval.metrics import score
from indexer.paper import Paper
from retrieval.query import Query


def test_measures_are_those_of_trec_eval():
    rng = random.Random(9)
    for _ in range(40):
        ranked = rng.sample(range(3000), rng.choice([0, 3, 30, 1500]))
        gold = frozenset(rng.sample(range(3000), rng.randint(1, 60)) + ranked[: rng.randint(0, 3)])
        ours = score_list("x", ranked, gold)
        theirs = score({"q": frozenset(map(str, gold))}, {"q": list(map(str, ranked[:1000]))} if ranked else {})
        assert ours.f1_at_20 == pytest.approx(theirs.f1_at_20)
        assert ours.recall_at_20 == pytest.approx(theirs.recall_at_20)
        assert ours.recall_at_100 == pytest.approx(theirs.recall_at_100)
        assert ours.recall_at_1000 == pytest.approx(theirs.recall_at_1000)
        assert ours.reciprocal_rank == pytest.approx(theirs.mrr)


def test_references_are_ordered_by_the_last_list_and_parted_at_20():
    gold = {number: Paper(f"p{number}", "t") for number in (1, 30, 99)}
    check = check_lists({"bm25": [99, 1], "blend": [*range(25, 50), 1]}, gold)
    assert [one.paper.id for one in check.references] == ["p30", "p1", "p99"]
    assert [one.paper.id for one in check.found] == ["p30"]
    assert [one.paper.id for one in check.missed] == ["p1", "p99"]
    assert check.references[1].ranks == {"bm25": 2, "blend": 26}
    assert "blend" not in check.references[2].ranks


PAPERS = (
    Paper("finished", "Passage retrieval with neural rankers", "We rank passages.", 2020, citations=("a", "b", "c")),
    Paper("a", "Neural rankers of passages", year=2018),
    Paper("b", "Retrieval by graphs", year=2017, citations=("a",)),
    Paper("c", "Bread and butter", year=1999),
    Paper("d", "Passage retrieval and its measures", year=2016),
)

recommender = recommender_fixture(PAPERS)


def test_a_paper_of_the_index_is_checked_without_itself(recommender):
    paper = PAPERS[0]
    check = recommender.check(Query(paper.title, paper.abstract), ["a", "b", "c", "finished"])
    assert check.excluded_itself
    assert {one.paper.id for one in check.references} == {"a", "b", "c"}
    assert [stage.stage for stage in check.stages] == ["bm25", "graph", "fused", "blend"]
    by_id = {one.paper.id: one for one in check.references}
    assert "bm25" in by_id["a"].ranks
    assert by_id["c"].ranks == {}, "only the paper itself leads to it, and it must not be evidence"
    assert check.stages[-1].recall_at_1000 == pytest.approx(2 / 3)


def test_stages_agree_with_the_list_that_is_shown(recommender):
    query = Query("Passage retrieval with neural rankers of graphs")
    check = recommender.check(query, ["a", "b", "d"])
    listed = [entry.paper.id for entry in recommender.recommend(query)]
    assert [one.paper.id for one in check.found] == [paper for paper in listed if paper in {"a", "b", "d"}]
    assert not check.excluded_itself
    assert np.isclose(check.stages[-1].precision_at_20, len(check.found) / 20)


@pytest.mark.parametrize("chosen", [{"recency": 1.0}, {"filters": Filters(from_year=2017)}])
def test_without_the_learned_order_the_list_that_is_shown_is_scored(recommender, chosen):
    query = Query("Passage retrieval with neural rankers of graphs")
    plain = Settings(sources=("bm25",), blend=False)
    settings = replace(plain, **chosen)
    listed = [entry.paper.id for entry in recommender.recommend(query, settings)]
    assert listed != [entry.paper.id for entry in recommender.recommend(query, plain)]
    check = recommender.check(query, ["a", "b", "d"], settings)
    ranks = {one.paper.id: one.ranks.get(check.stages[-1].stage) for one in check.references}
    assert ranks == {id_: listed.index(id_) + 1 if id_ in listed else None for id_ in ("a", "b", "d")}


def test_references_that_the_query_leaves_out_do_not_count(recommender):
    text = "Passage retrieval with neural rankers of graphs"
    check = recommender.check(Query(text, year=2017), ["a", "b", "d"])
    assert [paper.id for paper in check.left_out] == ["a"]
    assert {one.paper.id for one in check.references} == {"b", "d"}
    assert check.stages[-1].recall_at_1000 == 1.0
    cited = recommender.check(Query(text, already_cited=("Neural rankers of passages",)), ["a", "b", "d"])
    assert [paper.id for paper in cited.left_out] == ["a"]
    assert recommender.check(Query(text, year=2018), ["a", "b", "d"]).left_out == ()
    with pytest.raises(QueryError, match="every reference that this index holds is newer than 2010: correct the year"):
        recommender.check(Query(text, year=2010), ["a", "b"])
    with pytest.raises(QueryError, match="every reference that this index holds is left out by the query"):
        recommender.check(Query(text, disliked=("a",)), ["a"])


def test_references_out_of_the_index_are_refused(recommender):
    with pytest.raises(QueryError, match="none of the references"):
        recommender.check(Query("Passage retrieval"), ["nobody"])
