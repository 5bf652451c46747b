"""Watched questions of a session: asked again when the index has changed, and what is new in their lists."""

import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
from web_pages import everything, listed

from citescout import Query
from citescout.live import LiveRecommender
from common.errors import QueryError
from indexer.builds import build_index
from indexer.changes import add_papers, remove_papers
from indexer.paper import Paper
from webui import create_app
from webui.answers import BusyError
from webui.sessions import Sessions
from webui.watched import MAX_WATCHED, Watched

NAME = "A" * 22
ONE, OTHER = f"/s/{NAME}", f"/s/{'B' * 22}"
PAPERS = [Paper("a", "Passage retrieval", year=2010), Paper("b", "Bread and butter")]


@pytest.fixture
def index(tmp_path):
    build_index(PAPERS, tmp_path / "index", None)
    return tmp_path / "index"


@pytest.fixture
def live(index):
    with LiveRecommender.open(index) as opened:
        yield opened


@pytest.fixture
def app(live, tmp_path):
    return create_app(live, sessions=tmp_path / "sessions")


def ask(client, text, session=ONE):
    answer = client.post(f"{session}/", data={"text": text, "authors": "Grace Hopper"})
    assert answer.status_code == 200
    return max(map(int, re.findall(r'<li id="question-(\d+)">', client.get(f"{session}/history").text)))


def watch(client, number, **fields):
    answer = client.post(f"{ONE}/asked/{number}/watch", data=fields)
    assert (answer.status_code, answer.headers.get("Location")) == (303, f"{ONE}/history#question-{number}")
    assert f'<li id="question-{number}">' in client.get(f"{ONE}/history").text


def badges(page):
    """Question → how many papers are new, as its line of the history says."""
    found = re.findall(r'class="badge" href="[^"]*/asked/(\d+)#results"[^>]*>(\d+) new paper', page)
    return {int(number): int(count) for number, count in found}


def in_header(page):
    found = re.search(r'id="new-papers"( hidden)?><span class="count">(\d+)', page)
    return 0 if found[1] else int(found[2])


def marked(page):
    items = re.findall(r'<li class="result" data-id="(\w+)".*?</li>\s*(?=<li class="result|</ol>)', page, re.DOTALL)
    news = re.findall(r'data-id="(\w+)"(?:(?!data-id).)*New since last time', page, re.DOTALL)
    assert items
    return set(news)


@pytest.fixture(autouse=True)
def slow_machine(monkeypatch):
    """One request may ask as many questions again as there are, however long a busy machine takes."""
    monkeypatch.setattr("webui.watching._SECONDS", 600.0)


@pytest.fixture
def questions(app, monkeypatch):
    """The titles that were asked again."""
    asked = []
    answers = app.extensions["citescout"].indexes[""]
    ask_index = answers._ask
    monkeypatch.setattr(answers, "_ask", lambda key, *more: (asked.append(key[1].title), ask_index(key, *more))[1])
    return asked


def ids(client, number):
    return listed(client.get(f"{ONE}/asked/{number}").text)


def test_a_new_paper_is_new_until_it_was_shown(client, index):
    number = ask(client, "Passage retrieval")
    watch(client, number)
    assert ids(client, number) == ["a"]
    add_papers([Paper("c", "Retrieval of a passage")], index)
    history = client.get(f"{ONE}/history").text
    assert badges(history) == {number: 1}
    assert in_header(history) == in_header(client.get(f"{ONE}/basket").text) == 1
    page = client.get(f"{ONE}/asked/{number}").text
    assert "1 new paper since last time" in page
    assert marked(page) == {"c"}
    assert badges(client.get(f"{ONE}/history").text) == {}
    assert in_header(client.get(f"{ONE}/basket").text) == 0
    assert marked(client.get(f"{ONE}/asked/{number}").text) == {"c"}, "a reload loses no mark"
    add_papers([Paper("d", "Passages and their retrieval")], index)
    assert badges(client.get(f"{ONE}/history").text) == {number: 1}
    assert marked(client.get(f"{ONE}/asked/{number}").text) == {"d"}
    # What leaves and comes back was shown before.
    remove_papers(["d"], index)
    client.get(f"{ONE}/history")
    add_papers([Paper("d", "Passages and their retrieval")], index)
    assert badges(client.get(f"{ONE}/history").text) == {}


def test_a_paper_that_was_shown_under_another_id_is_not_new(client, index):
    title, doi = "Retrieval of a single passage", "10.1000/single"
    add_papers([Paper("a1", title, year=2012, doi=doi)], index)
    number = ask(client, "Passage retrieval")
    watch(client, number)
    add_papers([Paper("a2", title, "Passage retrieval: of retrieval, a passage.", 2012, doi=doi)], index)
    assert badges(client.get(f"{ONE}/history").text) == {}
    assert "a2" in ids(client, number)
    remove_papers(["a1"], index)
    assert badges(client.get(f"{ONE}/history").text) == {}


def test_a_new_paper_whose_key_changes_before_it_was_shown_is_marked(client, index):
    number = ask(client, "Passage retrieval")
    watch(client, number)
    new = Paper("c", "Retrieval of a passage")
    add_papers([new], index)
    assert badges(client.get(f"{ONE}/history").text) == {number: 1}
    build_index([*PAPERS, replace(new, id="c2011", other_ids=("c",))], index, None)
    assert badges(client.get(f"{ONE}/history").text) == {number: 1}
    assert marked(client.get(f"{ONE}/asked/{number}").text) == {"c2011"}


def test_a_list_that_is_opened_first_marks_what_is_new(client, index):
    number = ask(client, "Passage retrieval")
    watch(client, number)
    add_papers([Paper("c", "Retrieval of a passage")], index)
    assert marked(client.get(f"{ONE}/asked/{number}").text) == {"c"}
    assert badges(client.get(f"{ONE}/history").text) == {}


def test_only_watched_questions_are_asked_again_and_once_for_each_change(client, index, questions):
    for text in ("Passage retrieval", "Bread", "Butter"):
        ask(client, text)
    watch(client, 1)
    watch(client, 2)
    add_papers([Paper("c", "Retrieval of bread")], index)
    questions.clear()
    client.get(f"{ONE}/history")
    assert sorted(questions) == ["Bread", "Passage retrieval"]
    client.get(f"{ONE}/history")
    client.get(f"{ONE}/basket")
    assert len(questions) == 2


def test_the_script_has_one_question_asked_at_a_time(client, index, questions):
    for text in ("Passage retrieval", "Bread"):
        watch(client, ask(client, text))
    assert "watched.js" not in client.get(f"{ONE}/").text
    assert client.post(f"{ONE}/watched").get_json() == {"new": 0}
    add_papers([Paper("c", "Retrieval of bread")], index)
    questions.clear()
    page = client.get(f"{ONE}/").text
    assert "watched.js" in page
    assert f'data-news="{ONE}/watched"' in page
    assert questions == [], "the page itself does not wait"
    assert [client.post(f"{ONE}/watched").get_json()["new"] for _ in range(3)] == [1, 2, 2]
    assert len(questions) == 2
    assert "watched.js" not in client.get(f"{ONE}/").text
    assert client.get(f"{ONE}/watched").status_code == 405


def test_a_question_that_the_index_cannot_answer_does_not_keep_others_from_being_asked(app, client, index, monkeypatch):
    for text in ("Bread and butter", "Passage retrieval"):
        watch(client, ask(client, text))
    add_papers([Paper("c", "Retrieval of a passage"), Paper("d", "Butter and bread")], index)
    answers = app.extensions["citescout"].indexes[""]
    answer = answers.answer

    def without_vectors(query, settings, until=None):
        if query.title == "Bread and butter":
            raise QueryError("diversity needs an index with vectors")
        return answer(query, settings, until)

    with monkeypatch.context() as patched:
        patched.setattr(answers, "answer", without_vectors)
        assert [client.post(f"{ONE}/watched").get_json()["new"] for _ in range(2)] == [0, 1]
        assert "watched.js" not in client.get(f"{ONE}/").text
        assert "not been asked again yet" not in client.get(f"{ONE}/history").text
        assert client.get(f"{ONE}/asked/1").status_code == 400
    add_papers([Paper("e", "Unrelated")], index)
    assert badges(client.get(f"{ONE}/history").text) == {1: 1, 2: 1}


def test_a_busy_server_asks_again_later(app, client, index, monkeypatch):
    number = ask(client, "Passage retrieval")
    watch(client, number)
    add_papers([Paper("c", "Retrieval of a passage")], index)
    answers = app.extensions["citescout"].indexes[""]

    def busy(query, settings, until=None):
        raise BusyError("too many", 5)

    with monkeypatch.context() as patched:
        patched.setattr(answers, "answer", busy)
        page = client.get(f"{ONE}/history")
        assert page.status_code == 200
        assert "One question has not been asked again yet" in page.text
        assert client.post(f"{ONE}/watched").get_json() == {"new": 0}
        assert client.get(f"{ONE}/asked/{number}").status_code == 429
    assert badges(client.get(f"{ONE}/history").text) == {number: 1}


def test_questions_for_which_no_time_is_left_are_asked_by_the_next_page(client, index, questions, monkeypatch):
    for text in ("Passage retrieval", "Bread"):
        watch(client, ask(client, text))
    add_papers([Paper("c", "Retrieval of bread")], index)
    questions.clear()
    with monkeypatch.context() as patched:
        patched.setattr("webui.watching._SECONDS", -1.0)
        page = client.get(f"{ONE}/history").text
    assert questions == []
    assert badges(page) == {}
    assert "2 questions have not been asked again yet" in page
    assert badges(client.get(f"{ONE}/history").text) == {1: 1, 2: 1}


def test_watching_has_limits_and_an_end(client, index):
    for number in range(1, MAX_WATCHED + 2):
        assert ask(client, f"Passage retrieval {number}") == number
    for number in range(1, MAX_WATCHED + 1):
        watch(client, number)
    watch(client, 1)
    history = client.get(f"{ONE}/history").text
    assert f"You watch {MAX_WATCHED} questions" in history
    assert (history.count(">Stop watching<"), history.count(">Watch<")) == (MAX_WATCHED, 0)
    answer = client.post(f"{ONE}/asked/{MAX_WATCHED + 1}/watch")
    assert (answer.status_code, f"watches {MAX_WATCHED} questions" in answer.text) == (400, True)
    watch(client, 1, remove="1")
    assert client.get(f"{ONE}/history").text.count(">Watch<") == 2
    watch(client, MAX_WATCHED + 1)
    add_papers([Paper("c", "Retrieval of a passage")], index)
    assert set(badges(client.get(f"{ONE}/history").text)) == set(range(2, MAX_WATCHED + 2))
    assert client.post(f"{ONE}/asked/999/watch").status_code == 404


def test_nobody_watches_questions_of_another_session(client, index, live):
    number = ask(client, "Passage retrieval")
    for other in (OTHER, ""):
        assert client.post(f"{other}/asked/{number}/watch").status_code == 404
    watch(client, number)
    assert client.post(f"{OTHER}/asked/{number}/watch", data={"remove": "1"}).status_code == 404
    add_papers([Paper("c", "Retrieval of a passage")], index)
    assert client.post(f"{OTHER}/watched").get_json() == {"new": 0}
    assert client.post("/watched").status_code == 404
    assert badges(client.get(f"{ONE}/history").text) == {number: 1}


def test_a_watched_question_is_of_the_index_that_its_own_session_asked(tmp_path):
    sessions = Sessions(tmp_path)
    for name, index in ((NAME, "one"), ("B" * 22, "other"), ("C" * 22, "third")):
        assert sessions.ask(name, index, {"title": "a"}) == 1
    for name in (NAME, "B" * 22):
        sessions.watched.watch(name, 1, f"of {name}", [("a",)])
    sessions.watched.record("B" * 22, 1, "later", [("c",)])
    assert sessions.watched.all(NAME) == {1: Watched(1, "one", f"of {NAME}", 0)}
    assert sessions.watched.all("B" * 22) == {1: Watched(1, "other", "later", 1)}
    assert sessions.watched.all("C" * 22) == {}


def rows(folder):
    with Sessions(folder)._file.connection() as connection:
        counts = ("SELECT count(*) FROM watched", "SELECT count(*) FROM watched_papers")
        return [connection.execute(count).fetchone()[0] for count in counts]


@pytest.mark.parametrize("address", ["history/empty", "session/delete"])
def test_watches_end_with_history_and_session_and_hold_no_text(client, tmp_path, address):
    watch(client, ask(client, "Passage retrieval"))
    folder = tmp_path / "sessions"
    assert rows(folder) == [1, 1]
    assert b"Hopper" not in everything(folder)
    client.post(f"{ONE}/{address}")
    assert rows(folder) == [0, 0]


def test_watches_end_with_a_session_that_is_not_used(tmp_path):
    day = [date(2026, 1, 1)]
    sessions = Sessions(tmp_path, days=10, today=lambda: day[0])
    number = sessions.ask(NAME, "", {"title": "a"})
    sessions.watched.watch(NAME, number, "gen-000001", [("a",)])
    day[0] += timedelta(days=11)
    sessions.questions("B" * 22)
    assert rows(tmp_path) == [0, 0]
    assert sessions.watched.all(NAME) == {}


def test_a_watched_question_does_not_give_way(tmp_path, monkeypatch):
    monkeypatch.setattr("webui.sessions.MAX_QUESTIONS", 2)
    sessions = Sessions(tmp_path)
    for number in range(1, 6):
        assert sessions.ask(NAME, "", {"title": str(number)}) == number
        if number == 1:
            sessions.watched.watch(NAME, number, "gen-000001", [])
    assert [question.number for question in sessions.questions(NAME)] == [5, 4, 1]


def test_a_list_of_an_index_that_is_gone_is_left_alone(index, live, tmp_path):
    folder = tmp_path / "sessions"
    both = create_app({"one": live, "other": live}, sessions=folder).test_client()
    number = ask(both, "Passage retrieval", f"{ONE}/i/other")
    assert both.post(f"{ONE}/asked/{number}/watch").status_code == 303
    add_papers([Paper("c", "Retrieval of a passage")], index)
    only = create_app(live, sessions=folder).test_client()
    assert badges(only.get(f"{ONE}/history").text) == {}
    assert only.post(f"{ONE}/asked/{number}/watch").status_code == 303, "it is watched already"
    assert badges(both.get(f"{ONE}/history").text) == {number: 1}
    assert only.post(f"{ONE}/asked/{number}/watch", data={"remove": "1"}).status_code == 303
    assert only.post(f"{ONE}/asked/{number}/watch").status_code == 404


def test_the_list_is_the_one_that_the_library_gives(client, index, live):
    number = ask(client, "Passage retrieval")
    watch(client, number)
    before = {entry.paper.id for entry in live.recommend(Query("Passage retrieval"))}
    add_papers([Paper(f"new{place}", f"Retrieval of passages number {place}") for place in range(30)], index)
    after = [entry.paper.id for entry in live.recommend(Query("Passage retrieval"))]
    assert badges(client.get(f"{ONE}/history").text) == {number: len(set(after) - before)}
    assert marked(client.get(f"{ONE}/asked/{number}").text) == set(after) - before
