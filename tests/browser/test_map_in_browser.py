"""The map: titles, years, marks, the basket, what is added around a paper, filters, files, keys."""

import itertools
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

pytest.importorskip("selenium")

from browsing import (
    ask,
    ask_by_form,
    click,
    complaints,
    every,
    ids,
    is_idle,
    map_ids,
    offline,
    one,
    open_map,
    press,
    tick,
    ticked,
    wait,
)
from conftest import serving
from PIL import Image
from selenium.webdriver import ActionChains, Keys

from citescout.recommender import Recommender
from demo import CORPUS
from indexer.builds import build_index
from indexer.readers import read_papers

pytestmark = pytest.mark.browser
ADD = ".map-actions button:nth-child(2)"


def test_a_paper_of_unknown_year_has_its_place_beside_the_first_year(browse, address):
    browser = browse(address)
    ask(browser)
    browser.execute_script(
        """
        const { dataset } = document.querySelector(".map");
        const { papers, citations } = JSON.parse(dataset.map);
        papers.forEach((paper, place) => { paper.year = place ? 2000 + place : null; });
        dataset.map = JSON.stringify({ papers, citations });
        """
    )
    open_map(browser)
    shown = [year.rect for year in every(browser, ".map .year") if year.text]
    assert shown[1]["x"] - shown[0]["x"] < 60, "what follows is as near as it can be"
    assert all(a["x"] + a["width"] <= b["x"] for a, b in itertools.pairwise(shown))


def node(browser, paper):
    return one(browser, f'.map [role=option][data-id="{paper}"]')


def focus(browser, paper):
    browser.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
    browser.execute_script("arguments[0].focus()", node(browser, paper))


def places(browser):
    """Where each paper stands on the map, and how large it is, in its own units."""
    found = browser.execute_script(
        "return [...document.querySelectorAll('.map [role=option]')].map((one) => [one.dataset.id,"
        " one.getAttribute('transform'), one.querySelector('.symbol').getBBox().width])"
    )
    return {id_: (*map(float, re.findall(r"-?\d[\d.]*(?:e-?\d+)?", place)), size) for id_, place, size in found}


def data(browser):
    return json.loads(one(browser, ".map").get_attribute("data-map"))


def show_whole(browser):
    browser.execute_script("document.querySelector('.map-view svg').scrollIntoView({block: 'center'})")


def test_papers_stand_by_year_named_and_as_large_as_they_are_cited(browse, address):
    browser = browse(address)
    ask(browser)
    order = open_map(browser)
    papers = {paper["id"]: paper for paper in data(browser)["papers"]}
    assert set(order) == set(ids(browser))
    at = places(browser)
    for first in papers.values():
        for other in papers.values():
            if first["year"] < other["year"]:
                assert at[first["id"]][0] < at[other["id"]][0]
            elif first["year"] == other["year"]:
                assert at[first["id"]][0] == at[other["id"]][0]
            if first["citations"] > other["citations"]:
                assert at[first["id"]][2] > at[other["id"]][2]
    names = {one.text for one in every(browser, ".map .name")}
    assert names == {f"{paper['mark']} {paper['name']}" for paper in papers.values()}
    shown_years = [int(year.text) for year in every(browser, ".map .year") if year.text]
    assert shown_years == sorted(shown_years)
    assert set(shown_years) <= {paper["year"] for paper in papers.values()}
    assert complaints(browser) == []


def test_names_and_symbols_do_not_overlap(browse, address):
    browser = browse(address, width=390)
    ask(browser)
    open_map(browser)
    boxes = browser.execute_script(
        "return [...document.querySelectorAll('.map .symbol, .map .name')].map((one) => {"
        "const {left, right, top, bottom} = one.getBoundingClientRect();"
        "return [left, right, top, bottom, one.parentNode.dataset.id]; })"
    )
    over = [
        (a[4], b[4])
        for place, a in enumerate(boxes)
        for b in boxes[place + 1 :]
        if a[4] != b[4] and min(a[1], b[1]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[2], b[2]) > 1
    ]
    assert over == []


def test_titles_and_citations_show_where_one_points(browse, address):
    browser = browse(address)
    ask(browser)
    paper = open_map(browser)[3]
    show_whole(browser)
    title = next(one["title"] for one in data(browser)["papers"] if one["id"] == paper)
    ActionChains(browser).move_to_element(node(browser, paper).find_element("css selector", ".symbol")).perform()
    wait(browser, lambda: title in one(browser, ".map-caption").text)
    near = {paper} | {id_ for pair in data(browser)["citations"] if paper in pair for id_ in pair}
    assert {one.get_attribute("data-id") for one in every(browser, ".map .node.on")} == near
    links = [pair for pair in data(browser)["citations"] if paper in pair]
    assert len(every(browser, ".map .edge.on")) == len(links) > 0


def test_a_paper_is_called_as_it_is_shown(browse, address):
    browser = browse(address)
    ask(browser)
    open_map(browser)
    for paper in every(browser, ".map [role=option]"):
        shown = paper.find_element("css selector", ".name").get_attribute("textContent")
        assert paper.get_attribute("aria-label").startswith(f"{shown}, "), "else who speaks to the page cannot say it"


def test_a_paper_without_authors_is_named_by_its_title_once(browse, tmp_path):
    build_index([replace(paper, authors=()) for paper in read_papers([str(CORPUS)])], tmp_path / "index", encoder=None)
    with (
        Recommender.open(tmp_path / "index", reranker="none") as without_authors,
        serving(without_authors, tmp_path / "sessions") as address,
    ):
        browser = browse(address)
        ask(browser)
        open_map(browser)
        paper = data(browser)["papers"][0]
        shown = node(browser, paper["id"])
        title = shown.find_element("css selector", "title").get_attribute("textContent")
        for said in (shown.get_attribute("aria-label"), title, one(browser, ".map-caption").text):
            assert said.count(paper["title"][:8]) == 1
            assert str(paper["year"]) in said


def test_a_map_says_that_the_server_is_away(browse, address):
    browser = browse(address)
    ask(browser)
    offline(browser)
    click(browser, ".map > summary")
    wait(browser, lambda: "server cannot be reached" in one(browser, ".map-view").text)
    offline(browser, on=False)
    click(browser, ".map > summary")
    open_map(browser)
    offline(browser)
    click(browser, ADD)
    wait(browser, lambda: one(browser, ".map-view > [role=status]").text == "the server cannot be reached")


def test_a_click_looks_and_another_selects(browse, address):
    browser = browse(address)
    ask(browser)
    paper = open_map(browser)[5]
    show_whole(browser)
    symbol = node(browser, paper).find_element("css selector", ".symbol")
    ActionChains(browser).move_to_element(symbol).click().perform()
    assert ticked(browser) == []
    ActionChains(browser).click().perform()
    wait(browser, lambda: one(browser, "#basket-size").text == "1")
    assert ticked(browser) == [paper]
    assert node(browser, paper).get_attribute("aria-selected") == "true"
    check = node(browser, paper).find_element("css selector", ".check")
    assert check.value_of_css_property("stroke") != "none", "not by colour alone"
    click(browser, f'.result[data-id="{paper}"] [name=papers]')
    wait(browser, lambda: node(browser, paper).get_attribute("aria-selected") == "false")
    wait(browser, lambda: one(browser, "#basket-size").text == "0")
    tick(browser, 1)
    assert node(browser, ids(browser)[0]).get_attribute("aria-selected") == "true"


@pytest.mark.parametrize("kept_by", ["address", "storing_address"])
def test_papers_around_one_are_added_and_go_into_the_basket(request, browse, kept_by):
    browser = browse(request.getfixturevalue(kept_by), still=True)
    ask(browser)
    before = open_map(browser)
    paper = ids(browser)[0]
    focus(browser, paper)
    click(browser, ADD)
    wait(browser, lambda: len(map_ids(browser)) > len(before))
    added = {one.get_attribute("data-id") for one in every(browser, ".map .added")}
    assert set(map_ids(browser)) == set(before) | added
    assert "added for" in one(browser, ".map-view > [role=status]").text
    new = next(id_ for id_ in map_ids(browser) if id_ in added)
    focus(browser, new)
    press(browser, Keys.ENTER)
    wait(browser, lambda: one(browser, "#basket-size").text == "1")
    title = node(browser, new).find_element("css selector", "title").get_attribute("textContent")
    click(browser, "nav a")
    wait(browser, lambda: len(every(browser, ".picks li")) == 1)
    assert every(browser, f".picks [name=pick][value$='/{new}']")
    assert one(browser, ".pick-title").text in title
    browser.back()
    wait(browser, lambda: every(browser, "html.scripted") and every(browser, ".result"))
    open_map(browser)
    focus(browser, paper)
    click(browser, ADD)
    wait(browser, lambda: every(browser, ".map .added.picked"))
    assert complaints(browser) == []


@pytest.mark.parametrize("still", [False, True])
def test_motion_is_shown_only_to_those_who_want_it(browse, address, still):
    browser = browse(address, still=still)
    ask(browser)
    open_map(browser)
    browser.execute_script(
        "window.moves = 0; new MutationObserver((all) => { window.moves += all.length; }).observe("
        "document.querySelector('.map [role=option]'), { attributeFilter: ['transform'] })"
    )
    focus(browser, ids(browser)[0])
    click(browser, ADD)
    wait(browser, lambda: every(browser, ".map .added"))
    wait(browser, lambda: still or browser.execute_script("return window.moves") > 5)
    assert not still or browser.execute_script("return window.moves") <= 4


def test_what_is_cited_already_and_liked_is_marked(browse, address):
    browser = browse(address)
    ask(browser)
    first, second = ids(browser)[:2]
    browser.execute_script("document.getElementById('already_cited').value = arguments[0]", first)
    click(browser, f'.result[data-id="{second}"] [name=like]')
    click(browser, "[name=steer]")
    wait(browser, lambda: first not in ids(browser) and is_idle(browser))
    open_map(browser)
    seeds = {one.get_attribute("data-id") for one in every(browser, ".map .seed")}
    assert seeds == {first, second}
    shapes = {seed: node(browser, seed).find_element("css selector", ".symbol").get_attribute("d") for seed in seeds}
    assert all("A" not in shape for shape in shapes.values()), "diamonds, not by colour alone"
    assert one(browser, f'.map [data-id="{first}"] .name').text.startswith("A ")
    assert "of your question" in node(browser, first).get_attribute("aria-label")


def test_filters_by_year_and_words(browse, address):
    browser = browse(address)
    ask(browser)
    open_map(browser)
    papers = data(browser)["papers"]
    from_year, to_year, words = every(browser, ".map-tools input")
    from_year.send_keys("2015", Keys.ENTER)  # which sends no form
    to_year.send_keys("2018")
    assert set(map_ids(browser)) == {one["id"] for one in papers if 2015 <= one["year"] <= 2018}
    assert f"of {len(papers)} papers" in one(browser, ".map-tools [role=status]").text
    words.send_keys("Translation vaswani")
    assert map_ids(browser) == []
    for field in (from_year, to_year, words):
        field.send_keys(Keys.CONTROL, "a", Keys.NULL, Keys.DELETE)
    words.send_keys("TRANSLATION")
    found = {one["id"] for one in papers if "translation" in one["title"].lower()}
    assert set(map_ids(browser)) == found != set()


def test_words_of_the_filter_are_no_commands(browse, address):
    browser = browse(address)
    ask(browser)
    open_map(browser)
    words = every(browser, ".map-tools input")[2]
    before = one(browser, ".map-view > svg > g").get_attribute("transform")
    words.send_keys("larger")
    words.click()
    assert one(browser, ".map-view > svg > g").get_attribute("transform") == before


def test_files_hold_the_whole_map(browse, address, tmp_path):
    browser = browse(address)
    ask(browser)
    tick(browser, 1)
    open_map(browser)
    svg, png = (tmp_path / "downloads" / f"citescout-map.{ending}" for ending in ("svg", "png"))
    for _ in range(3):  # what is not in sight is in the file
        click(browser, ".map-tools [aria-label=Larger]")
    for button in every(browser, ".map-tools [aria-label='Download the map'] button"):
        button.click()
    wait(browser, lambda: svg.exists() and png.exists() and png.stat().st_size > 0)
    drawing = ElementTree.parse(svg).getroot()  # noqa: S314
    texts = {text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")}
    assert {f"{paper['mark']} {paper['name']}" for paper in data(browser)["papers"]} <= texts
    titles = [title.text for title in drawing.iter("{http://www.w3.org/2000/svg}title")]
    assert any("Attention Is All You Need" in title for title in titles)
    with Image.open(png) as picture:
        colours = picture.convert("RGB").getcolors(1 << 24)
        assert picture.width / picture.height == pytest.approx(
            float(drawing.get("width")) / float(drawing.get("height")), rel=0.01
        )
    assert len(colours) > 10, "it is drawn"
    assert complaints(browser) == [], "the policy lets it be made"


def test_the_keyboard_goes_through_the_map(browse, address):
    browser = browse(address, still=True)
    ask(browser)
    order = open_map(browser)
    focus(browser, order[0])
    at = places(browser)
    current = lambda: browser.execute_script("return document.activeElement.dataset.id")  # noqa: E731
    press(browser, Keys.ARROW_RIGHT)
    assert at[current()][0] > at[order[0]][0]
    before = current()
    press(browser, "+", "+", "-", "0")
    assert current() == before
    press(browser, " ")
    wait(browser, lambda: ticked(browser) == [before])
    press(browser, "e")
    wait(browser, lambda: len(map_ids(browser)) > len(order) or "nothing more" in one(browser, ".map-caption").text)
    assert current() == before
    press(browser, Keys.TAB)
    assert browser.switch_to.active_element.text == "Deselect"
    assert len(every(browser, ".map [role=option][tabindex='0']")) == 1


def test_without_scripts_there_is_the_table(browse, address):
    browser = browse(address, script=False)
    ask_by_form(browser)
    one(browser, ".map > summary").click()
    assert not one(browser, ".map-view").is_displayed()
    one(browser, ".map-table summary").click()
    assert len(every(browser, ".map-table tbody tr")) == 20
    assert one(browser, ".map-table").text.count("Attention Is All You Need") == 1
