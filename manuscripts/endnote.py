"""Citations of EndNote in fields of Word.

A short one is XML in the instruction of its field: `ADDIN EN.CITE <EndNote>…`. The XML of a longer one is the field's
data, in base64, and the data of one or more fields `ADDIN EN.CITE.DATA` within it: where it is very long, each of these
has a piece of it, and the field around them repeats the last.
"""

import base64
import re
from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from indexer.readers.markup import all_last_first
from manuscripts.bibliographies import entry_of_fields
from manuscripts.manuscript import Entry

_CITATION = re.compile(r"ADDIN\s+EN\.CITE\b(\.DATA\b)?", re.IGNORECASE)
_BEGIN, _END = "<EndNote", "</EndNote>"


def is_citation(instruction: str) -> bool:
    """Whether a field with this instruction is a citation, or holds the data of one."""
    return bool(_CITATION.match(instruction))


def is_data(instruction: str) -> bool:
    """Whether a field with this instruction holds data of the citation around it."""
    found = _CITATION.match(instruction)
    return bool(found and found[1])


def cited(instruction: str, own: str, nested: Sequence[str]) -> list[Entry]:
    """What a citation cites; nothing where its XML is missing or damaged.

    Args:
        instruction: Of its field.
        own: The data of its field.
        nested: The data of the fields within it.
    """
    for xml in _xml(instruction, own, nested):
        try:
            root = fromstring(xml)
        except (ParseError, DefusedXmlException, ValueError):
            continue
        return [_entry(cite) for cite in root.iterfind("Cite")]
    return []


def _xml(instruction: str, own: str, nested: Sequence[str]) -> Iterator[str]:
    """What may be the XML, the surest first; none is longer than the document."""
    yield _between(instruction)
    for pieces in (nested, (own,), (own, *nested)):
        yield _between(_decoded(pieces))


def _between(text: str) -> str:
    """The XML without what stands around it, such as a declaration."""
    return text[max(text.find(_BEGIN), 0) : text.rfind(_END) + len(_END)] if _END in text else ""


def _decoded(pieces: Sequence[str]) -> str:
    """Each piece is base64 by itself, while a character may begin in one and end in the next."""
    try:
        found = [base64.b64decode("".join(piece.split()), validate=True).rstrip(b"\0") for piece in pieces]
    except ValueError:
        return ""
    return b"".join(found).decode("utf-8", "replace")


def _entry(cite: Element) -> Entry:
    author, when = cite.findtext("Author") or "", cite.findtext("Year") or ""
    key = f"{author}{when}#{cite.findtext('RecNum') or ''}".replace(" ", "")

    def text(path: str) -> str:
        found = cite.find(f"record/{path}")
        return "".join(found.itertext()).strip() if found is not None else ""

    authors = all_last_first(["".join(name.itertext()) for name in cite.iterfind("record/contributors/authors/author")])
    venue = text("titles/secondary-title") or text("periodical/full-title")
    published = when or text("dates/year")
    return entry_of_fields(key, text("titles/title"), authors, published, venue, text("electronic-resource-num"))
