"""Paragraphs of word processors, read piece by piece."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Generic, TypeVar
from xml.etree.ElementTree import Element

from manuscripts.headings import ENGLISH, OTHERS
from manuscripts.manuscript import Entry
from manuscripts.printed_entries import parted_entries
from manuscripts.printed_lists import is_citation
from manuscripts.reference_lines import is_marked
from manuscripts.text_building import only_refers

# Of the preferred language first: a line that is a heading, and the lead of a paragraph that is the abstract.
ABSTRACTS = tuple(
    re.compile(rf"\s*(?:structured\s+)?(?:{names})\s*(?:\([^()]{{1,20}}\)\s*)?[.:：—–-]?\s*", re.IGNORECASE)
    for names in (ENGLISH, OTHERS)
)
CAPTION = re.compile(r"(?:supplementary |extended data )?(?:fig(?:ure|\.)|table) ?S?\d+\s*[.:|]", re.IGNORECASE)
BREAK = "\v"  # ends a line within a paragraph, and is a space in its text
BOLD = 7  # level of a heading without a style
LONGEST_HEADING = 120  # characters of a line that may be one


@dataclass(frozen=True, slots=True)
class Line:
    """One paragraph: its style, and its text with citations in their places."""

    style: str
    pieces: tuple[str | list[str], ...]  # of a citation its keys; none of a note that cites, and is a paragraph
    is_citation: bool = False  # whether it is such a note, whose works are typed
    bold: int = 0  # characters with which it begins that are set in bold
    size: float = 0  # of its first letters, in any unit that all lines of a document share

    @property
    def level(self) -> int:
        """That of a heading, `BOLD` of a short line in bold; 0 of any other paragraph."""
        if found := re.fullmatch(r"heading ?([1-6])", self.style):
            return int(found[1])
        text = self.text
        is_bold = 0 < len(self.joined) <= self.bold and all(isinstance(piece, str) for piece in self.pieces)
        return BOLD if is_bold and may_be_heading(text) and not text.endswith((".", ",", ";")) else 0

    @property
    def text(self) -> str:
        """Without the citations."""
        return " ".join(self.joined.split())

    @property
    def entries(self) -> list[str]:
        """As a part of a reference list: one entry, or those that its lines are, as in a list that was pasted."""
        marked = [is_marked(line) for line in self.joined.split(BREAK)]
        parted = len(marked) > 1 and (not marked[0] or any(marked[1:]))
        return parted_entries(self.joined.replace(BREAK, "\n")) if parted else [self.text]

    @property
    def joined(self) -> str:
        """The same with its spaces and breaks."""
        return "".join(piece for piece in self.pieces if isinstance(piece, str))


_Document = TypeVar("_Document")


class LineReader(Generic[_Document]):
    """Paragraphs of a word processor, read piece by piece → lines, with what they cite and the list made of it."""

    def __init__(self, document: _Document) -> None:
        """`document` is what the readers of all its parts need to know."""
        self._document = document
        self._pieces: list[str | list[str]] = []
        self._asides: list[Line] = []
        self._lead, self._in_lead = 0, True  # characters in bold with which the paragraph begins; whether it is so far
        self.lines: list[Line] = []
        self.entries: list[Entry] = []
        self.made: list[str] = []  # lines of reference lists that reference managers made
        self.damaged: Counter[str] = Counter()  # citations whose data could not be read, by who keeps them

    def blocks(self, parent: Iterable[Element]) -> None:
        """All paragraphs below `parent`, those of lists, tables and boxes, too."""
        raise NotImplementedError

    def end_paragraph(self, style: str = "", size: float = 0) -> None:
        """What was read since the last one is a paragraph of this style and size, and its notes stand behind it."""
        pieces, self._pieces = tuple(self._pieces), []
        if pieces:
            self.lines.append(Line(style, pieces, bold=self._lead, size=size))
        self._lead, self._in_lead = 0, True
        self.lines += self._asides
        self._asides = []

    def _track_bold(self, text: str, bold: bool) -> None:
        """Keep how far the paragraph is in bold from its beginning, with the text that is read now."""
        self._in_lead &= bold or text.isspace()
        self._lead += self._in_lead * len(text)

    def _table(self, table: Element, row: str, cell: str) -> None:
        """Row by row, but column by column where one stands below "Abstract", as in Elsevier's template."""
        first = len(self.lines)
        rows = [one.findall(cell) for one in table.iterfind(row)]
        in_columns = any(names_abstract("".join(head.itertext()).strip()) for head in rows[0]) if rows else False
        cells = (one for column in zip_longest(*rows) for one in column if one is not None)
        self.blocks(cells if in_columns else table)
        self.lines[first:] = _without_bold(self.lines[first:])

    def _aside(self, blocks: Iterable[Element]) -> list[Line]:
        """The lines of a note, a box or a list, which another reader reads; what they cite is cited here."""
        other = type(self)(self._document)
        other.blocks(blocks)
        other.end_paragraph()
        self.entries += other.entries
        self.made += other.made
        self.damaged += other.damaged
        return _without_bold(other.lines)

    def _placed(self, note: list[Line]) -> list[list[str]]:
        """What stands in the place of a note, which stands behind its paragraph: of one that only cites its keys."""
        text = " ".join(line.text for line in note)
        keys = [key for line in note for piece in line.pieces if isinstance(piece, list) for key in piece]
        if keys and only_refers(text):
            return [keys]
        typed = not keys and is_citation(text)
        self._asides += [replace(line, is_citation=True) for line in note] if typed else note
        return [[]] if keys or typed else []


def _without_bold(lines: Iterable[Line]) -> list[Line]:
    """Lines of a table, a box or a note, of which one in bold is no heading of the text."""
    return [replace(line, bold=0) for line in lines]


def may_be_heading(text: str) -> bool:
    """Whether a line is as short as headings are, and no caption."""
    return len(text) <= LONGEST_HEADING and not CAPTION.match(text)


def names_abstract(text: str) -> bool:
    """Whether a line is the heading of an abstract."""
    return any(heading.fullmatch(text) for heading in ABSTRACTS)
