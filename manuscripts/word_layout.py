"""The paragraphs of a document of Word → title, abstract, sections, and a reference list that is typed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import dropwhile, pairwise, takewhile, zip_longest
from typing import Generic, TypeVar
from xml.etree.ElementTree import Element

from manuscripts.bibliographies import once
from manuscripts.draft import PART, with_unnamed_abstract, without_label
from manuscripts.headings import BEHIND, BEHIND_LIST, ENGLISH, OTHERS, REFERENCE_LIST
from manuscripts.manuscript import Entry, Manuscript
from manuscripts.printed_entries import is_entry, listed_entries, parted_entries, whole_entries
from manuscripts.printed_lists import is_citation
from manuscripts.reference_lines import is_marked
from manuscripts.text_building import TextBuilder, only_refers
from manuscripts.title_lines import LONGEST, title_above
from manuscripts.typed_citations import with_list
from manuscripts.typed_works import entries_of_notes

# Of the preferred language first: a line that is a heading, and the lead of a paragraph that is the abstract.
_ABSTRACTS = tuple(
    re.compile(rf"\s*(?:structured\s+)?(?:{names})\s*(?:\([^()]{{1,20}}\)\s*)?[.:：—–-]?\s*", re.IGNORECASE)
    for names in (ENGLISH, OTHERS)
)
_LEADS = tuple(re.compile(rf"(?:{names})\s*(?:[.:：—–-]|\v)\s*(?=\S)", re.IGNORECASE) for names in ("abstract", OTHERS))
_LITERATURE = re.compile(r"(?:\d+[.)]?\s+)?literature\s*:?", re.IGNORECASE)  # in a PDF more often a cell of a table
_BELOW_ABSTRACT = re.compile(
    rf"key[ -]?words?\b|index terms\b|(?:[IVX]+[.\s]\s*)?(?:introduction\b|{BEHIND})|1[.\s]|{_LEADS[1].pattern}",
    re.IGNORECASE,
)
_CAPTION = re.compile(r"(?:supplementary |extended data )?(?:fig(?:ure|\.)|table) ?S?\d+\s*[.:|]", re.IGNORECASE)
# Word's own, EndNote's and LibreOffice's, and those of templates of MDPI and Springer.
_ENTRY_STYLE = re.compile(r"(?:endnote )?bibliography(?: 1)?|mdpi_[\d.]+_references|referenceitem")
BREAK = "\v"  # ends a line within a paragraph, and is a space in its text
_BOLD = 7  # level of a heading without a style
_MOST_ABOVE = 5  # lines above a title, and itself
_LONGEST_HEADING = 120  # characters of a line that may be one


@dataclass(frozen=True, slots=True)
class Line:
    """One paragraph: its style, and its text with citations in their places."""

    style: str
    pieces: tuple[str | list[str], ...]  # of a citation its keys; none of a note that cites, and is a paragraph
    is_citation: bool = False  # whether it is such a note, whose works are typed
    bold: int = 0  # characters with which it begins that are set in bold

    @property
    def level(self) -> int:
        """That of a heading, `_BOLD` of a short line in bold; 0 of any other paragraph."""
        if found := re.fullmatch(r"heading ?([1-6])", self.style):
            return int(found[1])
        text = self.text
        is_bold = 0 < len(self.joined) <= self.bold and all(isinstance(piece, str) for piece in self.pieces)
        return _BOLD if is_bold and _may_be_heading(text) and not text.endswith((".", ",", ";")) else 0

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

    def end_paragraph(self, style: str = "") -> None:
        """What was read since the last one is a paragraph of this style, and its notes stand behind it."""
        pieces, self._pieces = tuple(self._pieces), []
        if pieces:
            self.lines.append(Line(style, pieces, bold=self._lead))
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
        in_columns = any(_names_abstract("".join(head.itertext()).strip()) for head in rows[0]) if rows else False
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


def laid_out(reader: LineReader[_Document], sources: Iterable[Entry] = ()) -> Manuscript:
    """The manuscript that was read; `sources` are entries that its document keeps beside the text."""
    lines = reader.lines
    english = any(
        _ABSTRACTS[0].fullmatch(line.text) or _lead(line, 0) or line.style.startswith("abstract") for line in lines
    )
    layout = _Layout(_title(lines), 0 if english else 1)
    for line, below in pairwise((*lines, Line("", ()))):
        layout.add(line, below)
    sections = layout.builder.sections()
    if layout.title and all(section.heading != "Abstract" for section in sections):
        sections = with_unnamed_abstract(sections, layout.title)
    behind = dropwhile(lambda section: section.heading != "Abstract", sections)
    abstract = takewhile(lambda section: section.heading == "Abstract", behind)  # one for each paragraph of its style
    found = "\n\n".join(paragraph.text for section in abstract for paragraph in section.paragraphs)
    printed = listed_entries(whole_entries(layout.listed))
    if not (printed or reader.entries):  # nothing is cited in fields: a list that was made is as one that is typed
        printed = listed_entries(line for line in reader.made if not REFERENCE_LIST.fullmatch(line))
    if notes := [line.text for line in lines if line.is_citation]:
        printed += entries_of_notes(notes, printed)
    entries = tuple(entry for entry in once([*sources, *reader.entries]) if entry.readings)
    return with_list(Manuscript(layout.title, found, sections, entries), printed)


def _title(lines: list[Line]) -> str:
    """What is in the style of titles without who wrote it, else the first paragraph that may be one."""
    behind = list(dropwhile(lambda line: line.style != "title", lines))
    styled = [line.text for line in takewhile(lambda line: line.style == "title", behind)]
    styled += [line.text for line in behind[len(styled) :][:1] if line.style == "subtitle" and styled[-1].endswith(":")]
    texts = [text for line in lines if (text := line.text)]
    if title := "\n".join(filter(None, styled)):
        return title_above(title, "\n".join(texts))
    first = without_label(title_above("\n\n".join(texts[:_MOST_ABOVE]), ""))
    return first if len(first) <= LONGEST and not _begins_abstract(first) else ""


def _begins_abstract(text: str) -> bool:
    return _names_abstract(text) or any(lead.match(text) for lead in (_ABSTRACTS[0], _LEADS[1]))


class _Layout:
    def __init__(self, title: str, language: int) -> None:
        self.title = title
        self._language = language
        self.builder = TextBuilder()
        self.listed: list[str] = []
        self._in_list = False
        self._lower: list[tuple[str, int]] = []  # headings of lower levels in a list, and nothing below as yet
        self._level = _BOLD  # of the heading of an abstract or a list, to which those of lower levels belong
        self._outline = 0  # level of the last heading with a style

    def add(self, line: Line, below: Line) -> None:
        text, level = line.text, line.level
        if self._in_list and level == _BOLD and is_entry(text):
            level = 0
        behind = self._in_list and bool(BEHIND_LIST.match(text) or _CAPTION.match(text))
        styled = line.style in ("title", "subtitle")
        in_title = text in self.title if styled else without_label(text) == self.title
        if in_title and (styled or line.style in ("", "normal") or level == _BOLD):
            return
        as_entry = _ENTRY_STYLE.fullmatch(line.style)
        if self._lower and text and not (level or as_entry or is_entry(text)):
            self._leave_list()
        if level or _is_heading(text) or (behind and _may_be_heading(text)):
            self._heading(text, level, below)
        elif (self._in_list and not behind) or as_entry:
            self.listed += filter(None, line.entries)
            if text:
                self._lower = []
        elif (lead := _lead(line, self._language)) or line.style.startswith("abstract"):
            self._abstract(line, lead)
        else:
            if behind or _BELOW_ABSTRACT.match(text):
                self._section("", 1)
            _add_pieces(line, self.builder)

    def _heading(self, text: str, level: int, below: Line) -> None:
        if self._in_list:
            ends = bool(BEHIND_LIST.match(text))
        else:
            ends = bool(_BELOW_ABSTRACT.match(text)) or _is_list(text)
            ends = ends or (self._level == _BOLD - 1 and not PART.match(text))
        if self._level < level and not ends:
            if self._in_list and self.listed:
                self._lower.append((text, level))
            return  # "Background", "Methods", … of a structured abstract; "Primary sources", …
        if 0 < level < _BOLD:
            self._outline = level
        is_abstract = bool(_ABSTRACTS[self._language].fullmatch(text))
        self._section("Abstract" if is_abstract else text, self._outline + 1 if level == _BOLD else level or 1)
        self._in_list = _is_list(text)
        # Below a heading without a style the styles of others do not say what belongs to it, but a line in bold is part
        # of a list, and of an abstract that begins with one.
        if self._in_list or (is_abstract and (level % _BOLD or below.level == _BOLD)):
            self._level = level % _BOLD or _BOLD - 1

    def _leave_list(self) -> None:
        """Read the last headings in the list as those of text, which follows them."""
        lower = self._lower
        self._section("", 1)
        for text, level in lower:
            self._heading(text, level, Line("", ()))

    def _abstract(self, line: Line, lead: int) -> None:
        """A paragraph that is all of the abstract, behind `lead` characters."""
        self._section("Abstract", 1)
        _add_pieces(line, self.builder, lead)
        self._section("", 1)

    def _section(self, heading: str, level: int) -> None:
        self.builder.section(heading, level)
        self._in_list, self._level, self._lower = False, _BOLD, []


def _lead(line: Line, language: int) -> int:
    """How many characters before an abstract are "Abstract:", or the same in bold or on a line of its own."""
    if lead := _LEADS[language].match(line.joined):
        return lead.end()
    return line.bold if _ABSTRACTS[language].fullmatch(line.joined[: line.bold]) else 0


def _is_list(text: str) -> bool:
    return bool(REFERENCE_LIST.fullmatch(text) or _LITERATURE.fullmatch(text))


def _is_heading(text: str) -> bool:
    return len(text) <= _LONGEST_HEADING and (_names_abstract(text) or _is_list(text))


def _may_be_heading(text: str) -> bool:
    return len(text) <= _LONGEST_HEADING and not _CAPTION.match(text)


def _names_abstract(text: str) -> bool:
    return any(heading.fullmatch(text) for heading in _ABSTRACTS)


def _add_pieces(line: Line, builder: TextBuilder, lead: int = 0) -> None:
    for piece in line.pieces:
        if piece == []:
            builder.note()
        elif isinstance(piece, list):
            builder.mark(piece)
        else:
            builder.text(piece[lead:])
            lead = max(lead - len(piece), 0)
    builder.end_paragraph(noted=line.is_citation)
