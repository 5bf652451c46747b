"""The basket in a real browser: its notes after Back and in two tabs, and a tick that cannot be kept."""

import pytest

pytest.importorskip("selenium")

from browsing import ask, click, every, offline, one, press, tick, ticked, value, wait
from conftest import serving

pytestmark = pytest.mark.browser


def notes(browser):
    """By the titles of their papers."""
    rows = every(browser, ".picks li")
    return {
        row.find_element("css selector", ".pick-title").text: row.find_element(
            "css selector", "textarea"
        ).get_attribute("value")
        for row in rows
    }


def write(browser, place, text):
    field = every(browser, ".picks textarea")[place]
    field.clear()
    field.send_keys(text)
    said = one(browser, "#saved")
    browser.execute_script("arguments[0].textContent = ''", said)
    one(browser, ".basket h1").click()
    wait(browser, lambda: one(browser, "#saved").text == "Notes saved.")


@pytest.fixture(params=["address", "storing_address"])
def at_basket(request, browse):
    """A basket of three papers: of a session, and of a browser."""
    browser = browse(request.getfixturevalue(request.param))
    ask(browser)
    for place in (1, 2, 3):
        tick(browser, place)
    click(browser, "nav a")
    wait(browser, lambda: len(every(browser, ".picks li")) == 3 and every(browser, "html.scripted"))
    return browser


def test_notes_stay_with_their_papers_when_one_goes_back(at_basket):
    browser = at_basket
    for place, text in enumerate(("first", "second", "third")):
        write(browser, place, text)
    before = notes(browser)
    gone = next(iter(before))
    click(browser, ".picks button[name=remove]")
    wait(browser, lambda: len(every(browser, ".picks li")) == 2)
    browser.back()
    wait(browser, lambda: every(browser, ".picks li, .result"))
    browser.get(browser.current_url.split("/asked")[0].split("#")[0].removesuffix("/basket").rstrip("/") + "/basket")
    wait(browser, lambda: len(every(browser, ".picks li")) == 2 and every(browser, "html.scripted"))
    write(browser, 0, "second, longer")
    browser.refresh()
    wait(browser, lambda: len(every(browser, ".picks li")) == 2)
    left = [title for title in before if title != gone]
    assert notes(browser) == dict(zip(left, ("second, longer", "third"), strict=True))


def test_what_was_removed_is_put_back_with_its_note(at_basket):
    browser = at_basket
    write(browser, 1, "for the introduction")
    before = notes(browser)
    every(browser, ".picks button[name=remove]")[1].click()
    wait(browser, lambda: len(every(browser, ".picks li")) == 2)
    said = one(browser, ".picks li:nth-child(2) .removed")
    assert said.text.startswith(f"Removed: {list(before)[1]}"), "in its place"
    said.find_element("css selector", "button").click()
    wait(browser, lambda: notes(browser) == before)
    assert list(notes(browser)) == list(before)
    assert not [line for line in every(browser, ".removed") if line.is_displayed()]
    click(browser, "[name=empty]")
    wait(browser, lambda: "empty" in one(browser, "h1").text)
    assert one(browser, ".removed").text.startswith("Removed: 3 papers")
    one(browser, "[name=restore]").click()
    wait(browser, lambda: notes(browser) == before)
    assert list(notes(browser)) == list(before)
    assert one(browser, "#basket-size").text == "3"


def test_the_keyboard_stays_where_papers_are_removed_and_put_back(at_basket):
    browser = at_basket

    def has_focus(selector):
        wait(browser, lambda: browser.execute_script("return document.activeElement.closest(arguments[0])", selector))

    for left in (2, 1, 0):
        every(browser, ".picks button[name=remove]")[-1].click()
        wait(browser, lambda left=left: len(every(browser, ".picks li")) == left)
        has_focus(".picks li:last-child, [name=restore]" if left else "[name=restore]")
    one(browser, "[name=restore]").click()
    has_focus(".picks li:first-child")
    click(browser, "[name=empty]")
    has_focus("[name=restore]")
    one(browser, "[name=restore]").click()
    has_focus(".picks li")


def test_a_note_that_is_being_written_survives_a_reload(at_basket):
    browser = at_basket
    field = every(browser, ".picks textarea")[1]
    field.send_keys("Half a sen")
    wait(browser, lambda: one(browser, "#saved").text == "Notes saved.")
    assert browser.switch_to.active_element == field, "nobody has left the field"
    browser.refresh()
    wait(browser, lambda: "Half a sen" in notes(browser).values())


def test_links_of_papers_are_told_apart_when_read_out_and_in_print(at_basket):
    browser = at_basket
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    for row in every(browser, ".picks li"):
        title = row.find_element("css selector", ".pick-title").text
        for link in row.find_elements("css selector", ".doi, .pdf"):
            assert link.get_attribute("aria-label") == f"{link.text} of {title}"
    doi = one(browser, ".picks .doi")
    printed = browser.execute_script("return getComputedStyle(arguments[0], '::after').content", doi)
    assert doi.get_attribute("href") in printed
    printed = [field.is_displayed() for field in every(browser, ".picks textarea")]
    assert printed == [bool(note) for note in notes(browser).values()]
    assert False in printed
    assert one(browser, ".picks .hint").is_displayed()


def second_tab(browser) -> str:
    """Open the basket in a tab beside this one, whose handle is returned; the browser is in the new tab."""
    here, old, papers = browser.current_url, browser.current_window_handle, len(every(browser, ".picks li"))
    browser.switch_to.new_window("tab")
    browser.get(here)
    wait(browser, lambda: len(every(browser, ".picks li")) == papers and every(browser, "html.scripted"))
    return old


def test_an_old_tab_saves_only_what_was_written_in_it(at_basket):
    browser = at_basket
    old = second_tab(browser)
    write(browser, 0, "of the new tab")
    browser.switch_to.window(old)
    write(browser, 1, "of the old tab")
    browser.refresh()
    wait(browser, lambda: len(every(browser, ".picks li")) == 3)
    assert list(notes(browser).values()) == ["of the new tab", "of the old tab", ""]


def test_a_basket_that_is_open_shows_what_is_picked_in_another_tab(browse, storing_address):
    browser = browse(storing_address)
    ask(browser)
    here, asked = browser.current_window_handle, browser.current_url
    tick(browser, 2)
    click(browser, "nav a")
    wait(browser, lambda: len(every(browser, ".picks li")) == 1 and every(browser, "html.scripted"))
    one(browser, ".picks textarea").send_keys("kept")
    one(browser, ".basket h1").click()
    wait(browser, lambda: one(browser, "#saved").text == "Notes saved.")
    browser.switch_to.new_window("tab")
    browser.get(asked)
    wait(browser, lambda: len(ticked(browser)) == 1 and every(browser, "html.scripted"))
    tick(browser, 1)
    browser.switch_to.window(here)
    wait(browser, lambda: len(every(browser, ".picks li")) == 2)
    assert list(notes(browser).values()) == ["kept", ""]
    assert one(browser, "#basket-size").text == "2"


def test_a_note_that_was_changed_in_two_tabs_keeps_both_texts(at_basket):
    browser = at_basket
    old = second_tab(browser)
    write(browser, 0, "of the new tab")
    browser.switch_to.window(old)
    field = one(browser, ".picks textarea")
    field.send_keys("of the old tab")
    wait(browser, lambda: one(browser, "#saved").text == "Notes saved, below what was written elsewhere.")
    assert field.get_attribute("value") == "of the new tab\n\nof the old tab"
    field.send_keys(", and more")
    wait(browser, lambda: one(browser, "#saved").text == "Notes saved.")
    browser.refresh()
    wait(browser, lambda: len(every(browser, ".picks li")) == 3)
    assert list(notes(browser).values()) == ["of the new tab\n\nof the old tab, and more", "", ""]


def test_a_note_comes_back_when_its_paper_is_ticked_again(at_basket):
    browser = at_basket
    write(browser, 1, "for the introduction")
    before = notes(browser)
    browser.back()
    wait(browser, lambda: len(ticked(browser)) == 3 and every(browser, "html.scripted"))
    tick(browser, 2)
    tick(browser, 2)
    click(browser, "nav a")
    wait(browser, lambda: len(every(browser, ".picks li")) == 3)
    assert notes(browser) == before


def test_a_note_on_a_paper_that_another_tab_removed_comes_back_with_it(at_basket):
    browser = at_basket
    before = notes(browser)
    old = second_tab(browser)
    click(browser, ".picks button[name=remove]")
    wait(browser, lambda: len(every(browser, ".picks li")) == 2)
    browser.switch_to.window(old)
    write(browser, 0, "of the old tab")
    browser.back()
    wait(browser, lambda: len(ticked(browser)) == 2 and every(browser, "html.scripted"))
    tick(browser, 1)
    click(browser, "nav a")
    wait(browser, lambda: len(every(browser, ".picks li")) == 3)
    assert sorted(notes(browser).items()) == sorted((before | {next(iter(before)): "of the old tab"}).items())


def test_a_note_is_saved_once_the_server_is_there_again(browse, address):
    browser = browse(address)
    ask(browser)
    tick(browser, 1)
    click(browser, "nav a")
    wait(browser, lambda: every(browser, ".picks li") and every(browser, "html.scripted"))
    offline(browser)
    one(browser, ".picks textarea").send_keys("Written offline")
    wait(browser, lambda: one(browser, "#saved").text == "Notes are not saved: the server cannot be reached")
    offline(browser, on=False)
    wait(browser, lambda: one(browser, "#saved").text == "Notes saved.")
    browser.refresh()
    assert list(notes(browser).values()) == ["Written offline"]


def test_nothing_is_said_to_be_kept_where_a_proxy_answers_with_its_login(browse, address):
    browser = browse(address)
    ask(browser)
    tick(browser, 1)
    login = (
        "window.loggedIn = ((real) => () => { fetch = real })(fetch);"
        "fetch = async () => new Response('<h1>Log in</h1>', { headers: { 'Content-Type': 'text/html' } })"
    )
    browser.execute_script(login)
    click(browser, ".result[data-rank='2'] [name=papers]")
    wait(browser, lambda: "another page came in place of the answer" in one(browser, ".result .error").text)
    assert len(ticked(browser)) == 1
    click(browser, "#find")
    wait(browser, lambda: one(browser, "#error").text.casefold().startswith("another page came in place"))
    browser.execute_script("loggedIn()")
    click(browser, "nav a")
    wait(browser, lambda: every(browser, ".picks li") and every(browser, "html.scripted"))
    browser.execute_script(login)
    one(browser, ".picks textarea").send_keys("Written on")
    wait(browser, lambda: one(browser, "#saved").text.startswith("Notes are not saved: another page came in place"))
    browser.execute_script("loggedIn()")
    wait(browser, lambda: one(browser, "#saved").text == "Notes saved.")
    browser.refresh()
    assert list(notes(browser).values()) == ["Written on"]


def test_ticks_are_kept_by_who_leaves_at_once(browse, address):
    browser = browse(address)
    ask(browser)
    browser.execute_script(
        "for (const box of document.querySelectorAll('.result [name=papers]')) box.click(); location.href = '/check'"
    )
    wait(browser, lambda: every(browser, "#check-form"))
    browser.back()
    wait(browser, lambda: len(every(browser, ".result")) == 20)

    def kept():
        browser.refresh()  # some may be on their way yet
        return len(ticked(browser)) == 20

    wait(browser, kept)


def test_a_list_of_any_length_is_cited_already(browse, address):
    browser = browse(address)
    ask(browser)
    tick(browser, 1)
    browser.execute_script(
        """
        const box = document.querySelector(".result [name=papers]");
        for (let number = 0; number < 900; number++) {
          const other = box.cloneNode();
          Object.assign(other, { value: `10.1000/${"x".repeat(60)}${number}`, checked: true });
          box.after(other);
        }
        """
    )
    click(browser, "[name=cite]")
    wait(browser, lambda: value(browser, "#already_cited").count("10.1000/") == 900)


@pytest.mark.parametrize("kept_by", ["address", "storing_address"])
def test_what_a_key_puts_into_the_basket_is_read_out(request, browse, kept_by):
    browser = browse(request.getfixturevalue(kept_by))
    ask(browser)
    press(browser, "jx")  # the focus is on the paper, not on its box, whose state is read out where it is
    for said in ("In the basket", "Taken out of the basket"):
        wait(browser, lambda said=said: one(browser, "#status").get_attribute("textContent") == said)
        press(browser, "x")


def test_on_a_phone_a_tick_that_cannot_be_kept_is_said_beside_the_paper(browse, recommender, tmp_path):
    with serving(recommender, tmp_path / "sessions") as address:
        browser = browse(address, width=375)
        ask(browser)
    offline(browser)
    for _ in range(2):
        box = one(browser, ".result[data-rank='15'] [name=papers]")
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", box)
        box.click()
        wait(browser, lambda: every(browser, ".result[data-rank='15'] .error"))
        wait(browser, lambda: not one(browser, ".result[data-rank='15'] [name=papers]").is_selected())
    (line,) = every(browser, ".result .error")
    assert "cannot be reached" in line.text
    top = browser.execute_script("return arguments[0].getBoundingClientRect().top", line)
    assert 0 <= top <= 900, "it stands on the screen"
    assert not one(browser, "#error").is_displayed()


# What is put into the basket is on its way until it is let go.
HELD = """
const ask = window.fetch;
window.held = [];
window.fetch = (address, how) => new Promise((resolve, reject) => {
  held.push(() => ask(address, how).then(resolve, reject));
});
"""


def go_to_the_basket_too_soon(browser):
    ask(browser)
    browser.execute_script(HELD)
    click(browser, ".result[data-rank='2'] [name=papers]")
    one(browser, ".masthead nav a").click()


def test_the_basket_waits_for_what_was_just_ticked(browse, address):
    browser = browse(address)
    go_to_the_basket_too_soon(browser)
    assert one(browser, ".masthead nav a").get_attribute("aria-busy") == "true"
    assert every(browser, ".result"), "as long as the paper is on its way"
    browser.execute_script("held.forEach((go) => go())")
    wait(browser, lambda: len(every(browser, ".picks li")) == 1)


def test_who_goes_to_the_basket_reads_why_a_tick_was_not_kept(browse, address):
    browser = browse(address)
    go_to_the_basket_too_soon(browser)
    offline(browser)
    browser.execute_script("held.forEach((go) => go())")
    wait(browser, lambda: every(browser, ".result .error"))
    offline(browser, on=False)
    one(browser, ".masthead nav a").click()
    wait(browser, lambda: "empty" in one(browser, "h1").text)


def test_a_paper_that_has_left_the_index_is_not_said_to_be_in_the_basket(browse, address):
    browser = browse(address)
    ask(browser)
    box = ".result[data-rank='2'] [name=papers]"
    browser.execute_script("arguments[0].value = 'of the index before'", one(browser, box))
    click(browser, box)
    wait(browser, lambda: every(browser, ".result .error"))
    assert "no such paper any more" in one(browser, ".result .error").text
    assert not one(browser, box).is_selected()
    assert one(browser, "#basket-size").text == "0"
