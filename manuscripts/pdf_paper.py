"""A published paper as PDF: title and abstract as of a draft, and what identifies it on its first page."""

import re
from contextlib import suppress
from typing import Any

from common.errors import SourceError
from common.names import OTHERS, Name, parse_names
from common.text import folded
from indexer.identity.identifiers import arxiv_key, clean_doi
from indexer.readers.name_lists import listed_names
from manuscripts import pdf_page
from manuscripts.authors import names_among
from manuscripts.draft import Draft, before_abstract
from manuscripts.pdf_paragraphs import with_paragraphs

_YEAR = r"((?:19|20)\d\d)"
# The surest first: the year of publication as it is printed, then that of the file.
_YEARS = (
    re.compile(rf"\bpublished\b[^\n]{{0,40}}?\b{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"(?:©|\(c\)|copyright)[^\n]{{0,40}}?\b{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\barxiv:[^\n]{{0,60}}?\b{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\baccepted\b[^\n]{{0,40}}?\b{_YEAR}\b", re.IGNORECASE),
)
_YEAR_ABOVE, _YEAR_MADE = re.compile(rf"\b{_YEAR}\b"), re.compile(rf"(?:D:)?{_YEAR}")
# Elsewhere on the page a DOI is most often another paper's.
_DOI_ON_A_LINE = re.compile(r"^\s*(?:https?://(?:dx\.)?doi\.org/|doi\s*:?\s*)(10\.\S+)", re.IGNORECASE | re.MULTILINE)
_BETWEEN, _NO_LETTERS = re.compile(r"[,;·•|]|\band\b|&"), re.compile(r"[\d*∗†‡§¶]+")  # names; at a name
_LOOKED_AT = 8_000  # characters of the first page
_ABOVE = 2_000  # characters above the abstract, at most
_LINES_BELOW = 8  # of the page's foot


def read(data: bytes) -> dict[str, Any]:
    """Title, abstract, doi, arxiv, year and authors; "" or [] for what is not found.

    Raises:
        SourceError: as `pdf_page.read`.
    """
    title, lines, reader = pdf_page.read(data)
    draft = Draft(title, pdf_page.abstract_on(with_paragraphs(lines))).shortened()
    text = "\n".join(line.text for line in lines[0])[:_LOOKED_AT]
    above = before_abstract(text)[:_ABOVE]
    below = _DOI_ON_A_LINE.search("\n".join(text.splitlines()[-_LINES_BELOW:]))
    year = next((match[1] for pattern in _YEARS if (match := pattern.search(text))), "")
    if not year and (match := _YEAR_ABOVE.search(above) or _YEAR_MADE.match(_declared(reader, "/CreationDate"))):
        year = match[1]
    return {
        "title": draft.title,
        "abstract": draft.abstract,
        "doi": clean_doi(above) or (clean_doi(below[1]) if below else ""),
        "arxiv": arxiv_key(above) or arxiv_key(text[-_ABOVE:]),
        "year": year,
        "authors": _authors(reader, above),
    }


def _authors(reader: Any, above: str) -> list[str]:
    """Those that the file names, if all are printed above the abstract: it may be a template's, or a computer's owner.

    Some publishers name the first author alone; where others stand beside a name, the list goes on.
    """
    said = _declared(reader, "/Author")[:_ABOVE]
    are_parted = all(len(name.split()) > 1 for name in said.split(","))  # "Ann Roe, Bo Poe" are two
    listed = listed_names(said.replace(",", ";") if are_parted else said)
    names = parse_names(listed)
    if not all(_is_printed(name, above) for name in names):
        return []
    given = [(name.given.split()[0], name.surname) for name in names]
    lines = (line for line in above.splitlines() if any(all(_is_in(one, line) for one in name) for name in given))
    beside = names_among(_NO_LETTERS.sub("", one) for line in lines for one in _BETWEEN.split(line))
    others = {folded(name.surname) for name in parse_names(beside)} - {folded(name.surname) for name in names}
    return [*listed, *([OTHERS] if others and listed[-1] != OTHERS else [])]


def _is_printed(name: Name, text: str) -> bool:
    """Whether a text has the family name beside the given one or its initial: "User" alone is not "Windows User"."""
    if not (first := re.search(r"\w+", folded(name.given))):
        return False
    letter = first[0][0]
    given = rf"(?<!\w)(?:{first[0]}[^\s,;]*|{letter}\w?\b[^\s,;]*)"
    family = rf"(?<!\w){re.escape(folded(name.surname))}(?![^\W\d_])"
    return bool(re.search(rf"{given} (?:[^\s,;]+ ){{0,3}}{family}|{family},? {given}", " ".join(folded(text).split())))


def _is_in(word: str, text: str) -> bool:
    """Whether a text has a word, behind which numbers and signs may stand."""
    return bool(re.search(rf"(?<!\w){re.escape(folded(word))}(?![^\W\d_])", folded(text)))


def _declared(reader: Any, name: str) -> str:
    """What the file's metadata say; "" where they say nothing, or are damaged."""
    with suppress(SourceError), pdf_page.damage_named():
        return str((reader.metadata or {}).get(name) or "")
    return ""
