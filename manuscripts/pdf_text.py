"""The text of a PDF beyond its first page, and the reference list at its end."""

import time

from common.errors import SourceError
from manuscripts import pdf_page
from manuscripts.draft import before_abstract, running_text
from manuscripts.files import Files
from manuscripts.manuscript import Manuscript
from manuscripts.plain_text import sections_of_text
from manuscripts.printed_lists import parted_list

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
    if texts:
        # Raised numbers above the abstract are those of the authors' institutions.
        head = before_abstract(texts[0])
        texts[0] = pdf_page.lowered(head) + texts[0].removeprefix(head)
    body, entries = parted_list("\n".join(texts))
    if not entries:
        files.note("no reference list found in the PDF")
    return Manuscript(draft.title, draft.abstract, sections_of_text(running_text(body)), entries)
