"""The text of a manuscript in Typst → sections, paragraphs, citations, and what its template is told."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace

from common.errors import SourceError
from manuscripts.manuscript import Form, Paragraph, Section
from manuscripts.text_building import TextBuilder, only_refers
from manuscripts.typst import scanning
from manuscripts.typst.scanning import NAME, PASSED, STRING
from manuscripts.typst.scope import LABEL, Scope, folder_of

_MARKUP = re.compile(
    rf"(?P<escape>\\(?:u\{{([0-9a-fA-F]{{1,6}})\}}|.))|(?P<passed>{PASSED})|(?P<label>{LABEL})"
    r"|@(?P<key>[\w-](?:[\w:.-]*[\w-])?)|#(?P<code>(?=[^\W\d]|[({\[\"]))|^[ \t]*(?P<heading>=+)[ \t]+"
    r"|(?P<end>^[ \t]*(?:[-+/]|\d+\.)[ \t]|\n[ \t]*\n\s*)|(?P<sign>\*|(?<!\w)_|_(?!\w)|~|-\?|---?)",
    re.MULTILINE | re.DOTALL,
)
_DISPLAY = re.compile(r"\$\s.*\s\$", re.DOTALL)
_SIGNS = {"~": " ", "--": "–", "---": "—"}
_CODE = re.compile(rf"{STRING}|{PASSED}|(?P<content>\[)|(?P<name>show|{NAME}(?!\s*(?::|=>)|[\w-]))", re.DOTALL)
_DEFINED = re.compile(rf"\s*({NAME})\s*=\s*(.*)", re.DOTALL)
# Functions of the manuscript's own that are notes: `let fn(body) = [#footnote(body)]`, and those of packages.
_NOTE = re.compile(rf"\s*({NAME})\s*(?:\([^()]*\))?\s*=(?:[^=]*=>)?[\s#\[{{(]*footnote(?![\w-])")
_TEMPLATE = re.compile(rf":.*?{NAME}\(", re.DOTALL)
_POINTS = re.compile(r"(\d+)(?:\.\d+)?pt")
_KEY = re.compile(rf"{LABEL}|\blabel\(\s*\"([^\"\n]+)\"")
_OLDER_KEY = re.compile(r"()\"([^\"\n]+)\"")  # of Typst before 0.9
# A label of a figure or the like that is defined in a file that is not read.
_CROSS_REFERENCE = re.compile(r"(?:fig|tab|tbl|eqt?|sec|lst|alg|thm|lem|def|app)[:-]")
_ENGLISH = re.compile(r"abstract[-_]?en", re.IGNORECASE)  # of a thesis that has one in another language, too
_IMPORTED = re.compile(r"\s*\"([^\"\n@]+)\"(?:\s+as\s+([\w-]+))?")
_TERM = re.compile(r"a?gls[\w-]*|r?acr(?:f?pl|f)?", re.IGNORECASE)  # functions of packages for glossaries and acronyms
_FORMS: dict[str, Form] = {"prose": "text", "author": "author", "year": "year"}
_SILENT = frozenset(("bibliography", "image", "raw", "lorem", "outline", "read", "counter", "state", "query", "strike"))
_BLOCKS = frozenset(("align", "block", "figure", "table", "grid", "quote", "pad", "columns", "rect", "place", "par"))
_TOLD = frozenset(("title", "author", "authors", "abstract", "subtitle", "keywords", "date"))  # to a template
_LARGE, _DEEPEST = 14, 5  # points of a title; variables in variables


class Text:
    """Walks through a source and calls a builder with what it finds."""

    def __init__(self, scope: Scope, depth: int = 0) -> None:
        self._scope = scope
        self._depth = depth
        self._builder = TextBuilder()
        self._asides: list[str] = []  # sources
        self._notes: list[Paragraph] = []

    def sections(self) -> tuple[Section, ...]:
        """What was found."""
        self._end_paragraph()
        return self._builder.sections()

    def paragraphs_of(self, source: str) -> tuple[Paragraph, ...]:
        """Those of an argument by itself: content, a string, or a variable."""
        other = Text(self._scope, self._depth + 1)
        other._value(source)
        return tuple(paragraph for section in other.sections() for paragraph in section.paragraphs)

    def markup(self, text: str) -> None:
        """Content."""
        place = 0
        while found := _MARKUP.search(text, place):
            self._builder.text(text[place : found.start()])
            place = found.end()
            if found.lastgroup == "code":
                place = scanning.code_end(text, place)
                self._code(text[found.end() : place])
                place += text[place : place + 1] == ";"
            elif found["heading"]:
                place = (text.find("\n", place) + 1 or len(text) + 1) - 1
                self._heading(f"[{text[found.end() : place]}]", len(found["heading"]))
            elif found["key"]:
                self._mark([found["key"]])
                place = scanning.group_end(text, place) if text[place : place + 1] == "[" else place
            elif found["end"]:
                self._end_paragraph()
            else:
                self._token(found, text)
        self._builder.text(text[place:])

    def _token(self, found: re.Match[str], text: str) -> None:
        """Text, or a formula; one on a line of its own is no part of a sentence that ended, nor of the next one."""
        is_display = _DISPLAY.fullmatch(found[0]) is not None
        if is_display and self._builder.sentence_ended:
            self._end_paragraph()
        self._builder.text(_plain(found))
        if is_display and text[found.end() :].lstrip()[:1].isupper() and not found[0].rstrip("$ \n").endswith(","):
            self._end_paragraph()

    def _code(self, text: str, apart: bool = False) -> None:
        """The contents in a piece of code; `apart` where each is a paragraph."""
        place = 0
        while found := _CODE.search(text, place):
            place = found.end()
            if found["content"]:
                place = scanning.group_end(text, found.start())
                self._content(text[found.end() : place - 1], apart)
            elif (name := found["name"]) in scanning.STATEMENTS:
                start, place = place, scanning.code_end(text, found.start())
                self._statement(name, text[start:place])
            elif name == "else":
                self._builder.text(" ")
            elif name:
                place = scanning.code_end(text, found.start())
                self._call(text[found.start() : place])

    def _content(self, text: str, apart: bool) -> None:
        if apart:
            self._end_paragraph()
        self.markup(text)
        if apart:
            self._end_paragraph()

    def _value(self, source: str) -> None:
        if re.fullmatch(STRING, source, re.DOTALL):
            self._builder.text(re.sub(r"\\(.)", r"\1", source[1:-1]))
        else:
            self._code(source)

    def _statement(self, word: str, source: str) -> None:
        told = self._scope.told
        if word in scanning.BRANCHES:
            self._code(source[scanning.block_start(source, 0) :])
        elif word in ("context", "return"):
            self._code(source)
        elif word == "let" and (note := _NOTE.match(source)):
            self._scope.notes.add(note[1].lower())
        elif word == "let" and (defined := _DEFINED.match(source)):
            self._scope.variables[defined[1]] = defined[2].strip()
        elif word == "include":
            self._include(source.strip())
        elif word == "import" and (imported := _IMPORTED.match(source)):
            self._import(*imported.groups())
        elif word == "set" and source.lstrip().startswith("document("):
            opening = source.index("(")
            _, named = scanning.arguments(source[opening + 1 : scanning.group_end(source, opening) - 1])
            told |= {name: named[name] for name in ("title", "author") if name in named}
        elif word == "show" and (call := _TEMPLATE.match(source)):
            self._template(source[call.end() : scanning.group_end(source, call.end() - 1) - 1])

    def _template(self, inner: str) -> None:
        told = self._scope.told
        for name, source in scanning.arguments(inner)[1].items():
            if _ENGLISH.match(name):
                told["abstract"] = source
            elif name in _TOLD or name.startswith("abstract"):
                told.setdefault(name if name in _TOLD else "abstract", source)
            elif "@" in source or "#" in source or "include" in source:  # else a setting, as the word for figures
                self._asides.append(source)

    def _call(self, source: str) -> None:
        """A call, or a variable."""
        name, *groups = scanning.parted(source)
        last = name.rpartition(".")[2].lower()
        inner = next((group[1:-1] for group in groups if group[0] == "("), "")
        content = "".join(group for group in groups if group[0] == "[")
        plain, named = scanning.arguments(inner)
        if not groups:
            self._variable(name)
        elif "cite" in last or last == "ref":
            self._citation(", ".join(plain), named.get("form", "").strip('"'))
        elif last in self._scope.notes:
            self._note(content or inner)
        elif last == "heading":
            level = named.get("level", "1")
            self._heading(content or inner, int(level) if level.isdecimal() else 1)
        elif last in ("title", "abstract"):
            if value := content or "".join(plain[:1]):
                self._scope.told.setdefault(last, value)
        elif "abstract" in named or ("title" in named and named.keys() & {"author", "authors"}):
            self._template(inner)
            self._code(content, True)
        elif not (
            last in _SILENT
            or self._is_term(last, plain)
            or (last == "text" and self._is_title(content or "".join(plain[-1:]), plain, named))
        ):
            if label := _KEY.match(named.get("attribution", "")):
                content = content.removesuffix("]") + f" #cite({label[0]})]"
            self._builder.mark(self._works_among(plain))
            self._code(inner + content, last in _BLOCKS)

    def _works_among(self, plain: list[str]) -> list[str]:
        """The keys of entries that a function of the manuscript's own is told, which may cite them."""
        labels = (re.fullmatch(LABEL, one) for one in plain)
        return [label[1] for label in labels if label and label[1] in self._scope.keys]

    def _is_term(self, name: str, plain: list[str]) -> bool:
        """Whether this prints a term of a glossary, or an acronym."""
        if not (_TERM.fullmatch(name) and plain and re.fullmatch(STRING, plain[0])):
            return False
        self._builder.text(self._scope.terms.get(plain[0][1:-1], plain[0][1:-1]))
        return True

    def _is_title(self, source: str, plain: list[str], named: dict[str, str]) -> bool:
        """Whether a text is the first one in large letters, where no title is told."""
        size = _POINTS.match(named.get("size") or "".join(plain[:1]))
        if not size or int(size[1]) < _LARGE or self._scope.large or "title" in self._scope.told:
            return False
        self._scope.large = source
        return True

    def _variable(self, name: str) -> None:
        module, _, rest = name.partition(".")
        name = rest if module in self._scope.modules else name
        if name in self._scope.variables and self._depth < _DEEPEST:
            self._depth += 1
            self._value(self._scope.variables[name])
            self._depth -= 1

    def _citation(self, plain: str, form: str) -> None:
        keys = [label or quoted for label, quoted in _KEY.findall(plain) or _OLDER_KEY.findall(plain)]
        if form == "none":
            self._scope.listed += keys
        else:
            self._mark(keys, _FORMS.get(form, ""))

    def _mark(self, keys: Sequence[str], form: Form = "") -> None:
        """A citation, as far as these are no labels of the text itself, and no terms of its glossary."""
        known, labels, terms = self._scope.keys, self._scope.labels, self._scope.terms
        term = terms.get(keys[0].partition(":")[0]) if len(keys) == 1 else None  # @llm, or @llm:pl
        if term and keys[0] not in known:
            self._builder.text(term)
            return
        cited = [key for key in keys if key in known or not (key in labels or _CROSS_REFERENCE.match(key))]
        self._builder.mark(cited, form)

    def _note(self, source: str) -> None:
        """A paragraph of its own, but a note that only cites is a citation in its place."""
        paragraphs = self.paragraphs_of(source)
        keys = [key for part in paragraphs for one in part.sentences for mark in one.marks for key in mark.keys]
        if keys and only_refers(" ".join(paragraph.text for paragraph in paragraphs)):
            self._builder.mark(keys)
            return
        if keys:
            self._builder.note()
        self._notes += paragraphs

    def _heading(self, source: str, level: int) -> None:
        self._end_paragraph()
        paragraphs = self.paragraphs_of(source)
        self._builder.section(" ".join(paragraph.text for paragraph in paragraphs), level)
        for mark in (mark for paragraph in paragraphs for one in paragraph.sentences for mark in one.marks):
            self._builder.mark(mark.keys, mark.form)

    def _end_paragraph(self) -> None:
        self._builder.end_paragraph(behind=self._notes)
        asides, self._asides, self._notes = self._asides, [], []
        for aside in asides:
            self._code(aside, True)

    def _include(self, source: str) -> None:
        scope, name = self._scope, source.strip('"')
        folder = folder_of(name, scope.chain[-1])
        path = scope.files.named(f"include {source[:200]}", name.lstrip("/"), (folder,))
        if path in scope.chain:
            circle = " → ".join((*scope.chain, path))
            raise SourceError(f"files of the manuscript include each other in a circle: {circle}")
        if path:
            scope.chain = (*scope.chain, path)
            self._content(scope.files.text(path), True)
            scope.chain = scope.chain[:-1]

    def _import(self, name: str, alias: str | None) -> None:
        """What another file defines is known here, and its text is no part of this one."""
        scope = self._scope
        path = scope.files.find(name.lstrip("/"), (folder_of(name, scope.chain[-1]),), ())
        scope.modules.add(alias or posixpath.splitext(posixpath.basename(name))[0])
        if path and path not in (*scope.chain, *scope.imported):
            scope.imported.add(path)
            within = replace(scope, chain=(*scope.chain, path), told={}, large="", listed=[])
            Text(within, self._depth).markup(scope.files.text(path))


def _plain(found: re.Match[str]) -> str:
    """The text of a token that is neither code nor a citation."""
    if found["escape"]:
        return chr(min(int(found[2], 16), 0x10FFFF)) if found[2] else found["escape"][1:]
    if passed := found["passed"]:
        if passed.startswith("http"):
            return passed
        return passed[1:-1].strip() if passed[0] in "`$" and not found["ticks"] else ""
    return _SIGNS.get(found[0], "")
