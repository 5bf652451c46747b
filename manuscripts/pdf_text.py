"""The text of a PDF beyond its first page, and the reference list at its end."""

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from common.errors import SourceError
from manuscripts import pdf_page
from manuscripts.draft import abstract_of, behind_abstract, running_text
from manuscripts.files import Files
from manuscripts.manuscript import Manuscript, Section
from manuscripts.pdf_lines import headings_of, lines_of, without_headers
from manuscripts.pdf_paragraphs import with_paragraphs
from manuscripts.pdf_runs import runs_of
from manuscripts.plain_text import sections_of_text
from manuscripts.printed_entries import FEWEST_ENTRIES
from manuscripts.printed_lists import is_citation, parted_list
from manuscripts.text_building import LOWERED, NOTED
from manuscripts.typed_marks import with_notes
from manuscripts.typed_works import entries_of_notes

_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_LETTERS = "ABCDEFGH"
_HEADINGS = tuple(
    re.compile(rf"^[ \t]*{number}[ \t]+([^\W\d_a-z][^\n\d.,;:?!]{{2,60}}?)[ \t]*$", re.MULTILINE)
    for number in (r"(\d{1,2}(?:\.\d{1,2}){0,2})\.?", rf"({'|'.join(_ROMAN)}|[{_LETTERS}])\.")
)
_ENDNOTE = re.compile(r"^[ \t]*(\d{1,3})[.)]?[ \t]+(?=[“\"«„]?[^\W\d_])", re.MULTILINE)
_NOTE = re.compile(rf"^{NOTED}(.+)", re.MULTILINE)
_LINE = re.compile(r"^[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
_SECONDS = 5.0  # of the processor, for the pages; the rest is for what is made of them
_MOST_PAGES = 400

Heading = tuple[re.Match[str], str, int]  # where it stands, its text and its level


def read(files: Files, data: bytes) -> Manuscript:
    """Title, abstract, text and reference list; what there was no time for is noted in `files`.

    Raises:
        SourceError: as `pdf_page.read`.
    """
    title, lines, reader = pdf_page.read(data)
    start = time.process_time()
    try:
        with pdf_page.damage_named():
            pages = reader.pages
            count = len(pages)
            for number in range(len(lines), min(count, _MOST_PAGES)):
                if time.process_time() - start > _SECONDS:
                    break
                lines.append(lines_of(runs_of(pages[number])))
    except SourceError as error:
        files.note(f"not read: pages behind page {len(lines)} ({error})")
    else:
        if len(lines) < count:
            files.note(f"not read: pages {len(lines) + 1} to {count} of the PDF")
    lines = without_headers(lines)
    texts = with_paragraphs(lines)
    front = texts[: pdf_page.FRONT]
    abstract = pdf_page.abstract_on(front)
    if following := behind_abstract("\n".join(front)):
        texts[: pdf_page.FRONT] = [following]
    elif not abstract_of(*front) and (unnamed := pdf_page.unnamed_abstract(texts[0])):
        texts[0] = texts[0][unnamed.end() :]
    else:  # its raised numbers are those of the authors' institutions, perhaps
        texts[0] = texts[0].translate(LOWERED)
    headings = headings_of(lines)
    body, entries = parted_list("\n".join(texts), headings)
    body = _with_endnotes(body)
    entries += entries_of_notes(_NOTE.findall(running_text(body)), entries)
    if not entries:
        files.note("no reference list found in the PDF")
    return Manuscript(title, abstract, tuple(_sections(body, headings)), entries)


def _with_endnotes(body: str) -> str:
    """The text with NOTED for the numbered notes with which it ends and before them, where most of these cite."""
    lines = list(_ENDNOTE.finditer(body))
    first = next((place for place, line in reversed(list(enumerate(lines))) if line[1] == "1"), len(lines))
    counted: list[re.Match[str]] = []
    for line in lines[first:]:
        if int(line[1]) == len(counted) + 1:
            counted.append(line)
    if len(counted) < FEWEST_ENTRIES:
        return body
    ends = [*(line.start() for line in counted[1:]), len(body)]
    notes = [running_text(body[line.end() : end]).rstrip("↩\ufe0e \n") for line, end in zip(counted, ends, strict=True)]
    marks = [NOTED * is_citation(note) for note in notes]
    if 2 * sum(map(bool, marks)) <= len(notes):
        return body
    above = with_notes(body[: counted[0].start()].split("\n"), {str(n): mark for n, mark in enumerate(marks, start=1)})
    return "\n".join([*above, *(f"\n{mark}{note}\n" for mark, note in zip(marks, notes, strict=True))])


def _sections(body: str, sizes: Mapping[str, int]) -> Iterator[Section]:
    """The text below each numbered heading, or else each that is set as one, and above the first."""
    start, title, level = 0, "", 1
    for heading in (*(_numbered(body) or _set_as_such(body, sizes)), None):
        for section in sections_of_text(body[start : heading[0].start() if heading else None]):
            yield replace(section, heading=title, level=level)
        if heading:
            start, title, level = heading[0].end(), *heading[1:]


def _set_as_such(body: str, sizes: Mapping[str, int]) -> list[Heading]:
    """The lines that are headings of these sizes; those of the largest are of level 1."""
    found = [line for line in _LINE.finditer(body) if line[1] in sizes]
    levels = sorted({sizes[line[1]] for line in found}, reverse=True)
    return [(line, line[1], 1 + levels.index(sizes[line[1]])) for line in found]


def _numbered(body: str) -> list[Heading]:
    """Headings whose numbers follow each other, of the kind of numbers that has most of them."""
    return max((list(_in_sequence(body, kind)) for kind in _HEADINGS), key=len)


def _in_sequence(body: str, kind: re.Pattern[str]) -> Iterator[Heading]:
    """Headings whose numbers follow each other, and not line by line, as in tables and lists."""
    lines = [(line, _number(line[1])) for line in kind.finditer(body)]
    rows: set[int] = set()
    for place, ((line, number), (below, following)) in enumerate(pairwise(lines)):
        if following == (*number[:-1], number[-1] + 1) and not body[line.end() : below.start()].strip():
            rows |= {place, place + 1}
    last: tuple[int, ...] = (0,)
    for place, (line, number) in enumerate(lines):
        if line[1] in _LETTERS:  # of a section below the last
            number = (last[0], *number)
        expected = {(*last, 1), *((*last[:depth], last[depth] + 1) for depth in range(len(last)))}
        if number in expected and place not in rows:
            last = number
            yield line, line[2], len(number)


def _number(text: str) -> tuple[int, ...]:
    if text in _ROMAN:
        return (1 + _ROMAN.index(text),)
    return (1 + _LETTERS.index(text),) if text in _LETTERS else tuple(map(int, text.split(".")))
