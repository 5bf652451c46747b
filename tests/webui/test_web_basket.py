"""The basket of a session: notes stay with their papers and in all tabs, and it is not emptied by accident."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from web_pages import PAPER, Text, left
from web_sessions import ONE

from citescout.live import LiveRecommender
from citescout.recommender import Recommender
from common.errors import IndexDirectoryError, QueryError
from indexer.builds import build_index
from indexer.original import Original
from indexer.paper import Paper
from webui import create_app, kept_baskets
from webui.kept_baskets import MAX_PICKS
from webui.sessions import Sessions

BASKET = f"/s/{ONE}/basket"


@pytest.fixture
def client(recommender, folder):
    client = create_app(recommender, sessions=folder).test_client()
    client.post(BASKET, data={"papers": ["neural", "dense", "bm25"]})
    return client


def notes(client):
    found = re.findall(r'name="note:/(\w+)"[^>]*>\n(.*?)</textarea>', client.get(BASKET).text, re.DOTALL)
    return {paper: note for paper, note in found if note}


def tab(client):
    """The fields that a browser sends of the basket as it is shown now."""
    page = Text(client.get(BASKET).text)
    fields = {one["name"]: one.get("value", "") for one in page.named("input")}
    return fields | {f"note:/{paper}": fields[f"was:/{paper}"] for paper in ("neural", "dense", "bm25")}


def test_a_note_names_its_paper_so_that_no_browser_puts_it_into_another_row(client):
    client.post(f"{BASKET}/edit", data={"note:/neural": "first", "note:/dense": "second", "note:/bm25": "third"})
    old = tab(client)
    client.post(f"{BASKET}/edit", data={**old, "remove": "/neural"})
    client.post(f"{BASKET}/edit", data={**old, "note:/bm25": "third, longer"})
    assert notes(client) == {"dense": "second", "bm25": "third, longer"}
    fields = Text(client.get(BASKET).text).named("textarea")
    assert [(one["name"], one["autocomplete"]) for one in fields] == [("note:/dense", "off"), ("note:/bm25", "off")]


def test_who_saves_notes_without_scripts_is_told_when_they_are_lost_and_that_they_are_saved(client):
    assert "lost when you follow a link" in client.get(BASKET).text
    saved = client.post(f"{BASKET}/edit", data={"note:/neural": "first", "save": "1"}, follow_redirects=True)
    assert "Notes saved." in saved.text
    assert "Notes saved." not in client.get(BASKET).text


@pytest.mark.parametrize("post", [("edit", {}), ("edit", {"remove": "/bm25"}), ("export/csv", {})])
def test_a_tab_saves_only_the_notes_that_were_changed_in_it(client, post):
    address, fields = post
    client.post(f"{BASKET}/edit", data={"note:/neural": "two\r\nlines", "note:/dense": "old"})
    old = tab(client)
    client.post(f"{BASKET}/edit", data={**tab(client), "note:/neural": "of another tab"})
    client.post(f"{BASKET}/{address}", data={**old, "note:/dense": "", **fields})
    assert notes(client) == {"neural": "of another tab"}


@pytest.mark.parametrize(
    ("kept", "was", "text", "both"),
    [
        ("other", "", "mine", "other\n\nmine"),
        ("other", "old", "mine", "other\n\nmine"),
        ("other\n\nmine", "mine", "mine, longer", "other\n\nmine, longer"),
        ("mine\n\nother", "mine", "mine, longer", "mine, longer\n\nother"),
        ("other\n\nmine", "old", "mine", "other\n\nmine"),
        ("other", "old", "", "other"),
        ("", "old", "mine", "mine"),
        ("old", "old", "", ""),
        ("good paper", "old", "good", "good paper\n\ngood"),
    ],
)
def test_a_note_that_was_changed_in_two_tabs_keeps_both_texts(sessions, kept, was, text, both):
    sessions.baskets.pick(ONE, "", [PAPER])
    sessions.baskets.note(ONE, "", "neural", kept)
    sessions.baskets.note(ONE, "", "neural", text, was)
    assert [pick.note for pick in sessions.baskets.picks(ONE)] == [both]


def test_a_note_that_another_tab_changed_and_whose_paper_it_removed_keeps_both_texts(client):
    old = tab(client)
    client.post(f"{BASKET}/edit", data={**old, "note:/neural": "other", "remove": "/neural"})
    client.post(f"{BASKET}/edit", data={**old, "note:/neural": "mine"})
    client.post(BASKET, data={"papers": "neural"})
    assert notes(client) == {"neural": "other\n\nmine"}


def test_two_texts_that_are_too_long_together_are_refused(client):
    old = tab(client)
    client.post(f"{BASKET}/edit", data={**old, "note:/neural": "a" * 1500})
    answer = client.post(f"{BASKET}/edit", data={**old, "note:/neural": "b" * 1500})
    assert answer.status_code == 400
    assert "changed elsewhere" in answer.text
    assert notes(client) == {"neural": "a" * 1500}


@pytest.mark.parametrize(
    "address", ["search?q=bread", "similar?id=bm25", "similar?id=bm25&part=1", "similar?id=cooking"]
)
def test_a_paper_that_was_looked_up_goes_into_the_basket(client, address):
    assert f'href="/s/{ONE}/search"' in client.get(BASKET).text
    page = Text(client.get(f"/s/{ONE}/{address}").text)
    buttons = [one for one in page.named("button") if one.get("name") == "papers"]
    assert buttons
    for button in buttons:
        assert (button["formmethod"], button["formaction"]) == ("post", BASKET)
        answer = client.post(BASKET, data={"papers": button["value"]})
        shown = client.get(BASKET).text
        place = answer.headers["Location"].partition("#")[2]
        around = shown.partition(f'id="{place}"')[2].partition("</li>")[0]
        assert Text(around).named("input")[0]["value"] == f"/{button['value']}"
    again = client.get(f"/s/{ONE}/{address}").text
    assert 'name="papers"' not in again
    assert "in the basket" in again
    assert 'name="papers"' not in client.get(f"/{address}").text, "there is no basket"


def test_the_basket_is_emptied_by_a_folded_button_that_says_what_is_lost(client):
    page = client.get(BASKET).text
    (folded,) = re.findall(r"<details class=\"delete\">(.*?)</details>", page, re.DOTALL)
    assert "<summary>Empty the basket</summary>" in folded
    assert "For a day" in folded
    assert page.count('name="empty"') == folded.count('name="empty"') == 1
    client.post(f"{BASKET}/edit", data={"empty": "1"})
    assert "basket is empty" in client.get(BASKET).text


def test_a_pick_is_kept_as_it_was(sessions):
    sessions.baskets.pick(ONE, "", [PAPER])
    sessions.baskets.note(ONE, "", "neural", "good")
    sessions.baskets.pick(ONE, "", [PAPER], cited=True)
    sessions.baskets.pick(ONE, "", [PAPER])
    (pick,) = sessions.baskets.picks(ONE)
    assert (pick.paper.title, pick.paper.authors, pick.paper.doi) == (PAPER.title, PAPER.authors, PAPER.doi)
    assert (pick.note, pick.cited) == ("good", True)


def test_a_note_comes_back_with_its_paper(sessions):
    for index in ("", "other"):
        sessions.baskets.pick(ONE, index, [PAPER])
        sessions.baskets.note(ONE, index, "neural", f"for {index}")
    sessions.baskets.remove(ONE, "", ["neural"])
    assert [pick.index for pick in sessions.baskets.picks(ONE)] == ["other"]
    sessions.baskets.pick(ONE, "", [PAPER])
    assert [(pick.index, pick.note) for pick in sessions.baskets.picks(ONE)] == [("other", "for other"), ("", "for ")]
    sessions.baskets.note(ONE, "", "neural", "")
    sessions.baskets.remove(ONE, "", ["neural"])
    sessions.baskets.pick(ONE, "", [PAPER])
    assert [pick.note for pick in sessions.baskets.picks(ONE)] == ["for other", ""], "not one that was deleted"


@pytest.mark.parametrize("end", ["empty", "delete"])
def test_notes_on_papers_that_were_removed_are_deleted_with_the_rest(sessions, folder, end):
    sessions.baskets.pick(ONE, "", [PAPER])
    sessions.baskets.note(ONE, "", "neural", "a private thought")
    sessions.baskets.remove(ONE, "", ["neural"])
    sessions.baskets.empty(ONE) if end == "empty" else sessions.delete(ONE)
    if end == "empty":  # for a day it can be put back
        Sessions(folder, today=lambda: datetime.now(UTC).date() + timedelta(2)).questions(ONE)
    assert b"a private thought" not in left(folder)


def test_of_notes_on_papers_that_were_removed_the_latest_are_kept(sessions, monkeypatch):
    monkeypatch.setattr(kept_baskets, "MAX_PICKS", 20)  # of 1,000, each written to the disk three times
    papers = [Paper(str(number), "t") for number in range(21)]
    for paper in papers[::-1]:
        sessions.baskets.pick(ONE, "", [paper])
        sessions.baskets.note(ONE, "", paper.id, "x")
        sessions.baskets.remove(ONE, "", [paper.id])
    assert sorted(sessions.baskets.removed_notes(ONE, ""), key=int) == [paper.id for paper in papers[:-1]]
    others = [Paper(f"other {number}", "t") for number in range(20)]  # without a note, they take no place of one
    sessions.baskets.pick(ONE, "", others)
    sessions.baskets.remove(ONE, "", [paper.id for paper in others])
    assert sorted(sessions.baskets.removed_notes(ONE, ""), key=int) == [paper.id for paper in papers[:-1]]


def test_a_note_of_a_session_that_was_deleted_is_refused_not_lost_in_silence(client):
    client.post(BASKET, data={"papers": "neural"})
    client.post(f"/s/{ONE}/session/delete")
    answer = client.post(f"{BASKET}/edit", data={"note:/neural": "mine", "was:/neural": ""})
    assert answer.status_code == 400
    assert "is not kept: copy it" in answer.text


def test_a_tick_brings_the_note_back_however_the_paper_was_removed(client):
    for ending in ({"remove": "/neural"}, {"empty": "1"}):
        client.post(f"{BASKET}/edit", data={"note:/neural": "my own words", **ending})
        client.post(BASKET, data={"papers": "neural"})
        assert notes(client) == {"neural": "my own words"}
        assert removed(client) is None if "remove" in ending else removed(client)[0] == "2 papers"


def removed(client):
    """What the basket says was removed, the papers above that, and the field that puts it back."""
    page = client.get(BASKET).text
    found = re.search(r"Removed: <bdi>(.*?)</bdi> <button ([^>]*)>Put back", page)
    if not found:
        return None
    button = Text(f"<button {found[2]}>").named("button")[0]
    assert button["form"] == "basket"
    above = page[: found.start()].count('name="note:')
    return found[1], above, {button["name"]: button["value"]}


@pytest.mark.parametrize(
    ("post", "said", "above"),
    [
        ({"remove": "/dense"}, "Dense passage retrieval", 1),
        ({"remove": "/bm25"}, "The probabilistic relevance framework", 2),
        ({"empty": "1"}, "3 papers", 0),
    ],
)
def test_what_was_removed_is_put_back_as_it_was_where_it_stood(client, post, said, above):
    client.post(BASKET, data={"papers": "dense", "cited": "1"})
    client.post(f"{BASKET}/edit", data={"note:/dense": "for § 2", "note:/bm25": "for § 3"})
    before = tab(client), notes(client), client.get(BASKET).text.count("marked as cited")
    assert removed(client) is None
    client.post(f"{BASKET}/edit", data=post)
    assert removed(client)[:2] == (said, above)
    field = removed(client)[2]
    for _ in range(2):  # a second click changes nothing
        client.post(f"{BASKET}/edit", data=field)
        assert (tab(client), notes(client), client.get(BASKET).text.count("marked as cited")) == before
    assert removed(client) is None


def test_removed_papers_are_put_back_one_after_the_other_with_what_was_written_meanwhile(client):
    client.post(f"{BASKET}/edit", data={"note:/bm25": "old"})
    old = tab(client)
    for paper in ("neural", "bm25"):
        client.post(f"{BASKET}/edit", data={"remove": f"/{paper}"})
    client.post(f"{BASKET}/edit", data={**old, "note:/bm25": "of the old tab"})
    for title in ("The probabilistic relevance framework", "Neural ranking models for passage retrieval"):
        assert removed(client)[0] == title
        client.post(f"{BASKET}/edit", data=removed(client)[2])
    assert list(tab(client)) == list(old)
    assert notes(client) == {"bm25": "of the old tab"}


def test_a_full_basket_takes_nothing_back(sessions):
    sessions.baskets.pick(ONE, "", [PAPER])
    sessions.baskets.remove(ONE, "", [PAPER.id])
    sessions.baskets.pick(ONE, "", [Paper(str(number), "t") for number in range(MAX_PICKS)])
    removal = sessions.baskets.removal(ONE)
    with pytest.raises(QueryError, match="remove some first"):
        sessions.baskets.put_back(ONE, removal.when)
    assert sessions.baskets.removal(ONE) == removal


@pytest.fixture
def library(tmp_path):
    """An index of a bibliography, which can be written again; and a basket of all that it had, with a note on each."""

    def entry(key, title, year=1999):
        text = f"@article{{{key}, title = {{{title}}}, year = {{{year}}}}}"
        return Paper(key, title, year=year, authors=("Ann Miller",), original=Original("bibtex", text))

    def index(*entries):
        build_index([entry(*one) for one in entries], tmp_path / "index", None)

    index(("snow", "Snow melt and floods in alpine catchments"), ("bread", "Bread and butter in medieval towns"))
    with LiveRecommender.open(tmp_path / "index") as live:
        client = create_app(live, sessions=tmp_path / "sessions").test_client()
        client.post(BASKET, data={"papers": ["snow", "bread"]})
        client.post(f"{BASKET}/edit", data={"note:/snow": "of snow", "note:/bread": "of bread"})
        yield client, index


def test_a_basket_has_its_papers_as_the_library_has_them_now_with_their_notes(library):
    client, index = library
    index(("miller99", "Snow Melt and Floods in Alpine Catchments", 2000))
    assert notes(client) == {"miller99": "of snow", "bread": "of bread"}
    exported = client.post(f"{BASKET}/export/bibtex").text
    assert "@article{miller99, title = {Snow Melt and Floods in Alpine Catchments}, year = {2000}" in exported
    assert "snow melt" not in exported
    page = client.get(BASKET).text
    assert page.count("not in the index any more") == 1
    assert page.index("in medieval towns") < page.index("not in the index any more")
    client.post(BASKET, data={"papers": ["miller99"]})
    assert notes(client) == {"miller99": "of snow", "bread": "of bread"}


def test_what_is_put_back_is_as_the_library_has_it_now(library):
    client, index = library
    for paper in ("snow", "bread"):
        client.post(f"{BASKET}/edit", data={"remove": f"/{paper}"})
    index(("miller99", "Snow melt and floods in alpine catchments"))
    client.get(BASKET)
    for _ in range(2):
        client.post(f"{BASKET}/edit", data=removed(client)[2])
    assert notes(client) == {"miller99": "of snow", "bread": "of bread"}
    assert client.get(BASKET).text.count("not in the index any more") == 1
    client.post(BASKET, data={"papers": ["miller99"]})
    assert client.post(f"{BASKET}/export/bibtex").text.count("@") == 2


def test_keys_that_went_from_one_paper_to_another_leave_all_in_the_basket_with_their_notes(library):
    client, index = library
    snow, bread = "Snow melt and floods in alpine catchments", "Bread and butter in medieval towns"
    index(("bread", snow), ("snow", bread))
    assert notes(client) == {"bread": "of snow", "snow": "of bread"}
    index(("cats", snow), ("bread", bread))
    assert notes(client) == {"cats": "of snow", "bread": "of bread"}
    index(("cats", bread))  # the key of a paper that is gone, and stays in the basket
    assert notes(client) == {"cats": "of snow", "bread": "of bread"}
    client.post(f"{BASKET}/edit", data={"remove": "/bread"})
    assert notes(client) == {"cats": "of snow"}


def test_an_index_that_cannot_be_read_leaves_the_basket_as_it_was(library, monkeypatch):
    client, index = library

    def damaged(*_):
        raise IndexDirectoryError("damaged")

    monkeypatch.setattr(Recommender, "current", damaged)
    index(("miller99", "Snow melt and floods in alpine catchments"))
    assert notes(client) == {"snow": "of snow", "bread": "of bread"}


def test_a_tab_of_before_a_key_changed_saves_its_notes_and_removes_its_papers(library):
    client, index = library
    index(("miller99", "Snow melt and floods in alpine catchments"), ("bread", "Bread and butter in medieval towns"))
    client.post(f"{BASKET}/edit", data={"note:/snow": "of deep snow", "was:/snow": "of snow"})
    assert notes(client) == {"miller99": "of deep snow", "bread": "of bread"}
    client.post(f"{BASKET}/edit", data={"remove": "/snow"})
    assert notes(client) == {"bread": "of bread"}
    client.post(BASKET, data={"papers": ["snow"]})
    assert notes(client) == {"miller99": "of deep snow", "bread": "of bread"}


def test_two_papers_of_a_basket_that_are_one_now_are_one_there_with_both_notes(sessions):
    one, other = Paper("a", "Snow melt", doi="10.1/a"), Paper("b", "Snow melt", doi="10.1/a")
    sessions.baskets.pick(ONE, "", [one, other, Paper("c", "Bread")])
    sessions.baskets.note(ONE, "", "a", "first")
    sessions.baskets.note(ONE, "", "b", "second")
    sessions.baskets.bring_up_to_date(ONE, "", {one: one, other: one})
    assert [(pick.paper.id, pick.note) for pick in sessions.baskets.picks(ONE)] == [("a", "first\n\nsecond"), ("c", "")]
    sessions.baskets.note(ONE, "", "a", "x" * 2000)
    sessions.baskets.note(ONE, "", "c", "y")
    sessions.baskets.bring_up_to_date(ONE, "", {one: one, Paper("c", "Bread"): one})
    assert [(pick.paper.id, len(pick.note)) for pick in sessions.baskets.picks(ONE)] == [("a", 2000), ("c", 1)]


def test_likes_are_shown_and_taken_back_under_the_keys_that_papers_have_now(library):
    client, index = library
    question = {"text": "Floods, and bread in towns", "liked": "snow"}
    address = client.post(f"/s/{ONE}/", data=question).headers["Location"]
    index(("miller99", "Snow melt and floods in alpine catchments"), ("bread", "Bread and butter in medieval towns"))
    page = client.get(address).text
    assert re.search(r'name="like" value="miller99" checked', page)
    assert set(re.findall(r'name="liked" value="([^"]*)"', page)) == {"miller99"}


def test_the_markdown_of_a_basket_has_no_paper_called_basket(client):
    exported = client.post(f"{BASKET}/export/markdown").text
    assert exported.startswith("## Papers to cite\n\n1. ")


def test_what_the_index_has_no_more_is_said_not_to_be_in_the_basket(client):
    gone = client.post(BASKET, data={"papers": "gone"}, headers={"Accept": "application/json"})
    assert gone.status_code == 404
    assert "the index has no such paper any more" in gone.text.lower()
    assert client.post(BASKET, data={"papers": ["gone", "dense"]}).status_code == 303, "what is there is kept"
