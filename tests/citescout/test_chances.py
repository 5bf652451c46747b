"""The score as a chance, the cuts of a list and the verdict on it, from the ranking to the files."""

import csv
import io
import json

import pytest
from command_line import run

from citescout import Query, Settings
from citescout.recommendation import Reasons, Recommendation
from exports import Answer, written
from exports.reason_sentences import groups, percent
from indexer.paper import Paper
from rerank.calibration import Fit

QUERY = Query("Hard negatives for dense passage retrieval", "Negatives are mined from an index.", id="q")
LONG = Query("Hard negatives for dense passage retrieval", "Negatives are mined from an index. " * 5, id="q")
SETTINGS = Settings(k=6)


def entries(*likelihoods):
    reasons = Reasons((), (), (), None)
    return [
        Recommendation(rank, 50.0 / rank, Paper(f"p{rank}", f"Title {rank}"), reasons, likelihood)
        for rank, likelihood in enumerate(likelihoods, start=1)
    ]


def test_score_is_the_chance_in_per_cent(recommender, calibrate):
    calibrate(0.8, "weak")
    answer = recommender.answer(QUERY, SETTINGS)
    assert [entry.score for entry in answer.recommendations] == pytest.approx([80, 40, 20, 10, 5, 2.5])
    assert [entry.likelihood for entry in answer.recommendations] == ["likely", *["perhaps"] * 3, *["unlikely"] * 2]
    assert answer.fit == Fit(0.8, "weak")
    assert list(answer.recommendations) == recommender.recommend(QUERY, SETTINGS)
    assert answer == list(recommender.stream(QUERY, SETTINGS))[-1]


def test_without_the_blend_the_score_is_the_last_stages(recommender, calibrate):
    calibrate(0.8)
    settings = Settings(k=6, blend=False)
    answer = recommender.answer(QUERY, settings)
    ranking = recommender.rank(QUERY, settings)
    assert [entry.score for entry in answer.recommendations] == pytest.approx(ranking.scores[:6])
    assert {entry.likelihood for entry in answer.recommendations} == {None}
    assert answer.fit


def test_chances_stay_with_their_papers_when_a_dial_turns_the_list(recommender, calibrate):
    calibrate(0.8)
    straight = {e.paper.id: e.score for e in recommender.recommend(QUERY, Settings(k=200))}
    turned = recommender.recommend(QUERY, Settings(k=20, recency=0.8))
    assert [entry.score for entry in turned] != sorted((entry.score for entry in turned), reverse=True)
    assert all(straight[entry.paper.id] == entry.score for entry in turned)
    upside_down = recommender.recommend(QUERY, SETTINGS)[::-1]
    assert [name for name, _ in groups(upside_down)] == [""], "a list in another order has no cuts"


def test_chance_is_never_certain_nor_nothing():
    likely, perhaps, _ = entries("likely", "perhaps", None)
    assert (percent(likely), percent(perhaps)) == ("50 %", "25 %")
    assert percent(Recommendation(1, 99.9, likely.paper, likely.reasons, "likely")) == ">99 %"
    assert percent(Recommendation(1, 0.2, likely.paper, likely.reasons, "unlikely")) == "<1 %"
    assert percent(Recommendation(1, 9.6, likely.paper, likely.reasons, "unlikely")) == "9 %"
    assert percent(Recommendation(1, 3.5, likely.paper, likely.reasons)) == ""


def test_list_is_cut_where_papers_become_less_likely():
    parts = groups(entries("likely", "likely", "unlikely"))
    assert [(name, [entry.rank for entry in part]) for name, part in parts] == [("Likely", [1, 2]), ("Unlikely", [3])]
    assert [name for name, _ in groups(entries(None, None))] == [""]
    assert groups([]) == []


def test_table_says_verdict_and_cuts():
    lines = written("table", [Answer(LONG, entries("perhaps", "unlikely"), Fit(0.3, "weak"))]).splitlines()
    assert lines[1] == "  This index has little on this."
    assert lines[2] == "  -- Perhaps --"
    assert lines[3].split()[:3] == ["1", "50", "%"]
    assert lines[4] == "  -- Unlikely --"
    good = written("table", [Answer(QUERY, entries("likely"), Fit(0.9, "good"))]).splitlines()
    assert good[1] == "  -- Likely --"


@pytest.mark.parametrize("name", ["table", "markdown"])
def test_an_index_is_not_said_to_have_little_above_papers_that_are_likely_cited(name):
    assert "little" not in written(name, [Answer(QUERY, entries("likely", "perhaps"), Fit(0.48, "weak"))])
    assert "Nothing in this index" in written(name, [Answer(QUERY, entries("likely"), Fit(0.05, "none"))])


@pytest.mark.parametrize("name", ["table", "markdown"])
def test_of_an_empty_list_the_year_is_named_not_a_fit(name):
    text = written(name, [Answer(Query("Old trees", year=1900), (), Fit(0.37, "weak"))])
    assert "No paper from 1900 or before is found" in text
    assert "little on this" not in text
    strange = written(name, [Answer(Query("Alte Bäume", year=1900), (), Fit(0.0, "none", unknown_words=1.0))])
    assert "another language" in strange


def test_markdown_goes_on_with_the_numbers_below_a_cut():
    text = written("markdown", [Answer(LONG, entries("likely", "perhaps"), Fit(0.1, "none"))])
    assert "\n\nNothing in this index seems to be about this.\n\n### Likely\n\n1. " in text
    assert "\n\n### Perhaps\n\n2. " in text


def test_of_a_short_text_a_bad_verdict_is_said_to_be_unsure():
    hint = "More of the text would make that surer."
    assert hint in written("table", [Answer(QUERY, entries("unlikely"), Fit(0.05, "none"))])
    assert hint not in written("table", [Answer(LONG, entries("unlikely"), Fit(0.05, "none"))])
    assert hint not in written("table", [Answer(QUERY, entries("likely"), Fit(0.9, "good"))])
    assert hint not in written(
        "table", [Answer(Query(context="One sentence."), entries("unlikely"), Fit(0.05, "none"))]
    )


def test_of_a_text_whose_words_the_index_lacks_another_language_is_suspected():
    hint = "another language?"
    assert hint in written("markdown", [Answer(LONG, entries("unlikely"), Fit(0.05, "none", 0.8))])
    assert hint in written("markdown", [Answer(QUERY, entries("unlikely"), Fit(0.3, "weak", 0.8))])
    assert hint not in written("markdown", [Answer(LONG, entries("unlikely"), Fit(0.05, "none", 0.3))])
    assert hint not in written("markdown", [Answer(LONG, entries("likely"), Fit(0.9, "good", 0.8))])
    near = written("markdown", [Answer(LONG, entries("perhaps"), Fit(0.9, "good", 0.8))])
    assert "\n\nMost of the words are in no paper of this index: another language?\n" in near
    assert hint not in written("markdown", [Answer(LONG, entries("perhaps"), Fit(0.9, "good", 0.3))])


def test_another_language_is_not_suspected_of_a_text_in_the_language_of_the_papers_listed():
    def said(title, *titles):
        papers = (Paper(f"p{place}", title) for place, title in enumerate(titles))
        listed = tuple(Recommendation(place, 1.0, paper) for place, paper in enumerate(papers, start=1))
        return written("markdown", [Answer(Query(title), listed, Fit(0.02, "none", 0.8))])

    english, german = ("Trees of the North", "A map of forests"), ("Die Bäume und der Wald", "Karten für den Wald")
    ours = "Wall painters in the palaces of Judea"
    assert "Most of the words are in no paper of this index." in said(ours, *english)
    assert "in no paper of this index: another language?" in said(ours, *german)
    assert "in no paper of this index: another language?" in said("Die Maler und der Palast", *english)
    assert "in no paper of this index." in said("Die Maler und der Palast", *german)
    assert "in no paper of this index: another language?" in said("Reti neurali in Italia", *english)
    assert "in no paper of this index: another language?" in said("Chondrozytentransplantation", *english)


def test_the_fit_has_the_share_of_words_that_no_paper_holds(recommender):
    german = Query("Empfehlung von Zitationen", "Wir stellen ein Verfahren vor, das passende Literatur neural findet.")
    assert recommender.answer(german, SETTINGS).fit.unknown_words > 0.8
    assert recommender.answer(QUERY, SETTINGS).fit.unknown_words < 0.2


def test_jsonl_and_csv_hold_likelihood_and_fit():
    answer = Answer(QUERY, entries("likely", None), Fit(0.25, "weak"))
    record = json.loads(written("jsonl", [answer]))
    assert record["fit"] == {"chance": 0.25, "verdict": "weak", "unknown_words": 0.0}
    assert [entry["likelihood"] for entry in record["recommendations"]] == ["likely", None]
    rows = list(csv.DictReader(io.StringIO(written("csv", [answer]))))
    assert [(row["likelihood"], row["fit"]) for row in rows] == [("likely", "weak"), ("", "weak")]


def test_command_prints_the_verdict_and_as_many_papers_as_were_asked_for(demo_index, tmp_path, calibrate):
    calibrate(0.04, "none")
    queries = tmp_path / "queries.jsonl"
    queries.write_text(json.dumps({"id": "q", "title": QUERY.title}))
    command = ["recommend", str(queries), "--index", str(demo_index)]
    table = run(*command)
    assert table.code == 0, table.err
    verdict, cut = table.out.splitlines()[1:3]
    assert verdict.startswith("  Nothing in this index seems to be about this.")
    assert cut == "  -- Unlikely --"
    record = json.loads(run(*command, "--format", "jsonl").out)
    assert len(record["recommendations"]) == 20
    assert record["recommendations"][0]["score"] == pytest.approx(4)
    assert record["fit"]["verdict"] == "none"
