"""The library as scripts, notebooks and applications have it: names, wrong values, closed indexes, the process."""

import json
import pickle
from dataclasses import asdict
from pathlib import Path
from pydoc import plaintext, render_doc

import numpy as np
import pytest
from command_line import printed_by, run_program

import citescout
from citescout import CitescoutError, Filters, LiveRecommender, Paper, Query, QueryError, Recommender, Settings
from indexer.builds import build_index
from indexer.changes import remove_papers
from retrieval.bm25 import Bm25

QUERY = Query("Dense retrieval of papers")
CLOSED = "the index is closed: open it again"


def test_public_names_are_offered_before_they_are_loaded():
    program = "import citescout; print(*dir(citescout))"
    names = printed_by(program).split()
    assert [name for name in names if not name.startswith("_")] == citescout.__all__
    assert all(getattr(citescout, name) for name in citescout.__all__)
    assert issubclass(QueryError, CitescoutError)


def test_every_package_of_public_types_is_marked_as_typed():
    root = Path(citescout.__file__).parents[1]
    homes = {name.split(".")[0] for name in citescout._HOMES.values()}
    assert all((root / home / "py.typed").exists() for home in homes)


def test_help_names_the_default_system_in_a_word():
    helped = render_doc(Recommender, renderer=plaintext)
    assert "system: 'str | System' = 'default'" in helped
    assert "System(" not in helped


@pytest.mark.parametrize("wrong", [{"k": 3}, "default", 3, 0])
def test_other_settings_than_settings_are_named(recommender, wrong):
    for ask in (recommender.recommend, recommender.answer, recommender.rank, recommender.pool):
        with pytest.raises(TypeError, match="settings must be Settings"):
            ask(QUERY, wrong)
    with pytest.raises(TypeError, match="settings must be Settings"):
        recommender.answers([QUERY], wrong)
    with pytest.raises(QueryError, match=r"^filters must be Filters\(…\), not \{'from_year': 2000\}$"):
        Settings(filters={"from_year": 2000})
    assert Settings(filters=Filters(from_year=2000))


def test_one_text_in_place_of_a_list_of_ids_is_refused(recommender, tmp_path):
    one = "vaswani2017attention"
    for ask in (recommender.papers, recommender.citations_among, recommender.without_citations_of):
        with pytest.raises(TypeError, match=rf"ids must be a list of texts, not one text: \['{one}'\]"):
            ask(one)
    with pytest.raises(TypeError, match="not one text"):
        recommender.check(QUERY, one)
    with pytest.raises(TypeError, match="ids must be texts, not 7"):
        recommender.paper(7)
    build_index([Paper("a", "One"), Paper("b", "Other")], tmp_path / "index", None)
    with pytest.raises(TypeError, match="not one text"):
        remove_papers("a", tmp_path / "index")


def test_ids_that_come_one_by_one_are_taken_as_a_list_is(recommender):
    ids = ["vaswani2017attention", "kingma2015adam"]
    assert [paper.id for paper in recommender.papers(iter(ids))] == ids
    assert recommender.citations_among(iter(ids)) == recommender.citations_among(ids)


def test_numbers_of_numpy_are_numbers(recommender):
    for ask in (recommender.search_papers, recommender.neighbours, recommender.around):
        assert ask("vaswani2017attention", np.int64(2)) == ask("vaswani2017attention", 2)
    assert recommender.search_papers("attention", np.int64(2)) == recommender.search_papers("attention", 2)


def test_what_is_done_with_an_answer_changes_no_other(recommender):
    recommender.well_cited().clear()
    assert len(recommender.well_cited()) == 3


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("authors", "Ada Lovelace"),
        ("citations", [1]),
        ("title", float("nan")),
        ("abstract", None),
        ("id", 7),
        ("year", np.int64(2020)),
        ("year", "2020"),
        ("year", float("nan")),
    ],
)
def test_a_paper_with_a_value_of_another_type_is_not_indexed(tmp_path, field, value):
    paper = Paper(**{"id": "a", "title": "One", field: value})
    with pytest.raises(TypeError, match=f"^paper .*: {field} must be "):
        build_index([paper], tmp_path / "index", None)


@pytest.mark.parametrize("year", [10_000, 40_000, -(10**30)])
def test_a_paper_with_a_year_of_more_digits_is_not_indexed(tmp_path, year):
    with pytest.raises(ValueError, match=f"^paper 'a': year must have four digits at most, not {year}$"):
        build_index([Paper("a", "One", year=year)], tmp_path / "index", None)


def test_unknown_needs_are_refused(recommender):
    with pytest.raises(QueryError, match="needs must be one of ids, papers, reasons, not 'reason'"):
        list(recommender.answers([QUERY], needs="reason"))


def test_a_closed_index_says_so(demo_index):
    with Recommender.open(demo_index) as opened:
        assert "375 papers" in repr(opened)
        view = opened.without_query_map()
    opened.close()
    for one in (opened, view):
        for ask in (one.recommend, one.answer, one.rank, lambda query: list(opened.answers([query]))):
            with pytest.raises(ValueError, match=CLOSED):
                ask(QUERY)
        with pytest.raises(ValueError, match=CLOSED):
            one.paper("vaswani2017attention")
    live = LiveRecommender.open(demo_index)
    live.close()
    with pytest.raises(ValueError, match=CLOSED):
        live.recommend(QUERY)


@pytest.mark.parametrize("step", ["terms", "heaviest", "search", "idf", "holding", "_top"])
def test_a_question_during_which_another_thread_closes_the_index_ends_with_the_same_error(
    demo_index, monkeypatch, step: str
):
    opened = Recommender.open(demo_index)
    original = getattr(Bm25, step)

    def meanwhile(bm25: Bm25, *arguments: object) -> object:
        opened.close()
        return original(bm25, *arguments)

    monkeypatch.setattr(Bm25, step, meanwhile)
    with pytest.raises(ValueError, match=CLOSED):
        opened.recommend(QUERY)
    with pytest.raises(ValueError, match=CLOSED):
        _ = opened._first_stage.bm25.collection_length


def test_answers_are_pickled_and_recommenders_say_what_to_do(recommender, demo_index):
    answer = recommender.answer(QUERY, Settings(k=3, beyond=1))
    assert pickle.loads(pickle.dumps(answer)) == answer  # noqa: S301
    assert json.dumps(asdict(answer))  # not with values of NumPy
    with LiveRecommender.open(demo_index) as live:
        for opened in (recommender, live):
            with pytest.raises(TypeError, match=f"^a {type(opened).__name__} .*: open the index in each process$"):
                pickle.dumps(opened.recommend)


STATE = """
import json, locale, multiprocessing, os, signal, sys
def state():
    return [
        locale.setlocale(locale.LC_ALL),
        multiprocessing.get_start_method(allow_none=True),
        [str(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)],
        os.getcwd(), sys.path, str(sys.excepthook),
        [os.environ.get(name) for name in ("JAVA_HOME", "JDK_HOME", "JVM_PATH")],  # of what is started next, too
    ]
os.environ["JAVA_HOME"] = "/of/another/program"
before = state()
from citescout import Query, Recommender
with Recommender.open(sys.argv[1]) as opened:
    assert opened.recommend(Query("Dense retrieval"))
    print(json.dumps([before, state()]))
multiprocessing.set_start_method("spawn")
"""


def test_asking_leaves_the_process_as_it_is(demo_index):
    done = run_program(STATE, demo_index)
    assert (done.code, done.err) == (0, "")
    before, after = json.loads(done.out)
    assert before == after


@pytest.mark.parametrize("encoder", [None, "static"])
def test_a_question_that_leaves_no_candidate_has_an_empty_list(tmp_path, encoder):
    papers = [Paper("a", "Dense retrieval", "Vectors.", 1990, citations=("b",)), Paper("b", "Sparse retrieval")]
    build_index(papers, tmp_path / "index", encoder)
    with Recommender.open(tmp_path / "index") as opened:
        for query in (
            Query("Retrieval", already_cited=("a", "b")),
            Query("Zyzzyva", already_cited=("a", "b"), year=1990),
        ):
            assert opened.recommend(query) == []
