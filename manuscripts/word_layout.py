"""The paragraphs of a document of Word → title, abstract, sections, and a reference list that is typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import dropwhile, pairwise, takewhile
from typing import Any

from manuscripts.bibliographies import once
from manuscripts.draft import PART, is_prose, with_unnamed_abstract, without_label
from manuscripts.headings import BEHIND, BEHIND_LIST, OTHERS, is_reference_list
from manuscripts.manuscript import Entry, Manuscript
from manuscripts.printed_entries import is_entry, listed_entries, whole_entries
from manuscripts.text_building import TextBuilder
from manuscripts.title_lines import BELOW_NAMES, LONGEST, is_of_mail, is_stamp, people_in, title_above
from manuscripts.typed_citations import with_list
from manuscripts.typed_works import entries_of_notes
from manuscripts.word_lines import (
    ABSTRACTS,
    BOLD,
    CAPTION,
    LONGEST_HEADING,
    Line,
    LineReader,
    may_be_heading,
    names_abstract,
)

_LEADS = tuple(re.compile(rf"(?:{names})\s*(?:[.:：—–-]|\v)\s*(?=\S)", re.IGNORECASE) for names in ("abstract", OTHERS))
_LITERATURE = re.compile(r"(?:\d+[.)]?\s+)?literature\s*:?", re.IGNORECASE)  # in a PDF more often a cell of a table
_BELOW_ABSTRACT = re.compile(
    rf"key[ -]?words?\b|index terms\b|(?:[IVX]+[.\s]\s*)?(?:introduction\b|{BEHIND})|1[.\s]|"
    rf"(?:table of )?contents\s*$|table des matières\s*$|{_LEADS[1].pattern}",
    re.IGNORECASE,
)
# Word's own, EndNote's and LibreOffice's, and those of templates of MDPI and Springer.
_ENTRY_STYLE = re.compile(r"(?:endnote )?bibliography(?: 1)?|mdpi_[\d.]+_references|referenceitem")
_MOST_ABOVE = 5  # lines above a title, and itself
_MOST_LOOKED_AT = 40  # lines of which one may be a title by its look, such as those of a letter above it
_FEWEST_WORDS = 3  # of such a title


def laid_out(reader: LineReader[Any], sources: Iterable[Entry] = ()) -> Manuscript:
    """The manuscript that was read; `sources` are entries that its document keeps beside the text."""
    lines = reader.lines
    english = any(
        ABSTRACTS[0].fullmatch(line.text) or _lead(line, 0) or line.style.startswith("abstract") for line in lines
    )
    apart = _set_apart(lines)
    layout = _Layout(_title(lines, apart), apart, 0 if english else 1)
    for line, below in pairwise((*lines, Line("", ()))):
        layout.add(line, below)
    sections = layout.builder.sections()
    if layout.title and all(section.heading != "Abstract" for section in sections):
        sections = with_unnamed_abstract(sections, layout.title)
    behind = dropwhile(lambda section: section.heading != "Abstract", sections)
    abstract = takewhile(lambda section: section.heading == "Abstract", behind)  # one for each paragraph of its style
    found = "\n\n".join(paragraph.text for section in abstract for paragraph in section.paragraphs)
    printed = listed_entries(whole_entries(layout.listed))
    if not printed and (reader.damaged or not reader.entries):  # a list that was made tells more than fields
        printed = listed_entries(line for line in reader.made if not is_reference_list(line))
    if notes := [line.text for line in lines if line.is_citation]:
        printed += entries_of_notes(notes, printed)
    entries = tuple(entry for entry in once([*sources, *reader.entries]) if entry.readings)
    return with_list(Manuscript(layout.title, found, sections, entries), printed)


def _title(lines: Sequence[Line], apart: Sequence[str]) -> str:
    """What is in the style of titles without who wrote it, else set apart, else the first paragraph that may be one."""
    texts = [text for line in lines if (text := line.text)]
    if apart:
        return without_label(title_above("\n".join(apart), "\n".join(texts)))
    first = without_label(title_above("\n\n".join(texts[:_MOST_ABOVE]), ""))
    return first if len(first) <= LONGEST and not _begins_abstract(first) else ""


def _set_apart(lines: Sequence[Line]) -> list[str]:
    """The lines of which the title is a part, by their style or look; none where nothing looks like one."""
    behind = list(dropwhile(lambda line: line.style != "title", lines))
    styled = [line.text for line in takewhile(lambda line: line.style == "title", behind)]
    styled += [line.text for line in behind[len(styled) :][:1] if line.style == "subtitle" and styled[-1].endswith(":")]
    if any(styled):
        return list(filter(None, styled))
    filled = [line for line in lines if line.text]
    looked_at = filled[:_MOST_LOOKED_AT]
    above = list(takewhile(lambda line: not _begins_text(line), looked_at))
    if len(above) == len(looked_at):  # nothing is called an abstract, a chapter or the like: no title is below text
        above = list(takewhile(lambda line: not is_prose(line.text), above))
    return _most_set_apart([line for line in above if not is_stamp(line.text)], filled)


def _most_set_apart(above: Sequence[Line], filled: Sequence[Line]) -> list[str]:
    """The lines above the text that are set larger than the first of them, or else in bold; none that name people.

    Below names, which stand below a title unless they are those of a letter, what is in bold is as often a place of
    work or a heading.
    """
    text = "\n".join(line.text for line in filled)
    named = [people_in(line.text, text) > 0 for line in above]
    names_first = named[:1] == [True] or any(is_of_mail(line.text) for line in above)
    names = named.index(True) if any(named) and not names_first else len(above)
    first = next(((line.size, line.level) for line in above), (0, 0))
    long = [
        line
        for place, line in enumerate(above)
        if len(line.text.split()) >= _FEWEST_WORDS and len(line.text) <= LONGEST and not named[place]
        if place < names or (line.size > first[0] and not BELOW_NAMES.match(line.text))
    ]
    most = max(((line.size, line.level) for line in long), default=first)
    if most <= first:
        return []
    start = next(place for place, line in enumerate(above) if line in long and (line.size, line.level) == most)
    like = list(takewhile(lambda line: (line.size, line.level) == most, above[start:]))
    below = filled[filled.index(like[-1]) + 1 :]
    is_heading = any(is_prose(line.text) for line in below[:1]) and any((one.size, one.level) == most for one in below)
    return [] if is_heading else [line.text for line in like]


def _begins_text(line: Line) -> bool:
    text = line.text
    return _begins_abstract(text) or 0 < line.level < BOLD or bool(line.level and _BELOW_ABSTRACT.match(text))


def _begins_abstract(text: str) -> bool:
    return names_abstract(text) or any(lead.match(text) for lead in (ABSTRACTS[0], _LEADS[1]))


class _Layout:
    def __init__(self, title: str, apart: Sequence[str], language: int) -> None:
        self.title = title
        self._apart = frozenset(text for text in apart if text in title)
        self._language = language
        self.builder = TextBuilder()
        self.listed: list[str] = []
        self._in_list = False
        self._lower: list[tuple[str, int]] = []  # headings of lower levels in a list, and nothing below as yet
        self._level = BOLD  # of the heading of an abstract or a list, to which those of lower levels belong
        self._outline = 0  # level of the last heading with a style

    def add(self, line: Line, below: Line) -> None:
        text, level = line.text, line.level
        if self._in_list and level == BOLD and is_entry(text):
            level = 0
        behind = self._in_list and bool(BEHIND_LIST.match(text) or CAPTION.match(text))
        styled = line.style in ("title", "subtitle")
        in_title = text in self.title if styled else without_label(text) == self.title
        if text in self._apart or (in_title and not 0 < level < BOLD):
            return
        as_entry = _ENTRY_STYLE.fullmatch(line.style)
        if self._lower and text and not (level or as_entry or is_entry(text)):
            self._leave_list()
        if level or _is_heading(text) or (behind and may_be_heading(text)):
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
            ends = ends or (self._level == BOLD - 1 and not PART.match(text))
        if self._level < level and not ends:
            if self._in_list and self.listed:
                self._lower.append((text, level))
            return  # "Background", "Methods", … of a structured abstract; "Primary sources", …
        if 0 < level < BOLD:
            self._outline = level
        is_abstract = bool(ABSTRACTS[self._language].fullmatch(text))
        self._section("Abstract" if is_abstract else text, self._outline + 1 if level == BOLD else level or 1)
        self._in_list = _is_list(text)
        # Below a heading without a style the styles of others do not say what belongs to it, but a line in bold is part
        # of a list, and of an abstract that begins with one.
        if self._in_list or (is_abstract and (level % BOLD or below.level == BOLD)):
            self._level = level % BOLD or BOLD - 1

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
        self._in_list, self._level, self._lower = False, BOLD, []


def _lead(line: Line, language: int) -> int:
    """How many characters before an abstract are "Abstract:", or the same in bold or on a line of its own."""
    if lead := _LEADS[language].match(line.joined):
        return lead.end()
    return line.bold if ABSTRACTS[language].fullmatch(line.joined[: line.bold]) else 0


def _is_list(text: str) -> bool:
    return bool(is_reference_list(text) or _LITERATURE.fullmatch(text))


def _is_heading(text: str) -> bool:
    return len(text) <= LONGEST_HEADING and (names_abstract(text) or _is_list(text))


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
