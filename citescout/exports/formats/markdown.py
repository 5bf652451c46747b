"""Markdown (CommonMark), a section a query: a numbered reference list with links and reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TextIO

from citescout.exports.base import Answer, Format, register
from citescout.exports.citation import citation, ended
from citescout.exports.text import one_line
from citescout.exports.words import remarks
from citescout.recommendation import Recommendation
from common.names import joined
from retrieval.query import Query

_MARKS = re.compile(r"[\\`*_\[\]<>~|$]|^#|#(?=#*$)|&(?=#?\w+;)")
# What would make a list or a heading at the start of a line.
_BLOCK = re.compile(r"^(\d*)([-+=]|(?<=\d)[.)])")
_NOT_IN_A_LINK = re.compile(r"[\\<>&]")


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    for number, (query, recommendations) in enumerate(answers):
        stream.write("\n" if number else "")
        stream.write(f"## {_text(_heading(query))}\n\n")
        if not recommendations:
            stream.write("No paper found.\n")
        stream.writelines(f"{entry.rank}. {_line(entry)}\n" for entry in recommendations)


def _heading(query: Query) -> str:
    title = one_line(query.title) or one_line(query.id)
    return f"Papers to cite in “{title}”" if title else "Papers to cite"


def _line(entry: Recommendation) -> str:
    parts = citation(entry.paper)
    lead = f"{parts.authors} ({parts.year})." if parts.authors else ""
    title = f"[{_text(parts.title)}]({_destination(parts.link)})" if parts.link else _text(parts.title)
    venue = f"*{_text(parts.venue)}*" if parts.venue else ""
    reasons = remarks(entry)
    sentences = (
        _at_line_start(_text(lead)),
        ended(title if lead else f"{_at_line_start(title)} ({parts.year})"),
        ended(venue),
        f"— {ended(_text(reasons))}" if reasons else "",
    )
    return joined(*sentences)


def _text(text: str) -> str:
    """The text with a backslash before every mark that Markdown or HTML would read."""
    return _MARKS.sub(r"\\\g<0>", text)


def _at_line_start(text: str) -> str:
    """The same for what would begin a list or a heading there."""
    return _BLOCK.sub(r"\1\\\2", text, count=1)


def _destination(link: str) -> str:
    return "<" + _NOT_IN_A_LINK.sub(r"\\\g<0>", link) + ">"


register(
    Format(
        name="markdown",
        description="a numbered reference list with links and reasons",
        ending="md",
        media_type="text/markdown",
        write=_write,
    )
)
