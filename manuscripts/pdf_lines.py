"""The lines of a PDF's pages, and which of them are set as headings."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter

from manuscripts.headings import is_reference_list
from manuscripts.pdf_runs import Run
from manuscripts.text_building import RAISED

_NUMBERS = re.compile(r"\s*(?:\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*,?|\+)\s*")  # or the sign of a label: "[DRP+05]"
# These lean over it, in TeX's own fonts; a row of dots begins otherwise.
_SPACE_BEHIND_ITALICS = re.compile(r"(?<=\w) (?=[.,](?:\s(?! ?\.)|$))")
_MARK = re.compile(r"\s*(?:\[[^\W_]{1,12}\+?\d{0,2}\]|\d{1,3}\.)\s*")  # of an entry; of a line there is no stop
_SMALLER, _RAISED = 0.85, 0.15  # superscripts, of the size of what they follow: their own, and how high
ALIKE = 1.06  # sizes that differ by less are one
MOST_INDENT = 4.0  # of a paragraph's first line, of its size
_OFTEN = 3  # pages
# A text whose notes are longer than itself: at most so much larger than these, and at least so many letters of theirs.
_LARGER, _FEWEST = 1.4, 0.3
_HEADING = re.compile(r"[^\W\d_a-z](?=.*[^\W\d_]{3})[^\n.;:]{2,78}(?<![,?!-])")


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
        return self.bold == other.bold and 1 / ALIKE < self.size / max(other.size, 0.1) < ALIKE


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
        before = (mark for mark in marks[round(line.height)] if 0 < line.left - mark.left < MOST_INDENT * line.size)
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
    ends = [[max(lines, key=height), min(lines, key=height)] if (lines := filled(page)) else [] for page in pages]
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
    listed = [id(line) for page in pages for line in page if is_reference_list(line.text)]
    kept = listed[:1] if dropped.issuperset(listed) else []
    return [[line for line in page if id(line) not in dropped or id(line) in kept] for page in pages]


def _counted(line: Line, page: int) -> list[tuple[str, int]]:
    """What the numbers of a header share with those of other pages, where they count these."""
    pattern = _pattern(line)
    return [(pattern, int(number) - page) for number in re.findall(r"\b\d{1,4}\b", line.text)]


def _pattern(line: Line) -> str:
    """What headers and footers share that count pages."""
    return re.sub(r"[\d\s]+", " ", line.text).strip(" -–—")


def filled(lines: Sequence[Line]) -> list[Line]:
    """The lines that have a text."""
    return [line for line in lines if line.text.strip()]


def columns(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """Lines that stand below each other, on one page."""
    ends = [place for place, (above, below) in enumerate(pairwise(lines), start=1) if below.height > above.height]
    return (lines[start:end] for start, end in pairwise([0, *ends, len(lines)]))


def usual_size(pages: Sequence[Sequence[Line]]) -> float:
    """The size of most letters that are not bold, points, or a larger one of nearly as many, of which notes have more.

    It is 0 where there are none.
    """
    sizes: Counter[float] = Counter()
    for line in (line for lines in pages for line in lines if not line.bold):
        sizes[round(line.size, 1)] += len(line.text)
    most = max(sizes, key=lambda size: sizes[size], default=0.0)
    return max(size for size in (most, *sizes) if size <= _LARGER * most and sizes[size] >= _FEWEST * sizes[most])


def headings_of(pages: Sequence[Sequence[Line]]) -> dict[str, int]:
    """Lines that are set larger than the text or in bold, as headings are, and the size of each, whole points."""
    usual = usual_size(pages)
    lines = filled([line for page in pages for line in page])
    return {line.text.strip(): round(line.size) for line in _headings(lines, usual)}


def _headings(lines: Sequence[Line], usual: float) -> Iterator[Line]:
    """Also at the end of a page, as browsers leave them."""
    for above, line, below in zip([None, *lines], lines, lines[1:], strict=False):
        larger = line.size > usual * ALIKE
        alone = not (above and line.like(above))
        text = not below.bold and usual / ALIKE < below.size < usual * ALIKE
        bold = line.bold and line.size > usual / ALIKE
        if (larger or bold) and alone and text and _HEADING.fullmatch(line.text.strip()):
            yield line
