"""What browsers of some years ago make of the styles: they pass over in silence what they do not know."""

import re
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[2] / "webui" / "static"
STYLES = {path.name: re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL) for path in STATIC.glob("*.css")}


@pytest.mark.parametrize("name", STYLES)
def test_rules_stand_within_no_other_rule(name):
    around = []
    for text, mark in re.findall(r"([^{};]*)([{};])", STYLES[name]):
        if mark == "{":
            assert all(part.startswith("@") for part in around), f"{text.strip()} is within {around[-1]}"
            around.append(text.strip())
        elif mark == "}":
            around.pop()
    assert not around


def test_without_light_dark_the_colours_are_those_of_the_light_page():
    both = dict(re.findall(r"(--[\w-]+): light-dark\((#\w+),", STYLES["app.css"]))
    alone = re.search(r"@supports not \(color: light-dark\(.*?\)\) \{\s*:root \{(.*?)\}", STYLES["app.css"], re.DOTALL)
    assert both
    assert dict(re.findall(r"(--[\w-]+): (#\w+);", alone[1])) == both


def test_letters_of_a_phone_that_is_turned_stay_as_large():
    """Safari knows the property by its old name alone."""
    assert "-webkit-text-size-adjust: 100%" in STYLES["app.css"]


@pytest.mark.parametrize("name", [path.name for path in STATIC.glob("*.js")])
def test_scripts_do_not_ask_by_has(name):
    """Where a browser does not know it, a style is passed over, but a script ends."""
    assert ":has(" not in (STATIC / name).read_text()
