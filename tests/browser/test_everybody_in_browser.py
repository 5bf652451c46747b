"""For everybody: axe on every view, twice the size, the keyboard alone, nothing that jumps."""

import re

import bibtexparser
import pytest

pytest.importorskip("selenium")

from browsing import (
    ABSTRACT,
    ask,
    click,
    every,
    hard_to_use,
    ids,
    is_idle,
    one,
    open_map,
    press,
    tab_to,
    tick,
    value,
    violations,
    wait,
)
from conftest import serving
from selenium.webdriver import Keys

pytestmark = pytest.mark.browser
OPEN_ALL = "document.querySelectorAll('details').forEach((part) => { part.open = true; })"
ADD = ".map-actions button:nth-child(2)"
# Beside the list, the basket and the history of a session.
PAGES = (
    "/?title=zzyzx",
    "/check",
    "/nothing",
    "/?title=xyzzy&venues=nowhere",
    "/?of=nobody",
    "/similar?id=bert",
    "/search?q=attention",
    "/api/docs",
)


def every_view(browser, address):
    """Open one view after the other, with everything unfolded; gives the name of each."""
    yield "start"
    ask(browser)
    open_map(browser)
    click(browser, ADD)
    wait(browser, lambda: every(browser, ".map .added"))
    click(browser, ".result a.similar")
    wait(browser, lambda: every(browser, ".neighbours li"))
    browser.execute_script(OPEN_ALL)
    yield "list"
    click(browser, ".result [name=papers]")
    wait(browser, lambda: one(browser, "#basket-size").text == "1")
    session = re.search(r"(/s/[^/]+)?/", browser.current_url.removeprefix(address))[1] or ""
    for page in ("/basket", "/history"):
        browser.get(address + session + page)
        wait(browser, lambda: every(browser, ".picks li, .past li"))
        browser.execute_script(OPEN_ALL)
        yield page
    for page in PAGES:
        browser.get(address + page)
        browser.execute_script(OPEN_ALL)
        yield page


def test_the_list_can_be_used_in_the_colours_of_the_system(browse, address):
    browser = browse(address)
    features = [{"name": "forced-colors", "value": "active"}, {"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    ask(browser)
    colours = [one(browser, f".result h3 {part}").value_of_css_property("color") for part in ("a", "a mark")]
    assert colours[0] == colours[1]
    assert one(browser, ".result .copy").value_of_css_property("color") == colours[0], "a button without a border"
    press(browser, "j")
    assert one(browser, ".result:focus").value_of_css_property("outline-style") == "solid", "shadows are not shown"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1400])
def test_axe_finds_nothing(browse, address, dark, width):
    browser = browse(address, width=width, dark=dark, still=True)
    found = {view: violations(browser) for view in every_view(browser, address)}
    assert found == {view: [] for view in ("start", "list", "/basket", "/history", *PAGES)}


def test_controls_are_named_as_they_look_and_large_enough(browse, address):
    browser = browse(address, still=True)
    found = {view: hard_to_use(browser) for view in every_view(browser, address)}
    assert found == {view: [] for view in ("start", "list", "/basket", "/history", *PAGES)}


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_where_the_browser_stores(browse, storing_address, dark):
    browser = browse(storing_address, dark=dark, still=True)
    found = {}
    for view in every_view(browser, storing_address):
        found[view] = violations(browser)
        if view == "/history":
            break
    assert found == {view: [] for view in ("start", "list", "/basket", "/history")}


@pytest.mark.parametrize("width", [320, 680])
def test_twice_and_four_times_the_size_need_no_scrolling_sideways(browse, address, width):
    """A screen of 1360 pixels has 680 at 200 %, one of 1280 has 320 at 400 %."""
    browser = browse(address, width=width, still=True)
    for view in every_view(browser, address):
        # Not innerWidth, which on a phone is as wide as what does not fit.
        over = browser.execute_script("return document.documentElement.scrollWidth") - width
        assert over <= 0, f"{view}: {over} pixels too wide"


def test_letters_of_twice_the_size_leave_a_phone_readable(browse, address):
    """Not the size of the page, but of its letters, which Android and iOS can double."""
    browser = browse(address, width=390, letters=32)
    ask(browser)
    wait(browser, lambda: not one(browser, "#status").get_attribute("textContent").startswith("Searching"))
    open_map(browser)
    wide = """
        const all = [...document.querySelectorAll(".masthead nav a, .map-tools label, .map-tools input")];
        return all.every((one) => one.getBoundingClientRect().right <= innerWidth);
    """
    assert browser.execute_script(wide)
    one_line = "return [...document.querySelectorAll('.map-tools label')].every((one) => one.offsetHeight < 80)"
    assert browser.execute_script(one_line), "no label is broken letter by letter"
    apart = """
        return [...document.querySelectorAll(".result")].every((one) => {
          const [a, b] = [".more > summary", ".number"].map((part) => one.querySelector(part).getBoundingClientRect());
          return a.bottom <= b.top || b.bottom <= a.top || a.right <= b.left || b.right <= a.left;
        });
    """
    assert browser.execute_script(apart), "the chance and what opens the details do not overlap"


def test_what_is_pasted_elsewhere_is_not_translated(browse, address):
    browser = browse(address)
    ask(browser)
    whole = one(browser, ".result .bibtex pre").get_attribute("textContent")
    # What the translation of a browser does to a page: every text that may be translated is another, in <font>.
    browser.execute_script(
        """
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const texts = [];
        while (walker.nextNode()) texts.push(walker.currentNode);
        for (const text of texts.filter(({ data, parentElement: { translate } }) => data.trim() && translate)) {
          const font = document.createElement("font");
          font.textContent = "Übersetzt";
          text.replaceWith(font);
        }
        """
    )
    assert "Übersetzt" in one(browser, ".result h3").text
    tick(browser, 1)
    one(browser, "#copy-all").click()
    wait(browser, lambda: one(browser, "#copy-all").text == "Copied")
    copied = browser.execute_async_script("navigator.clipboard.readText().then(arguments[0], arguments[0])")
    assert copied == whole
    assert bibtexparser.parse_string(copied).entries


def test_the_choice_of_indexes_fits_a_phone(browse, recommender):
    with serving({"information-retrieval": recommender, "other": recommender}, None) as address:
        browser = browse(address, width=320)
        click(browser, ".indexes summary")
        assert browser.execute_script("return document.documentElement.scrollWidth") == 320


def test_on_a_touch_screen_nothing_names_a_field_that_is_not_shown(browse, address):
    browser = browse(address, width=390)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    browser.refresh()
    wait(browser, lambda: every(browser, "html.scripted"))
    assert not one(browser, "#folder").is_displayed()
    shown = [label.get_attribute("for") for label in every(browser, "label[for]") if label.is_displayed()]
    assert "file" in shown
    assert [name for name in shown if not one(browser, f"#{name}").is_displayed()] == []


def test_what_is_said_of_a_file_has_a_place_before_it_is_said(browse, address):
    browser = browse(address)
    browser.execute_cdp_cmd("Accessibility.enable", {})
    document = browser.execute_cdp_cmd("DOM.getDocument", {})["root"]["nodeId"]
    node = browser.execute_cdp_cmd("DOM.querySelector", {"nodeId": document, "selector": "#file-note"})["nodeId"]
    (found,) = browser.execute_cdp_cmd("Accessibility.getPartialAXTree", {"nodeId": node, "fetchRelatives": False})[
        "nodes"
    ]
    assert (found["ignored"], found["role"]["value"]) == (False, "status"), "readers of screens miss a new place"


def test_the_keyboard_alone_asks_picks_notes_and_exports(browse, address, tmp_path):
    browser = browse(address)
    tab_to(browser, "#text")
    press(browser, ABSTRACT)
    tab_to(browser, "#find")
    press(browser, Keys.ENTER)
    wait(browser, lambda: every(browser, ".result") and is_idle(browser))
    press(browser, "jjx")
    wait(browser, lambda: one(browser, "#basket-size").text == "1")
    paper = ids(browser)[1]
    tab_to(browser, ".masthead nav a[href$=basket]", most=400)
    press(browser, Keys.ENTER)
    wait(browser, lambda: every(browser, ".picks textarea"))
    assert one(browser, "[name=pick]").get_attribute("value").endswith(paper)
    tab_to(browser, ".picks textarea")
    press(browser, "For the introduction")
    press(browser, Keys.TAB)
    wait(browser, lambda: one(browser, "#saved").text == "Notes saved.")
    browser.refresh()
    assert value(browser, ".picks textarea") == "For the introduction"
    tab_to(browser, "button[formaction$=bibtex]")
    press(browser, Keys.ENTER)
    file = tmp_path / "downloads" / "basket.bib"
    wait(browser, file.exists)
    (entry,) = bibtexparser.parse_string(file.read_text()).entries
    assert entry["annote"] == "For the introduction"


def test_nothing_shifts_when_the_refined_list_comes(browse, slow_address, slow_reader):
    browser = browse(slow_address)
    browser.execute_script("document.getElementById('text').value = arguments[0]", ABSTRACT)
    click(browser, "#find")
    wait(browser, lambda: len(every(browser, ".result")) == 20 and one(browser, "#refining-bar").is_displayed())
    first = ids(browser)
    tops = "return [...document.querySelectorAll('.results-head, .results-tools')].map((one) => one.offsetTop)"
    before = browser.execute_script(tops)
    browser.execute_async_script(
        "const done = arguments[0]; window.shifts = [];"
        "new PerformanceObserver((list) => window.shifts.push(...list.getEntries())).observe({ type: 'layout-shift' });"
        # What moves within half a second of a click is the click's own.
        "setTimeout(done, 600);"
    )
    slow_reader.go_on.set()
    wait(browser, lambda: ids(browser) == [*first[1:], first[0]])
    browser.execute_async_script("setTimeout(arguments[0], 800)")  # until papers have slid to their places
    assert browser.execute_script("return window.shifts.map((one) => one.value)") == []
    assert browser.execute_script(tops) == before
    # The measure measures: what pushes the list down is seen.
    browser.execute_script(
        "document.getElementById('results').prepend(Object.assign(document.createElement('p'),"
        " { textContent: 'In the way', className: 'verdict' }))"
    )
    wait(browser, lambda: browser.execute_script("return window.shifts.length"))
