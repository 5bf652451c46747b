"""Words that no paper has, and what was probably meant."""

import pytest
from small_index import recommender_fixture

from citescout.recommender import Recommender
from citescout.settings import Settings
from exports.verdicts import verdict_line
from indexer.builds import build_index
from indexer.changes import remove_papers
from indexer.paper import Paper
from retrieval.misspelt import probably_meant
from retrieval.query import Query

PAPERS = [
    *(Paper(f"diabetes{number}", "Diabetes and networks", "Of sodium in diabetes.") for number in range(4)),
    *(Paper(f"white{number}", "Teeth that are white", "They whiten.") for number in range(5)),
    Paper("once", "A survey of surveys", "Of microbiota and McDonald. By co-citation in peer review."),
]

recommender = recommender_fixture(PAPERS)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Diabtees", {"diabtees": "diabetes"}),
        ("dabetes, diabeetes (and dixbetes)", {"dabetes": "diabetes", "diabeetes": "diabetes", "dixbetes": "diabetes"}),
        ("micorbiota of netwroks", {"micorbiota": "microbiota", "netwroks": "networks"}),
        ("diabetes, networks, teeth", {}),
        ("niabetes", {}),  # the first letter
        ("dibates", {}),  # two errors
        ("soduim solium", {"soduim": "sodium", "solium": "sodium"}),
        ("whitenng", {}),  # "whiten" is as near as no letter more
        ("whiteing", {}),  # stands in no paper, though its stem does
        ("NETWROKS, netWroks, netwroks2, netwroks-based, netwroks’", {}),
        ("surwey", {"surwey": "survey"}),
        ("survy", {}),  # five letters
        ("netwroks diabtees surwey micorbiota", {"netwroks": "networks", "diabtees": "diabetes", "surwey": "survey"}),
        ("Cocitation and peerreview", {"cocitation": "co-citation", "peerreview": "peer review"}),
        ("reviewpeer citationby", {}),  # both parts are known, but do not stand so; one part is a stop word
        ("", {}),
    ],
)
def test_what_was_probably_meant(recommender, text, meant):
    bm25, generation = recommender._first_stage.bm25, recommender.generation
    assert probably_meant(text, bm25, generation.catalog, ~generation.removed) == meant


def test_what_only_removed_papers_have_is_not_meant(tmp_path):
    build_index(PAPERS, tmp_path, None)
    remove_papers(["once", "diabetes0"], tmp_path)
    with Recommender.open(tmp_path, reranker="none") as opened:
        asked = Query(title="Sodium, teeth, networks, micorbiota, surwey, diabtees")
        assert opened.answer(asked, Settings(depth=0)).did_you_mean == {"diabtees": "diabetes"}


def test_the_answer_to_a_short_question_says_it(recommender):
    answer = recommender.answer(Query(title="Sodium and diabtees"), Settings(depth=0))
    assert answer.did_you_mean == {"diabtees": "diabetes"}
    assert verdict_line(answer).endswith("No paper has “diabtees”: did you mean “diabetes”?")
    assert "language" not in verdict_line(recommender.answer(Query(title="diabtees"), Settings(depth=0)))
    assert not recommender.answer(Query(title="Sodium and diabetes"), Settings(depth=0)).did_you_mean
    for foreign in ("Natrium und Netzwerke: networkk", "Whitte Zähne bei Diabetikern"):
        answer = recommender.answer(Query(title=foreign), Settings(depth=0))
        assert not answer.did_you_mean
        assert verdict_line(answer).endswith("another language?")
    long = Query(title="diabtees", abstract="Sodium in teeth. " * 10)
    assert not recommender.answer(long, Settings(depth=0)).did_you_mean
