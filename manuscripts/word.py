"""Manuscripts of Word (.docx): the text, and the citations that reference managers and Word keep in fields."""

import io
import re
import zipfile
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from common.errors import SourceError
from common.words import counted
from manuscripts import endnote
from manuscripts.bibliographies import once
from manuscripts.files import Files
from manuscripts.limits import MAX_FILES
from manuscripts.manuscript import Entry, Manuscript
from manuscripts.unpacking import contents
from manuscripts.word_fields import cited_in, is_bibliography, of_content_control, sources_of_word
from manuscripts.word_layout import Line, entries_of, laid_out

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DOCUMENT = "word/document.xml"
_SKIPPED = frozenset(
    (f"{_W}del", f"{_W}moveFrom", "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback")
)


def looks_like(data: bytes) -> bool:
    """Is it a document of Word?"""
    if not data.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _DOCUMENT in archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        return False


_HEADING_STYLE = re.compile(r"heading ?[1-6]")
# Word's own, and those of the templates of MDPI, Elsevier, Springer, IEEE and ACM.
_TITLE_STYLE = re.compile(r"(?:mdpi_[\d.]+_|els-|paper ?)?title(?:_document)?")
_LEVELS = tuple("012345")  # of outlines; 9 is running text
_LONGEST_CHAIN = 10  # of styles that are based on each other
# What an element is as text; "" for what it holds.
_TEXTS = {f"{_W}t": "", f"{_W}tab": " ", f"{_W}br": " ", f"{_W}cr": " ", f"{_W}noBreakHyphen": "-"}


@dataclass(slots=True)
class _Field:
    """A field of Word while it is read."""

    instruction: list[str] = field(default_factory=list)
    result: list[str | list[str]] = field(default_factory=list)  # text, and keys of citations within it
    data: str = ""
    nested: list[str] = field(default_factory=list)  # data of fields of EndNote within it
    separated: bool = False

    @property
    def text(self) -> str:
        """Its instruction."""
        return "".join(self.instruction).strip()


class _Reader:
    def __init__(self, styles: dict[str, str], hidden: Container[str | None], notes: dict[str, Element]) -> None:
        self._styles = styles
        self._hidden = hidden  # ids of styles
        self._notes = notes
        self._fields: list[_Field] = []  # open ones, which may span paragraphs
        self._pieces: list[str | list[str]] = []
        self._asides: list[Element] = []
        self.lines: list[Line] = []
        self.entries: list[Entry] = []
        self.made: list[str] = []  # lines of reference lists that reference managers made
        self.damaged = 0  # citations whose data could not be read

    def blocks(self, parent: Element) -> None:
        """All paragraphs below `parent`, those of tables and boxes, too."""
        for child in parent:
            if child.tag == f"{_W}p":
                self._paragraph(child)
            elif child.tag == f"{_W}sdt":
                self._control(child, self.blocks)
            elif child.tag not in _SKIPPED:
                self.blocks(child)

    def _paragraph(self, paragraph: Element) -> None:
        self._inline(paragraph)
        if paragraph.find(f"{_W}pPr/{_W}rPr/{_W}del") is not None:
            return  # its end is deleted, with changes tracked: it goes on in the next paragraph, with that one's style
        if self._fields:
            self._fields[-1].result.append("\n")  # the field goes on in the next paragraph
        self.end_paragraph(_value(paragraph, f"{_W}pPr/{_W}pStyle"))

    def end_paragraph(self, style: str = "") -> None:
        """What was read since the last one is a paragraph of this style, and its notes stand behind it."""
        pieces, self._pieces = tuple(self._pieces), []
        if pieces:
            self.lines.append(Line(self._styles.get(style, style).lower(), pieces))
        asides, self._asides = self._asides, []
        for aside in asides:
            self.blocks(aside)

    def _inline(self, parent: Element) -> None:
        hidden = _hides(parent, _value(parent, f"{_W}rPr/{_W}rStyle") in self._hidden)
        for child in parent:
            kind = child.tag
            if kind in _TEXTS and not hidden:
                self._text(_TEXTS[kind] or child.text or "")
            elif kind == f"{_W}instrText" and self._fields:
                self._fields[-1].instruction.append(child.text or "")
            elif kind == f"{_W}fldChar":
                self._field_mark(child)
            elif kind == f"{_W}fldSimple":
                self._fields.append(_Field([child.get(f"{_W}instr", "")], separated=True, data=_data(child)))
                self._inline(child)
                self._end_field()
            elif kind == f"{_W}sdt":
                self._control(child, self._inline)
            elif kind in (f"{_W}footnoteReference", f"{_W}endnoteReference"):
                note = self._notes.pop(f"{kind[len(_W) : -9]}{child.get(f'{_W}id')}", None)
                self._asides += [note] if note is not None else []
            elif kind == f"{_W}p":  # of a text box
                holder = Element("holder")
                holder.append(child)
                self._asides.append(holder)
            elif kind not in _SKIPPED and kind != f"{_W}pPr":
                self._inline(child)

    def _text(self, text: str) -> None:
        if not self._fields:
            self._pieces.append(text)
        elif self._fields[-1].separated:
            self._fields[-1].result.append(text)

    def _cite(self, entries: list[Entry]) -> None:
        self.entries += entries
        keys = [entry.key for entry in entries]
        if keys:
            (self._fields[-1].result if self._fields else self._pieces).append(keys)

    def _field_mark(self, mark: Element) -> None:
        kind = mark.get(f"{_W}fldCharType", "")
        if kind == "begin":
            self._fields.append(_Field(data=_data(mark)))
        elif kind == "separate" and self._fields:
            self._fields[-1].separated = True
        elif kind == "end" and self._fields:
            self._end_field()

    def _end_field(self) -> None:
        ended = self._fields.pop()
        around = self._fields[-1] if self._fields else None
        instruction = ended.text
        if around and endnote.is_data(instruction) and endnote.is_citation(around.text):
            around.nested.append(ended.data)
        elif entries := self._cited_in(ended):
            self._cite(entries)
        elif is_bibliography(instruction):
            self.made += "".join(piece for piece in ended.result if isinstance(piece, str)).split("\n")
        else:
            (around.result if around else self._pieces).extend(ended.result)

    def _cited_in(self, ended: _Field) -> list[Entry]:
        if not endnote.is_citation(ended.text):
            return cited_in(ended.text)
        entries = endnote.cited(ended.text, ended.data, ended.nested)
        self.damaged += not entries
        return entries

    def _control(self, control: Element, read: Any) -> None:
        """A content control, in which the newer Mendeley keeps its citations, and Word its bibliography."""
        content = control.find(f"{_W}sdtContent")
        entries, replaced = of_content_control(_value(control, f"{_W}sdtPr/{_W}tag"))
        if replaced:
            self._cite(entries)
        elif content is not None:
            read(content)


def read(files: Files, data: bytes) -> Manuscript:
    """The manuscript in a .docx file; citations that cannot be read are noted in `files`.

    Raises:
        SourceError: it is damaged, or expands beyond bounds.
    """
    parts = _parts(data)
    notes = {
        f"{kind}{note.get(f'{_W}id')}": note
        for kind in ("footnote", "endnote")
        for note in parts.get(f"word/{kind}s.xml", Element("none"))
    }
    styles = parts.get("word/styles.xml", Element("none"))
    hidden = {style.get(f"{_W}styleId") for style in styles if _hides(style)}
    reader = _Reader(_styles(styles), hidden, notes)
    reader.blocks(parts[_DOCUMENT])
    reader.end_paragraph()
    if reader.damaged:
        files.note(f"not read: {counted(reader.damaged, 'citation')} of EndNote, whose data is missing or damaged")
    sources = [
        entry for name, part in parts.items() if name.startswith("customXml/") for entry in sources_of_word(part)
    ]
    used = {entry.key for entry in reader.entries}
    entries = tuple(entry for entry in once([*sources, *reader.entries]) if entry.readings)
    title, abstract, sections, printed = laid_out(reader.lines)
    printed = printed or entries_of(reader.made)
    return Manuscript(title, abstract, sections, entries if used or not printed else printed)


def _data(mark: Element) -> str:
    return mark.findtext(f"{_W}fldData") or ""


def _hides(holder: Element, otherwise: bool = False) -> bool:
    """Whether the look of a run or a style hides its text; `otherwise` where it does not say so."""
    found = holder.find(f"{_W}rPr/{_W}vanish")
    return otherwise if found is None else found.get(f"{_W}val", "true") not in ("0", "false", "off")


def _styles(part: Element) -> dict[str, str]:
    """Names of the styles by id; an id is in the language of whoever made the document, a name of Word's own is not."""
    styles = {style.get(f"{_W}styleId", ""): style for style in part}
    return {id_: _style(id_, styles) for id_, style in styles.items() if style.find(f"{_W}name") is not None}


def _style(id_: str, styles: dict[str, Element]) -> str:
    """What a style is called; one of a template as the heading or title of Word's own that it stands for."""
    own = _value(styles[id_], f"{_W}name")
    for _ in range(_LONGEST_CHAIN):
        style = styles.get(id_)
        if style is None:
            break
        name = _value(style, f"{_W}name").lower()
        if _HEADING_STYLE.fullmatch(name):
            return name
        if _TITLE_STYLE.fullmatch(name):
            return "title"
        if level := _value(style, f"{_W}pPr/{_W}outlineLvl"):
            return f"heading {int(level) + 1}" if level in _LEVELS else own
        id_ = _value(style, f"{_W}basedOn")
    return own


def _value(parent: Element, path: str) -> str:
    found = parent.find(path)
    return found.get(f"{_W}val", "") if found is not None else ""


def _parts(data: bytes) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for member, content in contents(data, "document", lambda every: filter(_is_part, every[:MAX_FILES])):
        try:
            found[member.filename] = fromstring(content)
        except (ParseError, DefusedXmlException) as error:
            if member.filename == _DOCUMENT:
                raise SourceError(f"the document is damaged ({type(error).__name__})") from None
    if _DOCUMENT not in found:
        raise SourceError("the document is damaged: it has no text")
    return found


def _is_part(member: zipfile.ZipInfo) -> bool:
    wanted = r"word/(?:document|styles|footnotes|endnotes)\.xml|customXml/item\d+\.xml"
    return bool(re.fullmatch(wanted, member.filename))
