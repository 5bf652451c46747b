from dataclasses import replace

import numpy as np
import pytest

from citescout.reordering import by_age, spread
from citescout.settings import Settings
from common.errors import QueryError
from retrieval.query import Query

pytestmark = pytest.mark.long

QUERY = Query("Attention and translation", "We compare attention with recurrent networks for machine translation.")


def marginal_relevance(vectors, diversity, k):
    """The formula, word for word."""
    n = len(vectors)
    chosen = []
    while len(chosen) < min(k, n):
        worth = {
            place: (1 - diversity) * (1 - place / n)
            - diversity * max((float(vectors[place] @ vectors[other]) for other in chosen), default=0.0)
            for place in range(n)
            if place not in chosen
        }
        chosen.append(max(worth, key=worth.get))
    return chosen


@pytest.mark.parametrize("diversity", [0.0, 0.3, 0.7, 1.0])
def test_spread_is_maximal_marginal_relevance(diversity):
    vectors = np.random.default_rng(3).normal(size=(40, 8))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    found = spread(vectors, diversity, 15)
    assert found.tolist() == marginal_relevance(vectors, diversity, 15)
    if diversity == 0:
        assert found.tolist() == list(range(15))
    assert spread(vectors[:3], diversity, 15).tolist() == marginal_relevance(vectors[:3], diversity, 15)


def test_age_is_fused_by_rank():
    years = np.asarray([2010, 1990, 0, 2020, 1990], np.int16)  # as an index holds them
    assert by_age(years, 0.0).tolist() == [0, 1, 2, 3, 4]
    assert by_age(years, 1.0).tolist() == [3, 0, 1, 4, 2]
    assert by_age(years, -1.0).tolist() == [1, 4, 0, 3, 2]
    ranks = {3: 1, 0: 2, 1: 3, 4: 3, 2: 5}
    score = {place: 0.5 / (61 + place) + 0.5 / (60 + ranks[place]) for place in ranks}
    assert by_age(years, 0.5).tolist() == sorted(ranks, key=lambda place: (-round(score[place], 12), place))


def listed(recommender, **settings):
    return recommender.recommend(QUERY, Settings(**settings))


@pytest.mark.parametrize("settings", [Settings(recency=0.5), Settings(diversity=0.6, recency=-0.3, k=10)])
def test_what_is_measured_is_what_people_see(recommender, settings):
    ranking = recommender.rank(QUERY, settings)
    shown = [entry.paper.id for entry in recommender.recommend(QUERY, settings)]
    assert ranking.ids(settings.k) == shown
    assert ranking.ids() != recommender.rank(QUERY, Settings(k=settings.k)).ids()
    assert sorted(ranking.ids()) == sorted(recommender.rank(QUERY).ids())


def likeness(recommender, found):
    docids = np.asarray([recommender.docid_of(entry.paper.id) for entry in found])
    vectors = recommender._first_stage.dense.documents(docids)
    cosines = vectors @ vectors.T
    return (cosines.sum() - np.trace(cosines)) / (len(found) * (len(found) - 1))


def test_the_dials_do_what_they_say(recommender):
    plain, diverse = listed(recommender), listed(recommender, diversity=0.6)
    assert plain[0].paper == diverse[0].paper, "the best paper has nothing above it to be like"
    assert likeness(recommender, diverse) < likeness(recommender, plain)
    years = {r: np.mean([entry.paper.year for entry in listed(recommender, recency=r)]) for r in (-1, -0.5, 0, 0.5, 1)}
    assert years[-1] < years[-0.5] < years[0] < years[0.5] < years[1]
    newest = [entry.paper.year for entry in listed(recommender, recency=1)]
    assert newest == sorted(newest, reverse=True)


def test_a_dialled_list_is_ranked_from_one_and_holds_no_paper_twice(recommender):
    found = listed(recommender, diversity=0.5, recency=0.3, k=300)
    assert [entry.rank for entry in found] == list(range(1, 301))
    assert len({entry.paper.id for entry in found}) == 300
    assert {entry.paper.id: entry.score for entry in found}.items() >= {
        entry.paper.id: entry.score for entry in listed(recommender, k=100)
    }.items(), "scores stay with their papers"


@pytest.mark.parametrize("wrong", [{"diversity": 1.1}, {"diversity": float("nan")}, {"recency": -2.0}])
def test_dials_out_of_range_are_refused(recommender, wrong):
    with pytest.raises(QueryError, match=f"{next(iter(wrong))} must be from"):
        listed(recommender, **wrong)


BUILT_ON = "Devlin et al. (2019) built BERT, Vaswani et al. (2017) the Transformer; we build on Cohan et al. (2020)."


def test_papers_that_title_and_abstract_name_are_recommended(recommender):
    answer = recommender.answer(Query(abstract=BUILT_ON), Settings(k=4))
    named = ["cohan2020specter", "devlin2019bert", "vaswani2017attention"]
    assert sorted(entry.paper.id for entry in answer.recommendations if entry.reasons.named) == named
    assert [entry.rank for entry in answer.recommendations if entry.reasons.named] == [1, 2, 3]
    assert answer.fit and answer.fit.verdict == "weak"
    for title in ("GROBID", "sgdr", "RankT5", "Koren et al. (2009)"):
        first = recommender.recommend(Query(title), Settings(k=1))[0]
        assert first.reasons.named and first.score >= 38, title


def test_what_an_abstract_names_stands_behind_what_is_likelier_and_the_rest_keeps_its_order(recommender):
    abstract = "We pretrain bidirectional transformers with masked tokens, as GPT does for language understanding"
    few = recommender.answer(Query("Encoders", f"{abstract}, and follow Koren et al. (2009)."), Settings(k=2))
    assert [entry.reasons.named for entry in few.recommendations] == [True, False]
    more = "One model is then tuned for every task, from reading to inference, with hardly a change in its layers."
    query = Query("Pretraining encoders", f"{abstract}. {more} {more} We follow Koren et al. (2009).")
    answer = recommender.answer(query, Settings(k=20))
    places = [entry.reasons.named for entry in answer.recommendations]
    place = places.index(True)
    scores = [entry.score for entry in answer.recommendations]
    assert scores[place] == pytest.approx(38.4)
    assert place > 0 and sum(places) == 1 and answer.fit.verdict == "good"
    assert scores[place - 1] >= scores[place] > scores[place + 1]
    cited = recommender.answer(replace(query, already_cited=("koren2009matrix",)), Settings(k=20))
    assert not cited.named_already and not any(entry.reasons.named for entry in cited.recommendations)


def test_lists_without_the_learned_order_are_as_published(recommender):
    found = recommender.recommend(Query(abstract=BUILT_ON), Settings(k=375, blend=False))
    assert not any(entry.reasons.named for entry in found)
