"""The parts of a document of Word that its text and citations are in; what is one, and what is one of LibreOffice."""

import re
from contextlib import suppress
from xml.etree.ElementTree import Element

from common.errors import SourceError
from manuscripts.limits import MAX_FILES
from manuscripts.unpacking import contents, names_in, xml_parts
from manuscripts.word_styles import W

DOCUMENT = "word/document.xml"
CONTENT = "content.xml"  # that of a document of LibreOffice
_MIMETYPE = b"application/vnd.oasis.opendocument.text"
KIND = f"{W}fldCharType"
# Word's online edition numbers some: word/document2.xml.
_OF_TEXT = re.compile(r"(word/(?:document|styles|footnotes|endnotes))\d*(\.xml)")
_OTHER = re.compile(r"customXml/item\d+\.xml|docProps/custom\.xml")
# Names that a document "Strict Open XML" has in place of the usual ones.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(wordprocessingml|officeDocument)/(?=main|bibliography|math)")
_USUAL = rb"http://schemas.openxmlformats.org/\1/2006/"
_DROPPED = frozenset(
    (f"{W}del", f"{W}moveFrom", "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback")
)


def is_of_word(data: bytes) -> bool:
    """Is it a document of Word?"""
    return any(_called(name) == DOCUMENT for name in names_in(data))


def is_open_document(data: bytes) -> bool:
    """Is it a text document of LibreOffice?"""
    with suppress(SourceError):
        kinds = contents(data, "document", lambda every: (one for one in every if one.filename == "mimetype"))
        return any(kind.startswith(_MIMETYPE) for _, kind in kinds) and CONTENT in names_in(data)
    return False


def parts_of(data: bytes) -> dict[str, Element]:
    """The parts by their usual names, such as `DOCUMENT`, without what was deleted, and with fields that all end.

    Raises:
        SourceError: the document is damaged, or expands beyond bounds.
    """
    members = contents(data, "document", lambda every: (one for one in every[:MAX_FILES] if _called(one.filename)))
    read = ((_called(one.filename), _STRICT.sub(_USUAL, content)) for one, content in members)
    return {name: _without_deletions(part) for name, part in xml_parts(read, DOCUMENT).items()}


def _called(name: str) -> str:
    """The usual name of a part; "" for one that is not needed."""
    if of_text := _OF_TEXT.fullmatch(name):
        return f"{of_text[1]}{of_text[2]}"
    return name if _OTHER.fullmatch(name) else ""


def _without_deletions(part: Element) -> Element:
    """A part without what was deleted, and without begins of what does not end: it would hold all that follows."""
    for parent in [one for one in part.iter() if one.tag != f"{W}rPr"]:  # where it says that a paragraph's end is so
        if any(child.tag in _DROPPED for child in parent):
            parent[:] = [child for child in parent if child.tag not in _DROPPED]
    begun: list[Element] = []
    for mark in part.iter(f"{W}fldChar"):
        if mark.get(KIND) == "begin":
            begun.append(mark)
        elif mark.get(KIND) == "end" and begun:
            begun.pop()
    ended = {mark.get(f"{W}id") for mark in part.iter(f"{W}bookmarkEnd")}
    for mark in (*begun, *(one for one in part.iter(f"{W}bookmarkStart") if one.get(f"{W}id") not in ended)):
        mark.attrib.clear()
    return part
