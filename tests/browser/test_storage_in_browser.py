"""A server that keeps nothing: basket, notes and questions stay in the browser, and leave it only for an export."""

import pytest

pytest.importorskip("selenium")

import bibtexparser
from browsing import (
    ABSTRACT,
    ask,
    click,
    complaints,
    every,
    ids,
    is_idle,
    one,
    open_map,
    tick,
    ticked,
    value,
    wait,
)

pytestmark = pytest.mark.browser
OTHER = "Citation recommendation with graphs"


def scripted(browser):
    wait(browser, lambda: every(browser, "html.scripted"))


def stored(browser):
    return browser.execute_script("return JSON.stringify({...localStorage})")


def test_basket_and_notes_stay_and_are_exported(browse, storing_address, tmp_path):
    browser = browse(storing_address)
    ask(browser)
    tick(browser, 1)
    tick(browser, 3)
    picked = ticked(browser)
    browser.refresh()
    wait(browser, lambda: ticked(browser) == picked)
    click(browser, "nav a")
    wait(browser, lambda: len(every(browser, ".picks li")) == 2)
    assert one(browser, ".picks .pick-title a").get_attribute("href").startswith("http")
    one(browser, ".picks textarea").send_keys("For § 2")
    one(browser, ".basket h1").click()
    wait(browser, lambda: one(browser, "#saved").text == "Notes saved.")
    browser.refresh()
    wait(browser, lambda: value(browser, ".picks textarea") == "For § 2")
    for name, file in (("bibtex", "basket.bib"), ("csv", "basket.csv"), ("ris", "basket.ris")):
        click(browser, f"button[formaction$={name}]")
        wait(browser, lambda file=file: (tmp_path / "downloads" / file).exists())
        assert "For § 2" in (tmp_path / "downloads" / file).read_text()
    entries = bibtexparser.parse_string((tmp_path / "downloads" / "basket.bib").read_text()).entries
    assert [entry.fields_dict["annote"].value for entry in entries if "annote" in entry.fields_dict] == ["For § 2"]
    assert len(entries) == 2
    assert complaints(browser) == []


def test_questions_have_addresses_and_a_history_that_can_be_emptied(browse, storing_address):
    browser = browse(storing_address)
    one(browser, "[name=authors]")
    browser.execute_script("document.getElementById('authors').value = 'Grace Hopper'")
    ask(browser)
    first, first_list = browser.current_url, ids(browser)
    assert first.endswith("#asked-1")
    browser.execute_script("document.querySelector('[name=from_year]').value = '1990'")
    browser.execute_script("document.querySelector('[name=already_cited]').value = 'one\\n\\n two, three '")
    browser.execute_script("document.querySelector('[name=min_citations]').value = '1'")
    ask(browser, OTHER)
    second_list = ids(browser)
    assert browser.current_url.endswith("#asked-2")
    browser.back()
    wait(browser, lambda: ids(browser) == first_list)
    assert value(browser) == ABSTRACT
    browser.forward()
    wait(browser, lambda: ids(browser) == second_list)
    browser.refresh()
    wait(browser, lambda: ids(browser) == second_list)
    browser.get(f"{storing_address}/history")
    wait(browser, lambda: len(every(browser, ".past li")) == 2)
    assert OTHER in one(browser, ".past li").text
    for limit in ("from 1990;", "2 cited already;", "cited at least once;"):
        assert [limit in entry.text for entry in every(browser, ".past li")] == [True, False]
    assert "Hopper" not in stored(browser), "names of authors are nobody's business"
    every(browser, ".past a")[1].click()
    wait(browser, lambda: ids(browser) == first_list)
    assert browser.current_url == first
    browser.get(f"{storing_address}/history")
    wait(browser, lambda: every(browser, ".past li"))
    assert not one(browser, "#forget button").is_displayed(), "one click too many deletes nothing"
    one(browser, ".delete:has(#forget) summary").click()
    one(browser, "#forget button").click()
    wait(browser, lambda: not one(browser, "#history").is_displayed())
    assert ABSTRACT not in stored(browser)
    browser.get(storing_address)
    ask(browser, OTHER)
    assert browser.current_url.endswith("#asked-3"), "a bookmark does not lead to another question"
    assert complaints(browser) == []


def test_links_within_the_page_leave_the_address_of_the_question(browse, storing_address):
    browser = browse(storing_address, still=True)
    click(browser, ".skip")
    wait(browser, lambda: browser.current_url.endswith("#main"))
    ask(browser)
    first, first_list = browser.current_url, ids(browser)
    click(browser, ".skip")
    wait(browser, lambda: browser.current_url == first)
    open_map(browser)
    click(browser, ".map-actions a")
    wait(browser, lambda: browser.execute_script("return document.querySelector('.result:target')"))
    wait(browser, lambda: browser.current_url == first)
    browser.refresh()
    wait(browser, lambda: every(browser, "html.scripted") and ids(browser) == first_list)
    browser.execute_script("history.go(-3)")
    wait(browser, lambda: browser.current_url.endswith("#main") and not every(browser, ".result"))
    browser.execute_script("location.hash = 'asked-1'")
    wait(browser, lambda: ids(browser) == first_list)


def test_an_address_of_another_browser_is_said_to_be_no_question_of_this_one(browse, storing_address):
    browser = browse(f"{storing_address}/#asked-7")
    assert "this browser has no question at this address" in one(browser, "#error").text.lower()
    ask(browser)
    assert browser.current_url.endswith("#asked-1")
    assert not one(browser, "#error").is_displayed()


def test_a_question_for_a_sentence_alone_is_in_the_history(browse, storing_address):
    browser = browse(storing_address)
    click(browser, ".one-sentence summary")
    one(browser, "#context").send_keys("Attention lets a model look at every word [?].")
    click(browser, "#find")
    wait(browser, lambda: browser.current_url.endswith("#asked-1"))
    browser.get(f"{storing_address}/history")
    wait(browser, lambda: every(browser, ".past li"))
    assert "Attention lets a model look at every word [?]." in one(browser, ".past a").text


def test_the_basket_is_cited_by_the_latest_question(browse, storing_address):
    browser = browse(storing_address)
    ask(browser)
    tick(browser, 2)
    picked = ticked(browser)
    click(browser, "nav a")
    wait(browser, lambda: every(browser, ".picks li"))
    one(browser, "[name=cite]").click()
    wait(browser, lambda: every(browser, ".result") and "1 cited already" in one(browser, ".meta").text)
    assert not set(picked) & set(ids(browser))
    assert value(browser, "#already_cited") == picked[0]
    wait(browser, lambda: is_idle(browser))
    assert browser.current_url.endswith("#asked-2"), "it is one question"
    click(browser, "nav a")
    wait(browser, lambda: "marked as cited" in one(browser, ".picks").text)


def test_what_others_put_into_the_storage_is_only_text(browse, storing_address):
    browser = browse(storing_address)
    hostile = (
        '[{"key":"/x","title":"<img src=x onerror=alert(1)>","byline":"<b>","link":"javascript:alert(2)",'
        '"doi":"data:text/html,x","pdf":"","note":"</textarea><script>alert(3)</script>","cited":true}]'
    )
    browser.execute_script("localStorage.setItem('citescout:/:picks', arguments[0])", hostile)
    browser.get(f"{storing_address}/basket")
    wait(browser, lambda: every(browser, ".picks li"))
    assert one(browser, ".pick-title").text == "<img src=x onerror=alert(1)>"
    assert every(browser, ".picks a, .picks img, .picks script, .picks b") == []
    for other in ("no json", '{"a":1}', '"text"', "[null]"):
        browser.execute_script("localStorage.setItem('citescout:/:picks', arguments[0])", hostile)
        browser.refresh()
        wait(browser, lambda: every(browser, ".picks li"))
        browser.execute_script("localStorage.setItem('citescout:/:picks', arguments[0])", other)
        browser.refresh()
        wait(browser, lambda: "empty" in one(browser, "h1").text)
    assert complaints(browser) == []


def test_without_scripts_the_page_says_what_is_lost(browse, storing_address):
    browser = browse(storing_address, script=False)
    one(browser, "#text").send_keys(ABSTRACT)
    one(browser, "#find").click()
    wait(browser, lambda: every(browser, ".result"))
    assert "what you select is lost" in one(browser, "#selection").text
    one(browser, "nav a").click()
    wait(browser, lambda: every(browser, ".basket"))
    assert "what you select is lost" in one(browser, ".basket").text
    assert not every(browser, ".picks li")


def test_the_browser_stores_nothing_where_the_server_keeps_sessions(browse, address):
    browser = browse(address)
    ask(browser)
    tick(browser, 1)
    assert stored(browser) == "{}"
