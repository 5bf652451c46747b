"""The text of a PDF beyond its first page, and the reference list at its end."""

import re
import time

from common.errors import SourceError
from manuscripts import pdf_page
from manuscripts.bibliographies import entry_of_text
from manuscripts.draft import running_text
from manuscripts.files import Files
from manuscripts.headings import BEHIND_LIST, REFERENCE_LIST
from manuscripts.manuscript import Entry, Manuscript
from manuscripts.plain_text import sections_of_text
from manuscripts.reference_lines import entries as lines_of_list

_SECONDS = 5.0  # of the processor, for the pages; the rest is for what is made of them
_MOST_PAGES = 400
_MARKED = re.compile(r"^[ \t]*(?:\[\w{1,12}\][ \t]*|\d{1,3}\.[ \t]+)", re.MULTILINE)
# A reference by names: surname and initials, or a full name, at the beginning of a line, and a year soon.
_BEGINS = re.compile(
    r"^(?=[^\W\d_][\w’'.-]+(?:,| and | et al| [A-Z][\w.’'-]*(?:,| [A-Z]|\.| and )))"
    r"(?=.{0,300}?\b(?:19|20)\d\d[a-z]?\b)",
    re.DOTALL,
)
_ENDED = re.compile(r"(?:[.\])]|\d|https?://\S+|\.)\s*$")


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
                texts.append(pages[number].extract_text())
    except SourceError as error:
        files.note(f"not read: pages behind page {len(texts)} ({error})")
    else:
        if len(texts) < count:
            files.note(f"not read: pages {len(texts) + 1} to {count} of the PDF")
    text = "\n".join(texts)
    headings = list(REFERENCE_LIST.finditer(text))
    body, listed = (text[: headings[-1].start()], text[headings[-1].end() :]) if headings else (text, "")
    entries = entries_of_list(listed)
    if not entries:
        files.note("no reference list found in the PDF")
    return Manuscript(draft.title, draft.abstract, sections_of_text(running_text(body)), entries)


def entries_of_list(text: str) -> tuple[Entry, ...]:
    """The entries of a printed reference list: numbered, or beginning with names on a line of their own."""
    if end := BEHIND_LIST.search(text):
        text = text[: end.start()]
    lines = [line for line in text.splitlines() if line.strip() and not line.strip().isdecimal()]  # page numbers
    if len(_MARKED.findall(text)) > 1:
        first = next((number for number, line in enumerate(lines) if _MARKED.match(line)), 0)
        found = lines_of_list("\n".join(lines[first:]))
    else:
        found = lines_of_list("\n\n".join(_by_names(lines)))
    return tuple(entry_of_text(str(number), line) for number, line in enumerate(found, start=1))


def _by_names(lines: list[str]) -> list[str]:
    """Lines joined to entries: one begins where the last has ended and names come before a year."""
    found: list[list[str]] = []
    for number, line in enumerate(lines):
        following = "\n".join(lines[number : number + 4])
        if not found or (_ENDED.search(found[-1][-1]) and _BEGINS.match(following)):
            found.append([line])
        else:
            found[-1].append(line)
    return ["\n".join(entry) for entry in found]
