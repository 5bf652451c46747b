"""Files of a manuscript in a real browser: a folder, several files, one that is dropped, a long one."""

import re

import pytest

pytest.importorskip("selenium")

from browsing import click, drop, every, one, value, wait
from manuscript_browsing import BIB, FILES, choose

pytestmark = pytest.mark.browser


def test_a_folder_leads_to_its_text_at_an_address_of_its_own(at_text):
    browser = at_text()
    assert re.search(r"/s/[^/]{22}/manuscript/1$", browser.current_url)
    assert one(browser, "h1").text == "Reading while writing"
    assert "cites 2 works, 1 of them in this index" in one(browser, ".head").text
    browser.refresh()
    assert one(browser, "h1").text == "Reading while writing"


def test_a_folder_is_dropped(browse, address, folder):
    browser = browse(address)
    place = one(browser, "#text").rect
    at = {"x": place["x"] + 20, "y": place["y"] + 20}
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        browser.execute_cdp_cmd("Input.dispatchDragEvent", {"type": kind, **at, "data": data})
    wait(browser, lambda: every(browser, "#manuscript"))
    assert "paper ·" in one(browser, ".head").text
    assert "cites 2 works, 1 of them in this index" in one(browser, ".head").text


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("refs.nbib", b"PMID- 1\nTI  - Attention Is All You Need\nFAU - Vaswani, Ashish\n", "refs.nbib: 1 of 1 found"),
        ("thesis.doc", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), "a document of Word before 2007"),
    ],
)
def test_a_folder_without_parts_of_a_manuscript_is_sent_as_it_is(browse, address, tmp_path, name, data, said):
    place = tmp_path / "project"
    place.mkdir()
    (place / name).write_bytes(data)
    browser = browse(address)
    one(browser, "#folder").send_keys(str(place))
    wait(browser, lambda: said in one(browser, "#file-note").text)


def test_every_chosen_file_is_read(browse, address, tmp_path):
    table = '"Author","Title","Year"\n"Vaswani, Ashish","Attention Is All You Need","2017"\n'
    files = {"refs.bib": BIB, "more.csv": table, "draft.txt": "On reading\n\nWe read.", "figure.png": "no picture"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    browser = browse(address)
    one(browser, "#file").send_keys("\n".join(str(tmp_path / name) for name in ("refs.bib", "more.csv")))
    wait(browser, lambda: "refs.bib and 1 more: 2 of 2" in one(browser, "#file-note").text)
    browser.get(address)
    one(browser, "#file").send_keys("\n".join(str(tmp_path / name) for name in files))
    wait(browser, lambda: every(browser, "#manuscript"))
    assert "cites 1 work, which is in this index" in one(browser, ".head").text
    unread = one(browser, ".unread").get_attribute("textContent")
    assert "not read: more.csv" in unread
    assert "figure.png" not in unread


def test_a_typed_text_is_not_lost_when_a_manuscript_is_dropped(browse, address):
    browser = browse(address)
    one(browser, "#text").send_keys("What I typed")
    drop(browser, "draft.tex", FILES["paper/main.tex"].replace(r"\input{body}", "Some text."))
    wait(browser, lambda: "Show its text" in one(browser, "#file-note").text)
    assert value(browser).startswith("Reading while writing")
    click(browser, "#file-note button")
    assert value(browser) == "What I typed"


def test_a_long_thesis_opens_soon(browse, address, tmp_path):
    chapters = "".join(
        rf"\chapter{{Chapter {chapter}}}" + FILES["paper/body.tex"] * 21 for chapter in range(10)
    )  # 10,080 sentences
    thesis = tmp_path / "thesis.tex"
    thesis.write_text(rf"\title{{A thesis}}\begin{{abstract}}We read.\end{{abstract}}{chapters}")
    browser = browse(address)
    one(browser, "#file").send_keys(str(thesis))
    wait(browser, lambda: every(browser, "#manuscript") and every(browser, "html.scripted"))
    browser.refresh()
    timing = browser.execute_script("return performance.getEntriesByType('navigation')[0].toJSON()")
    print("interactive after", timing["domInteractive"], "ms")  # noqa: T201
    assert timing["domInteractive"] < 5000
    click(browser, ".contents summary")
    every(browser, ".contents a")[-1].click()
    wait(browser, lambda: "part=" in browser.current_url and every(browser, "html.scripted"))
    last = int(every(browser, ".sentence")[-1].get_attribute("id")[1:])
    assert last > 9_000
    choose(browser, last)
