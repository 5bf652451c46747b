"""The text of a PDF beyond its first page, and the reference list at its end."""

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from common.errors import SourceError
from manuscripts import pdf_page
from manuscripts.draft import behind_abstract
from manuscripts.files import Files
from manuscripts.manuscript import Manuscript, Section
from manuscripts.plain_text import sections_of_text
from manuscripts.printed_lists import parted_list
from manuscripts.text_building import LOWERED

_FRONT = 2  # pages, on which the abstract stands
_HEADING = re.compile(
    r"^[ \t]*(\d{1,2}(?:\.\d{1,2}){0,2})\.?[ \t]+([^\W\d_a-z][^\n\d.,;:?!]{2,60}?)[ \t]*$", re.MULTILINE
)
_SECONDS = 5.0  # of the processor, for the pages; the rest is for what is made of them
_MOST_PAGES = 400


def read(files: Files, data: bytes) -> Manuscript:
    """Title, abstract, text and reference list; what there was no time for is noted in `files`.

    Raises:
        SourceError: as `pdf_page.read`.
    """
    draft = pdf_page.read(data)
    start = time.process_time()
    texts: list[str] = []
    try:
        with pdf_page.damage_named():
            pages = pdf_page.opened(data).pages
            count = len(pages)
            for number in range(min(count, _MOST_PAGES)):
                if time.process_time() - start > _SECONDS:
                    break
                texts.append(pdf_page.text_of(pages[number]))
    except SourceError as error:
        files.note(f"not read: pages behind page {len(texts)} ({error})")
    else:
        if len(texts) < count:
            files.note(f"not read: pages {len(texts) + 1} to {count} of the PDF")
    if following := behind_abstract("\n".join(texts[:_FRONT])):
        texts[:_FRONT] = [following]
    elif texts:  # its raised numbers are those of the authors' institutions, perhaps
        texts[0] = texts[0].translate(LOWERED)
    body, entries = parted_list("\n".join(texts))
    if not entries:
        files.note("no reference list found in the PDF")
    return Manuscript(draft.title, draft.abstract, tuple(_sections(body)), entries)


def _sections(body: str) -> Iterator[Section]:
    """The text below each numbered heading, and above the first."""
    start, title, level = 0, "", 1
    for heading in (*_numbered(body), None):
        for section in sections_of_text(body[start : heading.start() if heading else None]):
            yield replace(section, heading=title, level=level)
        if heading:
            start, title, level = heading.end(), heading[2], 1 + heading[1].count(".")


def _numbered(body: str) -> Iterator[re.Match[str]]:
    """Headings whose numbers follow each other, and not line by line, as in tables and lists."""
    lines = [(line, tuple(map(int, line[1].split(".")))) for line in _HEADING.finditer(body)]
    rows: set[int] = set()
    for place, ((line, number), (below, following)) in enumerate(pairwise(lines)):
        if following == (*number[:-1], number[-1] + 1) and not body[line.end() : below.start()].strip():
            rows |= {place, place + 1}
    last: tuple[int, ...] = (0,)
    for place, (line, number) in enumerate(lines):
        expected = {(*last, 1), *((*last[:depth], last[depth] + 1) for depth in range(len(last)))}
        if number in expected and place not in rows:
            last = number
            yield line
