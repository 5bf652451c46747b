r"""Drafts in LaTeX: `\title{…}` and `\begin{abstract}…\end{abstract}`, or `\abstract{…}`."""

from __future__ import annotations

import re

from indexer.readers.latex import plain
from manuscripts.draft import Draft, running_text
from manuscripts.plain_text import decoded

_COMMENT = re.compile(r"(?<!\\)%.*")
_TITLE = re.compile(r"\\(?:title|icmltitle)\s*(?:\[[^\]]*\])?\s*(?=\{)")
_ABSTRACT_COMMAND = re.compile(r"\\abstract\s*(?=\{)")
_ABSTRACT = re.compile(r"\\begin\s*\{abstract\}(.*?)\\end\s*\{abstract\}", re.DOTALL)
_ASIDE = re.compile(r"\\(?:thanks|footnote|footnotemark|label|vspace|inst)\s*\*?\s*(?=[\[{])")
_CITATION = re.compile(r"~?\\(?:cite\w*|ref|eqref|autoref)\s*\*?(?:\[[^\]]*\])*\s*\{[^}]*\}")
_LINE_BREAK = re.compile(r"\\\\(?:\[[^\]]*\])?|\\(?:newline|linebreak)\b")


def looks_like(data: bytes) -> bool:
    """Is it LaTeX?"""
    return any(mark in data for mark in (b"\\documentclass", b"\\begin{", b"\\title", b"\\section"))


def read(data: bytes) -> Draft:
    """Title and abstract; what a draft does not declare is "". Parts that it includes from other files are not seen."""
    text = _COMMENT.sub("", decoded(data))
    title = _argument(text, _TITLE)
    found = _ABSTRACT.search(text)
    abstract = found[1] if found else _argument(text, _ABSTRACT_COMMAND)
    return Draft(_readable(title), _readable(abstract))


def _readable(source: str) -> str:
    for start in reversed([match.span() for match in _ASIDE.finditer(source)]):
        source = source[: start[0]] + source[_group_end(source, start[1]) :]
    source = _LINE_BREAK.sub(" ", _CITATION.sub("", source))
    return running_text(re.sub(r" +([.,;:])", r"\1", plain(source)))


def _argument(text: str, command: re.Pattern[str]) -> str:
    """What stands in the braces after the first `command`; "" without it."""
    match = command.search(text)
    return text[match.end() + 1 : _group_end(text, match.end()) - 1] if match else ""


def _group_end(text: str, start: int) -> int:
    """Where the group that opens at `start` is closed, or the text ends."""
    depth = 0
    opening, closing = ("[", "]") if text[start : start + 1] == "[" else ("{", "}")
    for place in range(start, len(text)):
        mark = text[place]
        if text[place - 1 : place] == "\\":
            continue
        depth += (mark == opening) - (mark == closing)
        if depth == 0:
            return place + 1
    return len(text)
