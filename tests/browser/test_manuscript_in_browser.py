"""A manuscript in a real browser: read sentence by sentence, with papers beside it."""

import re

import pytest

pytest.importorskip("selenium")

from browsing import click, every, offline, one, press, value, violations, wait
from manuscript_browsing import choose, titles, words

pytestmark = pytest.mark.browser


def focused(browser):
    return browser.switch_to.active_element


def top(browser, element):
    return browser.execute_script("return arguments[0].getBoundingClientRect().top", element)


def test_the_chosen_sentence_is_seen_in_the_colours_of_the_system(at_text):
    browser = at_text()
    forced = [{"name": "forced-colors", "value": "active"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": forced})
    choose(browser, 1)
    # Neither backgrounds nor shadows are shown in them.
    assert one(browser, ".sentence.chosen").value_of_css_property("border-bottom-width") == "2px"


def test_a_printed_text_has_its_papers_and_nothing_to_press(at_text):
    browser = at_text(width=600)
    choose(browser, 1)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert one(browser, ".candidate-title").is_displayed()
    assert [one.text for one in every(browser, "button, summary, .close, .narrow") if one.is_displayed()] == []


def test_texts_of_both_directions_are_laid_out_in_their_own(browse, address, tmp_path):
    arabic = "الذاكرة العاملة محدودة (working memory). وهذا مهم!"
    (tmp_path / "ar.md").write_text(f"---\ntitle: الذاكرة العاملة\n---\n\n# مقدمة\n\n{arabic}\n\nIn English.\n")
    browser = browse(address)

    def directions(selector):
        return [element.value_of_css_property("direction") for element in every(browser, selector)]

    for text, direction in [("دراسة في الذاكرة (working memory)", "rtl"), ("Memory دراسة", "ltr")]:
        browser.execute_script("document.getElementById('text').value = arguments[0]", text)
        assert directions("#text") == [direction]
    one(browser, "#file").send_keys(str(tmp_path / "ar.md"))
    wait(browser, lambda: every(browser, "#file-note a"))
    browser.get(one(browser, "#file-note a").get_attribute("href"))
    wait(browser, lambda: every(browser, "#manuscript"))
    assert directions("#manuscript > .head h1, #manuscript > h2, #manuscript > .paragraph") == [
        "rtl",
        "rtl",
        "rtl",
        "ltr",
    ]
    first, second = every(browser, ".paragraph:first-of-type .sentence")
    assert first.rect["x"] > second.rect["x"]
    browser.execute_script("arguments[0].click()", one(browser, "#s1 a.words"))
    wait(browser, lambda: every(browser, "blockquote"))
    assert directions("blockquote") == ["rtl"]
    assert set(directions(".candidate-title")) <= {"ltr"}


def test_a_sentence_gets_papers_beside_it_and_nothing_moves(at_text):
    browser = at_text()
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", words(browser, 30))
    before = top(browser, words(browser, 30))
    words(browser, 30).click()
    wait(browser, lambda: titles(browser))
    assert abs(top(browser, words(browser, 30)) - before) < 2
    assert "sentence=30" in browser.current_url
    panel, text = one(browser, "#papers").rect, one(browser, "#s30").rect
    assert panel["x"] > text["x"] + text["width"] - 1
    first = titles(browser)
    choose(browser, 7)
    assert titles(browser) != first
    browser.back()
    wait(browser, lambda: titles(browser) == first)
    assert "chosen" in one(browser, "#s30").get_attribute("class")
    browser.back()
    wait(browser, lambda: not every(browser, "#papers"))
    browser.forward()
    wait(browser, lambda: titles(browser) == first)
    browser.refresh()
    assert titles(browser) == first


def test_the_text_is_read_by_keyboard_alone(at_text):
    browser = at_text()
    press(browser, "j")
    wait(browser, lambda: focused(browser).get_attribute("class") == "words")
    start = focused(browser).get_attribute("href")
    press(browser, "j")
    press(browser, "k")
    assert focused(browser).get_attribute("href") == start
    press(browser, "j")
    chosen = focused(browser).get_attribute("href")
    press(browser, "\ue007")
    wait(browser, lambda: titles(browser))
    wait(browser, lambda: focused(browser).get_attribute("id") == "papers-title")
    press(browser, "j")
    assert focused(browser).get_attribute("class") == "candidate"
    press(browser, "x")
    wait(browser, lambda: one(browser, "#basket-size").text == "1")
    wait(browser, lambda: focused(browser).text.startswith("In the basket"))
    press(browser, "o")
    assert one(browser, ".candidate details").get_attribute("open")
    press(browser, "\ue00c")
    wait(browser, lambda: not every(browser, "#papers"))
    assert focused(browser).get_attribute("href") == chosen
    stops = browser.execute_script("return document.querySelectorAll('#manuscript a.words[tabindex=\"0\"]').length")
    assert stops == 1, "the text is one stop of the Tab key"


def test_what_skips_to_the_content_is_seen_while_it_has_the_focus(at_text):
    browser = at_text()
    browser.execute_cdp_cmd(
        "Emulation.setFocusEmulationEnabled", {"enabled": True}
    )  # after a file was chosen it has none
    browser.execute_script("document.querySelector('.skip').focus()")
    seen = "const box = arguments[0].getBoundingClientRect(); return document.elementFromPoint(box.x + 9, box.y + 9)"
    wait(browser, lambda: browser.execute_script(seen, one(browser, ".skip")) == one(browser, ".skip"))


def test_a_citation_leads_to_what_is_cited(at_text):
    browser = at_text()
    click(browser, "#s2 a.work")
    wait(browser, lambda: every(browser, ".work-title"))
    assert one(browser, ".work-title").text == "Attention Is All You Need"
    click(browser, "#s2 a.work.absent")
    wait(browser, lambda: "does not have it" in one(browser, "#papers").text)
    click(browser, "a.to-papers")
    wait(browser, lambda: titles(browser))


def test_a_search_that_fails_is_said_and_leads_back_to_the_whole_paper(at_text):
    browser = at_text()
    offline(browser)
    click(browser, "#s3 a.words")
    wait(browser, lambda: every(browser, "#papers .error"))
    assert one(browser, "#papers .error").text.casefold() == "the server cannot be reached"
    assert not one(browser, "#whole").is_displayed()
    one(browser, "#papers a.close").click()
    wait(browser, lambda: not every(browser, "#papers"))
    assert one(browser, "#whole").is_displayed()


def test_on_a_phone_the_papers_stand_below_the_sentence_and_cover_nothing(at_text):
    browser = at_text(width=390)
    choose(browser, 30)
    sentence, panel = one(browser, "#s30").rect, one(browser, "#papers").rect
    assert sentence["y"] + sentence["height"] <= panel["y"] + 1
    assert top(browser, one(browser, "#s30")) >= 0
    assert top(browser, one(browser, "#papers-title")) < 900 - 40, "the papers begin on the screen"
    assert int(one(browser, "html").get_attribute("scrollWidth")) <= 390
    place = top(browser, words(browser, 30))
    click(browser, "a.close")
    wait(browser, lambda: not every(browser, "#papers"))
    assert abs(top(browser, words(browser, 30)) - place) < 2


def test_a_panel_above_does_not_move_the_sentence_that_is_chosen_below(at_text):
    browser = at_text(width=390)
    choose(browser, 3)
    browser.execute_script("arguments[0].scrollIntoView({block: 'start'})", words(browser, 14))
    browser.execute_script("scrollBy(0, -100)")
    before = top(browser, words(browser, 14))
    words(browser, 14).click()
    wait(browser, lambda: titles(browser) and not every(browser, "#papers[aria-busy]"))
    assert abs(top(browser, words(browser, 14)) - before) < 120
    assert top(browser, words(browser, 14)) >= 0


def test_without_scripts_every_step_is_a_page(browse, address, folder):
    browser = browse(address, script=False)
    one(browser, "#file").send_keys("\n".join(str(file) for file in folder.iterdir() if file.suffix != ".png"))
    one(browser, "button[formaction$='/manuscript']").click()
    wait(browser, lambda: every(browser, "#manuscript"))
    words(browser, 3).click()
    wait(browser, lambda: titles(browser))
    assert "chosen" in one(browser, "#s3").get_attribute("class")
    assert one(browser, "#s3").is_displayed()
    title = titles(browser)[0]
    one(browser, ".candidate .add").click()
    wait(browser, lambda: every(browser, ".candidate .picked"))
    assert one(browser, "#basket-size").text == "1"
    one(browser, "a.close").click()
    wait(browser, lambda: not every(browser, "#papers"))
    assert title in one(browser, "#bibliography").text
    history = re.sub(r"/manuscript.*", "/history", browser.current_url)
    browser.get(history)
    one(browser, ".past summary").click()
    assert "Nothing brings them back" in one(browser, ".past").text
    one(browser, ".past a").click()
    assert not one(browser, ".delete-manuscript button").is_displayed(), "one click too many deletes nothing"
    one(browser, ".delete-manuscript summary").click()
    one(browser, ".delete-manuscript button").click()
    wait(browser, lambda: browser.current_url == history)
    assert not every(browser, ".past")


def test_a_sentence_of_ones_own_is_asked_on_the_first_page(browse, address):
    browser = browse(address)
    click(browser, ".one-sentence summary")
    one(browser, "#context").send_keys("Attention lets a model look at every word [?].")
    click(browser, "#find")
    # The list gets better while it is there: its last order is the one of the address.
    wait(browser, lambda: one(browser, "#status").text.startswith("The order "))
    assert "to cite in this sentence" in one(browser, "#results h2").text
    address_of_question = browser.current_url
    assert "/asked/" in address_of_question
    first = [result.get_attribute("data-id") for result in every(browser, ".result")]
    browser.get(address_of_question)
    assert [result.get_attribute("data-id") for result in every(browser, ".result")] == first
    assert value(browser, "#context") == "Attention lets a model look at every word [?]."


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1400])
def test_axe_finds_nothing(at_text, dark, width):
    browser = at_text(dark=dark, width=width)
    assert violations(browser) == []
    choose(browser, 2)
    browser.execute_script("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert violations(browser) == []
    click(browser, ".candidate .add")
    wait(browser, lambda: one(browser, "#basket-size").text == "1")
    click(browser, "#s2 a.work")
    wait(browser, lambda: every(browser, ".work-title"))
    assert violations(browser) == []
    click(browser, "a.close")
    assert violations(browser) == []
    browser.get(re.sub(r"/manuscript.*", "/history", browser.current_url))
    assert violations(browser) == []
