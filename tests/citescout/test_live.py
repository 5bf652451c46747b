"""The server's recommender follows its index and drops what it no longer needs."""

import gc
import logging
import os
import shutil
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from citescout import Paper, Query, Recommender, Settings
from citescout.live import LiveRecommender
from indexer.builds import build_index
from indexer.changes import add_papers, remove_papers
from indexer.layout import CURRENT, LOCK

QUERY = Query("neural ranking of papers")
PAPERS = [Paper("a", "Neural ranking"), Paper("b", "Ranking of papers"), Paper("c", "Bread and butter")]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    build_index(PAPERS, tmp_path / "index", None)
    return tmp_path / "index"


def ids(recommender: LiveRecommender) -> set[str]:
    return {entry.paper.id for entry in recommender.recommend(QUERY)}


def generation_names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()} - {CURRENT, LOCK}


def open_files() -> list[str]:
    """Of this process, where the system says it: /proc."""
    descriptors = Path("/proc/self/fd")
    return [os.path.realpath(one) for one in descriptors.iterdir()] if descriptors.is_dir() else []


def test_changes_are_served_from_the_next_query_on(directory: Path) -> None:
    live = LiveRecommender.open(directory)
    assert ids(live) == {"a", "b"}
    add_papers([Paper("d", "Papers on ranking")], directory)
    assert live.info.papers == 4
    assert ids(live) == {"a", "b", "d"}
    remove_papers(["a"], directory)
    assert ids(live) == {"b", "d"}
    add_papers([Paper("e", "Papers")], directory)
    assert generation_names(directory) == {"gen-000003", "gen-000004"}  # the first two are no longer held
    live.close()


def test_several_queries_are_answered_from_one_generation(directory: Path) -> None:
    with LiveRecommender.open(directory, vectors=False) as live:
        answers = live.answers([QUERY, Query("Bread")], Settings(k=1), needs="papers")
        first = next(answers)
        remove_papers(["c"], directory)
        assert live.info.papers == 2
        assert [[one.paper.id for one in answer.recommendations] for answer in (first, *answers)] == [["a"], ["c"]]


def test_both_recommenders_are_opened_with_the_same_arguments() -> None:
    assert signature(LiveRecommender.open).parameters == signature(Recommender.open).parameters


def test_an_index_is_followed_from_another_working_folder(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(directory.parent)
    live, fixed = LiveRecommender.open(directory.name), Recommender.open(directory.name)
    monkeypatch.chdir("/")
    with ThreadPoolExecutor(1) as another_thread:  # which opens the catalog for itself
        assert {one.paper.id for one in another_thread.submit(fixed.recommend, QUERY).result(20)} == {"a", "b"}
    fixed.close()
    add_papers([Paper("d", "Papers on ranking")], directory)
    assert ids(live) == {"a", "b", "d"}
    live.close()


def test_a_query_ends_on_the_generation_on_which_it_began(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live = LiveRecommender.open(directory)
    begun, go_on = threading.Event(), threading.Event()
    recommend = Recommender.recommend

    def slow(self: Recommender, query: Query, settings: Settings | None = None) -> object:
        if query.id == "slow":
            begun.set()
            assert go_on.wait(20)
        return recommend(self, query, settings)

    monkeypatch.setattr(Recommender, "recommend", slow)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(live.recommend, Query(QUERY.title, id="slow"))
        assert begun.wait(20)
        remove_papers(["a"], directory)
        assert ids(live) == {"b"}
        add_papers([Paper("d", "Papers")], directory)
        assert "gen-000001" in generation_names(directory)
        go_on.set()
        assert {entry.paper.id for entry in answer.result(20)} == {"a", "b"}
    assert ids(live) == {"b", "d"}
    remove_papers(["d"], directory)
    assert "gen-000001" not in generation_names(directory)
    live.close()


def test_what_is_being_asked_is_answered_though_the_index_is_closed(directory: Path) -> None:
    live = LiveRecommender.open(directory, vectors=False)
    answers = live.answers([QUERY, Query("Bread")], Settings(k=1), needs="papers")
    next(answers)
    live.close()
    (last,) = answers
    assert [one.paper.id for one in last.recommendations] == ["c"]
    with pytest.raises(ValueError, match="closed"):
        live.recommend(QUERY)


def test_an_index_that_cannot_be_opened_leaves_the_old_one_served(
    directory: Path, caplog: pytest.LogCaptureFixture
) -> None:
    live = LiveRecommender.open(directory)
    remove_papers(["a"], directory)
    (directory / "gen-000002" / "years.npy").write_bytes(b"damaged")
    with caplog.at_level(logging.ERROR):
        assert ids(live) == ids(live) == {"a", "b"}
    assert len(caplog.records) == 1  # it is not tried for every query
    with caplog.at_level(logging.ERROR):
        for damage in (b"damaged", b"otherwise"):
            (directory / CURRENT).write_bytes(damage)
            assert ids(live) == ids(live) == {"a", "b"}
    assert [record.getMessage() for record in caplog.records[1:]] == [
        f"{directory / CURRENT} is damaged ({damage!r}): build the index again: gen-000001 stays served"
        for damage in ("damaged", "otherwise")
    ]
    build_index(PAPERS[1:], directory, None)
    assert ids(live) == {"b"}
    live.close()


def test_an_index_that_comes_by_a_copy_is_served_when_it_is_complete(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(PAPERS[1:], tmp_path / "following", None)
    live = LiveRecommender.open(directory)
    shutil.rmtree(directory)
    directory.mkdir()
    shutil.copy(tmp_path / "following" / CURRENT, directory)  # which rsync and cp copy first
    assert ids(live) == {"a", "b"}
    shutil.copytree(tmp_path / "following", directory, dirs_exist_ok=True)
    assert ids(live) == {"a", "b"}
    monkeypatch.setattr("citescout.live.monotonic", lambda: time.monotonic() + 60)
    assert ids(live) == {"b"}
    live.close()


def test_an_index_that_is_restored_from_a_copy_is_served(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same state, in other files: every thread that had not asked before answered with an error from then on."""
    live = LiveRecommender.open(directory)
    assert ids(live) == {"a", "b"}
    shutil.copytree(directory, tmp_path / "backup")
    shutil.rmtree(directory)
    (tmp_path / "backup").rename(directory)
    assert live.is_old() is False
    with ThreadPoolExecutor(1) as another_thread:
        assert another_thread.submit(ids, live).result(20) == {"a", "b"}
    shutil.rmtree(directory / "gen-000001")
    monkeypatch.setattr("citescout.live.monotonic", lambda: time.monotonic() + 60)
    assert live.is_old() is True
    assert ids(live) == {"a", "b"}
    live.close()


def test_threads_that_begin_once_an_index_was_deleted_answer_from_it(directory: Path) -> None:
    """They answered with an error, though the log said that the index stays served."""
    live = LiveRecommender.open(directory)
    shutil.rmtree(directory)
    together = threading.Barrier(4)

    def ask(number: int) -> list[list[str]]:
        together.wait(20)
        found = [live.search_papers(PAPERS[(number + turn) % 3].title, 1) for turn in range(60)]
        return [[paper.id for paper in papers] for papers in found]

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(ask, range(4)))
    assert answers == [[["abc"[(number + turn) % 3]] for turn in range(60)] for number in range(4)]
    live.close()


@pytest.mark.parametrize("ends", ["closed", "replaced"])
def test_an_index_is_closed_once_though_a_query_ends_that_moment(
    directory: Path, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    closed: list[Recommender] = []
    monkeypatch.setattr(Recommender, "close", lambda self: closed.append(self))
    live = LiveRecommender.open(directory)
    asking = live.latest()
    first = asking.__enter__()
    let_go = LiveRecommender._let_go

    def at_that_moment(self: LiveRecommender, *version: Any) -> None:
        monkeypatch.setattr(LiveRecommender, "_let_go", let_go)
        asking.__exit__(None, None, None)
        let_go(self, *version)

    monkeypatch.setattr(LiveRecommender, "_let_go", at_that_moment)
    if ends == "replaced":
        add_papers([Paper("d", "Papers")], directory)
        assert ids(live) == {"a", "b", "d"}
    else:
        live.close()
    assert closed == [first]


@pytest.mark.long
def test_many_threads_ask_while_the_index_changes(directory: Path) -> None:
    live = LiveRecommender.open(directory)
    done = threading.Event()

    def ask() -> int:
        asked = 0
        while not done.is_set():
            found = ids(live)
            assert "b" in found
            assert found <= {"a", "b", "d"}
            asked += 1
        return asked

    with ThreadPoolExecutor(4) as pool:
        askers = [pool.submit(ask) for _ in range(4)]
        try:
            for _ in range(5):
                add_papers([Paper("d", "Papers on ranking")], directory)
                remove_papers(["d"], directory)
        finally:
            done.set()
        assert all(asker.result(60) for asker in askers)
    add_papers([Paper("d", "Papers on ranking")], directory)
    assert ids(live) == {"a", "b", "d"}
    live.close()


def test_a_recommender_closes_its_index_at_the_end_of_a_with(tmp_path):
    build_index([Paper("a", "Neural ranking of passages")], tmp_path / "index", encoder=None)
    for opened in (Recommender.open, LiveRecommender.open):
        with opened(tmp_path / "index") as recommender:
            assert [entry.paper.id for entry in recommender.recommend(Query("ranking"))] == ["a"]
        with pytest.raises(Exception, match=r"(?i)closed"):
            recommender.recommend(Query("ranking"))


def test_an_index_is_not_old_while_what_is_served_next_is_being_opened(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = LiveRecommender.open(directory)
    add_papers([Paper("d", "Papers on ranking")], directory)
    begun, go_on, opened = threading.Event(), threading.Event(), Recommender.opened

    def slowly(*arguments: Any) -> Recommender:
        begun.set()
        go_on.wait(20)
        return opened(*arguments)

    monkeypatch.setattr(Recommender, "opened", slowly)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(ids, live)
        begun.wait(20)
        old = live.is_old()
        go_on.set()
        assert (old, first.result(), live.is_old()) == (False, {"a", "b", "d"}, False)


def test_a_replaced_generation_is_let_go_at_once(directory: Path) -> None:
    """A server collects garbage seldom, and kept whole deleted generations on disk and mapped until then.

    A connection to the catalog of every thread was kept, too, until there were more open files than there may be.
    """
    live = LiveRecommender.open(directory)
    together = threading.Barrier(4)

    def ask(_number: int) -> set[str]:
        together.wait(20)
        return ids(live)

    gc.disable()
    try:
        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(ask, range(4))) == [{"a", "b"}] * 4
            assert live.search_papers("bread")
            assert live.find_paper("Papers on nothing") is None
            held = weakref.ref(live._version.recommender)
            add_papers([Paper("d", "Papers on ranking")], directory)
            assert ids(live) == {"a", "b", "d"}
            assert held() is None
            assert [path for path in open_files() if path.startswith(str(directory / "gen-000001"))] == []
    finally:
        gc.enable()
