"""The review of a manuscript in a real browser."""

import re

import pytest

pytest.importorskip("selenium")

from browsing import every, hard_to_use, one, violations, wait

pytestmark = pytest.mark.browser

SENTENCES = (
    "Attention has been widely used for neural machine translation.",
    "Several studies have used word embeddings before recurrent networks.",
    "Parsers have been trained on the Penn Treebank with dropout.",
)
PAPER = {
    "main.tex": r"\documentclass{article}\title{Reading while writing}\begin{document}"
    r"\begin{abstract}We compare attention with recurrent networks.\end{abstract}\section{Introduction}"
    rf"{' '.join(SENTENCES)} Attention reads every word \citep{{mine,private,nowhere}}.\bibliography{{refs}}"
    r"\end{document}",
    "refs.bib": "@inproceedings{mine, title={Attention Is All You Need}, author={Vaswani, Ashish}, year={2017}}\n"
    "@misc{idle, title={A note that nobody cites}, author={Somebody, Ann}, year={2020}}\n"
    "@misc{private, title={A note that no index has}, author={Somebody, Ann}, year={2020}}\n",
}


@pytest.fixture
def at_review(browse, address, tmp_path):
    """Opens the review of a manuscript from its text, without scripts on that page."""

    def start(**options):
        for name, text in PAPER.items():
            (tmp_path / "paper").mkdir(exist_ok=True)
            (tmp_path / "paper" / name).write_text(text)
        browser = browse(address, **options)
        one(browser, "#file").send_keys("\n".join(str(tmp_path / "paper" / name) for name in PAPER))
        if options.get("script") is False:
            one(browser, "button[formaction$='/manuscript']").click()
        wait(browser, lambda: every(browser, "#manuscript"))
        browser.get(one(browser, "a[href$='/review']").get_attribute("href"))
        wait(browser, lambda: every(browser, ".review"))
        return browser

    return start


def test_the_review_leads_to_the_text_and_fills_the_basket_without_scripts(at_review):
    browser = at_review(script=False)
    text = one(browser, ".review").text
    assert all(sentence in text for sentence in SENTENCES)
    assert "“nowhere” is cited and has no entry." in text
    assert hard_to_use(browser) == []
    every(browser, ".claim .suggestions button")[1].click()
    wait(browser, lambda: every(browser, ".claim .picked"))
    assert hard_to_use(browser) == []
    assert one(browser, "#basket-size").text == "1"
    back = re.search(r"/review\?claims=3#(s\d+-2)$", browser.current_url)
    assert one(browser, f"#{back[1]} .picked").is_displayed()
    assert browser.switch_to.active_element.get_attribute("id") == back[1], "the keyboard stays there"
    one(browser, ".claim a.words").click()
    wait(browser, lambda: every(browser, ".sentence.chosen"))
    assert one(browser, ".sentence.chosen").text == SENTENCES[0]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1400])
def test_axe_finds_nothing_in_the_review(at_review, dark, width):
    browser = at_review(dark=dark, width=width)
    assert violations(browser) == []
    assert int(one(browser, "html").get_attribute("scrollWidth")) <= width
