"""What people stumbled over: typed text, Back and reload, the basket, known papers, the header."""

import re
from pathlib import Path
from zipfile import ZipFile

import pytest

pytest.importorskip("selenium")

from browsing import ABSTRACT, BIB, ask, ask_by_form, click, drop, every, ids, one, tick, ticked, value, wait
from conftest import serving
from selenium.webdriver import Keys

pytestmark = pytest.mark.browser

# Requests wait until they are let go.
HELD = """
const ask = window.fetch;
window.held = [];
window.fetch = (address, how) => new Promise((resolve, reject) => {
  held.push({ signal: how.signal, go: () => ask(address, how).then(resolve, reject) });
});
window.letGo = () => Promise.all(held.splice(0).map(({ go }) => go())).then(() => new Promise(requestAnimationFrame));
"""


def test_text_that_a_file_replaces_comes_back(browse, address, tmp_path: Path):
    browser = browse(address)
    one(browser, "#text").send_keys(ABSTRACT)
    draft = tmp_path / "main.tex"
    draft.write_text(r"\title{On retrieval}\begin{abstract}We retrieve passages.\end{abstract}")
    one(browser, "#file").send_keys(str(draft))
    wait(browser, lambda: "in place of your text" in one(browser, "#file-note").text)
    assert value(browser) == "On retrieval\n\nWe retrieve passages."
    click(browser, "#file-note button")
    assert value(browser) == ABSTRACT


def test_a_file_on_its_way_is_cancelled_or_gives_way_to_the_next(browse, address, tmp_path: Path):
    browser = browse(address)
    browser.execute_script(HELD)
    one(browser, "#text").send_keys(ABSTRACT)

    def choose(name: str) -> None:
        (tmp_path / name).write_text(rf"\title{{{name}}}\begin{{abstract}}We retrieve.\end{{abstract}}")
        browser.execute_script("document.getElementById('file').value = ''")  # the driver would add to it
        one(browser, "#file").send_keys(str(tmp_path / name))
        wait(browser, lambda: f"Reading {name}" in one(browser, "#file-note").text)

    choose("first")
    click(browser, "#file-note button")
    browser.execute_async_script("letGo().then(arguments[0])")
    assert (one(browser, "#file-note").text, value(browser)) == ("Cancelled.", ABSTRACT)
    choose("first")
    choose("second")
    browser.execute_script("held.reverse(); letGo()")  # the later one is read first
    wait(browser, lambda: "Read the title and abstract from second" in one(browser, "#file-note").text)
    assert value(browser) == "second\n\nWe retrieve."


def test_text_that_a_file_replaces_is_shown_without_scripts(browse, address, tmp_path: Path):
    browser = browse(address, script=False)
    one(browser, "#text").send_keys(ABSTRACT)
    draft = tmp_path / "main.tex"
    draft.write_text(r"\title{On retrieval}\begin{abstract}We retrieve passages.\end{abstract}")
    one(browser, "#file").send_keys(str(draft))
    one(browser, "#find").click()
    wait(browser, lambda: every(browser, ".before"))
    one(browser, ".before summary").click()
    assert ABSTRACT in one(browser, ".before").text


def test_an_archive_of_a_paper_brings_what_it_cites(browse, address, tmp_path: Path):
    archive = tmp_path / "paper.zip"
    with ZipFile(archive, "w") as files:
        files.writestr(
            "main.tex",
            r"\documentclass{article}\title{On retrieval}\begin{document}\begin{abstract}We retrieve.\end{abstract}"
            r"As shown \cite{" + BIB.split("{", 1)[1].split(",", 1)[0] + r"}.\input{gone}"
            r"\bibliography{refs}\end{document}",
        )
        files.writestr("refs.bib", BIB)
    browser = browse(address)
    one(browser, "#text").send_keys("Typed before")
    one(browser, "#file").send_keys(str(archive))
    wait(browser, lambda: "What it cites: 1 of 1 found" in one(browser, "#file-note").text)
    assert "gone" in one(browser, "#file-note").text.partition("Not read: ")[2]
    assert value(browser) == "On retrieval\n\nWe retrieve."
    assert len(value(browser, "#already_cited").split()) == 1


def test_back_reload_tabs_and_bookmarks_keep_list_and_ticks(browse, address):
    browser = browse(address)
    ask(browser)
    first, first_list = browser.current_url, ids(browser)
    tick(browser, 2)
    browser.refresh()
    wait(browser, lambda: ids(browser) == first_list)
    assert ticked(browser) == [first_list[1]]
    assert value(browser) == ABSTRACT
    wait(browser, lambda: every(browser, "html.scripted"))
    ask(browser, "Citation recommendation with graphs")
    second_list = ids(browser)
    assert second_list != first_list
    browser.back()
    wait(browser, lambda: ids(browser) == first_list)
    assert value(browser) == ABSTRACT
    assert ticked(browser) == [first_list[1]]
    browser.forward()
    wait(browser, lambda: ids(browser) == second_list)
    browser.switch_to.new_window("tab")
    browser.get(first)
    assert ids(browser) == first_list
    assert ticked(browser) == [first_list[1]]


def test_forward_leads_back_to_a_draft_that_was_not_sent(browse, address):
    browser = browse(address)
    ask(browser)
    ask(browser, "Citation recommendation with graphs")
    second, second_list = browser.current_url, ids(browser)
    one(browser, "#text").send_keys(" and a draft")
    typed = value(browser)
    wait(browser, lambda: browser.execute_script("return history.state?.typed?.text") == typed)
    browser.back()
    wait(browser, lambda: browser.current_url != second and value(browser) == ABSTRACT)
    wait(browser, lambda: every(browser, "html.scripted"))
    browser.forward()
    wait(browser, lambda: browser.current_url == second and value(browser) == typed)
    assert ids(browser) == second_list
    # What was sent is no draft any more.
    click(browser, "#find")
    wait(browser, lambda: browser.current_url != second)
    browser.back()
    wait(browser, lambda: value(browser) == "Citation recommendation with graphs")


def test_back_leads_to_a_draft_that_an_example_took_the_place_of(browse, address):
    browser = browse(address)
    one(browser, "#text").send_keys(ABSTRACT)
    wait(browser, lambda: browser.execute_script("return history.state?.typed?.text") == ABSTRACT)
    click(browser, ".examples a")
    wait(browser, lambda: every(browser, ".result") and "/asked/" in browser.current_url)
    assert value(browser) != ABSTRACT
    browser.back()
    wait(browser, lambda: value(browser) == ABSTRACT)


def cited(browser):
    return value(browser, "#already_cited").split()


def go_and_come_back(browser):
    typed = "const typed = history.state.typed ?? {}; return [typed.text, typed.already_cited ?? '']"

    def is_kept():  # which happens a little later
        text, papers = browser.execute_script(typed)
        return (text, papers.split()) == (value(browser), cited(browser))

    wait(browser, is_kept)
    click(browser, "nav a:last-child")
    wait(browser, lambda: every(browser, "#gold"))
    browser.back()
    wait(browser, lambda: every(browser, "html.scripted #already_cited"))


def test_back_leads_to_what_a_file_and_a_chosen_paper_filled_in(browse, address):
    browser = browse(address)
    one(browser, "#text").send_keys("Typed before")
    drop(browser, "refs.bib", BIB)
    wait(browser, lambda: len(cited(browser)) == 1)
    of_file = cited(browser)
    go_and_come_back(browser)
    assert (value(browser), cited(browser)) == ("Typed before", of_file)
    assert one(browser, ".options").get_attribute("open"), "it is seen"
    one(browser, "#add-cited").send_keys("bert")
    wait(browser, lambda: every(browser, "#add-cited-papers li"))
    one(browser, "#add-cited").send_keys(Keys.ARROW_DOWN, Keys.ENTER)
    wait(browser, lambda: len(cited(browser)) == 2)
    one(browser, "#add-cited").send_keys("attention", Keys.ENTER)  # before papers are offered
    wait(browser, lambda: every(browser, "#add-cited-papers li") and one(browser, "#add-cited-papers").is_displayed())
    one(browser, "#add-cited").send_keys(Keys.ENTER)
    wait(browser, lambda: len(cited(browser)) == 3)
    assert not every(browser, ".result"), "nothing was asked"
    both = cited(browser)
    go_and_come_back(browser)
    assert cited(browser) == both
    drop(browser, "draft.txt", "A dropped title\n\nAnd its abstract.")
    wait(browser, lambda: value(browser).startswith("A dropped title"))
    click(browser, "#file-note button")
    go_and_come_back(browser)
    assert (value(browser), cited(browser)) == ("Typed before", both)


def test_what_is_typed_while_a_doi_is_looked_up_stays(browse, address):
    browser = browse(address)
    browser.execute_script(HELD)
    one(browser, "#text").send_keys("10.48550/arXiv.1706.03762")
    click(browser, "#find")
    click(browser, ".one-sentence summary")
    one(browser, "#context").send_keys("Typed meanwhile")
    browser.execute_script("letGo()")
    wait(browser, lambda: every(browser, ".result"))
    assert value(browser).startswith("Attention Is All You Need\n\n")
    assert value(browser, "#context") == "Typed meanwhile"


def test_a_late_answer_opens_no_list_below_a_field_that_was_left_or_emptied(browse, address):
    browser = browse(address)
    browser.execute_script(HELD)
    for leave in (Keys.TAB, Keys.BACKSPACE * 4):
        one(browser, "#q").send_keys("bert")
        wait(browser, lambda: browser.execute_script("return held.length"))
        one(browser, "#q").send_keys(leave)
        wait(browser, lambda: browser.execute_script("return held[0].signal.aborted"))
        browser.execute_async_script("letGo().then(arguments[0])")
        assert not one(browser, "#q-papers").is_displayed()
        browser.execute_script("document.getElementById('q').value = ''")


def test_enter_that_ends_a_word_of_an_input_method_takes_no_paper(browse, address):
    browser = browse(address)
    click(browser, ".options > summary")
    one(browser, "#add-cited").send_keys("bert")
    wait(browser, lambda: one(browser, "#add-cited-papers").is_displayed())
    composing = "key: 'Enter', keyCode: 229, isComposing: true, bubbles: true, cancelable: true"
    enter = f"document.getElementById('add-cited').dispatchEvent(new KeyboardEvent('keydown', {{ {composing} }}))"
    assert browser.execute_script(f"return {enter}"), "it is left to the input method"
    assert (value(browser, "#add-cited"), value(browser, "#already_cited")) == ("bert", "")


def test_a_doi_in_place_of_a_text_is_its_paper(browse, address):
    browser = browse(address)
    ask(browser, "10.48550/arXiv.1706.03762")
    assert value(browser).startswith("Attention Is All You Need\n\n")
    assert "vaswani2017attention" not in ids(browser)
    assert browser.title.startswith("Attention Is All You Need")


def test_back_to_the_start_stays_in_the_session(browse, address):
    browser = browse(address)
    ask(browser)
    tick(browser, 1)
    session = re.search(r"/s/[\w-]{22}/", browser.current_url)[0]
    browser.back()
    wait(browser, lambda: browser.current_url.endswith(session) and not every(browser, ".result"))
    assert one(browser, "#basket-size").text == "1"
    wait(browser, lambda: every(browser, "html.scripted"))
    ask(browser, "Citation recommendation with graphs")
    assert session in browser.current_url


def test_a_selection_outside_of_a_session_survives_a_reload(browse, address):
    browser = browse(f"{address}/?example=translation")
    tick(browser, 2)
    browser.refresh()
    wait(browser, lambda: len(ticked(browser)) == 1)
    assert one(browser, "#basket-size").text == "1"


def test_the_basket_needs_no_script(browse, address):
    browser = browse(address, script=False)
    ask_by_form(browser)
    asked = browser.current_url
    assert "/asked/1" in asked
    one(browser, ".result [name=papers]").click()
    one(browser, ".tools .no-script").click()
    wait(browser, lambda: every(browser, ".picks li"))
    one(browser, ".picks textarea").send_keys("Read this")
    one(browser, "#save").click()
    wait(browser, lambda: "saved=1" in browser.current_url)  # the next page would be given up for this one
    assert value(browser, ".picks textarea") == "Read this"
    browser.get(asked)
    assert len(ticked(browser)) == 1
    one(browser, "nav a:nth-child(2)").click()
    wait(browser, lambda: every(browser, ".past li"))
    assert not one(browser, "#forget button").is_displayed(), "one click too many deletes nothing"
    one(browser, ".delete:has(#forget) summary").click()
    one(browser, "#forget button").click()
    wait(browser, lambda: not every(browser, ".past li"))
    browser.get(asked)
    assert "no question at this address" in one(browser, "main").text


def test_a_paper_is_found_as_one_types(browse, address):
    browser = browse(address)
    one(browser, "#q").send_keys("attention is all you ne")
    wait(browser, lambda: "Attention Is All You Need" in one(browser, "#q-papers").text)
    one(browser, "#q").send_keys(Keys.ARROW_DOWN, Keys.ENTER)
    wait(browser, lambda: every(browser, ".result"))
    assert value(browser).startswith("Attention Is All You Need\n\n")
    assert "Attention Is All You Need" not in [title.text for title in every(browser, ".result h3")]


def test_enter_in_a_field_asks_without_scripts(browse, address):
    browser = browse(address, script=False)
    one(browser, "#text").send_keys(ABSTRACT)
    one(browser, ".options > summary").click()
    one(browser, "#authors").send_keys(Keys.ENTER)
    wait(browser, lambda: every(browser, ".result"))


def test_a_paper_is_found_without_scripts(browse, address):
    browser = browse(address, script=False)
    one(browser, "#q").send_keys("vaswani")
    one(browser, "#known button").click()
    wait(browser, lambda: every(browser, ".found .neighbours li"))
    one(browser, ".found .neighbours a").click()
    wait(browser, lambda: every(browser, ".result"))


@pytest.mark.parametrize("page", ["/check", "/similar?id=bert", "/search?q=attention", "/nothing"])
def test_every_page_has_the_header(browse, address, page):
    browser = browse(address + page, script=False)
    assert "375 papers" in one(browser, ".masthead").text
    assert one(browser, ".masthead nav").is_displayed()


def test_the_demo_leads_to_ones_own_papers(browse, address):
    browser = browse(address)
    click(browser, ".own-papers summary")
    assert "citescout corpus build --from library.bib" in one(browser, ".own-papers").text


@pytest.mark.parametrize("script", [False, True])
def test_what_is_typed_goes_along_to_another_index(browse, recommender, tmp_path, script):
    with serving({"first": recommender, "other": recommender}, tmp_path / "sessions") as address:
        browser = browse(address, script=script)
        one(browser, "#text").send_keys(ABSTRACT)
        one(browser, ".options summary").click()
        one(browser, "#already_cited").send_keys("10.1/x")
        click(browser, "#hide_known")
        assert one(browser, "#names-missing").text.startswith("Names are not kept: give them again")
        one(browser, "#authors").send_keys("Ada Lovelace")
        assert not one(browser, "#names-missing").is_displayed()
        one(browser, ".indexes summary").click()
        one(browser, ".indexes button.link").click()
        wait(browser, lambda: browser.current_url.endswith("/i/other/"))
        wait(browser, lambda: not script or every(browser, "html.scripted"))
        assert (value(browser), value(browser, "#already_cited")) == (ABSTRACT, "10.1/x")
        assert value(browser, "#authors") == "Ada Lovelace"
        if script:
            browser.refresh()
            wait(browser, lambda: every(browser, "html.scripted"))
            assert value(browser) == ABSTRACT, "and no form is sent again"
            assert one(browser, "#already_cited").is_displayed(), "what is set is seen"
            assert value(browser, "#authors") == "", "names are kept nowhere"
            assert one(browser, "#hide_known").is_selected()
            assert one(browser, "#names-missing").is_displayed()
        one(browser, "#already_cited").clear()
        one(browser, "#authors").clear()  # the answer to names has no address without scripts
        one(browser, "#authors").send_keys(Keys.ENTER)
        wait(browser, lambda: every(browser, ".result"))
        assert "/i/other/asked/1" in browser.current_url
        browser.back()
        wait(browser, lambda: browser.current_url.endswith("/i/other/") and not every(browser, ".result"))
