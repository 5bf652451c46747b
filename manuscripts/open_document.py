"""Manuscripts of LibreOffice (.odt): the text, and the citations of Zotero and of LibreOffice itself.

Zotero keeps what a field of Word would hold (`word_fields`) in the name of a reference mark, or in a property of the
document that a bookmark names, and LibreOffice the fields of a document of Word in marks of their own. Of its own
bibliography `text:bibliography-mark` has the fields of a work as attributes.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element

from indexer.readers.name_lists import listed_names
from manuscripts.bibliographies import entry_of_fields
from manuscripts.files import Files
from manuscripts.manuscript import Entry, Manuscript
from manuscripts.text_building import RAISED
from manuscripts.unpacking import contents, xml_parts
from manuscripts.word_fields import bookmarks_of_zotero, cited_in, is_bibliography, manager_of, note_damaged
from manuscripts.word_layout import laid_out
from manuscripts.word_lines import BREAK, LineReader
from manuscripts.word_parts import CONTENT

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}table"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_FIELD = "{urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0}"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
# Tracked changes hold what was deleted; pictures what is read out in their place.
_OF_TEXT = ("tracked-changes", "table-of-content", "note-citation", "ruby-text", "sequence-decls")
_SKIPPED = {f"{_SVG}title", f"{_SVG}desc", f"{_OFFICE}annotation", f"{_OFFICE}forms"}
_SKIPPED |= {f"{_TEXT}{name}" for name in _OF_TEXT}
_TEXTS = {f"{_TEXT}s": " ", f"{_TEXT}tab": " ", f"{_TEXT}line-break": BREAK}
_FIELD_START, _FIELD_END = f"{_FIELD}fieldmark-start", f"{_FIELD}fieldmark-end"
_STARTS = (f"{_TEXT}reference-mark-start", f"{_TEXT}bookmark-start", _FIELD_START)
_ENDS = (f"{_TEXT}reference-mark-end", f"{_TEXT}bookmark-end")
_KNOWN_STYLE = re.compile(r"(?:sub)?title|heading [1-6]|abstract.*|bibliography(?: 1)?")
_POINTS = re.compile(r"(\d{1,3}(?:\.\d{1,3})?)pt")
_LONGEST_CHAIN = 10  # of styles that are based on each other


class _Document(NamedTuple):
    styles: dict[str, str]  # name → that of the style that it is based on
    raised: frozenset[str]  # names of those of superscripts
    bold: dict[str, bool]  # name → whether it is one in bold, where it says so
    sizes: dict[str, float]  # name → points, where it says so
    bookmarks: dict[str, str]  # name → what a field would hold


class _Reader(LineReader[_Document]):
    def __init__(self, document: _Document) -> None:
        super().__init__(document)
        self._replaced = ""  # the name of the citation whose text is passed over
        self._cited: dict[str, list[list[str]]] = {}  # id of a note → what stands in its place

    def blocks(self, parent: Iterable[Element]) -> None:
        """All paragraphs below `parent`, those of lists and tables, too."""
        for child in parent:
            if child.tag in (f"{_TEXT}p", f"{_TEXT}h"):
                self._paragraph(child)
            elif child.tag == f"{_TEXT}bibliography" or is_bibliography(child.get(f"{_TEXT}name", "").strip()):
                self.made += [line.text for line in self._aside(child)]
            elif child.tag == _TABLE:
                self._table(child, f"{_TABLE}-row", f"{_TABLE}-cell")
            else:
                self.blocks(child)

    def _paragraph(self, paragraph: Element) -> None:
        name = paragraph.get(f"{_TEXT}style-name", "")
        self._inline(paragraph, self._document.bold.get(name, False))
        style = self._style(name)
        if paragraph.tag == f"{_TEXT}h" and style != "title":
            style = f"heading {paragraph.get(f'{_TEXT}outline-level', '1')}"
        first = next(iter(paragraph), None) if not paragraph.text else None
        shown = first.get(f"{_TEXT}style-name", "") if first is not None and first.tag == f"{_TEXT}span" else ""
        self.end_paragraph(style, self._document.sizes.get(shown) or self._size(name))

    def _size(self, name: str) -> float:
        sizes = (self._document.sizes[one] for one in self._chain(name) if one in self._document.sizes)
        return next(sizes, self._document.sizes.get("", 0))

    def _style(self, name: str) -> str:
        plain = (one.replace("_20_", " ").lower() for one in self._chain(name))
        return next(filter(_KNOWN_STYLE.fullmatch, plain), "")

    def _chain(self, name: str) -> Iterator[str]:
        """The name of a style and those of the styles that it is based on, the nearest first."""
        for _ in range(_LONGEST_CHAIN):
            yield name
            name = self._document.styles.get(name, "")

    def _inline(self, parent: Element, bold: bool) -> None:
        self._text(parent.text, bold)
        for child in parent:
            name = child.get(f"{_TEXT}name", "")
            if child.tag in _STARTS and not self._replaced:
                self._start(child, name)
            elif self._replaced and self._replaced == (name if child.tag in _ENDS else child.tag):
                self._replaced = ""
            elif child.tag == f"{_TEXT}bibliography-mark":
                self._cite("", [_work(child)])
            elif child.tag == f"{_TEXT}note":
                in_place = self._cited[child.get(f"{_TEXT}id", "")] = self._placed(self._aside(child))
                self._pieces.extend(in_place)
            elif child.tag == f"{_TEXT}note-ref":
                self._pieces.extend(self._cited.get(child.get(f"{_TEXT}ref-name", ""), ()))
            elif child.tag in (f"{_TEXT}p", f"{_TEXT}h"):  # of a frame
                self._asides += self._aside([child])
            elif child.tag in _TEXTS:
                self._text(_TEXTS[child.tag], bold)
            elif child.tag == f"{_TEXT}span" and child.get(f"{_TEXT}style-name") in self._document.raised:
                first = len(self._pieces)
                self._inline(child, bold)
                self._pieces[first:] = [
                    piece.translate(RAISED) if isinstance(piece, str) else piece for piece in self._pieces[first:]
                ]
            else:
                self._inline(child, self._document.bold.get(child.get(f"{_TEXT}style-name", ""), bold))
            self._text(child.tail, bold)

    def _text(self, text: str | None, bold: bool) -> None:
        if text and not self._replaced:
            self._pieces.append(text)
            self._track_bold(text, bold)

    def _start(self, mark: Element, name: str) -> None:
        """Of what may be a citation."""
        if mark.tag == _FIELD_START:
            self._cite(_FIELD_END, self._cited_in(_instruction(mark)))
        else:
            self._cite(name, self._cited_in(self._document.bookmarks.get(name, name)))

    def _cited_in(self, field: str) -> list[Entry]:
        manager = manager_of(field)
        entries = cited_in(field) if manager else []
        self.damaged.update([manager] if manager and not entries else [])
        return entries

    def _cite(self, name: str, entries: list[Entry]) -> None:
        """A citation, whose text goes to the end of the mark with this name, or to an end with this tag."""
        self.entries += entries
        if keys := [entry.key for entry in entries if entry.key]:
            self._pieces.append(keys)
            self._replaced = name


def read(files: Files, data: bytes) -> Manuscript:
    """The manuscript in an .odt file; citations that cannot be read are noted in `files`.

    Raises:
        SourceError: it is damaged, or expands beyond bounds.
    """
    parts = _parts(data)
    named = [
        (style.get(f"{_STYLE}name", ""), style) for part in parts.values() for style in part.iter(f"{_STYLE}style")
    ]
    styles = {name: style.get(f"{_STYLE}parent-style-name", "") for name, style in named}
    properties = parts.get("meta.xml", Element("none")).iter(f"{_META}user-defined")
    bookmarks = bookmarks_of_zotero((one.get(f"{_META}name", ""), "".join(one.itertext())) for one in properties)
    looks = [(name, look) for name, style in named for look in style.iter(f"{_STYLE}text-properties")]
    raised = frozenset(name for name, look in looks if look.get(f"{_STYLE}text-position", "").startswith("super"))
    bold = {name: weight == "bold" for name, look in looks if (weight := look.get(f"{_FO}font-weight"))}
    sizes = {
        name: float(found[1]) for name, look in looks if (found := _POINTS.fullmatch(look.get(f"{_FO}font-size", "")))
    }
    hidden = {name for name, look in looks if look.get(f"{_TEXT}display") == "none"}
    for element in [one for one in parts[CONTENT].iter() if _is_unseen(one, hidden)]:
        behind = element.tail
        element.clear()
        element.tail = behind
    reader = _Reader(_Document(styles, raised, bold, sizes, bookmarks))
    reader.blocks(parts[CONTENT].iterfind(f"{_OFFICE}body/{_OFFICE}text"))
    note_damaged(files, reader.damaged)
    return laid_out(reader)


def _is_unseen(element: Element, hidden: set[str]) -> bool:
    """Whether what an element holds is no text that readers see, as in the `hidden` styles."""
    says_so = element.get(f"{_TEXT}display") == "none" or element.get(f"{_TEXT}is-hidden") == "true"
    return says_so or element.tag in _SKIPPED or element.get(f"{_TEXT}style-name") in hidden


def _instruction(mark: Element) -> str:
    """That of a field of Word; "" where it has none."""
    code = next((one for one in mark if one.get(f"{_FIELD}name", "").endswith(".code")), mark)
    return code.get(f"{_FIELD}value", "")


def _work(mark: Element) -> Entry:
    """The work that a mark of LibreOffice's own bibliography describes."""

    def text(*attributes: str) -> str:
        return next((found for name in attributes if (found := mark.get(f"{_TEXT}{name}", "").strip())), "")

    authors, venue = listed_names(text("author", "editor")), text("journal", "booktitle", "publisher")
    title, name = text("title", "booktitle"), text("url", "note")
    return entry_of_fields(text("identifier"), title, authors, text("year"), venue, name)


def _parts(data: bytes) -> dict[str, Element]:
    wanted = (CONTENT, "styles.xml", "meta.xml")
    members = contents(data, "document", lambda every: (one for one in every if one.filename in wanted))
    return xml_parts(((member.filename, content) for member, content in members), CONTENT)
