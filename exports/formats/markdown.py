"""Markdown (CommonMark), a section a query: a numbered reference list with links and reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TextIO

from citescout.recommendation import Answer, OutsideWork, Recommendation
from common.names import joined
from exports.base import Format, register
from exports.citation import citation, ended
from exports.links import safe_link
from exports.outside import outside_heading, outside_name, outside_why
from exports.text import one_line
from exports.words import Sentence, groups, known_mark, retraction, sentences, verdict_line
from retrieval.query import Query

_MARKS = re.compile(r"[\\`*_\[\]<>~|$]|^#|#(?=#*$)|&(?=#?\w+;)")
# What would make a list or a heading at the start of a line.
_BLOCK = re.compile(r"^(\d*)([-+=]|(?<=\d)[.)])")
_NOT_IN_A_LINK = re.compile(r"[\\<>&]")


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    for number, answer in enumerate(answers):
        stream.write("\n" if number else "")
        stream.write(f"## {_text(_heading(answer.query))}\n\n")
        if verdict := verdict_line(answer.fit):
            stream.write(f"{verdict}\n\n")
        if not answer.recommendations:
            stream.write("No paper found.\n")
        stream.write("\n".join(_part(name, part) for name, part in groups(answer.recommendations)))
        if answer.beyond:
            stream.write(f"\n### {_text(outside_heading(answer.beyond))}\n\n")
            stream.writelines(f"- {_outside(work)}\n" for work in answer.beyond)


def _part(name: str, recommendations: Sequence[Recommendation]) -> str:
    """The papers between two cuts; a list goes on with its numbers below a heading."""
    heading = f"### {name}\n\n" if name else ""
    return heading + "".join(f"{entry.rank}. {_line(entry)}\n" for entry in recommendations)


def _heading(query: Query) -> str:
    title = one_line(query.context) or one_line(query.title) or one_line(query.id)
    if query.context.strip():
        return f"Papers to cite for “{title}”"
    return f"Papers to cite in “{title}”" if title else "Papers to cite"


def _line(entry: Recommendation) -> str:
    cited = citation(entry.paper)
    lead = f"{cited.authors} ({cited.year})." if cited.authors else ""
    title = f"[{_text(cited.title)}]({_destination(cited.link)})" if cited.link else _text(cited.title)
    venue = f"*{_text(cited.venue)}*" if cited.venue else ""
    marks = (retraction(entry.paper), _text(known_mark(entry.known)))
    remarks = joined(*map(ended, marks), *map(_sentence, sentences(entry.reasons)))
    parts = (
        _at_line_start(_text(lead)),
        ended(title if lead else f"{_at_line_start(title)} ({cited.year})"),
        ended(venue),
        f"— {remarks}" if remarks else "",
    )
    return joined(*parts)


def _outside(work: OutsideWork) -> str:
    name, link = _text(outside_name(work.paper)), safe_link(work.paper)
    return f"{f'[{name}]({_destination(link)})' if link else _at_line_start(name)} — {_text(outside_why(work))}"


def _sentence(sentence: Sentence) -> str:
    pieces = (f"*{_text(piece.text)}*" if piece.is_word else _text(piece.text) for piece in sentence.pieces)
    return f"{''.join(pieces)}."


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
        outside=True,
    )
)
