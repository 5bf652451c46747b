"""The list: what of it fits a screen, its order, its keys, its bars, its print."""

import re

import pytest

pytest.importorskip("selenium")

from browsing import (
    ABSTRACT,
    ask,
    ask_by_form,
    click,
    every,
    ids,
    is_idle,
    offline,
    one,
    open_map,
    tick,
    ticked,
    value,
    wait,
)
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

pytestmark = pytest.mark.browser


def test_print_is_the_same_from_a_dark_screen(browse, address):
    shown = {}
    for dark in (False, True):
        browser = browse(f"{address}/?text=Attention+in+translation", dark=dark)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [scheme]})
        shown[dark] = browser.execute_script(
            """
            const style = getComputedStyle(document.documentElement);
            const own = [...style].filter((one) => one.startsWith("--"));
            return Object.fromEntries(own.map((one) => [one, style.getPropertyValue(one)]));
            """
        )
        browser.quit()
    assert shown[True] == shown[False] != {}


def test_a_printed_map_has_nothing_to_press(browse, address):
    browser = browse(address)
    ask(browser)
    open_map(browser)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert one(browser, ".map svg").is_displayed()
    assert [one.text for one in every(browser, ".map :is(button, input, a, details)") if one.is_displayed()] == []


def test_print_has_question_date_and_dois(browse, address):
    browser = browse(address)
    ask(browser, f"A title of mine\n\n{ABSTRACT}")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = one(browser, "body").text
    assert "A title of mine" in shown
    assert ABSTRACT in shown
    assert re.search(r"Asked on \d{4}-\d\d-\d\d", shown)
    doi = one(browser, ".doi")
    printed = browser.execute_script("return getComputedStyle(arguments[0], '::after').content", doi)
    assert doi.get_attribute("href") in printed
    apart = browser.execute_script("return getComputedStyle(arguments[0], '::after').marginLeft", doi)
    assert float(apart.removesuffix("px")) > 2
    titles = "[...document.querySelectorAll('.result:has(.doi) h3 a')]"
    behind = browser.execute_script(f"return {titles}.map(a => getComputedStyle(a, '::after').content)")
    assert set(behind) == {"none"}  # the address is printed once


def test_a_list_of_one_paper_is_not_called_one_of_papers(browse, address):
    browser = browse(f"{address}/?title=dense+retrieval&k=1")
    wait(browser, lambda: every(browser, "html.scripted"))
    assert one(browser, "#selected-hint").text == "the one paper"
    tick(browser, 1)
    wait(browser, lambda: one(browser, "#selected-hint").text == "the 1 selected")


def test_bars_are_as_long_as_the_numbers_below_them(browse, address):
    browser = browse(address)
    ask(browser)
    for result in every(browser, ".result"):
        bar = result.find_element(By.CSS_SELECTOR, ".score .fill").rect["width"]
        track = result.find_element(By.CSS_SELECTOR, ".score .track").rect["width"]
        number = result.find_element(By.CSS_SELECTOR, ".score .number").get_attribute("textContent")
        assert bar / track == pytest.approx(float(re.search(r"\d+", number)[0]) / 100, abs=0.011)


def test_a_result_says_where_it_appeared_and_how_often_it_is_cited(browse, address):
    browser = browse(address)
    ask(browser)
    shown = one(browser, ".result .byline").text
    assert re.search(r"(19|20)\d\d", shown)
    assert re.search(r"\d+ citations?", shown)
    assert every(browser, ".result .doi[href^='https://doi.org/']")
    assert every(browser, ".result .pdf[href^='https://arxiv.org/pdf/']")


def test_six_papers_fit_a_screen_and_three_a_phone(browse, address):
    browser = browse(address, width=1360)
    whole = (
        "return [...document.querySelectorAll('.result')].filter((one) => {"
        "const {top, bottom} = one.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }).length"
    )
    ask(browser)
    assert browser.execute_script(whole) >= 6
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.refresh()
    browser.execute_script("document.getElementById('results').scrollIntoView()")
    wait(browser, lambda: browser.execute_script(whole) >= 3)


def test_keys_move_select_and_open(browse, address):
    browser = browse(address)
    ask(browser)
    keys = ActionChains(browser)
    keys.send_keys("jjkjx").perform()
    wait(browser, lambda: one(browser, "#basket-size").text == "1")
    assert ticked(browser) == [ids(browser)[1]]
    ActionChains(browser).send_keys("o").perform()
    assert len(every(browser, ".more[open]")) == 1
    assert every(browser, ".result:nth-child(2) .more[open]")
    ActionChains(browser).send_keys("/").perform()
    assert browser.switch_to.active_element.get_attribute("id") == "text"
    ActionChains(browser).send_keys("jx").perform()
    assert value(browser).endswith("jx") or "jx" in value(browser), "letters are letters in the text"


def test_sorting_and_filters(browse, address):
    browser = browse(address)
    ask(browser)
    as_it_came = ids(browser)
    click(browser, "[name=sort][value=year]")
    years = [int(result.get_attribute("data-year")) for result in every(browser, ".result")]
    assert years == sorted(years, reverse=True)
    assert not one(browser, ".cut").is_displayed()
    click(browser, "[name=sort][value='']")
    assert ids(browser) == as_it_came
    assert one(browser, ".cut").is_displayed()
    since = one(browser, ".filters button[value^=from_year]")
    year = int(re.search(r"\d{4}", since.text)[0])
    click(browser, ".filters button[value^=from_year]")
    wait(browser, lambda: every(browser, ".filters .on") and is_idle(browser))
    assert all(int(result.get_attribute("data-year")) >= year for result in every(browser, ".result"))
    click(browser, ".filters .on")
    wait(browser, lambda: ids(browser) == as_it_came)


def test_a_filter_that_could_not_be_asked_is_not_set(browse, address):
    browser = browse(address)
    ask(browser)
    as_it_came = ids(browser)
    offline(browser)
    click(browser, ".filters button[value^=from_year]")
    wait(browser, lambda: "cannot be reached" in one(browser, "#error").text and is_idle(browser))
    assert (ids(browser), value(browser, "#from_year")) == (as_it_came, "")
    offline(browser, on=False)
    click(browser, ".filters button[value^=from_year]")
    wait(browser, lambda: every(browser, ".filters .on") and is_idle(browser))
    assert value(browser, "#from_year")


def by_citations(browser):
    wait(
        browser, lambda: every(browser, ".result") and every(browser, "[name=sort][value=citations][aria-pressed=true]")
    )
    counts = [int(result.get_attribute("data-citations")) for result in every(browser, ".result")]
    return counts == sorted(counts, reverse=True)


def test_sorting_needs_no_script(browse, address):
    browser = browse(address, script=False)
    ask_by_form(browser)
    one(browser, "[name=sort][value=citations]").click()
    assert by_citations(browser)
    one(browser, ".filters button").click()
    wait(browser, lambda: every(browser, ".filters .on"))
    assert by_citations(browser), "what is asked next keeps the order"
    one(browser, "[name=sort][value='']").click()
    wait(browser, lambda: every(browser, "[name=sort][value=''][aria-pressed=true]"))
    ranks = [int(result.get_attribute("data-rank")) for result in every(browser, ".result")]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize("kept_by", ["server", "browser"])
def test_filters_reload_and_back_keep_the_order(browse, address, storing_address, kept_by):
    browser = browse(address if kept_by == "server" else storing_address)
    ask(browser)
    as_it_came = ids(browser)
    click(browser, "[name=sort][value=citations]")
    first = ids(browser)
    assert first != as_it_came
    click(browser, ".filters button[value^=from_year]")
    wait(browser, lambda: every(browser, ".filters .on"))
    assert by_citations(browser)
    assert "sort=citations" in browser.current_url
    filtered = ids(browser)
    browser.refresh()
    wait(browser, lambda: every(browser, "html.scripted") and ids(browser) == filtered)
    assert by_citations(browser)
    browser.back()
    wait(browser, lambda: ids(browser) == first)
    click(browser, "[name=sort][value='']")
    assert ids(browser) == as_it_came
    assert "sort" not in browser.current_url


def test_a_refined_order_is_compared_as_it_is_sorted(browse, slow_address, slow_reader):
    browser = browse(slow_address)
    ask(browser)
    click(browser, "[name=sort][value=year]")
    before = [result.get_attribute("data-year") for result in every(browser, ".result")]
    slow_reader.go_on.set()
    wait(browser, lambda: one(browser, "#status").text.startswith("The order"))
    assert "20 papers moved" not in one(browser, "#status").text, "the first of 20 became the last"
    assert [result.get_attribute("data-year") for result in every(browser, ".result")] == before


def test_nothing_moves_under_the_pointer(browse, slow_address, slow_reader):
    browser = browse(slow_address)
    browser.execute_script("document.getElementById('text').value = arguments[0]", ABSTRACT)
    click(browser, "#find")
    wait(browser, lambda: len(every(browser, ".result")) == 20)
    first = ids(browser)
    ActionChains(browser).move_to_element(every(browser, ".result h3")[2]).perform()
    slow_reader.go_on.set()
    wait(browser, lambda: one(browser, "#show-refined").is_displayed())
    assert ids(browser) == first
