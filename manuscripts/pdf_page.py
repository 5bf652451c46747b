"""Drafts as PDF: on the first page, the title is what is set largest, and the abstract stands under its heading."""

import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from common.errors import SourceError
from common.text import unligated
from manuscripts.draft import Draft, abstract_of, running_text
from manuscripts.text_building import RAISED

_PAGES = 2  # the abstract of a report stands behind its cover
_FEWEST_LETTERS = 8  # of a title; a drop capital or a logo is shorter
_ALIKE = 0.93  # sizes this near are one
_TOP = 0.4  # a title stands above this share of the page's height
_NUMBERS = re.compile(r"\s*\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*,?\s*")
_SMALLER, _RAISED = 0.85, 0.15  # superscripts, of the size of what they follow: their own, and how high
_LETTER = re.compile(r"[^\W\d_]")
_NO_TITLE = re.compile(r"untitled|microsoft word|\.(?:docx?|tex|dvi|pdf)$|^\W*$", re.IGNORECASE)
_LONGEST_PARAGRAPH_LOOKED_AT = 5_000


@dataclass(frozen=True, slots=True)
class Run:
    """Text that is set in one size."""

    text: str
    size: float  # points on the page
    height: float  # of its base line above the page's lower edge, points
    upright: bool = False  # set so in the margin, as arXiv's stamp


def looks_like(data: bytes) -> bool:
    """Is it a PDF?"""
    return b"%PDF-" in data[:1024]


def read(data: bytes) -> Draft:
    """Title and abstract of the first pages.

    Raises:
        SourceError: the file is damaged or encrypted, or its pages hold no text.
    """
    with damage_named():
        reader = opened(data)
        pages = [reader.pages[number] for number in range(min(_PAGES, len(reader.pages)))]
        runs = [_runs(page) for page in pages]
        declared = unligated(str(reader.metadata.title or "")) if reader.metadata else ""
    texts = ["".join(run.text for run in some) for some in runs]
    if not any(text.strip() for text in texts):
        raise SourceError("the PDF's first pages hold no text; are they scanned?")
    height = float(pages[0].mediabox.height)
    title = largest([run for run in runs[0] if run.text.strip() and not run.upright], height) or (
        "" if _NO_TITLE.search(declared) else declared
    )
    abstract = abstract_of(*texts) or _longest_paragraph(texts[0])
    return Draft(title, abstract)


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
        title = running_text(
            "".join(_with_space(run.text) for run in upper if size * _ALIKE <= run.size <= size / _ALIKE)
        )
        if len(_LETTER.findall(title)) >= _FEWEST_LETTERS:
            usual = sorted(run.size for run in runs for _ in run.text)[sum(len(run.text) for run in runs) // 2]
            return title if size > usual else ""
    return ""


def text_of(page: Any) -> str:
    """The text of a page; numbers that are set smaller and higher than what they follow are superscripts."""
    texts: list[str] = []
    last = None
    for run in _runs(page):
        if raised := last is not None and _is_raised(run, last):
            texts[-1] = texts[-1].rstrip(" ")
            texts.append(run.text.lstrip(" ").translate(RAISED))
        else:
            texts.append(run.text)
        if run.text.strip() and not raised:
            last = run
        elif "\n" in run.text:
            last = None
    return "".join(texts)


def _is_raised(run: Run, last: Run) -> bool:
    return (
        bool(_NUMBERS.fullmatch(run.text))
        and run.size <= _SMALLER * last.size
        and _RAISED * last.size <= run.height - last.height <= last.size
    )


def _runs(page: Any) -> list[Run]:
    """The whole text of a page, piece by piece."""
    runs: list[Run] = []

    def visit(text: str, matrix: Sequence[float], text_matrix: Sequence[float], _font: Any, size: float) -> None:
        a, b, c, d, e, f = text_matrix
        ma, mb, mc, md, _, mf = matrix
        along, across = a * ma + b * mc, a * mb + b * md
        scale = math.hypot(c * ma + d * mc, c * mb + d * md)
        runs.append(Run(unligated(text), abs(size) * scale, e * mb + f * md + mf, abs(across) > abs(along)))

    page.extract_text(visitor_text=visit)
    return runs


def _with_space(text: str) -> str:
    return text if text.endswith((" ", "\n")) else text + " "


def _longest_paragraph(text: str) -> str:
    """Without a heading, the abstract is most often the longest block of the first page."""
    blocks = re.split(r"\n\s*\n", text[: 4 * _LONGEST_PARAGRAPH_LOOKED_AT])
    return running_text(max(blocks, key=len, default=""))[:_LONGEST_PARAGRAPH_LOOKED_AT]
