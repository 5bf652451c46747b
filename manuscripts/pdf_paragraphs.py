"""Where paragraphs begin among the lines of a PDF's pages, and which of these are footnotes."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import pairwise, takewhile
from statistics import median

from manuscripts.draft import running_text
from manuscripts.headings import is_reference_list
from manuscripts.pdf_lines import ALIKE, MOST_INDENT, Line, columns, filled, usual_size
from manuscripts.printed_lists import is_citation
from manuscripts.text_building import LOWERED, NOTED, PARAGRAPH
from manuscripts.typed_marks import with_notes

_WIDE_GAP, _WIDEST_GAP = 1.3, 8.0  # between paragraphs, of the usual gap between lines
_LEAST_INDENT = 0.7  # of a paragraph's first line, of its size
_ENDED = re.compile(r"[.!?:;)\]”\"’»⁰¹²³⁴⁵⁶⁷⁸⁹]\s*$")
_BEGINS = re.compile(r"\s*(?![a-z])\S")
_SHORT = 0.75  # of the usual length of a line

# How a footnote begins, ACM's without a mark among them.
_NUMBERED_NOTE = re.compile(r"\s*(\d{1,2}|\d{1,3}(?=\.)|[¹²³⁴-⁹][⁰¹²³⁴-⁹]{0,2})\.?\s*(?=[“\"«„]?[^\W\d_])")
_NOTE = re.compile(rf"{_NUMBERED_NOTE.pattern}|\s*(?:(?:⁰|[*∗⋆†‡§¶]+)\s*[^\W\d_]|Permission to make digital)")
_LONGEST_NOTES, _MOST_APART = 16, 3  # lines; numbers


def with_paragraphs(pages: Sequence[Sequence[Line]]) -> list[str]:
    """The text of each page, with PARAGRAPH on a line of its own wherever a paragraph begins.

    It does below a wide gap or a line that ends before the others do, where it is indented, or set otherwise. A
    footnote is a paragraph behind the one at whose lines it stands. Lines that are set in begin with a space.
    """
    size = usual_size(pages)
    notes = list(_footnotes(pages, size))
    of_notes = {id(line) for note in notes for line in note}
    lines = [line for page in pages for line in filled(page) if id(line) not in of_notes]
    # A list that is set small may have most of the lines, and smaller gaps than the text; code may have larger ones.
    gaps = [
        gap for above, below in pairwise(lines) if round(below.size, 1) == size and 0 < (gap := _gap(above, below)) < 3
    ]
    usual = median(gaps) if gaps else 0.0
    short = _SHORT * median([len(line.text) for line in lines] or [0])
    beginnings = set()
    for above, line, below in zip(lines, lines[1:], [*lines[2:], None], strict=False):
        apart = _is_below_gap(above, line, usual)
        ended = _ENDED.search(above.text) and (
            len(above.text) < short or apart or _is_indented(above, line, below, usual)
        )
        below_names = apart and len(above.text) < short <= len(line.text) and _is_flush(above, line)
        if _BEGINS.match(line.text) and (ended or below_names or not line.like(above)):
            beginnings.add(id(line))
    return list(map("\n".join, _shown(pages, beginnings, notes, set(map(id, _set_in(lines))))))


def _set_in(lines: Sequence[Line]) -> Iterator[Line]:
    """Lines that begin further right than others of their column: a paragraph's first, or all but an entry's first."""
    for column in columns(lines):
        steps = [(below.left - above.left) / max(below.size, 0.1) for above, below in pairwise(column)]
        # With the end of an entry a column begins, too.
        first = next((step for step in steps if abs(step) > _LEAST_INDENT), 0.0)
        is_set_in = -MOST_INDENT < first < 0
        for line, step in zip(column, [0.0, *steps], strict=True):
            if abs(step) > _LEAST_INDENT:
                is_set_in = _LEAST_INDENT < step < MOST_INDENT
            if is_set_in:
                yield line


def _shown(
    pages: Sequence[Sequence[Line]], beginnings: Set[int], notes: Iterable[Sequence[Line]], set_in: Set[int]
) -> list[list[str]]:
    """The texts of each page's lines; those of notes wait until the paragraph ends, or stand above a list.

    Raised numbers that refer to notes of their page are left out, unless only a first page has notes, of institutions;
    NOTED stands for those of notes that cite, and before these.
    """
    waiting: list[str] = []
    texts: list[list[str]] = []
    of_notes = {id(line): list[str]() for note in notes for line in note}  # the whole text at the first line of each
    marks: dict[int, tuple[str, str]] = {}  # of these lines: the number, and what stands for it
    for first, *others in notes:
        number, of_notes[id(first)] = _text_of([first, *others])
        marks[id(first)] = number, NOTED * of_notes[id(first)][1].startswith(NOTED)
    numbered = [dict(marks[id(line)] for line in page if id(line) in marks) for page in pages]
    for page, numbers in zip(pages, numbered, strict=True):
        shown: list[str] = []
        listed = None  # where the heading of a reference list stands
        instead = {number: one for number, one in numbers.items() if one or any(numbered[1:])}
        for line, text in zip(page, with_notes([line.text for line in page], instead), strict=True):
            if id(line) in of_notes:
                if listed is not None:
                    shown[listed:listed] = of_notes[id(line)]
                    listed += len(of_notes[id(line)])
                else:
                    waiting += of_notes[id(line)]
                continue
            if id(line) in beginnings:
                shown += [*waiting, PARAGRAPH]
                waiting = []
            listed = len(shown) if is_reference_list(line.text) else listed
            shown.append(" " * (id(line) in set_in) + text)
        texts.append(shown)
    if texts:
        texts[-1] += waiting
    return texts


def _text_of(note: Sequence[Line]) -> tuple[str, list[str]]:
    """The number of a note, "" without it, and its paragraph, in which NOTED stands instead where it cites."""
    first, *others = (line.text for line in note)
    if not (mark := _NUMBERED_NOTE.match(first)):
        return "", [PARAGRAPH, first, *others]
    words = first[mark.end() :]
    cites = is_citation(running_text("\n".join((words, *others))))
    return mark[1].translate(LOWERED), [PARAGRAPH, f"{NOTED}{words}" if cites else first, *others]


def _footnotes(pages: Sequence[Sequence[Line]], usual: float) -> Iterator[list[Line]]:
    """The lines that are set smaller at the end of a column, below others, from the first mark of a note, note by note.

    From a reference list on they are smaller than that, whose lines may begin with numbers, too. A note whose last line
    is full and no end of a sentence goes on at the end of another column, up to the next page's, and many lines are
    notes only where they count on.
    """
    last: list[Line] = []
    number = 0  # of the last
    cut: Line | None = None  # which may go on
    for page in pages:
        before = cut
        for column in columns(filled(page)):
            listed = (entry.size for line, entry in pairwise(column) if is_reference_list(line.text))
            usual = min([usual, *listed])
            small = list(takewhile(lambda line: line.size * ALIKE < usual, reversed(column)))[::-1]  # noqa: B023
            first = next(filter(None, map(_number_of, small)), 0)
            if len(small) == len(column) or (len(small) > _LONGEST_NOTES and not _follows(first, number)):
                continue
            number, goes_on = 0, bool(cut and small and small[0].like(cut))
            for line in small:
                found = _number_of(line)
                if _NOTE.match(line.text) and (not (found and number) or _follows(found, number)):
                    if last:
                        yield last
                    last, number, goes_on = [line], found or number, True
                elif goes_on:
                    last.append(line)
            if goes_on:
                full = _SHORT * median(len(line.text) for line in column)
                cut = None if _ENDED.search(last[-1].text) or len(last[-1].text) < full else last[-1]
        cut = None if cut is before else cut
    if last:
        yield last


def _number_of(note: Line) -> int:
    """With which its first line begins; 0 without it."""
    mark = _NUMBERED_NOTE.match(note.text)
    return int(mark[1].translate(LOWERED)) if mark else 0


def _follows(number: int, last: int) -> bool:
    """Whether a note is the next, or one beyond notes that begin otherwise, and the number no page in a note."""
    return 0 < number - last <= _MOST_APART


def _is_below_gap(above: Line, line: Line, usual: float) -> bool:
    return _WIDE_GAP * usual < _gap(above, line) < _WIDEST_GAP * usual


def _gap(above: Line, below: Line) -> float:
    """Between two lines, of the size of the second."""
    return (above.height - below.height) / max(below.size, 0.1)


def _is_flush(above: Line, line: Line) -> bool:
    return abs(line.left - above.left) < _LEAST_INDENT * line.size


def _is_indented(above: Line, line: Line, below: Line | None, usual: float) -> bool:
    """Against the line above or the one below, where that is next to it."""
    beside = [other for other in (above, below) if other and abs(_gap(other, line)) < _WIDE_GAP * usual]
    return any(_LEAST_INDENT * line.size < line.left - other.left < MOST_INDENT * line.size for other in beside)
