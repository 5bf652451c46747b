"""What orders a list where no citation is known: an order of its own, learned without them, that says so itself."""

from dataclasses import replace

import numpy as np
import pytest
from small_index import recommender_of

from citescout import Query, Settings
from common.errors import ModelError
from indexer.paper import Paper
from rerank.blend import CONTEXT, DEFAULT, Blend
from rerank.calibration import size_of
from rerank.context_features import CONTEXT_FEATURES, CONTEXT_NAMES
from rerank.features import FEATURES, LINKS, NAMES

QUERY = Query("Ranking papers to cite", "Vectors and words find candidates, and a learned order ranks them.")
SENTENCE = Query("Ranking papers to cite", context="Candidates are found by words [CITATION] and by vectors.")
# What is asked, the file of its orders, and the features that these look at.
ASKED = ((QUERY, DEFAULT, NAMES), (SENTENCE, CONTEXT, CONTEXT_NAMES))
TOPICS = ("ranking", "vectors", "candidates", "words", "learned orders", "papers to cite")


def papers(citing: int) -> list[Paper]:
    """Thirty, of which so many cite the first three."""
    return [
        Paper(
            f"p{number:02}",
            f"On {TOPICS[number % len(TOPICS)]}, part {number}",
            f"A study of {TOPICS[number // len(TOPICS)]} and of {TOPICS[number % 5]}.",
            2000 + number % 15,
            citations=("p00", "p01", "p02") if number >= 30 - citing else (),
        )
        for number in range(30)
    ]


def ranked(directory, citing: int, settings: Settings | None = None, query: Query = QUERY):
    with recommender_of(papers(citing), directory) as recommender:
        return recommender.rank(query, settings or Settings(depth=0))


@pytest.mark.parametrize(("path", "features"), [(DEFAULT, FEATURES), (CONTEXT, CONTEXT_FEATURES)])
def test_it_looks_at_nothing_that_citations_say(path, features):
    shipped = Blend.load(path).without_citations
    assert shipped.order.names == tuple(feature.name for feature in features if feature.group != LINKS)


@pytest.mark.parametrize(("query", "path", "names"), ASKED)
@pytest.mark.parametrize(("citing", "own"), [(0, True), (4, True), (5, False), (20, False)])
def test_it_orders_lists_where_hardly_a_reference_list_is_known(tmp_path, citing, own, query, path, names):
    shipped = Blend.load(path)
    ranking = ranked(tmp_path / "ix", citing, query=query)
    expected = shipped.without_citations.order if own else shipped.order
    assert ranking.blend.order == expected
    places = [names.index(name) for name in expected.names]
    scores = expected.predict(ranking.features[:, places])
    assert ranking.scores == pytest.approx(np.sort(scores)[::-1], abs=1e-5)
    cited = shipped.without_citations.cited if own else shipped.calibration.cited
    # Of few papers each is cited by more of those who ask than of many.
    known = [[score, np.log(max(len(ranking.pool), 10))][: 1 + own] for score in ranking.scores]
    least = min(1.0, ranking.fit.chance / 0.5) if ranking.fit else 1.0  # of a context, words alone say nothing
    assert ranking.chances == pytest.approx(least * cited(np.asarray(known)), abs=1e-5)
    contributions = ranking.contributions([0, 1])
    assert contributions.names == expected.names
    assert contributions.base + contributions.values.sum(1) == pytest.approx(scores[:2], abs=1e-5)


@pytest.mark.parametrize(("query", "path"), [one[:2] for one in ASKED])
def test_whoever_asks_without_the_graph_gets_it_too(tmp_path, query, path):
    without = ranked(tmp_path / "ix", 20, Settings(sources=("bm25",), depth=0), query)
    assert without.blend.order == Blend.load(path).without_citations.order


def test_it_survives_the_file(tmp_path):
    shipped, path = Blend.load(), tmp_path / "blend.json"
    shipped.save(path)
    assert Blend.load(path).digest == shipped.digest


@pytest.mark.parametrize("path", [DEFAULT, CONTEXT])
def test_one_of_unknown_features_is_refused(tmp_path, path):
    shipped = Blend.load(path)
    names = ("moon_phase", *shipped.without_citations.order.names[1:])
    order = shipped.without_citations.order
    order = replace(order, trees=replace(order.trees, names=names))
    replace(shipped, without_citations=replace(shipped.without_citations, order=order)).save(tmp_path / "blend.json")
    with pytest.raises(ModelError, match=r"not known here \(moon_phase\)"):
        Blend.load(tmp_path / "blend.json")


def test_the_same_score_says_more_among_fewer_papers():
    score, cited = 2.0, Blend.load().without_citations.cited
    chances = [float(cited.where(size_of(papers))(np.asarray([[score]]))[0]) for papers in (1, 10, 40, 150, 500, 2000)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] == chances[1] > chances[2] > chances[3] > chances[4] == chances[5]
    for papers, chance in ((10, chances[1]), (150, chances[3])):
        assert cited(np.asarray([[score, np.log(papers)]])) == pytest.approx(chance)
