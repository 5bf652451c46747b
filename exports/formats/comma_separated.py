"""CSV (RFC 4180), one record a recommendation, safe to open in a spreadsheet."""

import csv
from collections.abc import Iterable
from typing import TextIO

from citescout.recommendation import Answer
from common.names import shown_names
from common.text import clean_lines, one_line
from exports.base import Format, register
from exports.links import safe_link
from exports.reason_sentences import remarks

COLUMNS = (
    *("query", "rank", "score", "likelihood", "id", "title", "authors", "year", "venue", "doi", "arxiv", "url", "why"),
    "fit",  # of the query, on each of its lines
    "note",  # of the user's own
)

_MARK = "\ufeff"  # of byte order: without it Excel, at a double click, reads "Ãlvarez" for "Álvarez"
# A spreadsheet takes a cell that begins with one of these (full-width forms too) for a formula and would run it.
_FORMULA = tuple("=+-@＝＋－＠")


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    if not stream.isatty():
        stream.write(_MARK)
    writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(COLUMNS)
    for answer in answers:
        for entry in answer.recommendations:
            paper, verdict = entry.paper, answer.fit.verdict if answer.fit else ""
            listed = (answer.query.id, entry.rank, round(entry.score, 6), entry.likelihood or "", paper.id, paper.title)
            described = ("; ".join(shown_names(paper.authors)), paper.year or "", paper.venue, paper.doi, paper.arxiv)
            cells = map(_cell, (*listed, *described, safe_link(paper), remarks(entry), verdict))
            writer.writerow((*cells, _text(clean_lines(entry.note))))


def _cell(value: str | float) -> str | float:
    return _text(one_line(value)) if isinstance(value, str) else value


def _text(text: str) -> str:
    """Text that no spreadsheet takes for a formula: an apostrophe in front says "text"."""
    return f"'{text}" if text.startswith(_FORMULA) else text


register(Format("csv", "comma-separated values with a header, for spreadsheets", "csv", "text/csv", _write))
