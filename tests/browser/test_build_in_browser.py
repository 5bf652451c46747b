"""Having an index built around a bibliography, in a real browser, and what axe finds wrong."""

import threading
from pathlib import Path

import pytest

pytest.importorskip("selenium")

from browsing import click, one, violations, wait
from conftest import serving

from indexer.builds import build_index
from indexer.paper import Paper
from webui.builds import Builds

pytestmark = pytest.mark.browser


class HeldBuild:
    """A build that ends when it is told to."""

    def __init__(self, output: Path) -> None:
        output.write_text("Looking up 1 entry at OpenAlex\nFound 1 of 1 entry: a <b>title</b>\n")
        self.go_on = threading.Event()

    def wait(self) -> int:
        return not self.go_on.wait(60)

    def stop(self) -> None:
        self.go_on.set()


@pytest.mark.parametrize(("script", "dark"), [(False, False), (True, False), (True, True)])
def test_a_visitor_has_an_index_built_with_and_without_scripts(browse, recommender, tmp_path, script, dark):
    begun = []

    def sound(browser):
        return not script or violations(browser) == []  # axe is a script, too

    def begin(origins, directory, size, output):
        begun.append(HeldBuild(output))
        build_index([Paper("a", "A title")], directory, None)
        assert [Path(origin).read_text() for origin in origins] == ["@misc{a, title={A title}}"]
        return begun[-1]

    (tmp_path / "refs.bib").write_text("@misc{a, title={A title}}")
    builds = Builds(tmp_path / "built", begin, lambda _: recommender)
    with serving(recommender, tmp_path / "sessions", builds) as address:
        browser = browse(address, script=script, dark=dark)
        click(browser, ".own-papers a")
        assert sound(browser)
        one(browser, "#name").send_keys("mine")
        one(browser, "#file").send_keys(str(tmp_path / "refs.bib"))
        click(browser, "#build-form button")
        assert "is being built" in one(browser, "h1").text
        assert "a <b>title</b>" in one(browser, ".output").text
        assert sound(browser)
        begun[0].go_on.set()
        wait(browser, lambda: "is ready" in one(browser, "h1").text)  # the page asks for itself again
        assert sound(browser)
        click(browser, ".build a")
        assert browser.current_url.endswith("/i/mine/")
        assert "mine: 375 papers" in one(browser, ".masthead summary").text
        assert sound(browser)
