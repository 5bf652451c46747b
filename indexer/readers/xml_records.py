"""Records of an XML file, one element at a time: parsed with defusedxml, bounded, namespaces left out.

Entities are refused and nothing is fetched. XML cannot be resumed: what follows damage is lost.
"""

from collections.abc import Collection, Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element, ParseError, TreeBuilder  # parsing is defusedxml's

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, iterparse

from indexer.readers import streams
from indexer.readers.base import Malformed
from indexer.readers.head import Head
from indexer.readers.streams import TextFile

MAX_ELEMENTS = 500_000  # of one record; the longest author and reference lists have a tenth
MAX_DEPTH = 200  # elements within each other; full texts with nested lists and tables have 40
# XML has no control characters; EndNote writes them all the same, and a parser would stop there.
_VALID = bytes(byte if byte >= 32 or byte in b"\t\n\r" else 32 for byte in range(256))
_CHUNK = 1 << 14  # little, for what a parser makes of a chunk cannot be bounded


def is_xml(head: Head, *marks: bytes) -> bool:
    """Whether the file is XML, or HTML, and all `marks` are in its beginning."""
    return head.data.lstrip()[:1] == b"<" and all(mark in head.data for mark in marks)


def xml_records(file: TextFile, names: Collection[str] | None) -> Iterator[tuple[str, Element | Malformed]]:
    """Place and element of every record: an element of one of these names that stands in no other record.

    With None, the records are the children of the root. Names of elements, but not of attributes, are without their
    namespaces. An element that is handed on is emptied before the next one.
    """
    number, elements = 1, 0
    bounded = _Bounded(file.body)
    # The text is UTF-8 here whatever its declaration says.
    parser = DefusedXMLParser(target=TreeBuilder(), encoding="utf-8", forbid_entities=True, forbid_external=True)
    try:
        around: list[Element] = []  # the elements that are open, the root first
        inside: Element | None = None  # the record that is open
        event: str
        element: Element
        for event, element in iterparse(bounded, events=("start", "end"), parser=parser):
            if event == "start":
                element.tag = element.tag.rpartition("}")[2]
                if inside is None and (len(around) == 1 if names is None else element.tag in names):
                    inside = element
                around.append(element)
                elements += 1
                if elements > MAX_ELEMENTS:
                    raise ValueError(f"more than {MAX_ELEMENTS:,} elements in one record")
                if len(around) > MAX_DEPTH:
                    raise ValueError(f"elements within each other, more than {MAX_DEPTH} deep")
                continue
            around.pop()
            if element is inside:
                yield f"record {number}", element
                number, elements, inside = number + 1, 0, None
                bounded.since_record = 0
                element.clear()
                if around:
                    around[-1].clear()
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        yield f"record {number}", Malformed(f"{_reason(error)}; nothing after it could be read")


def text(element: Element | None) -> str:
    """All text within, whatever italics and superscripts stand around parts of it; "" for None."""
    return "" if element is None else "".join(element.itertext()).strip()


def first_text(element: Element, *paths: str) -> str:
    """The `text` at the first of these paths that has any; "" without one."""
    return next((found for path in paths if (found := text(element.find(path)))), "")


def found_at(element: Element, path: str) -> Element:
    """The first element at a path; an empty one where there is none."""
    found = element.find(path)
    return Element("none") if found is None else found


def running_text(element: Element | None, blocks: Collection[str], without: Collection[str] = ()) -> str:
    """All text within, with a space around the elements named in `blocks`, and without those named in `without`."""
    if element is None:
        return ""
    pieces: list[str] = []
    _collect(element, blocks, without, pieces)
    return " ".join("".join(pieces).split())


def _collect(element: Element, blocks: Collection[str], without: Collection[str], pieces: list[str]) -> None:
    pieces.append(element.text or "")
    for child in element:
        if child.tag not in without:
            space = " " if child.tag in blocks else ""
            pieces.append(space)
            _collect(child, blocks, without, pieces)
            pieces.append(space)
        pieces.append(child.tail or "")


def _reason(error: Exception) -> str:
    if isinstance(error, DefusedXmlException):
        return f"the XML declares entities, which is refused ({type(error).__name__})"
    return f"no valid XML: {error}" if isinstance(error, ParseError) else str(error)


class _Bounded:
    """Stops the parser when one record takes too much."""

    def __init__(self, body: BinaryIO) -> None:
        self._body = body
        self.since_record = 0

    def read(self, size: int = -1) -> bytes:
        data = self._body.read(min(size, _CHUNK) if size > 0 else _CHUNK)
        self.since_record += len(data)
        if self.since_record > streams.MAX_RECORD_BYTES:
            raise ValueError(streams.too_long())
        return data.translate(_VALID)
