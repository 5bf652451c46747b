"""Watched questions in a real browser: what is new after the index has changed."""

import re
import shutil

import pytest

pytest.importorskip("selenium")

from browsing import every, ids, one, violations, wait
from conftest import serving

from citescout.live import LiveRecommender
from indexer.changes import add_papers
from indexer.paper import Paper

pytestmark = pytest.mark.browser

TEXT = "Neural machine translation with attention"
NEW = Paper("new", "Neural machine translation with attention to new papers", "Attention for translation.", 2026)


@pytest.fixture
def changing(demo_index, tmp_path):
    """The address of a server, and what adds a paper to its index."""
    folder = shutil.copytree(demo_index, tmp_path / "index")
    with (
        LiveRecommender.open(folder, reranker="none") as live,
        serving(live, tmp_path / "sessions") as address,
    ):
        yield address, lambda: add_papers([NEW], folder)


def watch(browser):
    """Ask, and watch the question; gives the address of the session."""
    one(browser, "#text").send_keys(TEXT)
    one(browser, "#find").click()
    wait(browser, lambda: "/asked/" in browser.current_url and every(browser, ".result"))
    session = re.sub("/asked/.*", "", browser.current_url)
    browser.get(f"{session}/history")
    one(browser, ".past form button").click()
    wait(browser, lambda: one(browser, ".past form button").text == "Stop watching")
    return session


@pytest.mark.parametrize("script", [False, True])
def test_new_papers_are_counted_and_marked(browse, changing, script):
    address, change = changing
    browser = browse(address, script=script)
    session = watch(browser)
    browser.get(f"{session}/asked/1")
    before = ids(browser)
    change()
    if script:
        browser.get(f"{session}/basket")
        wait(browser, lambda: one(browser, "#new-papers").is_displayed())
    browser.get(f"{session}/history")
    badge = one(browser, ".past .badge")
    count = int(badge.text.split()[0])
    assert one(browser, "#new-papers").text == f"{count} new"
    assert one(browser, "nav a:has(#new-papers)").accessible_name == f"History {count} new"
    badge.click()
    wait(browser, lambda: every(browser, ".result"))
    came = [paper for paper in ids(browser) if paper not in before]
    assert "new" in came
    assert ids(browser, ".result:has(.new-paper)") == came
    assert len(came) == count
    assert not one(browser, "#new-papers").is_displayed() or not script
    browser.get(f"{session}/history")
    assert every(browser, ".past .badge") == []
    assert not one(browser, "#new-papers").is_displayed()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert [one(browser, place).is_displayed() for place in (".past a", ".past button")] == [True, False]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1400])
def test_axe_finds_nothing_with_new_papers(browse, changing, dark, width):
    address, change = changing
    browser = browse(address, dark=dark, width=width)
    session = watch(browser)
    change()
    browser.get(f"{session}/history")
    assert one(browser, ".past .badge").is_displayed()
    assert violations(browser) == []
    assert int(one(browser, "html").get_attribute("scrollWidth")) <= width
    one(browser, ".past .badge").click()
    wait(browser, lambda: every(browser, ".new-paper"))
    browser.execute_script("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert violations(browser) == []
    assert int(one(browser, "html").get_attribute("scrollWidth")) <= width
