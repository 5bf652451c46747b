"""A published paper as PDF: title and abstract as of a draft, and what identifies it on its first page."""

import re
from contextlib import suppress
from typing import Any

from common.errors import SourceError
from indexer.identity.identifiers import arxiv_key, clean_doi
from manuscripts import pdf_page
from manuscripts.draft import Draft, before_abstract
from manuscripts.pdf_lines import with_paragraphs

_YEAR = r"((?:19|20)\d\d)"
# The surest first: the year of publication as it is printed, then that of the file.
_YEARS = (
    re.compile(rf"\bpublished\b[^\n]{{0,40}}?\b{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"(?:©|\(c\)|copyright)[^\n]{{0,40}}?\b{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\barxiv:[^\n]{{0,60}}?\b{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\baccepted\b[^\n]{{0,40}}?\b{_YEAR}\b", re.IGNORECASE),
)
_YEAR_ABOVE = re.compile(rf"\b{_YEAR}\b")
# Elsewhere on the page a DOI is most often another paper's.
_DOI_ON_A_LINE = re.compile(r"^\s*(?:https?://(?:dx\.)?doi\.org/|doi\s*:?\s*)(10\.\S+)", re.IGNORECASE | re.MULTILINE)
_LOOKED_AT = 8_000  # characters of the first page
_ABOVE = 2_000  # characters above the abstract, at most
_LINES_BELOW = 8  # of the page's foot


def read(data: bytes) -> dict[str, Any]:
    """Title, abstract, doi, arxiv and year; "" or None for what is not found.

    Raises:
        SourceError: as `pdf_page.read`.
    """
    title, lines, reader = pdf_page.read(data)
    draft = Draft(title, pdf_page.abstract_on(with_paragraphs(lines))).shortened()
    text = "\n".join(line.text for line in lines[0])[:_LOOKED_AT]
    above = before_abstract(text)[:_ABOVE]
    below = _DOI_ON_A_LINE.search("\n".join(text.splitlines()[-_LINES_BELOW:]))
    year = next((match[1] for pattern in _YEARS if (match := pattern.search(text))), "")
    if not year and (match := _YEAR_ABOVE.search(above)):
        year = match[1]
    return {
        "title": draft.title,
        "abstract": draft.abstract,
        "doi": clean_doi(above) or (clean_doi(below[1]) if below else ""),
        "arxiv": arxiv_key(above) or arxiv_key(text[-_ABOVE:]),
        "year": year or _year_made(reader),
    }


def _year_made(reader: Any) -> str:
    """In which the file was made; "" where it does not say."""
    with suppress(SourceError), pdf_page.damage_named():
        if found := re.match(rf"(?:D:)?{_YEAR}", str((reader.metadata or {}).get("/CreationDate", ""))):
            return found[1]
    return ""
