from dataclasses import replace

import numpy as np
import pytest
from command_line import refused, run
from small_index import recommender_fixture, recommender_of

from citescout.filters import Filters
from citescout.settings import Settings
from common.errors import QueryError
from indexer.builds import build_index
from indexer.identity.authors import author_of, may_be
from indexer.paper import Paper
from retrieval.context_pool import pool_of
from retrieval.first_stage import FirstStageOptions
from retrieval.query import Query

PAPERS = (
    Paper("old", "Passage retrieval by words", year=1999, authors=("Karen Spärck Jones",), venue="J. of Documentation"),
    Paper("mid", "Passage retrieval by graphs", year=2010, authors=("A. Lovelace", "B"), venue="Proc. SIGIR '10"),
    Paper("new", "Passage retrieval by vectors", year=2020, authors=("Lovelace, Ada",), venue="Proceedings of SIGIR"),
    Paper("anna", "Passage retrieval by hand", year=2020, authors=("Anna Lovelace",), venue="SIGIRs of old"),
    Paper("none", "Passage retrieval by nobody knows when", citations=("old", "mid")),
    Paper("citing", "Passage retrieval by citing", year=2021, citations=("old",)),
)

recommender = recommender_fixture(PAPERS)


def ids(recommender, filters=None, k=20, **query):
    settings = Settings(k=k, filters=filters or Filters())
    return [entry.paper.id for entry in recommender.recommend(Query("Passage retrieval", **query), settings)]


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (Filters(from_year=2010), {"mid", "new", "anna", "citing"}),
        (Filters(to_year=2010), {"old", "mid"}),
        (Filters(from_year=2010, to_year=2010), {"mid"}),
        (Filters(venues=("sigir",)), {"mid", "new"}),
        (Filters(venues=("of documentation", "SIGIRs")), {"old", "anna"}),
        (Filters(min_citations=1), {"old", "mid"}),
        (Filters(min_citations=2), {"old"}),
        (Filters(not_by=("Ada Lovelace",)), {"old", "anna", "none", "citing"}),
        (Filters(not_by=("Lovelace", "Sparck Jones")), {"none", "citing"}),
        (Filters(venues=("nowhere",)), set()),
    ],
)
def test_a_filtered_list_is_the_whole_list_without_what_does_not_fit(recommender, filters, kept):
    whole = ids(recommender)
    assert len(whole) == len(PAPERS)
    assert ids(recommender, filters) == [paper for paper in whole if paper in kept]
    assert ids(recommender, filters, k=1) == [paper for paper in whole if paper in kept][:1]


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """An index whose first thousand papers by words are of another venue and year."""
    many = [Paper(f"p{n:04}", "Passage retrieval", year=2010, venue="Proc. SIGIR") for n in range(1100)]
    rest = "a long text of which only a few words are what is asked for, and which so comes last by words"
    few = [
        Paper("rare", "Retrieval of passages", rest, year=2020, venue="Small Letters", authors=("A. Lovelace",)),
        Paper("rarer", "On retrieval", rest, year=2021, venue="Small Letters", authors=("C. Babbage",)),
        Paper("cited", "Of retrieval", rest, year=1990),
        Paper("other", "Bread", "On baking", year=2020, venue="Small Letters", citations=("cited",)),
    ]
    return recommender_of(many + few, tmp_path_factory.mktemp("crowded") / "index")


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (Filters(venues=("small letters",)), {"rare", "rarer"}),
        (Filters(from_year=2020), {"rare", "rarer"}),
        (Filters(to_year=2000), {"cited"}),
        (Filters(min_citations=1), {"cited"}),
        (Filters(venues=("small letters",), not_by=("Lovelace",)), {"rarer"}),
        (Filters(venues=("small letters",), from_year=2021), {"rarer"}),
    ],
)
@pytest.mark.parametrize("form", ["title", "context"])
def test_papers_that_fit_are_found_behind_a_thousand_that_do_not(crowded, filters, found, form):
    query = Query("Passage retrieval") if form == "title" else Query(context="Passage retrieval [CITATION].")
    unfiltered = crowded.rank(query).ids()[:1000]
    assert len(unfiltered) == 1000
    assert found.isdisjoint(unfiltered)
    listed = [entry.paper.id for entry in crowded.recommend(query, Settings(filters=filters))]
    assert set(listed) == found
    assert len(listed) == len(found)


def test_a_filter_that_leaves_enough_changes_no_paper_that_it_leaves(crowded):
    query = Query("Passage retrieval")
    whole = crowded.rank(query).ids()
    assert crowded.rank(query, Settings(filters=Filters(to_year=2010, from_year=2010))).ids() == whole[:1000]


@pytest.mark.parametrize("form", ["title", "context"])
def test_what_is_looked_for_behind_the_candidates_changes_no_vote(tmp_path, form):
    papers = [
        Paper(
            f"p{n:02}", "Passage retrieval", "retrieval " * (60 - n) + "bread " * n, citations=(f"p{(n + 7) % 60:02}",)
        )
        for n in range(60)
    ]
    query = Query("Passage retrieval") if form == "title" else Query(context="Passage retrieval [CITATION].")
    options = FirstStageOptions(depth=20)
    with recommender_of(papers, tmp_path / "index") as recommender:
        first = recommender._first_stage
        pool = pool_of(first, query, options, (), None)
        wanted = np.ones(60, np.bool_)
        wanted[pool.docids] = False
        more = pool_of(first, query, replace(options, wanted=wanted), (), None)
    places = [more.docids.tolist().index(docid) for docid in pool.docids]
    assert len(more) > len(pool)
    assert places == sorted(places)
    if form == "title":
        assert pool.votes.any()
        assert np.array_equal(pool.votes, more.votes[places])
    else:
        assert pool.context["context_cited_by_seeds"].any()
        for name in ("context_cited_by_seeds", "context_cites_seeds", "context_cocited"):
            assert np.array_equal(pool.context[name], more.context[name][places]), name


def test_what_is_filtered_out_still_votes(tmp_path):
    papers = [Paper("seed", "Passage retrieval", year=2020, citations=("far",)), Paper("far", "Bread", year=1990)]
    recommender = recommender_of(papers, tmp_path / "index")
    assert ids(recommender, Filters(to_year=2000)) == ["far"]
    assert ids(recommender, year=2000) == [], "a query of 2000 must not know the paper of 2020"


@pytest.mark.parametrize(
    ("name", "author", "same"),
    [
        ("Ada Lovelace", "Ada Lovelace", True),
        ("Ada Lovelace", "A. K. Lovelace", True),
        ("A Lovelace", "Lovelace, Ada", True),
        ("Lovelace", "Ada Lovelace", True),
        ("Ada Lovelace", "Anna Lovelace", False),
        ("Ada Lovelace", "B. Lovelace", False),
        ("Ada Lovelace", "Ada Byron", False),
        ("Gödel", "Kurt GODEL", True),
        ("van der Waals", "Johannes van der Waals", True),
        ("Sparck Jones", "Karen Spärck Jones", True),
        ("", "Ada Lovelace", False),
        ("Ada Lovelace", "", False),
        ("李明", "李明", True),
    ],
)
def test_authors_are_reported_apart_by_given_names(name, author, same):
    assert may_be(author_of(name), author_of(author)) == same


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"from_year": 2020, "to_year": 2010}, "from_year 2020 is after to_year 2010"),
        ({"from_year": 99999}, "from_year must be from 1000 to 2200"),
        ({"min_citations": -1}, "min_citations must be from 0 to 1000000000, not -1"),
    ],
)
def test_impossible_filters_are_refused(filters, message):
    with pytest.raises(QueryError, match=message):
        Filters(**filters)


def test_the_command_has_the_filters(tmp_path):
    build_index(PAPERS, tmp_path / "index", encoder=None)
    (tmp_path / "q.jsonl").write_text('{"id": "q", "title": "Passage retrieval"}')
    arguments = ["recommend", str(tmp_path / "q.jsonl"), "--index", str(tmp_path / "index"), "--format", "trec"]
    options = ["--venue", "sigir", "--venue", "documentation", "--not-by", "A. Lovelace", "--from-year", "1990"]
    written = run(*arguments, *options, "--to-year", "2015", "--min-citations", "1").out
    assert [line.split()[2] for line in written.splitlines()] == ["old"]
    assert "diversity needs an index with vectors" in refused(*arguments, "--diversity", "0.5")


def test_no_other_record_takes_the_place_of_what_an_author_wrote(tmp_path):
    title = "Passage retrieval by those who list few of their names"
    papers = (
        Paper("whole", title, year=2019, authors=("Ada Lovelace", "Bo Poe"), doi="10.1000/few"),
        Paper("entry", title, year=2020, authors=("Ada Lovelace", "others"), doi="10.1000/few"),
        Paper("namesake", title, year=2020, authors=("Cy Noe",)),
    )
    with recommender_of(papers, tmp_path / "index") as recommender:
        assert set(ids(recommender, Filters(not_by=("Bo Poe",)))) == {"namesake"}
        assert set(ids(recommender, Filters(not_by=("Bo Poe",), from_year=2020))) == {"namesake"}


def test_a_list_that_conditions_left_short_is_reported(tmp_path):
    index, drafts = tmp_path / "index", tmp_path / "drafts.jsonl"
    build_index(PAPERS, index, None)
    drafts.write_text('{"title": "Passage retrieval"}\n{"title": "Passages"}\n')
    command = ("recommend", drafts, "--index", index)
    said = "no more of the papers that are found meet all conditions"
    assert said not in run(*command).err, "the index has no more papers"
    assert said not in run(*command, "-k", "2", "--from-year", "2010").err
    assert f"2 lists have fewer than 3 papers: {said}\n" in run(*command, "-k", "3", "--venue", "SIGIR").err
