"""Papers that are picked beside a sentence, in a real browser: their notes, and their way into the bibliography."""

import re

import pytest

pytest.importorskip("selenium")

from browsing import click, every, offline, one, value, wait
from manuscript_browsing import BIB, OUTSIDE, choose

pytestmark = pytest.mark.browser


def write(browser, place, text):
    """Write the note on a paper of the panel, in place of what stands there."""
    field = every(browser, ".candidate textarea")[place]
    browser.execute_script("arguments[0].closest('details').open = true", field)
    field.clear()
    field.send_keys(text)


def test_picked_papers_reach_the_bibliography(at_text, tmp_path):
    browser = at_text()
    choose(browser, 3)
    assert "Word embeddings were used before it." in one(browser, ".candidate textarea").get_attribute("value")
    citing = one(browser, ".candidate .citing").text
    write(browser, 1, "typed")
    click(browser, ".candidate .add")
    wait(browser, lambda: one(browser, "#basket-size").text == "1")
    wait(browser, lambda: every(browser, ".candidate textarea")[1].get_attribute("value") == "typed")
    click(browser, ".to-bibliography")
    wait(browser, lambda: not every(browser, "#papers"))
    click(browser, "#bibliography button")
    file = tmp_path / "downloads" / "refs.bib"
    wait(browser, file.exists)
    text = file.read_text()
    assert text.startswith(BIB + OUTSIDE)
    key = re.fullmatch(r"\\cite\{(.+)\}", citing)[1]
    assert f"{{{key},\n" in text.removeprefix(BIB + OUTSIDE)
    browser.get(re.sub(r"/manuscript.*", "/basket", browser.current_url))
    assert "Word embeddings were used before it." in one(browser, ".picks textarea").get_attribute("value")


def test_notes_beside_a_sentence_are_kept_when_another_one_is_chosen(at_text):
    browser = at_text()
    choose(browser, 3)
    click(browser, ".candidate .add")
    wait(browser, lambda: every(browser, ".candidate .picked"))
    write(browser, 0, "on a paper of the basket")
    write(browser, 1, "on another paper")
    choose(browser, 7)
    choose(browser, 3)
    written = [field.get_attribute("value") for field in every(browser, ".candidate textarea")[:2]]
    assert written == ["on a paper of the basket", "on another paper"]
    click(browser, ".candidate .add")
    wait(browser, lambda: one(browser, "#basket-size").text == "2")
    browser.get(re.sub(r"/manuscript.*", "/basket", browser.current_url))
    assert [field.get_attribute("value") for field in every(browser, ".picks textarea")] == written


def test_who_leaves_with_a_note_that_nothing_keeps_is_asked(at_text):
    browser = at_text()
    choose(browser, 3)
    write(browser, 0, "on a paper that is not in the basket")
    leave = "const leaving = new Event('beforeunload', {cancelable: true}); return !dispatchEvent(leaving)"
    assert browser.execute_script(leave), "the driver leaves whatever the page asks"
    click(browser, ".candidate .add")
    wait(browser, lambda: every(browser, ".candidate .picked"))
    assert not browser.execute_script(leave)
    click(browser, "nav a")
    wait(browser, lambda: every(browser, ".picks li"))
    assert value(browser, ".picks textarea") == "on a paper that is not in the basket"


def test_a_note_beside_a_sentence_is_saved_once_the_server_is_there_again(at_text):
    browser = at_text()
    choose(browser, 3)
    click(browser, ".candidate .add")
    wait(browser, lambda: every(browser, ".candidate .picked"))
    offline(browser)
    write(browser, 0, "written offline")
    wait(browser, lambda: every(browser, ".candidate .error"))
    offline(browser, on=False)
    wait(browser, lambda: not every(browser, ".candidate .error"))
    browser.get(re.sub(r"/manuscript.*", "/basket", browser.current_url))
    assert value(browser, ".picks textarea") == "written offline"


def test_all_notes_that_were_written_offline_are_saved_once_the_server_is_there_again(at_text):
    browser = at_text()
    choose(browser, 3)
    for count in ("1", "2"):
        click(browser, ".candidate .add")
        wait(browser, lambda count=count: one(browser, "#basket-size").text == count)
    offline(browser)
    written = ["the first, written offline", "the second, written offline"]
    for place, text in enumerate(written):
        write(browser, place, text)
        wait(browser, lambda place=place: len(every(browser, ".candidate .error")) == place + 1)
    click(browser, "#s7 a.words")
    wait(browser, lambda: every(browser, "#papers > .panel-head .error"))
    offline(browser, on=False)
    wait(browser, lambda: one(browser, "#status").text == "Note saved.")
    leave = "const leaving = new Event('beforeunload', {cancelable: true}); return !dispatchEvent(leaving)"
    wait(browser, lambda: not browser.execute_script(leave))
    browser.get(re.sub(r"/manuscript.*", "/basket", browser.current_url))
    assert [field.get_attribute("value") for field in every(browser, ".picks textarea")] == written


def test_a_note_that_was_changed_in_two_tabs_keeps_both_texts(at_text):
    browser = at_text()
    choose(browser, 3)
    click(browser, ".candidate .add")
    wait(browser, lambda: every(browser, ".candidate .picked"))
    here, text = browser.current_window_handle, browser.current_url
    browser.switch_to.new_window("tab")
    browser.get(re.sub(r"/manuscript.*", "/basket", text))
    field = one(browser, ".picks textarea")
    field.clear()
    field.send_keys("of the other tab")
    wait(browser, lambda: one(browser, "#saved").text == "Notes saved.")
    browser.switch_to.window(here)
    write(browser, 0, "of this tab")
    both = "of the other tab\n\nof this tab"
    wait(browser, lambda: value(browser, ".candidate textarea") == both)
    assert one(browser, "#status").get_attribute("textContent") == "Note saved, below what was written elsewhere."
    one(browser, ".candidate textarea").send_keys(", and more")
    wait(browser, lambda: one(browser, "#status").get_attribute("textContent") == "Note saved.")
    browser.refresh()
    assert value(browser, ".candidate textarea") == f"{both}, and more"
