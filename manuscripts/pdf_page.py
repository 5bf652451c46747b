"""Drafts as PDF: on the first page, the title is what is set largest, and the abstract stands under its heading."""

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, takewhile
from typing import Any

from common.errors import SourceError
from common.text import unligated
from manuscripts.draft import above_body, abstract_of, is_prose, running_text, stands_apart
from manuscripts.pdf_lines import Line, lines_of
from manuscripts.pdf_runs import Run, runs_of
from manuscripts.text_building import NOTED, PARAGRAPH
from manuscripts.title_lines import is_stamp, without_stamps

FRONT = 2  # pages; the abstract of a report stands behind its cover
_FEWEST_LETTERS = 8  # of a title; a drop capital or a logo is shorter
_FEWEST_WORDS = 4  # of one that is no larger than the text; what is in bold beside it is shorter
_ALIKE = 0.93  # sizes this near are one
_TOP = 0.4  # a title stands above this share of the page's height
_LETTER = re.compile(r"[^\W\d_]")
_NO_TITLE = re.compile(r"untitled|microsoft word|\.(?:docx?|tex|dvi|pdf)$|^\W*$", re.IGNORECASE)
_PARAGRAPH = re.compile(f"[^{PARAGRAPH}]+")
_FEWEST, _LONGEST = 300, 5_000  # characters of an abstract without a heading
_FEWEST_ABOVE = 150  # of one above an introduction


def read(data: bytes) -> tuple[str, list[list[Line]], Any]:
    """The title, the lines of the first pages, and the reader of the others.

    Raises:
        SourceError: the file is damaged or encrypted, or its pages hold no text.
    """
    with damage_named():
        reader = opened(data)
        pages = [reader.pages[number] for number in range(min(FRONT, len(reader.pages)))]
        runs = [runs_of(page) for page in pages]
        declared = unligated(str(reader.metadata.title or "")) if reader.metadata else ""
        height = float(pages[0].mediabox.height)
    if not any(run.text.strip() for some in runs for run in some):
        raise SourceError("the PDF's first pages hold no text; are they scanned?")
    first = [run for run in runs[0] if run.text.strip() and not run.upright]
    title = largest(first, height) or ("" if _NO_TITLE.search(declared) else declared) or _in_bold(first, height)
    return title, list(map(lines_of, runs)), reader


def abstract_on(pages: Sequence[str]) -> str:
    """The abstract on the first pages, below its heading or the first long paragraph; paragraphs are marked."""
    return (abstract_of(*pages) or _abstract_without_heading(pages[0])).replace(NOTED, "")


def _abstract_without_heading(page: str) -> str:
    unnamed = unnamed_abstract(page)
    others = (one for one in page.split(PARAGRAPH) if not stands_apart(one))
    longest = unnamed[0] if unnamed else max(others, key=len, default="")
    return running_text(longest)[:_LONGEST]


def opened(data: bytes) -> Any:
    """The reader of a PDF; to be used within `damage_named`.

    Raises:
        SourceError: the file is encrypted.
    """
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise SourceError("the PDF is encrypted")
    return reader


@contextmanager
def damage_named() -> Iterator[None]:
    """Turn what goes wrong in the parser into one line."""
    from pypdf.errors import PdfReadError

    try:
        yield
    except (SourceError, MemoryError):
        raise
    except PdfReadError as error:
        raise SourceError(f"the PDF is damaged: {error}") from None
    except Exception as error:  # noqa: BLE001 - a damaged PDF makes the parser fail in ways that it does not declare
        raise SourceError(f"the PDF cannot be read: {type(error).__name__}") from None


def largest(runs: Sequence[Run], height: float) -> str:
    """The text of the largest size in the upper part of a page; "" if nothing is larger than the rest."""
    upper = [run for run in runs if run.height >= _TOP * height and _LETTER.search(run.text)]
    for size in sorted({run.size for run in upper}, reverse=True):
        text = "".join(_with_space(run.text) for run in upper if size * _ALIKE <= run.size <= size / _ALIKE)
        title = running_text(without_stamps(text))
        if len(_LETTER.findall(title)) >= _FEWEST_LETTERS and not is_stamp(title):
            usual = sorted(run.size for run in runs for _ in run.text)[sum(len(run.text) for run in runs) // 2]
            return title if size > usual else ""
    return ""


def _in_bold(runs: Sequence[Run], height: float) -> str:
    """The first words in bold in the upper part of a page that are as many as a title has, above abstract and text."""
    upper = [run for run in runs if run.height >= _TOP * height and _LETTER.search(run.text)]
    above = takewhile(lambda run: not abstract_of(f"{run.text.strip()}\n."), upper)
    for bold, alike in groupby(above, key=lambda run: run.bold and round(run.size)):
        text = running_text("".join(_with_space(run.text) for run in alike))
        if len(text) >= _FEWEST:
            break
        if bold and len(text.split()) >= _FEWEST_WORDS and not is_stamp(text):
            return text
    return ""


def _with_space(text: str) -> str:
    return text if text.endswith((" ", "\n")) else text + " "


def unnamed_abstract(page: str) -> re.Match[str] | None:
    """The paragraph of a first page that is an abstract without a heading: the first long one, of sentences.

    Where none stands above an introduction, it is the longest one there, which may be shorter.
    """
    above = above_body(page)
    end = page.index(above) + len(above) if above != page else 0
    every = [found for found in _PARAGRAPH.finditer(page) if is_prose(found[0])]
    set_above = [found for found in _PARAGRAPH.finditer(page, 0, end) if is_prose(found[0])]
    long = [found for found in (*set_above, *every) if len(found[0]) >= _FEWEST]
    short = max(set_above, key=lambda found: len(found[0]), default=None)
    if short and len(short[0]) >= _FEWEST_ABOVE and not (long and long[0].end() <= end):
        return short
    return long[0] if long else None
