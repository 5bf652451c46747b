"""Manuscripts of Word (.docx): the text, and the citations that reference managers and Word keep in fields."""

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from manuscripts import endnote
from manuscripts import word_fields as fields
from manuscripts.files import Files
from manuscripts.manuscript import Entry, Manuscript
from manuscripts.text_building import RAISED
from manuscripts.word_layout import laid_out
from manuscripts.word_lines import BREAK, Line, LineReader
from manuscripts.word_parts import DOCUMENT, KIND, parts_of
from manuscripts.word_styles import W, has_property, in_outline, size_of, sizes_of, styles_of, symbol, value

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
# What an element is as text; "" for what it holds.
_TEXTS = {
    f"{W}t": "",
    f"{_MATH}t": "",
    f"{W}sym": "",
    f"{W}tab": " ",
    f"{W}br": BREAK,
    f"{W}cr": BREAK,
    f"{W}noBreakHyphen": "-",
}


@dataclass(slots=True)
class _Field:
    """A field of Word while it is read."""

    instruction: list[str] = field(default_factory=list)
    result: list[str | list[str]] = field(default_factory=list)  # text, and keys of citations within it
    data: str = ""
    nested: list[str] = field(default_factory=list)  # data of fields of EndNote within it
    separated: bool = False
    replaced: bool = False  # whether something else may stand in the place of its result, which else is text

    @property
    def text(self) -> str:
        """Its instruction."""
        return "".join(self.instruction).strip()

    def separate(self) -> "_Field":
        """What follows is its result."""
        self.separated = True
        self.replaced = endnote.is_citation(self.text) or fields.may_be_replaced(self.text)
        return self


class _Document(NamedTuple):
    styles: dict[str, str]  # id → name
    sizes: dict[str, float]  # id → size
    hidden: Container[str | None]  # ids of styles, as in the next two
    bold: Container[str | None]
    raised: Container[str | None]
    notes: dict[str, Element]
    bookmarks: dict[str, str]  # name → the instruction of a field


class _Reader(LineReader[_Document]):
    def __init__(self, document: _Document) -> None:
        super().__init__(document)
        self._open_bookmarks: dict[str | None, str] = {}  # id → name
        self._cited: dict[str, list[list[str]]] = {}  # name of a bookmark → what stands in the place of its note
        self._fields: list[_Field] = []  # open ones, which may span paragraphs

    def blocks(self, parent: Iterable[Element]) -> None:
        """All paragraphs below `parent`, those of tables and boxes, too."""
        for child in parent:
            if child.tag == f"{W}p":
                self._paragraph(child)
            elif child.tag == f"{W}sdt":
                self._control(child, self.blocks)
            elif child.tag == f"{W}tbl":
                self._table(child, f"{W}tr", f"{W}tc")
            elif child.tag in _MARKS:
                _MARKS[child.tag](self, child)
            else:
                self.blocks(child)

    def _paragraph(self, paragraph: Element) -> None:
        self._inline(paragraph)
        if paragraph.find(f"{W}pPr/{W}rPr/{W}del") is not None:
            return  # its end is deleted, with changes tracked: it goes on in the next paragraph, with that one's style
        if self._read is not self._pieces:
            self._read.append("\n")  # the field goes on in the next paragraph
        id_ = value(paragraph, f"{W}pPr/{W}pStyle")
        style = self._document.styles.get(id_, id_).lower()
        size = size_of(paragraph, self._document.sizes)
        self.end_paragraph(style if style == "title" else in_outline(paragraph) or style, size)

    def _inline(self, parent: Element) -> None:
        style = value(parent, f"{W}rPr/{W}rStyle")
        hidden = has_property(parent, "vanish", style in self._document.hidden)
        bold = has_property(parent, "b", style in self._document.bold)
        hidden |= parent.find(f"*[@{W}customMarkFollows]") is not None  # which is all that the run shows
        aligned = value(parent, f"{W}rPr/{W}vertAlign")
        raised = aligned == "superscript" or (not aligned and style in self._document.raised)
        for child in parent:
            kind = child.tag
            if kind in _TEXTS and not hidden:
                text = _TEXTS[kind] or child.text or symbol(child)
                self._text(text.translate(RAISED) if raised else text, bold)
            elif kind == f"{W}instrText" and self._fields:
                self._fields[-1].instruction.append(child.text or "")
            elif kind in _MARKS:
                _MARKS[kind](self, child)
            elif kind == f"{W}sdt":
                self._control(child, self._inline)
            elif kind in (f"{W}footnoteReference", f"{W}endnoteReference"):
                note = self._document.notes.pop(f"{kind[len(W) : -9]}{child.get(f'{W}id')}", None)
                self._note(self._aside(note) if note is not None else [])
            elif kind == f"{W}p":  # of a text box
                self._asides += self._aside([child])
            elif kind != f"{W}pPr":
                self._inline(child)

    def _note(self, lines: list[Line]) -> None:
        in_place = self._placed(lines)
        self._read.extend(in_place)
        self._cited.update(dict.fromkeys(self._open_bookmarks.values(), in_place))

    def _text(self, text: str, bold: bool) -> None:
        self._track_bold(text, bold)
        if not self._fields or self._fields[-1].separated:
            self._read.append(text)

    @property
    def _read(self) -> list[str | list[str]]:
        """What is read now: the result of a field that may be replaced, or else the paragraph."""
        return next((one.result for one in reversed(self._fields) if one.replaced), self._pieces)

    def _power(self, power: Element) -> None:
        """What is set high in an equation, as of LaTeX."""
        if "".join(power.itertext()).strip():  # a sum has an empty one
            self._text("^", False)
        self._inline(power)

    def _cite(self, entries: list[Entry]) -> None:
        self.entries += entries
        keys = [entry.key for entry in entries]
        if keys:
            self._read.append(keys)

    def _field_mark(self, mark: Element) -> None:
        kind = mark.get(KIND)
        if kind == "begin":
            self._fields.append(_Field(data=_data(mark)))
        elif kind == "separate" and self._fields:
            self._fields[-1].separate()
        elif kind == "end" and self._fields:
            self._end_field()

    def _simple_field(self, simple: Element) -> None:
        around = len(self._fields)
        self._fields.append(_Field([simple.get(f"{W}instr", "")], data=_data(simple)).separate())
        self._inline(simple)
        if len(self._fields) > around:  # the end of another field, within it, has not ended it
            self._end_field()

    def _bookmark(self, mark: Element) -> None:
        """The begin or the end of one; that of a citation is a field."""
        identity, name = mark.get(f"{W}id"), mark.get(f"{W}name")
        if name is not None:
            self._open_bookmarks[identity] = name
            if name in self._document.bookmarks:
                self._fields.append(_Field([self._document.bookmarks[name]]).separate())
        elif self._open_bookmarks.pop(identity, "") in self._document.bookmarks and self._fields:
            self._end_field()

    def _end_field(self) -> None:
        ended = self._fields.pop()
        around = self._fields[-1] if self._fields else None
        instruction = ended.text
        if around and endnote.is_data(instruction) and endnote.is_citation(around.text):
            around.nested.append(ended.data)
        elif entries := self._cited_in(ended):
            self._cite(entries)
        elif fields.is_bibliography(instruction):
            self.made += "".join(piece for piece in ended.result if isinstance(piece, str)).split("\n")
        else:
            of_notes = [keys for name in instruction.split() for keys in self._cited.get(name, ())]
            self._read.extend(of_notes if fields.shows_no_text(instruction) else ended.result)

    def _cited_in(self, ended: _Field) -> list[Entry]:
        of_endnote = endnote.is_citation(ended.text)
        entries = endnote.cited(ended.text, ended.data, ended.nested) if of_endnote else fields.cited_in(ended.text)
        if not entries and (manager := "EndNote" if of_endnote else fields.manager_of(ended.text)):
            self.damaged[manager] += 1
        return entries

    def _control(self, control: Element, read: Any) -> None:
        """A content control, in which the newer Mendeley keeps its citations, and Word its bibliography."""
        content = control.find(f"{W}sdtContent")
        entries, replaced = fields.of_content_control(value(control, f"{W}sdtPr/{W}tag"))
        if replaced:
            self._cite(entries)
        elif content is not None and control.find(f"{W}sdtPr/{W}showingPlcHdr") is None:  # "[Document title]"
            read(content)


_MARKS = {
    f"{W}fldChar": _Reader._field_mark,
    f"{W}fldSimple": _Reader._simple_field,
    f"{W}bookmarkStart": _Reader._bookmark,
    f"{W}bookmarkEnd": _Reader._bookmark,
    f"{_MATH}sup": _Reader._power,
}


def read(files: Files, data: bytes) -> Manuscript:
    """The manuscript in a .docx file; citations that cannot be read are noted in `files`.

    Raises:
        SourceError: it is damaged, or expands beyond bounds.
    """
    parts = parts_of(data)
    notes = {
        f"{kind}{note.get(f'{W}id')}": note
        for kind in ("footnote", "endnote")
        for note in parts.get(f"word/{kind}s.xml", Element("none"))
    }
    styles = parts.get("word/styles.xml", Element("none"))
    hidden, bold = ({one.get(f"{W}styleId") for one in styles if has_property(one, how)} for how in ("vanish", "b"))
    raised = {one.get(f"{W}styleId") for one in styles if value(one, f"{W}rPr/{W}vertAlign") == "superscript"}
    properties = parts.get("docProps/custom.xml", Element("none"))
    bookmarks = fields.bookmarks_of_zotero((one.get("name", ""), "".join(one.itertext())) for one in properties)
    reader = _Reader(_Document(styles_of(styles), sizes_of(styles), hidden, bold, raised, notes, bookmarks))
    reader.blocks(parts[DOCUMENT])
    reader.end_paragraph()
    fields.note_damaged(files, reader.damaged)
    sources = [
        entry for name, part in parts.items() if name.startswith("customXml/") for entry in fields.sources_of_word(part)
    ]
    return laid_out(reader, sources)


def _data(mark: Element) -> str:
    return mark.findtext(f"{W}fldData") or ""
