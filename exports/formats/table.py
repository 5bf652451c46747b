"""A table for people: two lines a paper, cut where the terminal ends; in a file or a pipe nothing is cut."""

import shutil
import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import TextIO

from citescout.recommendation import Answer, OutsideWork, Recommendation
from common.text import one_line
from exports.base import Format, register
from exports.citation import title_line
from exports.column_width import shortened
from exports.links import safe_link
from exports.outside import outside_heading, outside_name, outside_why
from exports.reason_sentences import groups, percent, remarks, short_authors, support
from exports.verdicts import verdict_line
from retrieval.query import Query

_NARROWEST = 40


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    width = _width(stream)
    for number, answer in enumerate(answers):
        if number:
            stream.write("\n")
        stream.write(shortened(_heading(answer.query), width) + "\n")
        if verdict := verdict_line(answer):
            stream.write(shortened(f"  {verdict}", width) + "\n")
        if not answer.recommendations:
            stream.write("  no paper found\n")
        rank_width = len(str(len(answer.recommendations)))
        for name, part in groups(answer.recommendations):
            stream.write(f"  -- {name} --\n" if name else "")
            for entry in part:
                stream.writelines(line + "\n" for line in _lines(entry, rank_width, width))
        if answer.beyond:
            stream.write(f"  -- {outside_heading(answer.beyond)} --\n")
            stream.writelines(line + "\n" for work in answer.beyond for line in _outside(work, rank_width, width))
        stream.flush()


def _heading(query: Query) -> str:
    text = one_line(query.context) or one_line(query.title) or one_line(query.abstract)
    return f"{one_line(query.id)}: {text}" if query.id else text


def _lines(entry: Recommendation, rank_width: int, width: int) -> Iterable[str]:
    """Rank, chance, year and title; below them, indented: authors, venue and reasons."""
    paper = entry.paper
    score = f"{percent(entry):>5}" if entry.likelihood else f"{entry.score:7.3f}"
    lead = f"{entry.rank:>{rank_width + 2}}  {score}  {paper.year or '':>4}  "
    yield lead + shortened(title_line(paper) or paper.id, width - len(lead))
    quoted = support(entry.reasons)  # on a line of its own, since the others are cut where the terminal ends
    unquoted = replace(entry, reasons=replace(entry.reasons, support=""))
    details = " · ".join(filter(None, (short_authors(paper.authors), one_line(paper.venue), remarks(unquoted))))
    indent = " " * min(len(lead), width // 4)
    yield from (indent + shortened(line, width - len(indent)) for line in (details, quoted) if line)


def _outside(work: OutsideWork, rank_width: int, width: int) -> Iterable[str]:
    """What it is called, with an address; below it, indented, who cites it."""
    indent = " " * (rank_width + 4)
    name, link = outside_name(work.paper), safe_link(work.paper)
    yield indent + shortened(f"{name}  {link}" if link else name, width - len(indent))
    yield indent + "  " + shortened(outside_why(work), width - len(indent) - 2)


def _width(stream: TextIO) -> int:
    """Columns of the terminal; without end when the table goes to a file or a pipe."""
    if not stream.isatty():
        return sys.maxsize
    return max(shutil.get_terminal_size().columns, _NARROWEST)


register(Format("table", "for reading in a terminal", "txt", "text/plain", _write, outside=True))
