"""A paper of several records stands once in a list, and others take the places."""

import pytest
from command_line import run
from small_index import recommender_fixture, recommender_of

from citescout import Query, Settings
from indexer.paper import Paper

TITLE = "How whales and dolphins learn to dive deep"
COPIES = (
    Paper("key", TITLE, "Whales dive.", 2019, ("Ann Lee",), doi="10.1000/whales"),
    Paper("10.1000/whales", "How whales learn to dive deep", "Whales and dolphins.", 2019),
    Paper("scan", "Dolphins and whales learn to dive", "Whales learn.", url="https://doi.org/10.1000/Whales"),
)
OTHERS = (
    Paper("namesake", TITLE, "Whales.", 2019, ("Bo Poe",)),
    *(Paper(f"p{number}", f"Whales that dive {number} times", "Dolphins learn.", 2019) for number in range(9)),
)
QUERY = Query("Whales and dolphins dive deep", "How do whales learn to dive?")

recommender = recommender_fixture([*COPIES, *OTHERS])


@pytest.mark.parametrize("k", [1, 3, 8, 20])
def test_a_list_has_each_paper_once_in_its_best_record(recommender, k):
    settings = Settings(k=k)
    copies = {paper.id for paper in COPIES}
    ranked = recommender.rank(QUERY, settings).ids()
    assert len(ranked) == len(COPIES) + len(OTHERS)
    best, second, _ = sorted(copies, key=ranked.index)
    assert ranked.index(second) < 3, "or there would be nothing to leave out"
    expected = [id_ for id_ in ranked if id_ == best or id_ not in copies][:k]
    found = recommender.answer(QUERY, settings).recommendations
    assert [entry.paper.id for entry in found] == expected
    assert [entry.rank for entry in found] == list(range(1, len(expected) + 1))
    (with_papers,) = recommender.answers([QUERY], settings, needs="papers")
    assert [entry.paper.id for entry in with_papers.recommendations] == expected


def test_scores_and_reasons_stay_with_their_papers(recommender):
    ranking = recommender.rank(QUERY)
    chances = dict(zip(ranking.ids(), ranking.chances.tolist(), strict=True))
    for entry in recommender.recommend(QUERY):
        assert entry.score == pytest.approx(100 * chances[entry.paper.id])
        assert any(found.source == "bm25" for found in entry.reasons.sources)


def test_a_run_that_is_measured_has_every_record(recommender):
    (found,) = recommender.answers([QUERY], Settings(k=20), needs="ids")
    assert [entry.paper.id for entry in found.recommendations] == recommender.rank(QUERY).ids(20)


def test_a_paper_that_is_added_under_another_id_is_named(tmp_path):
    known, new, index = tmp_path / "known.bib", tmp_path / "new.bib", tmp_path / "index"
    known.write_text(
        "@misc{old, title={Walks on graphs}, year=2001, journal={Leaflets}, doi={10.1000/w}}\n"
        f"@misc{{old2, title={{{TITLE}}}, author={{Lee, Ann}}, year=2019}}\n"
    )
    new.write_text(
        "@misc{new, title={Walks on graphs}, doi={10.1000/W}}\n"
        f"@misc{{new2, title={{{TITLE}}}, author={{Ann Lee}}, year=2020}}\n"
        f"@misc{{new3, title={{{TITLE}}}, author={{Bo Poe}}, year=2020}}\n"
        "@misc{new4, title={Trees}}\n"
    )
    assert "another id" not in run("index", known, "--index", index, "--encoder", "none").err
    said = "2 papers are there under another id, too (new as old, new2 as old2): `citescout add --merge-duplicates` of"
    assert said in run("add", new, "--index", index).err
    new.write_text("@misc{newest, title={Forests}}\n")
    assert run("add", new, "--index", index).err == "", "they were named when they came"


def test_a_paper_is_retracted_whichever_of_its_records_says_so(tmp_path):
    """The mark is PubMed's; what is nearest to the question is a preprint, and somebody's own entry."""
    preprint = Paper("preprint", TITLE, "How do whales and dolphins learn to dive?", 2019, ("Ann Lee",), "bioRxiv")
    entry = Paper("entry", "Dolphins sleep", "Whales, too.", doi="10.1000/sleep")
    published = Paper("PMID:1", TITLE, "Whales.", 2020, ("Ann Lee",), "Nature", retracted=True)
    marked = Paper("PMID:2", "RETRACTED: Dolphins sleep", "", doi="10.1000/SLEEP", retracted=True)
    with recommender_of([preprint, entry, published, marked, *OTHERS], tmp_path / "index") as opened:
        retracted = {preprint.id, entry.id, published.id, marked.id}
        assert opened.rank(QUERY).ids(1) == ["preprint"], "or the mark would be that of the record itself"
        for question in (QUERY, Query("Dolphins sleep. Whales, too")):
            found = opened.answer(question).recommendations
            assert len(found) > len(OTHERS)
            assert [e.paper.retracted for e in found] == [e.paper.id in retracted for e in found]
        (listed,) = opened.answers([QUERY], needs="papers")
        assert [e.paper.retracted for e in listed.recommendations[:2]] == [True, False]
        ids = [*sorted(retracted), *(paper.id for paper in OTHERS)]
        assert [paper.retracted for paper in opened.papers(ids)] == [id_ in retracted for id_ in ids]
        cited = Paper("lee", TITLE, year=2019, authors=("A. Lee",)), Paper("poe", TITLE, authors=("B. Poe",))
        assert [match.paper.retracted for match in opened.resolve(cited)] == [True, False]
        assert all(near.paper.retracted == (near.paper.id in retracted) for near in opened.neighbours("p2"))
        assert [paper.retracted for paper in opened.search_papers("preprint")] == [True]


def test_what_another_record_has_as_retracted_does_not_show_what_an_index_is_about(tmp_path):
    preprint = Paper("a", TITLE, "Whales.", 2019, ("Ann Lee",))
    published = Paper("b", TITLE, "Whales.", 2019, ("Ann Lee",), "Nature", retracted=True)
    with recommender_of([preprint, published, *OTHERS], tmp_path / "index") as opened:
        assert [paper.id for paper in opened.well_cited()] == ["namesake", "p0", "p1"]
