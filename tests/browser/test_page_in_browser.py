"""From an abstract to a list, and what the page says on the way."""

import time
from pathlib import Path

import bibtexparser
import pytest

pytest.importorskip("selenium")

from browsing import ABSTRACT, ask, click, complaints, every, ids, one, wait
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By

pytestmark = pytest.mark.browser


def paste(browser, text, field="text"):
    browser.execute_script("arguments[0].value = arguments[1]", one(browser, f"#{field}"), text)


def clipboard(browser):
    return browser.execute_async_script("navigator.clipboard.readText().then(arguments[0], String).then(arguments[0])")


def test_from_an_abstract_to_bibtex_without_a_page_jump(browse, address):
    browser = browse(address)
    browser.execute_script("window.stayed = true")
    ask(browser)
    assert browser.execute_script("return window.stayed"), "the page was loaded again"
    assert len(every(browser, ".result")) == 20
    assert one(browser, ".results-head h2").text == "20 papers to consider"
    first = every(browser, ".result")[0]
    assert "Matched by " not in first.text
    first.find_element(By.CSS_SELECTOR, ".more summary").click()
    assert "Shared terms: " in first.text
    first.find_element(By.CSS_SELECTOR, ".parts summary").click()
    assert "Matched by words (" in first.text
    marked = [mark.text.lower() for mark in first.find_elements(By.CSS_SELECTOR, ".abstract mark")]
    assert marked
    assert all(word[:5] in ABSTRACT.lower() for word in marked)
    copy = first.find_element(By.CSS_SELECTOR, "button.copy")
    copy.click()
    wait(browser, lambda: copy.text == "Copied")
    assert browser.switch_to.active_element == copy, "the keyboard goes on from there"
    (entry,) = bibtexparser.parse_string(clipboard(browser)).entries
    assert entry["year"]
    assert complaints(browser) == []


def test_ticked_papers_are_copied_downloaded_and_cited(browse, address, tmp_path):
    browser = browse(address)
    ask(browser)
    boxes = every(browser, ".result input[name=papers]")
    ticked = [boxes[0].get_attribute("value"), boxes[2].get_attribute("value")]
    boxes[0].click()
    boxes[2].click()
    assert "the 2 selected" in one(browser, "#selected-hint").text
    one(browser, "#copy-all").click()
    wait(browser, lambda: one(browser, "#copy-all").text == "Copied")
    assert len(bibtexparser.parse_string(clipboard(browser)).entries) == 2
    one(browser, "button[formaction$=bibtex]").click()
    file: Path = tmp_path / "downloads" / "citescout.bib"
    wait(browser, file.exists)
    assert len(bibtexparser.parse_string(file.read_text()).entries) == 2
    one(browser, "button[name=cite]").click()
    wait(browser, lambda: "2 cited already" in (every(browser, ".meta") or [one(browser, "body")])[0].text)
    shown = {box.get_attribute("value") for box in every(browser, ".result input[name=papers]")}
    assert not shown & set(ticked)
    assert one(browser, "#already_cited").get_attribute("value").split() == ticked
    click(browser, "nav a")
    wait(browser, lambda: one(browser, ".picks").text.count("marked as cited") == 2)


def test_a_phone_on_plain_http_can_copy_download_and_steer(browse, address, tmp_path):
    browser = browse(address.replace("127.0.0.1", "plain.example"), width=390)
    assert not browser.execute_script("return isSecureContext")
    ask(browser)
    copy = one(browser, "#copy-all")
    copy.click()
    wait(browser, lambda: copy.text == "Copied")  # an element that is not shown has no text
    one(browser, "button[formaction$=bibtex]").click()
    file: Path = tmp_path / "downloads" / "citescout.bib"
    wait(browser, file.exists)
    assert len(bibtexparser.parse_string(file.read_text()).entries) == 20
    one(browser, ".result input[name=papers]").click()
    one(browser, "button[name=cite]").click()
    wait(browser, lambda: "1 cited already" in (every(browser, ".meta") or [one(browser, "body")])[0].text)


def test_keyboard_alone_is_enough(browse, address):
    browser = browse(address)
    field = one(browser, "#text")
    field.send_keys("attention and translation")
    ActionChains(browser).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
    wait(browser, lambda: every(browser, ".result"))
    assert browser.switch_to.active_element.get_attribute("id") == "results"
    for _ in range(3):  # copy, .bib, .csv
        ActionChains(browser).send_keys(Keys.TAB).perform()
    outline = browser.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "the focus cannot be seen"


def test_example_is_asked_by_a_click(browse, address):
    browser = browse(address)
    every(browser, ".examples a")[1].click()
    wait(browser, lambda: every(browser, ".result"))
    assert "citation" in one(browser, "#text").get_attribute("value")
    assert "citation" in one(browser, ".results").text.lower()


def test_error_is_shown_and_the_last_list_stays(browse, address):
    browser = browse(address)
    ask(browser)
    paste(browser, " ")
    one(browser, "#find").click()
    wait(browser, lambda: one(browser, "#error").is_displayed())
    assert one(browser, "#error").text.lower() == "enter a title or an abstract"
    assert len(every(browser, ".result")) == 20


def focused(browser):
    return browser.switch_to.active_element.get_attribute("id")


def test_question_can_be_stopped(browse, address):
    browser = browse(address)
    browser.execute_script(
        "window.fetch = (url, options) => new Promise((_, reject) => options.signal.addEventListener('abort',"
        " () => reject(new DOMException('', 'AbortError'))))"
    )
    paste(browser, ABSTRACT)
    one(browser, "#find").click()
    wait(browser, lambda: one(browser, "#stop").is_displayed())
    assert one(browser, "#find").text == "Searching…"
    assert one(browser, "#results").get_attribute("aria-busy") == "true"
    assert focused(browser) == "find", "the focus stays while it searches"
    browser.execute_script("window.fetch = () => { window.twice = true; }")
    ActionChains(browser).send_keys(Keys.ENTER, Keys.TAB).perform()
    assert not browser.execute_script("return window.twice"), "one search at a time"
    assert focused(browser) == "stop"
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    wait(browser, lambda: one(browser, "#find").text == "Find papers")
    assert focused(browser) == "find"
    assert one(browser, "#status").text == "Stopped: the page is as it was before."
    assert one(browser, "h1").is_displayed()
    assert not one(browser, "#error").is_displayed()


def ask_slowly(browser):
    paste(browser, ABSTRACT)
    one(browser, "#find").click()
    wait(browser, lambda: len(every(browser, ".result")) == 20)
    wait(browser, lambda: one(browser, "#refining-bar").is_displayed())


def test_refined_order_comes_by_itself_to_a_reader_who_waits(browse, slow_address, slow_reader):
    browser = browse(slow_address)
    ask_slowly(browser)
    assert one(browser, "#find").get_attribute("aria-disabled") == "false", (
        "a new question may be asked while the order is refined"
    )
    first = ids(browser)
    slow_reader.go_on.set()
    wait(browser, lambda: ids(browser) == [*first[1:], first[0]])
    assert not one(browser, "#refining").is_displayed()
    assert "20 papers moved" in one(browser, "#status").text


def test_refined_order_is_only_offered_to_one_who_reads(browse, slow_address, slow_reader):
    browser = browse(slow_address)
    ask_slowly(browser)
    first = ids(browser)
    box = every(browser, ".result input[name=papers]")[1]
    ticked = box.get_attribute("value")
    box.click()
    place = box.rect["y"]
    slow_reader.go_on.set()
    wait(browser, lambda: one(browser, "#show-refined").is_displayed())
    assert "20 papers move" in one(browser, "#refining-text").text
    assert one(browser, "#refining-text").get_attribute("aria-live") == "polite"
    assert ids(browser) == first
    assert box.rect["y"] == place, "the list jumped"
    one(browser, "#show-refined").click()
    wait(browser, lambda: ids(browser) == [*first[1:], first[0]])
    checked = every(browser, ".result input[name=papers]:checked")
    assert [box.get_attribute("value") for box in checked] == [ticked]


def test_refining_can_be_stopped_and_the_first_list_stays(browse, slow_address):
    browser = browse(slow_address)
    ask_slowly(browser)
    first = ids(browser)
    one(browser, "#stop-refining").click()
    wait(browser, lambda: not one(browser, "#refining").is_displayed())
    assert focused(browser) == "results"
    assert ids(browser) == first
    assert not one(browser, "#error").is_displayed()


def test_a_proxy_whose_server_starts_anew_is_said_in_plain_words(browse, address):
    browser = browse(address)
    browser.execute_script("fetch = async () => new Response('<h1>502 Bad Gateway</h1>', { status: 502 })")
    paste(browser, ABSTRACT)
    one(browser, "#find").click()
    wait(browser, lambda: "cannot be reached" in one(browser, "#error").text)


BREAKING = """
const ask = window.fetch;
const broken = new Promise((_, reject) => { window.breakOff = () => reject(new TypeError("network error")); });
window.fetch = async (...how) => {
  const reader = (await ask(...how)).body.getReader();
  return new Response(new ReadableStream({ async pull(stream) {
    const { done, value } = await Promise.race([reader.read(), broken]);
    if (done) stream.close(); else stream.enqueue(value);
  } }));
};
"""


def test_a_connection_that_breaks_off_is_said_in_plain_words(browse, slow_address):
    browser = browse(slow_address)
    browser.execute_script(BREAKING)
    ask(browser)
    first = ids(browser)
    browser.execute_script("breakOff()")
    wait(browser, lambda: one(browser, "#error").is_displayed())
    assert one(browser, "#error").text.casefold() == "the server broke off: search again"
    assert ids(browser) == first


def test_everything_works_without_scripts(browse, address, tmp_path):
    browser = browse(address, script=False)
    assert not every(browser, ".scripted")
    one(browser, "#text").send_keys(ABSTRACT)
    one(browser, "#find").click()
    wait(browser, lambda: len(every(browser, ".result")) == 20)
    assert one(browser, "#text").get_attribute("value") == ABSTRACT
    assert not one(browser, "button.copy").is_displayed()
    one(browser, ".more summary").click()
    one(browser, ".bibtex summary").click()
    assert one(browser, ".bibtex pre").text.startswith("@")
    one(browser, "button[formaction$=bibtex]").click()
    wait(browser, (tmp_path / "downloads" / "citescout.bib").exists)
    one(browser, ".result input[name=papers]").click()
    one(browser, "button[name=cite]").click()
    wait(browser, lambda: "1 cited already" in one(browser, ".meta").text)


@pytest.mark.parametrize("width", [320, 390, 768, 1100, 1900])
def test_nothing_sticks_out_at_any_width(browse, address, width):
    browser = browse(f"{address}/?example=translation", width=width)
    wait(browser, lambda: every(browser, ".result"))
    browser.execute_script("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_enough_contrast(browse, address, dark):
    browser = browse(f"{address}/?example=translation", dark=dark)
    wait(browser, lambda: every(browser, ".result"))
    time.sleep(0.1)
    ratios = browser.execute_script(CONTRAST)
    assert ratios
    assert {name: ratio for name, ratio in ratios.items() if ratio < 4.5} == {}


# WCAG 2 contrast of text with the nearest opaque background behind it.
CONTRAST = """
const light = (colour) => {
  const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (!colour.startsWith("rgba(0, 0, 0, 0")) return colour;
  }
};
const found = {};
const parts = ["h2", "h3 a", ".authors", ".where", ".cited", ".doi", ".why", ".why b", ".hint", ".meta", "summary",
  "button.primary", ".abstract mark", ".chips button", ".chips [aria-pressed=true]", ".masthead nav a", ".number",
  ".rank", ".corpus", ".notice", ".tools button"];
for (const part of parts) {
  const element = document.querySelector(part);
  const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
  found[part] = (a + 0.05) / (b + 0.05);
}
return found;
"""


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [("from_year", "20", "Published from must be from 1000"), ("year", "20", "Year of your paper must be from 1000")],
)
def test_a_field_that_the_server_refuses_has_the_focus(browse, address, name, wrong, message):
    browser = browse(address)
    paste(browser, wrong, name)
    paste(browser, ABSTRACT)
    one(browser, "#find").click()
    wait(browser, lambda: one(browser, "#error").text.startswith(message))
    wait(browser, lambda: focused(browser) == name)
    assert one(browser, f"#{name}").is_displayed()


def test_a_filter_that_is_clicked_leaves_the_focus_with_the_list(browse, address):
    browser = browse(address)
    ask(browser)
    browser.execute_script("window.fetch = () => new Promise(() => {})")
    one(browser, ".filters button").click()
    wait(browser, lambda: one(browser, "#stop").is_displayed())
    assert focused(browser) == "results"


def test_a_folded_field_that_is_wrong_opens_and_a_list_gives_the_page_its_title(browse, address):
    browser = browse(address)
    ask(browser, f"Neural translation\n\n{ABSTRACT}")
    assert browser.title == "Neural translation · citescout"
    browser.execute_script("document.getElementById('year').value = 'soon'")
    browser.execute_script("document.querySelector('.options').open = false")
    one(browser, "#find").click()
    wait(browser, lambda: one(browser, "#year").is_displayed())
    assert browser.execute_script("return document.activeElement.id") == "year"
