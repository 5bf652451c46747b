"""Files, marks, neighbours, the map and check mode in a real browser, and what axe finds wrong."""

from pathlib import Path

import pytest

pytest.importorskip("selenium")

from browsing import ABSTRACT, ask, click, complaints, every, ids, is_idle, offline, one, ticked, wait

pytestmark = pytest.mark.browser


def test_files_fill_the_fields(browse, address, tmp_path: Path):
    browser = browse(address)
    one(browser, "#text").send_keys("Typed before")
    draft = tmp_path / "draft.tex"
    draft.write_text(rf"\title{{On attention}}\begin{{abstract}}{ABSTRACT}\end{{abstract}}")
    one(browser, "#file").send_keys(str(draft))
    wait(browser, lambda: "Read the title and abstract" in one(browser, "#file-note").text)
    assert one(browser, "#text").get_attribute("value") == f"On attention\n\n{ABSTRACT}"
    cited = tmp_path / "cited.bib"
    cited.write_text("@article{v, title={Attention Is All You Need}, author={Ashish Vaswani}, year={2017}}")
    one(browser, "#file").send_keys(str(cited))
    wait(browser, lambda: "1 of 1 found" in one(browser, "#file-note").text)
    paper = one(browser, "#already_cited").get_attribute("value").strip()
    click(browser, "#find")
    wait(browser, lambda: every(browser, ".result"))
    assert paper not in ids(browser)
    assert "1 cited already" in one(browser, ".meta").text
    assert any("your" in reason.text for reason in every(browser, ".why .own"))
    bad = tmp_path / "picture.txt"
    bad.write_bytes(b"\x89PNG\0\0")
    one(browser, "#file").send_keys(str(bad))
    wait(browser, lambda: "Unsupported file. Use .tex" in one(browser, "#file-note").text)
    assert one(browser, "#text").get_attribute("value").startswith("On attention")


def test_marks_steer_the_list_and_can_be_forgotten(browse, address):
    browser = browse(address)
    ask(browser)
    before = ids(browser)
    assert not one(browser, "[name=steer]").is_enabled()
    click(browser, ".result:nth-child(3) [name=like]")
    click(browser, ".result:nth-child(1) [name=like]")
    click(browser, ".result:nth-child(1) [name=dislike]")
    assert not one(browser, ".result:nth-child(1) [name=like]").is_selected(), "a paper is liked or disliked, not both"
    click(browser, "[name=steer]")
    wait(browser, lambda: "1 liked" in one(browser, ".meta").text and is_idle(browser))
    assert before[0] not in ids(browser)
    assert "1 disliked" in one(browser, ".meta").text
    liked = one(browser, f'.result[data-id="{before[2]}"] [name=like]')
    assert liked.is_selected()
    click(browser, "#marks-kept button")
    wait(browser, lambda: ids(browser) == before)


def test_a_mark_offers_what_it_is_for_where_it_is_made(browse, address):
    browser = browse(address, width=360)
    ask(browser)
    click(browser, ".result:nth-child(3) .more > summary")
    here = ".result:nth-child(3) [name=steer]"
    assert not one(browser, here).is_displayed()
    one(browser, ".result:nth-child(3) [name=like]").click()
    assert [button.is_displayed() for button in every(browser, ".result [name=steer]")].count(True) == 1
    one(browser, here).click()
    wait(browser, lambda: "1 liked" in one(browser, ".meta").text and is_idle(browser))
    assert not any(button.is_displayed() for button in every(browser, ".result [name=steer]"))


@pytest.mark.parametrize("kept_by", ["address", "storing_address"])
def test_marks_are_there_when_one_comes_back_to_the_list(request, browse, kept_by):
    browser = browse(request.getfixturevalue(kept_by))
    ask(browser)
    click(browser, ".result:nth-child(1) [name=like]")
    click(browser, ".result:nth-child(2) [name=dislike]")
    one(browser, "#text").send_keys(" and more")
    wait(browser, lambda: "more" in browser.execute_script("return history.state?.typed?.text ?? ''"))
    one(browser, ".masthead nav a").click()
    wait(browser, lambda: every(browser, ".basket"))
    for come in (browser.back, browser.refresh):
        come()
        wait(browser, lambda: every(browser, "html.scripted") and every(browser, ".result"))
        wait(browser, lambda: [len(every(browser, f"[name={mark}]:checked")) for mark in ("like", "dislike")] == [1, 1])
    click(browser, ".chips [name=steer]")
    wait(browser, lambda: "1 liked · 1 disliked" in one(browser, ".meta").text)


def test_marks_count_in_whatever_is_asked_next(browse, address):
    browser = browse(address)
    ask(browser)
    before = ids(browser)
    click(browser, ".result:nth-child(1) [name=dislike]")
    click(browser, ".filters button[value^=from_year]")
    wait(browser, lambda: every(browser, ".filters .on") and "1 disliked" in one(browser, ".meta").text)
    assert before[0] not in ids(browser)
    liked = ids(browser)[1]
    click(browser, f'.result[data-id="{liked}"] [name=like]')
    click(browser, "#find")
    wait(browser, lambda: "1 liked" in one(browser, ".meta").text)
    assert one(browser, "#marks-kept span").text == "1 liked and 1 disliked papers"
    click(browser, f'.result[data-id="{liked}"] [name=like]')
    click(browser, "#find")
    wait(browser, lambda: every(browser, ".meta") and "liked" not in one(browser, ".meta").text.replace("disliked", ""))
    assert one(browser, "#marks-kept span").text == "1 disliked paper"
    click(browser, ".result:nth-child(1) [name=like]")
    click(browser, "#marks-kept button")
    wait(browser, lambda: every(browser, ".meta") and "liked" not in one(browser, ".meta").text)
    assert not every(browser, ".result [name=like]:checked")


def test_neighbours_open_below_a_result(browse, address):
    browser = browse(address)
    ask(browser)
    click(browser, ".result a.similar")
    wait(browser, lambda: every(browser, ".result:first-child .neighbours li"))
    assert one(browser, ".result a.similar").get_attribute("aria-expanded") == "true"
    click(browser, ".result a.similar")
    assert not one(browser, ".result .nearby").is_displayed()
    assert complaints(browser) == []


def test_a_neighbour_goes_into_the_basket_without_leaving_the_list(browse, address):
    browser = browse(address)
    ask(browser)
    click(browser, ".result a.similar")
    wait(browser, lambda: every(browser, ".nearby li"))
    asked, listed = browser.current_url, ids(browser)
    buttons = every(browser, ".nearby button")
    inside = next(button for button in buttons if button.get_attribute("value") in listed)
    for count, button in enumerate([inside, next(button for button in buttons if button != inside)], start=1):
        browser.execute_script("arguments[0].click()", button)
        wait(browser, lambda count=count: one(browser, "#basket-size").text == str(count))
        assert button.get_attribute("textContent") == "In the basket"
    assert browser.current_url == asked
    assert ticked(browser)[:1] == [inside.get_attribute("value")]


def test_neighbours_that_cannot_be_had_say_why_and_come_later(browse, address):
    browser = browse(address)
    ask(browser)
    offline(browser)
    click(browser, ".result a.similar")
    wait(browser, lambda: "the server cannot be reached" in one(browser, ".nearby").get_attribute("textContent"))
    offline(browser, on=False)
    browser.execute_script("window.fetch = () => new Promise(() => {})")
    click(browser, ".result a.similar")
    assert one(browser, ".nearby").get_attribute("textContent") == "Searching…", "a slow connection is no dead button"


def test_a_known_paper_is_asked_by_its_title(browse, address):
    browser = browse(address)
    ask(browser)
    paper = ids(browser)[0]
    title = one(browser, ".result h3").text
    browser.get(address)
    wait(browser, lambda: every(browser, "html.scripted"))
    one(browser, "#q").send_keys(paper)
    click(browser, "#known button")
    wait(browser, lambda: every(browser, ".found .neighbours a"))
    click(browser, ".found .neighbours a")
    wait(browser, lambda: every(browser, ".result") and every(browser, "html.scripted"))
    assert one(browser, "#text").get_attribute("value").startswith(f"{title}\n\n")
    assert paper not in ids(browser)
    one(browser, "#text").send_keys(" and more")
    click(browser, "#find")
    wait(browser, lambda: paper in ids(browser))


@pytest.mark.parametrize("width", [320, 1400])
def test_check_mode_needs_no_script_and_fits(browse, address, width):
    browser = browse(f"{address}/check", width=width, script=False)
    one(browser, "#title").send_keys("Attention in machine translation")
    gold = "Neural machine translation by jointly learning to align and translate\nhttps://example.org/" + "x" * 150
    one(browser, "#gold").send_keys(gold)
    one(browser, "#check-form button.primary").click()
    wait(browser, lambda: every(browser, ".verdict"))
    assert "1 of 1 reference among" in one(browser, "#verdict").text
    assert int(one(browser, "html").get_attribute("scrollWidth")) <= width
    click(browser, ".masthead nav a")
    assert browser.current_url.endswith("/basket")
    browser.back()
    assert "1 of 1 reference among" in one(browser, "#verdict").text
    assert one(browser, "#gold").get_attribute("value") == gold
