"""What the authors of a query wrote or cited before: marked, hidden if asked, and never preferred."""

import json
from dataclasses import replace

import orjson
import pytest
from command_line import run
from small_index import recommender_of

from citescout.queries import read_queries
from citescout.recommendation import Known
from citescout.recommender import Recommender
from citescout.settings import Settings
from common.errors import QueryError
from exports import written
from indexer.builds import build_index
from indexer.paper import Paper
from retrieval.query import Query

ADA, ALAN = "Ada Lovelace", "Alan Turing"
PAPERS = (
    Paper("old", "Passage retrieval by words", year=1999, authors=("Karen Spärck Jones",)),
    Paper("mid", "Passage retrieval by graphs", year=2010, authors=(ADA,), citations=("old",)),
    Paper("later", "Passage retrieval by trees", year=2015, authors=("Lovelace, A.", ALAN), citations=("old", "mid")),
    Paper("newer", "Passage retrieval by vectors", year=2020, authors=(ADA,), citations=("hand", "far")),
    Paper("hand", "Passage retrieval by hand", year=2008, authors=("Anton Byron",)),
    Paper("far", "Passage retrieval from afar", year=2009),
    Paper("draft", "Passage retrieval, a draft", year=2018, authors=(ADA,), citations=("far",)),
)
QUERY = Query("Passage retrieval", year=2018, authors=(ADA,))


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("known") / "index"
    build_index(PAPERS, folder, encoder=None)
    return folder


@pytest.fixture(scope="module")
def recommender(index):
    opened = Recommender.open(index)
    yield opened
    opened.close()


def ids(entries):
    return [entry.paper.id for entry in entries]


def marks(recommender, query):
    return {entry.paper.id: entry.known for entry in recommender.recommend(query) if entry.known}


def test_what_they_wrote_or_cited_before_is_marked(recommender):
    by_id = {paper.id: paper for paper in PAPERS}
    assert marks(recommender, QUERY) == {
        "mid": Known("yours"),
        "later": Known("yours"),
        "draft": Known("yours"),
        "old": Known("cited", by_id["later"]),  # the newest of theirs
        "far": Known("cited", by_id["draft"]),
    }


def test_the_own_paper_and_newer_ones_tell_nothing(recommender):
    assert marks(recommender, replace(QUERY, id="draft")).keys() == {"mid", "later", "old"}
    assert marks(recommender, replace(QUERY, year=2014)).keys() == {"mid", "old"}
    assert marks(recommender, replace(QUERY, year=None)).keys() == {paper.id for paper in PAPERS}
    assert marks(recommender, replace(QUERY, authors=())) == {}
    assert marks(recommender, replace(QUERY, authors=("Nobody Known", ""))) == {}


def test_nothing_is_boosted(recommender):
    anonymous = recommender.rank(replace(QUERY, authors=()))
    named = recommender.rank(QUERY)
    assert named.order.tolist() == anonymous.order.tolist()
    assert named.scores.tolist() == anonymous.scores.tolist()


@pytest.mark.parametrize("k", [1, 2, 20])
def test_hiding_leaves_the_others_in_their_order_and_fills_up(recommender, k):
    whole = ids(recommender.recommend(replace(QUERY, authors=())))
    unknown = [paper for paper in whole if paper not in marks(recommender, QUERY)]
    assert len(unknown) == 1
    assert ids(recommender.recommend(QUERY, Settings(k=k, hide_known=True))) == unknown[:k]
    by_alan = replace(QUERY, authors=(ALAN,))
    unknown = [paper for paper in whole if paper not in {"later", "old", "mid"}]
    assert ids(recommender.recommend(by_alan, Settings(k=k, hide_known=True))) == unknown[:k]


def test_scores_stay_with_their_papers(recommender):
    scores = {entry.paper.id: entry.score for entry in recommender.recommend(QUERY)}
    for entry in recommender.recommend(QUERY, Settings(hide_known=True)):
        assert entry.score == scores[entry.paper.id]


def test_what_is_left_keeps_its_chance(recommender):
    whole = recommender.answer(QUERY)
    left = recommender.answer(QUERY, Settings(hide_known=True))
    chances = {entry.paper.id: (entry.score, entry.likelihood) for entry in whole.recommendations}
    assert left.recommendations
    assert all(chances[entry.paper.id] == (entry.score, entry.likelihood) for entry in left.recommendations)
    assert left.fit == whole.fit


def test_hiding_without_authors_hides_nothing(recommender):
    nobody = replace(QUERY, authors=())
    assert ids(recommender.recommend(nobody, Settings(hide_known=True))) == ids(recommender.recommend(nobody))


def test_names_are_not_in_the_text_of_a_query():
    assert ADA not in repr(QUERY)


def exported(name, recommender):
    return written(name, [(QUERY, recommender.recommend(QUERY))])


@pytest.mark.parametrize("name", ["table", "markdown", "csv", "jsonl"])
def test_lists_say_it_in_words(recommender, name):
    text = exported(name, recommender).lower()
    assert "yours" in text
    assert "you cited it in passage retrieval by trees (2015)" in text


def test_json_lines_have_it_as_fields(recommender):
    record = json.loads(exported("jsonl", recommender))
    known = {entry["id"]: entry["known"] for entry in record["recommendations"]}
    assert known["mid"] == {"how": "yours", "by": None, "words": "yours"}
    assert known["old"]["by"] == {"id": "later", "title": "Passage retrieval by trees", "year": 2015}
    assert known["hand"] is None


def recommended(index, path, *options):
    output = run("recommend", path, "--index", index, "--format", "jsonl", *options)
    record = json.loads(output.out)
    return {entry["id"]: (entry["known"] or {}).get("how") for entry in record["recommendations"]}, output.err


def test_the_command_takes_authors(index, tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(orjson.dumps({"title": QUERY.title, "year": 2018}))
    found, _ = recommended(index, path, "--author", ADA)
    assert {paper for paper, how in found.items() if how == "yours"} == {"mid", "later", "draft"}
    found, output = recommended(index, path, "--author", ADA, "--author", ALAN, "--hide-known")
    assert found == {"hand": None}
    assert "hides nothing" not in output
    found, output = recommended(index, path, "--hide-known")
    assert len(found) == len(PAPERS) - 1
    assert "--hide-known hides nothing" in output


def test_authors_without_a_paper_in_the_index_are_named(index, tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(orjson.dumps({"title": QUERY.title, "year": 2018, "authors": ["Nora Noe"]}))
    options = ("-k", "1", "--author", ADA, "--author", "Ada Lovelac", "--not-by", "Turing", "--not-by", "A. Turin")
    said = "no paper of the index is recognised as one by"
    assert recommended(index, path, *options)[1].splitlines() == [
        f"--author: {said} Ada Lovelac; give full names",
        f"--not-by leaves nothing out: {said} A. Turin",
    ]
    assert said not in recommended(index, path)[1], "what a file says of its own authors is not reported"


def test_known_papers_are_those_of_the_authors_that_a_manuscript_names(index, tmp_path):
    path = tmp_path / "paper.md"
    path.write_text(f"---\ntitle: Passage retrieval\nauthor: {ALAN}\n---\n\n# Abstract\n\nOf passages.\n")
    found, output = recommended(index, path, "--hide-known")
    assert set(found) == {"newer", "hand", "far", "draft"}
    assert "hides nothing" not in output
    found, _ = recommended(index, path, "--hide-known", "--author", "Nobody Else")
    assert len(found) == len(PAPERS)
    path.write_text(path.read_text().replace(f"author: {ALAN}\n", ""))
    assert "--hide-known hides nothing" in recommended(index, path, "--hide-known")[1]


def test_query_files_have_authors(index, tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(orjson.dumps({"title": QUERY.title, "year": 2018, "authors": [ALAN, " "]}))
    assert read_queries(str(path))[0].authors == (ALAN,)
    found, _ = recommended(index, path)
    assert {paper for paper, how in found.items() if how} == {"later", "old", "mid"}
    path.write_bytes(orjson.dumps({"title": QUERY.title, "authors": ADA}))
    with pytest.raises(QueryError, match="line 1: authors must be a list") as refused:
        read_queries(str(path))
    assert ADA not in str(refused.value)


def test_papers_as_queries_bring_their_authors(tmp_path):
    path = tmp_path / "mine.bib"
    path.write_text("@article{a, title={Passage retrieval}, author={Lovelace, Ada and Turing, Alan}, year=2018}")
    assert read_queries(str(path))[0].authors == (ADA, ALAN)


def test_other_records_of_what_they_know_are_known(tmp_path):
    """What was cited is a preprint, and what was written has an entry that names its first author alone."""
    both = {"year": 2012, "authors": ("Jan Byron", ADA)}
    papers = (
        Paper("preprint", "Passage retrieval with vectors and trees", year=2011, authors=("Eva Roe",)),
        Paper("published", "Passage retrieval with vectors and trees", year=2012, authors=("Roe, E.",)),
        Paper("own", "Passage retrieval in two languages", doi="10.1000/two", citations=("preprint",), **both),
        Paper("entry", "Passage retrieval in two languages", authors=("Jan Byron", "others"), doi="10.1000/TWO"),
        Paper("other", "Passage retrieval with vectors and trees", year=2012, authors=("Nora Noe",)),
    )
    with recommender_of(papers, tmp_path / "index") as opened:
        assert len(opened.recommend(QUERY)) == 3
        assert ids(opened.recommend(QUERY, Settings(hide_known=True))) == ["other"]
        known = opened.known_papers(opened.resolved(QUERY)[0])
        how = {paper.id: known.get(opened.docid_of(paper.id), "unknown") for paper in papers}
        own = opened.docid_of("own")
        assert how == {"preprint": own, "published": own, "own": None, "entry": None, "other": "unknown"}
