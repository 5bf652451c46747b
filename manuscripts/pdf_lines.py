"""The lines of a PDF's pages, where paragraphs begin among them, and which of them are set as headings."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import dropwhile, pairwise, takewhile
from operator import attrgetter
from statistics import median

from manuscripts.headings import REFERENCE_LIST
from manuscripts.pdf_runs import Run
from manuscripts.text_building import LOWERED, PARAGRAPH, RAISED
from manuscripts.typed_marks import without_raised

_NUMBERS = re.compile(r"\s*(?:\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*,?|\+)\s*")  # or the sign of a label: "[DRP+05]"
# These lean over it, in TeX's own fonts; a row of dots begins otherwise.
_SPACE_BEHIND_ITALICS = re.compile(r"(?<=\w) (?=[.,](?:\s(?! ?\.)|$))")
_MARK = re.compile(r"\s*(?:\[[^\W_]{1,12}\+?\d{0,2}\]|\d{1,3}\.)\s*")  # of an entry; of a line there is no stop
_SMALLER, _RAISED = 0.85, 0.15  # superscripts, of the size of what they follow: their own, and how high
_ALIKE = 1.06  # sizes that differ by less are one
_WIDE_GAP, _WIDEST_GAP = 1.3, 8.0  # between paragraphs, of the usual gap between lines
_LEAST_INDENT, _MOST_INDENT = 0.7, 4.0  # of a paragraph's first line, of its size
_ENDED = re.compile(r"[.!?:;)\]”\"’»⁰¹²³⁴⁵⁶⁷⁸⁹]\s*$")
_BEGINS = re.compile(r"\s*(?![a-z])\S")
_SHORT = 0.75  # of the usual length of a line
_OFTEN = 3  # pages
_HEADING = re.compile(r"[^\W\d_a-z](?=.*[^\W\d_]{3})[^\n.;:]{2,78}(?<![,?!-])")

# How a footnote begins, ACM's without a mark among them.
_NOTE = re.compile(r"\s*(?:(?:[⁰¹²³⁴-⁹]+|\d{1,2}|[*∗⋆†‡§¶]+)\s*[^\W\d_]|Permission to make digital)")
_NUMBERED_NOTE = re.compile(r"\s*(\d{1,2}|[¹²³⁴-⁹][⁰¹²³⁴-⁹]?)\s*[^\W\d_]")
_LONGEST_NOTES = 16  # lines


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it is set; superscripts are raised digits."""

    text: str
    left: float  # points, of its first letter
    height: float  # of its base line above the page's lower edge, points
    size: float  # of most of its letters, points
    bold: bool  # most of its letters

    def like(self, other: "Line") -> bool:
        """Whether both are set alike."""
        return self.bold == other.bold and 1 / _ALIKE < self.size / max(other.size, 0.1) < _ALIKE


def lines_of(runs: Sequence[Run]) -> list[Line]:
    """The lines of a page, in the order in which the file has them."""
    lines: list[list[Run]] = [[]]
    for run in _with_superscripts(runs):
        first, *others = run.text.split("\n")
        lines[-1].append(replace(run, text=first))
        lines += [[replace(run, text=text)] for text in others]
    return _with_marks([_line(runs) for runs in lines if runs])


def _with_marks(lines: list[Line]) -> list[Line]:
    """The lines with the marks of a list before their entries, where they are drawn apart, as browsers do."""
    marks: defaultdict[int, list[Line]] = defaultdict(list)  # by height: each column has one
    for line in lines:
        if _MARK.fullmatch(line.text):
            marks[round(line.height)].append(line)
    joined: set[int] = set()
    found: list[Line] = []
    for line in lines:
        before = (mark for mark in marks[round(line.height)] if 0 < line.left - mark.left < _MOST_INDENT * line.size)
        if mark := next((mark for mark in before if id(mark) not in joined), None):
            joined.add(id(mark))
            line = replace(line, text=f"{mark.text.strip()} {line.text.lstrip()}", left=mark.left)
        found.append(line)
    return [line for line in found if id(line) not in joined]


def _with_superscripts(runs: Sequence[Run]) -> list[Run]:
    """Numbers that are set smaller and higher than what they follow are superscripts."""
    found: list[Run] = []
    last = None
    for run in runs:
        if raised := last is not None and _is_raised(run, last):
            found[-1] = replace(found[-1], text=found[-1].text.rstrip(" "))
            run = replace(run, text=run.text.lstrip(" ").translate(RAISED))
        found.append(run)
        if run.text.strip() and not raised:
            last = run
        elif "\n" in run.text:
            last = None
    return found


def _is_raised(run: Run, last: Run) -> bool:
    return (
        bool(_NUMBERS.fullmatch(run.text))
        and run.size <= _SMALLER * last.size
        and _RAISED * last.size <= run.height - last.height <= last.size
    )


def _line(runs: Sequence[Run]) -> Line:
    letters: Counter[Run] = Counter()
    for run in runs:
        letters[replace(run, text="", left=0.0)] += len(run.text.strip())
    most = letters.most_common(1)[0][0]
    first = next((run for run in runs if run.text.strip()), runs[0])
    text = _SPACE_BEHIND_ITALICS.sub("", "".join(run.text for run in runs).rstrip())
    return Line(text, first.left, most.height, most.size, most.bold)


def without_headers(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The lines of all pages without their numbers, and without headers and footers.

    These are the same on several pages, or on two of two, or but for a number that counts them, as on the left pages of
    a book. Where all that name a reference list are such, the first of them is its heading.
    """
    fewest = 2 if len(pages) == 2 else _OFTEN
    height = attrgetter("height")
    ends = [[max(lines, key=height), min(lines, key=height)] if (lines := _set(page)) else [] for page in pages]
    often = Counter(pattern for pair in ends for pattern in set(map(_pattern, pair)))
    counted = Counter(
        key for number, pair in enumerate(ends) for key in {key for line in pair for key in _counted(line, number)}
    )
    dropped = {
        id(line)
        for number, pair in enumerate(ends)
        for line in pair
        if not (of := _pattern(line)) or often[of] >= fewest or any(counted[key] > 1 for key in _counted(line, number))
    }
    listed = [id(line) for page in pages for line in page if REFERENCE_LIST.fullmatch(line.text)]
    kept = listed[:1] if dropped.issuperset(listed) else []
    return [[line for line in page if id(line) not in dropped or id(line) in kept] for page in pages]


def _counted(line: Line, page: int) -> list[tuple[str, int]]:
    """What the numbers of a header share with those of other pages, where they count these."""
    pattern = _pattern(line)
    return [(pattern, int(number) - page) for number in re.findall(r"\b\d{1,4}\b", line.text)]


def _pattern(line: Line) -> str:
    """What headers and footers share that count pages."""
    return re.sub(r"[\d\s]+", " ", line.text).strip(" -–—")


def _set(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.text.strip()]


def with_paragraphs(pages: Sequence[Sequence[Line]]) -> list[str]:
    """The text of each page, with PARAGRAPH on a line of its own wherever a paragraph begins.

    It does below a wide gap or a line that ends before the others do, where it is indented, or set otherwise. A
    footnote is a paragraph behind the one at whose lines it stands. Lines that are set in begin with a space.
    """
    size = _usual_size(pages)
    notes = {id(line) for line in _footnotes(pages, size)}
    lines = [line for page in pages for line in _set(page) if id(line) not in notes]
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
    for column in _columns(lines):
        steps = [(below.left - above.left) / max(below.size, 0.1) for above, below in pairwise(column)]
        # With the end of an entry a column begins, too.
        first = next((step for step in steps if abs(step) > _LEAST_INDENT), 0.0)
        is_set_in = -_MOST_INDENT < first < 0
        for line, step in zip(column, [0.0, *steps], strict=True):
            if abs(step) > _LEAST_INDENT:
                is_set_in = _LEAST_INDENT < step < _MOST_INDENT
            if is_set_in:
                yield line


def _columns(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """Lines that stand below each other, on one page."""
    ends = [place for place, (above, below) in enumerate(pairwise(lines), start=1) if below.height > above.height]
    return (lines[start:end] for start, end in pairwise([0, *ends, len(lines)]))


def _shown(pages: Sequence[Sequence[Line]], beginnings: Set[int], notes: Set[int], set_in: Set[int]) -> list[list[str]]:
    """The texts of each page's lines; those of `notes`, by `id`, wait until the paragraph ends, or stand above a list.

    Raised numbers that refer to notes of their page are left out, unless only a first page has notes, of institutions.
    """
    waiting: list[str] = []
    texts: list[list[str]] = []
    numbered = [
        {
            found[1].translate(LOWERED)
            for line in page
            if id(line) in notes and (found := _NUMBERED_NOTE.match(line.text))
        }
        for page in pages
    ]
    for page, numbers in zip(pages, numbered, strict=True):
        shown: list[str] = []
        listed = None  # where the heading of a reference list stands
        unmarked = without_raised([line.text for line in page], numbers if any(numbered[1:]) else ())
        for line, text in zip(page, unmarked, strict=True):
            if id(line) in notes:
                note = [PARAGRAPH] * bool(_NOTE.match(line.text)) + [line.text]
                if listed is not None:
                    shown[listed:listed] = note
                    listed += len(note)
                else:
                    waiting += note
                continue
            if id(line) in beginnings:
                shown += [*waiting, PARAGRAPH]
                waiting = []
            listed = len(shown) if REFERENCE_LIST.fullmatch(line.text) else listed
            shown.append(" " * (id(line) in set_in) + text)
        texts.append(shown)
    if texts:
        texts[-1] += waiting
    return texts


def _footnotes(pages: Sequence[Sequence[Line]], usual: float) -> Iterator[Line]:
    """The lines that are set smaller at the end of a column, below others, from the first mark of a note.

    From a reference list on they are smaller than that, whose lines may begin with numbers, too.
    """
    for lines in map(_set, pages):
        for column in _columns(lines):
            listed = (entry.size for line, entry in pairwise(column) if REFERENCE_LIST.fullmatch(line.text))
            usual = min([usual, *listed])
            small = list(takewhile(lambda line: line.size * _ALIKE < usual, reversed(column)))[::-1]  # noqa: B023
            if len(small) < len(column) and len(small) <= _LONGEST_NOTES:
                yield from dropwhile(lambda line: not _NOTE.match(line.text), small)


def _usual_size(pages: Sequence[Sequence[Line]]) -> float:
    """The size of most letters that are not bold, points; 0 where there are none."""
    sizes: Counter[float] = Counter()
    for line in (line for lines in pages for line in lines if not line.bold):
        sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


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
    return any(_LEAST_INDENT * line.size < line.left - other.left < _MOST_INDENT * line.size for other in beside)


def headings_of(pages: Sequence[Sequence[Line]]) -> dict[str, int]:
    """Lines that are set larger than the text or in bold, as headings are, and the size of each, whole points."""
    usual = _usual_size(pages)
    lines = _set([line for page in pages for line in page])
    return {line.text.strip(): round(line.size) for line in _headings(lines, usual)}


def _headings(lines: Sequence[Line], usual: float) -> Iterator[Line]:
    """Also at the end of a page, as browsers leave them."""
    for above, line, below in zip([None, *lines], lines, lines[1:], strict=False):
        larger = line.size > usual * _ALIKE
        alone = not (above and line.like(above))
        text = not below.bold and usual / _ALIKE < below.size < usual * _ALIKE
        bold = line.bold and line.size > usual / _ALIKE
        if (larger or bold) and alone and text and _HEADING.fullmatch(line.text.strip()):
            yield line
