"""Queries as they are pasted, with commands of LaTeX, tags of HTML or marks of Markdown → the words that they print."""

import re
from functools import lru_cache

from common.formulas import FORMULA, of_formula
from common.text import composed

# Only LaTeX has a command with its argument, an accent on a letter, letters in braces at the head of a word, and
# formulas. What else has backslashes, such as C:\new, stays.
_LATEX = re.compile(
    rf"""\\[A-Za-z]+\*?(?:\[[^\[\]]{{0,200}}\]){{0,2}}\{{ | \{{\\[A-Za-z"'`^~=.] | \\["'`^~=.]\{{
    | (?<=[A-Za-z])\\["'`^~][A-Za-z] | \{{[A-Za-z]+\}}[a-z] | {FORMULA}""",
    re.VERBOSE,
)
_FORMULAS = re.compile(FORMULA, re.VERBOSE)
# CO_2, C^2 and PM$_{2.5}$; but 10^5 is not 105. Braces, as a letter must not become part of the command before it.
_SCRIPTS = re.compile(r"(?<=[A-Za-z})])[_^]|(?<=^\$)_")
_REFERENCE = re.compile(r"~?\\(?:[A-Za-z]{0,10}ref|label)\*?\{[^{}]*\}")
# *Emphasis*, **strong** and _other_ of Markdown; but 5*3*2, metric* and snake_case_names stay.
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,2})(?=[^\s*_])([^*_\n]{0,200}[^\s*_])\1(?![\w*])")
# Marks of a quoted mail, where every line has one.
_QUOTED = re.compile(r"(?:\s*>[^\n]*(?:\n|\Z))+")
_QUOTE_MARKS = re.compile(r"^[ \t]*>[> \t]*", re.MULTILINE)
_HTML = re.compile(r"</?[a-z]|&[a-z\d#]{2,30};", re.IGNORECASE)
_REMEMBERED = 256  # texts with any of these


def plain_text(text: str) -> str:
    """The words of a text, without markup; prose that has none is as it was, and so is what would have no words."""
    if ">" in text and _QUOTED.fullmatch(text):
        words = _QUOTE_MARKS.sub("", text)
        text = words if words.strip() else text
    text = _printed(text) if _LATEX.search(text) or _HTML.search(text) else text
    return _EMPHASIS.sub(r"\2", text) if "*" in text or "_" in text else text


def without_latex(text: str) -> str:
    """The text as LaTeX prints it; one that has no LaTeX is as it was."""
    return _typeset(text) if _LATEX.search(text) else text


@lru_cache(_REMEMBERED)
def _typeset(text: str) -> str:
    from indexer.readers.latex import plain  # takes a tenth of a second

    words = composed(plain(_FORMULAS.sub(_of_formula, _REFERENCE.sub("", text))))
    return words if words.strip() else text


@lru_cache(_REMEMBERED)
def _printed(text: str) -> str:
    from indexer.readers.markup import without_markup

    words = str(without_markup(without_latex(text)))
    return words if words.strip() else text


def _of_formula(found: re.Match[str]) -> str:
    # Springer writes $$ within lines, where LaTeX would set the formula on a line of its own.
    return _SCRIPTS.sub("{}", found[0].replace("$$", "$")) if of_formula(found) else ""
