"""A manuscript in a real browser: dropped as a folder, read sentence by sentence, with papers beside it."""

import re
from pathlib import Path

import pytest

pytest.importorskip("selenium")

from browsing import click, drop, every, offline, one, value, wait

pytestmark = pytest.mark.browser

BIB = "@inproceedings{mine, title={Attention Is All You Need}, author={Vaswani, Ashish}, year={2017}}\n"
OUTSIDE = "@misc{private, title={A note that no index has}, author={Somebody, Ann}, year={2020}}\n"
FILES = {
    "paper/main.tex": r"""\documentclass{article}\title{Reading while writing}
\begin{document}\begin{abstract}We compare attention with recurrent networks.\end{abstract}
\section{Introduction}\input{body}\bibliography{refs}\end{document}""",
    "paper/body.tex": "\n\n".join(
        r"Attention lets a model look at every word \citep{mine,private}. Word embeddings were used before it. "
        rf"Paragraph {number} is about neural machine translation. Recurrent networks read one word after another."
        for number in range(12)
    ),
    "paper/refs.bib": BIB + OUTSIDE,
    "paper/figure.png": "no picture",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path / "paper"


def words(browser, number):
    return one(browser, f"#s{number} a.words")


def titles(browser):
    return [title.text for title in every(browser, ".candidate-title")]


def choose(browser, number):
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", words(browser, number))
    words(browser, number).click()
    wait(browser, lambda: titles(browser) and not every(browser, "#papers[aria-busy]"))


def press(browser, keys):
    browser.switch_to.active_element.send_keys(keys)


def write(browser, place, text):
    """Write the note on a paper of the panel, in place of what stands there."""
    field = every(browser, ".candidate textarea")[place]
    browser.execute_script("arguments[0].closest('details').open = true", field)
    field.clear()
    field.send_keys(text)


def focused(browser):
    return browser.switch_to.active_element


def top(browser, element):
    return browser.execute_script("return arguments[0].getBoundingClientRect().top", element)


@pytest.fixture
def at_text(browse, address, folder):
    """Opens the text of the manuscript: `at_text(width=…)`."""

    def start(**options):
        browser = browse(address, **options)
        one(browser, "#folder").send_keys(str(folder))
        wait(browser, lambda: every(browser, "#manuscript") and every(browser, "html.scripted"))
        return browser

    return start


def test_the_chosen_sentence_is_seen_in_the_colours_of_the_system(at_text):
    browser = at_text()
    forced = [{"name": "forced-colors", "value": "active"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": forced})
    choose(browser, 1)
    # Neither backgrounds nor shadows are shown in them.
    assert one(browser, ".sentence.chosen").value_of_css_property("border-bottom-width") == "2px"


def test_a_folder_leads_to_its_text_at_an_address_of_its_own(at_text):
    browser = at_text()
    assert re.search(r"/s/[^/]{22}/manuscript/1$", browser.current_url)
    assert one(browser, "h1").text == "Reading while writing"
    assert "cites 2 works, 1 of them in this index" in one(browser, ".head").text
    browser.refresh()
    assert one(browser, "h1").text == "Reading while writing"


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


def test_picked_papers_reach_the_bibliography(at_text, tmp_path):
    browser = at_text()
    choose(browser, 3)
    assert "Word embeddings were used before it." in one(browser, ".candidate textarea").get_attribute("value")
    citing = one(browser, ".candidate .citing").text
    write(browser, 1, "typed")
    click(browser, ".candidate .add")
    wait(browser, lambda: one(browser, "#basket-size").text == "1")
    wait(browser, lambda: every(browser, ".candidate textarea")[1].get_attribute("value") == "typed")
    click(browser, ".to-bibliography")
    wait(browser, lambda: not every(browser, "#papers"))
    click(browser, "#bibliography button")
    file = tmp_path / "downloads" / "refs.bib"
    wait(browser, file.exists)
    text = file.read_text()
    assert text.startswith(BIB + OUTSIDE)
    key = re.fullmatch(r"\\cite\{(.+)\}", citing)[1]
    assert f"{{{key},\n" in text.removeprefix(BIB + OUTSIDE)
    browser.get(re.sub(r"/manuscript.*", "/basket", browser.current_url))
    assert "Word embeddings were used before it." in one(browser, ".picks textarea").get_attribute("value")


def test_notes_beside_a_sentence_are_kept_when_another_one_is_chosen(at_text):
    browser = at_text()
    choose(browser, 3)
    click(browser, ".candidate .add")
    wait(browser, lambda: every(browser, ".candidate .picked"))
    write(browser, 0, "on a paper of the basket")
    write(browser, 1, "on another paper")
    choose(browser, 7)
    choose(browser, 3)
    written = [field.get_attribute("value") for field in every(browser, ".candidate textarea")[:2]]
    assert written == ["on a paper of the basket", "on another paper"]
    click(browser, ".candidate .add")
    wait(browser, lambda: one(browser, "#basket-size").text == "2")
    browser.get(re.sub(r"/manuscript.*", "/basket", browser.current_url))
    assert [field.get_attribute("value") for field in every(browser, ".picks textarea")] == written


def test_who_leaves_with_a_note_that_nothing_keeps_is_asked(at_text):
    browser = at_text()
    choose(browser, 3)
    write(browser, 0, "on a paper that is not in the basket")
    leave = "const leaving = new Event('beforeunload', {cancelable: true}); return !dispatchEvent(leaving)"
    assert browser.execute_script(leave), "the driver leaves whatever the page asks"
    click(browser, ".candidate .add")
    wait(browser, lambda: every(browser, ".candidate .picked"))
    assert not browser.execute_script(leave)
    click(browser, "nav a")
    wait(browser, lambda: every(browser, ".picks li"))
    assert value(browser, ".picks textarea") == "on a paper that is not in the basket"


def test_a_note_beside_a_sentence_is_saved_once_the_server_is_there_again(at_text):
    browser = at_text()
    choose(browser, 3)
    click(browser, ".candidate .add")
    wait(browser, lambda: every(browser, ".candidate .picked"))
    offline(browser)
    write(browser, 0, "written offline")
    wait(browser, lambda: every(browser, ".candidate .error"))
    offline(browser, on=False)
    wait(browser, lambda: not every(browser, ".candidate .error"))
    browser.get(re.sub(r"/manuscript.*", "/basket", browser.current_url))
    assert value(browser, ".picks textarea") == "written offline"


def test_all_notes_that_were_written_offline_are_saved_once_the_server_is_there_again(at_text):
    browser = at_text()
    choose(browser, 3)
    for count in ("1", "2"):
        click(browser, ".candidate .add")
        wait(browser, lambda count=count: one(browser, "#basket-size").text == count)
    offline(browser)
    written = ["the first, written offline", "the second, written offline"]
    for place, text in enumerate(written):
        write(browser, place, text)
        wait(browser, lambda place=place: len(every(browser, ".candidate .error")) == place + 1)
    click(browser, "#s7 a.words")
    wait(browser, lambda: every(browser, "#papers > .panel-head .error"))
    offline(browser, on=False)
    wait(browser, lambda: one(browser, "#status").text == "Note saved.")
    leave = "const leaving = new Event('beforeunload', {cancelable: true}); return !dispatchEvent(leaving)"
    wait(browser, lambda: not browser.execute_script(leave))
    browser.get(re.sub(r"/manuscript.*", "/basket", browser.current_url))
    assert [field.get_attribute("value") for field in every(browser, ".picks textarea")] == written


def test_a_note_that_was_changed_in_two_tabs_keeps_both_texts(at_text):
    browser = at_text()
    choose(browser, 3)
    click(browser, ".candidate .add")
    wait(browser, lambda: every(browser, ".candidate .picked"))
    here, text = browser.current_window_handle, browser.current_url
    browser.switch_to.new_window("tab")
    browser.get(re.sub(r"/manuscript.*", "/basket", text))
    field = one(browser, ".picks textarea")
    field.clear()
    field.send_keys("of the other tab")
    wait(browser, lambda: one(browser, "#saved").text == "Notes saved.")
    browser.switch_to.window(here)
    write(browser, 0, "of this tab")
    both = "of the other tab\n\nof this tab"
    wait(browser, lambda: value(browser, ".candidate textarea") == both)
    assert one(browser, "#status").get_attribute("textContent") == "Note saved, below what was written elsewhere."
    one(browser, ".candidate textarea").send_keys(", and more")
    wait(browser, lambda: one(browser, "#status").get_attribute("textContent") == "Note saved.")
    browser.refresh()
    assert value(browser, ".candidate textarea") == f"{both}, and more"


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
    package = pytest.importorskip("axe_core_python")
    axe = (Path(package.__file__).parent / "axe.min.js").read_text("utf-8")
    browser = at_text(dark=dark, width=width)

    def violations():
        browser.execute_script(axe)
        found = browser.execute_async_script("axe.run(document).then(arguments[arguments.length - 1])")
        return [(rule["id"], [node["html"] for node in rule["nodes"]][:3]) for rule in found["violations"]]

    assert violations() == []
    choose(browser, 2)
    browser.execute_script("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert violations() == []
    click(browser, ".candidate .add")
    wait(browser, lambda: one(browser, "#basket-size").text == "1")
    click(browser, "#s2 a.work")
    wait(browser, lambda: every(browser, ".work-title"))
    assert violations() == []
    click(browser, "a.close")
    assert violations() == []
    browser.get(re.sub(r"/manuscript.*", "/history", browser.current_url))
    assert violations() == []


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
