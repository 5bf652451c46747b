"""Manuscripts in Markdown: Pandoc's, Quarto's and R Markdown's, with `[@key]` and their kin."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from manuscripts import markdown_notes as notes
from manuscripts.authors import names_among
from manuscripts.bibliographies import once
from manuscripts.draft import running_text
from manuscripts.files import Files
from manuscripts.headings import ANY
from manuscripts.manuscript import Entry, Manuscript, Section
from manuscripts.markdown_authors import authors_in
from manuscripts.markdown_bibliography import entries_of, listed_in, names_of
from manuscripts.markdown_dialects import captions, group, labels_in, parted_abstract, plain, words_of_directive
from manuscripts.markdown_keys import (
    CITED,
    GROUP,
    KEYS,
    LITERAL_AT,
    REFERENCES,
    braced_key,
    defined,
    hashed,
    keys_in,
    named,
    without_handles,
    without_hashes,
)
from manuscripts.markdown_project import book_of, is_unnumbered, with_included
from manuscripts.printed_lists import parted_markdown
from manuscripts.text_building import NOTED, RAISED, TextBuilder, abstract_among, first_prose, only_refers

_Cites = Callable[[str], list[str]]  # the keys that a text cites

_RUN = re.compile(r"r\s|\{(?:r|python|julia|ojs)\}")  # code whose result stands there: `r nrow(papers)`
_ATTRIBUTES = re.compile(r"\s*\{[#.=-][^{}]*\}\s*$")
# An address, and mathematics as Pandoc finds them: there no "@" cites.
_NO_KEYS = re.compile(
    r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s\[\]]*|\$\$[^$]+\$\$|\$(?=\S)[^$]*(?<=\S)\$(?!\d)",
)
# Numbers as superscripts, also as formulas, with links, or in brackets, which stay.
_COUNTED = r"\d[\d,;–-]*(?: \d[\d,;–-]*)*"
_NUMBERS = rf"({_COUNTED}|\\?\[{_COUNTED}\\?\])"
_RAISED = re.compile(
    rf"\^{_NUMBERS}\^|\$\^\{{{_NUMBERS}\}}\$|<sup>(?:\[|<a\b[^<>]*>)?{_NUMBERS}(?:\]\([^()\s]*\)|</a>)?</sup>"
)
_DEEPEST = 10  # directives in directives
_LOWERED = re.compile(r"(?<=\w)~(\w+)~")  # H~2~O
_LITERAL = str.maketrans({"@": LITERAL_AT, "$": "\ufffa"})  # where they are but characters
_READABLE = str.maketrans({LITERAL_AT: "@", "\ufffa": "$"})


def read(files: Files, root: str) -> Manuscript:
    """The manuscript whose main file is `root`.

    Raises:
        SourceError: files include each other in a circle.
    """
    if book := book_of(files, root):
        fronts, texts = zip(*(with_included(files, path) for path in book.chapters), strict=True)
        front = {**book.settings, **fronts[0]} if book.is_article else {**fronts[0], **book.settings}
        front["bibliography"] = [name for one in (book.settings, *fronts) for name in names_of(one.get("bibliography"))]
        texts = tuple(_with_heading(one, text, front) for one, text in zip(fronts, texts, strict=True))
    else:
        front, text = with_included(files, root)
        texts = (text,)
    apart = [number == 1 or is_unnumbered(text) for number, text in enumerate(texts) if number]
    is_book = book is not None and not book.is_article
    abstract, first = _text(front.get("abstract")), texts[0]
    if not abstract.strip():
        abstract, first = parted_abstract(first)
    labels = frozenset(label for text in texts for label in labels_in(text))
    texts, works = zip(*map(defined, map(plain, (first, *texts[1:]))), strict=True)
    source = _Source(front, texts, plain(abstract), apart, labels, is_book)
    titled = (*source.texts, _text(front.get("title")), source.abstract)
    of_pandoc, hashes = ([key for text in titled for key in keys(text)] for keys in (named, hashed))
    entries = entries_of(files, root, front, dict.fromkeys((*of_pandoc, *hashes)).keys())
    entries = once((*entries, *(notes.work_of(*work) for one in works for work in one.items())))
    if not {entry.key for entry in entries}.isdisjoint(hashes):
        source = replace(
            source, texts=tuple(map(without_hashes, source.texts)), abstract=without_hashes(source.abstract)
        )
    if with_list := _with_list(source, entries):
        return with_list
    return source.manuscript(entries) if entries else _with_notes(source.raised())


@dataclass(frozen=True, slots=True)
class _Source:
    """What a manuscript is made of."""

    front: dict[str, Any]  # its metadata
    texts: tuple[str, ...]  # the chapters of a book, or the only text
    abstract: str  # that of the metadata
    apart: Sequence[bool]  # of each chapter but the first whether it stands apart from those with numbers
    labels: frozenset[str]  # of figures, sections and the like in any of them
    is_book: bool

    def manuscript(self, entries: tuple[Entry, ...], printed: tuple[Entry, ...] = ()) -> Manuscript:
        """The manuscript with these entries, and those of a list that is printed below it."""
        entries, front = (*entries, *printed), self.front
        cites = partial(keys_in, frozenset(entry.key for entry in entries), self.labels)
        title, first = _sections(self.texts[0], cites)
        if self.abstract.strip():
            _, parts = _sections(self.abstract, cites)
            paragraphs = tuple(paragraph for part in parts for paragraph in part.paragraphs)
            first = (Section("Abstract", 0, paragraphs), *first)
        others = [_sections(text, cites)[1] for text in self.texts[1:]]
        sections = tuple(section for part in (first, *others) for section in part)
        # Chapters may end with a summary, and books with a chapter that is called so, which is none of the whole.
        likely = [part for part, in_front in zip(others, self.apart, strict=True) if _is_abstract(part, in_front)]
        abstract = abstract_among(first, *likely)
        if self.is_book and not abstract:
            abstract = _without_marks(_text(front.get("description"))) or first_prose(sections)
        return Manuscript(
            running_text(KEYS.sub("", _without_marks(_text(front.get("title"))))) or title,
            running_text(REFERENCES.sub("", abstract)),
            sections,
            entries,
            (),
            listed_in(front, entries),
            authors=names_among(authors_in(front.get("author", front.get("authors")))),
            printed=tuple(entry.key for entry in printed),
        )

    def raised(self) -> "_Source":
        """With superscripts as characters."""
        texts = (_RAISED.sub(_raised, text) for text in self.texts)
        return replace(self, texts=tuple(texts))

    def without_handles(self) -> "_Source":
        """With keys as citations only where they stand in brackets: others are handles, "@10" and the like."""
        return replace(self, texts=tuple(map(without_handles, self.texts)), abstract=without_handles(self.abstract))

    def cites_by_key(self, manuscript: Manuscript, entries: tuple[Entry, ...]) -> bool:
        """Whether the manuscript, made of this, cites one of the entries, or keys of an author who cites so."""
        known = {entry.key for entry in entries}
        says_so = bool(names_of(self.front.get("bibliography")))
        return any(says_so or not mark.form or known.intersection(mark.keys) for mark in manuscript.marks())


def _with_list(source: _Source, entries: tuple[Entry, ...]) -> Manuscript | None:
    """The manuscript with the entries of lists that are typed below it, beside others if the text cites it as typed."""
    texts, printed = parted_markdown(*source.raised().texts)
    if not printed or any(KEYS.match(entry.source.lstrip("-+*• ")) for entry in printed):  # of keys
        return None
    from manuscripts.typed_citations import with_typed_citations  # its patterns take 40 ms

    source = replace(source, texts=texts)
    found = source.manuscript(entries, printed)
    if not source.cites_by_key(found, entries):
        found = source.without_handles().manuscript(entries, printed)
    marked = with_typed_citations(found)
    if marked is found and not (found.keys or entries):
        texts, works = notes.with_works(source.without_handles().texts, printed)
        return replace(source, texts=texts).manuscript((), (*printed, *works))
    return marked if marked is not found or not entries else None


def _with_notes(source: _Source) -> Manuscript:
    """The manuscript with the works that its notes name, unless it cites by key."""
    found = source.manuscript(())
    texts, works = notes.with_works(source.without_handles().texts)
    return replace(source, texts=texts).manuscript(works) if works and not source.cites_by_key(found, ()) else found


def _raised(found: re.Match[str]) -> str:
    numbers = found[found.lastindex or 0]
    return numbers if "[" in numbers else numbers.translate(RAISED)


def _is_abstract(chapter: tuple[Section, ...], is_apart: bool) -> bool:
    """Whether a chapter may be the abstract of its book: one that `is_apart` from those with numbers, or says so."""
    heading = chapter[0].heading if chapter else ""
    return bool(ANY.fullmatch(heading)) and (is_apart or heading.lower() == "abstract")


def _with_heading(front: dict[str, Any], text: str, book: dict[str, Any]) -> str:
    """A chapter below its title, if that stands in its metadata."""
    title = _text(front.get("title"))
    return f"# {' '.join(title.split())}\n\n{text}" if title and title != _text(book.get("title")) else text


def _text(value: object) -> str:
    return str(value) if isinstance(value, str | int | float) else ""


def _without_marks(text: str) -> str:
    return _readable("".join(map(_inline, MarkdownIt("commonmark").enable("strikethrough").parseInline(text))))


def _sections(text: str, cites: _Cites) -> tuple[str, tuple[Section, ...]]:
    """The title, which is the only heading of the first level or "", and the sections."""
    citation = partial(_cited_by_note, cites)
    text = notes.with_citations(text, citation)
    parser = MarkdownIt("commonmark", {"maxNesting": 20}).enable(["table", "strikethrough"])
    parser.disable(["html_block", "text_join"])  # within HTML there is Markdown
    parser.inline.ruler.before("escape", "key", braced_key)
    parser.block.ruler.before("reference", "footnote", notes.rule, {"alt": ["paragraph", "reference"]})
    builder = TextBuilder()
    title, level, first = "", 0, True
    tokens = list(_tokens(parser, text))
    citing = notes.citing(tokens, lambda token: cites(_inline(token)))
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1:])
        elif token.type == "heading_close":
            level = 0
        elif token.type == "inline":
            inline, asides = notes.parted(_inline(token, citing), citation, cites)
            if level:
                if level == 1 and first and "@" not in inline:
                    title = _ATTRIBUTES.sub("", _readable(inline)).strip()
                builder.section(_ATTRIBUTES.sub("", _readable(CITED.sub("", inline))).strip(), level)
                first = False
            for part in [inline, *asides] if not level or "@" in inline else asides:
                _cite(part, cites, builder)
                builder.end_paragraph()
    sections = builder.sections()
    opens = bool(sections) and sections[0].heading == title
    alone = sum(section.level == 1 for section in sections) == 1
    return title if opens and (alone or not ANY.fullmatch(title)) else "", sections


def _tokens(parser: MarkdownIt, text: str, depth: int = 0) -> Iterator[Token]:
    """What the text is made of; behind code come the captions of what it shows."""
    for token in parser.parse(text):
        yield token
        if token.type == "fence":
            if depth < _DEEPEST and (words := words_of_directive(token.info, token.content)):
                yield from _tokens(parser, words, depth + 1)
            for caption in captions(token.info, token.content):
                yield from parser.parseInline(caption)


def _cited_by_note(cites: _Cites, words: str) -> str:
    """A citation of what a note cites; "" for one that says more."""
    keys = cites(words) if only_refers(CITED.sub("", words)) else []
    return group(";".join(keys)) if keys else ""


def _inline(token: Token, citing: frozenset[str] = frozenset()) -> str:
    """The text of a block, without emphasis, links' addresses, HTML and what is struck out.

    `citing` are notes that cite something.
    """
    parts: list[str] = []
    struck = 0
    for child in token.children or ():
        struck += {"s_open": 1, "s_close": -1}.get(child.type, 0)
        if struck:
            continue
        if child.type == "text":
            parts.append(child.content)
        elif child.type == "code_inline" and _RUN.match(child.content):
            continue
        elif child.type in ("text_special", "code_inline"):  # escaped, or verbatim
            parts.append(child.content.translate(_LITERAL).replace("^[", "["))
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "image":
            parts.append(_inline(child))
    text = _LOWERED.sub(r"\1", notes.without_marks("".join(parts), citing))
    return _NO_KEYS.sub(lambda found: found[0].replace("@", LITERAL_AT), text)


def _readable(text: str) -> str:
    return text.translate(_READABLE).replace(NOTED, "")


def _cite(text: str, cites: _Cites, builder: TextBuilder) -> None:
    """Text and citations, as Pandoc parts them, to the builder."""
    place = 0
    for found in re.finditer(f"{GROUP.pattern}|{CITED.pattern}", text):
        cited = cites(found[0]) if found.start() >= place else []  # else of the note before
        if not cited:
            continue
        builder.text_with_notes(text[place : found.start()].translate(_READABLE))
        builder.mark(cited, "" if found[0].startswith("[") else "text")
        place = found.end()
        if not found[0].startswith("["):  # @key [p. 3]: the note belongs to it, and may cite more
            note = re.compile(r"\s?\[([^\[\]]*)\]").match(text, place)
            if note:
                builder.mark(cites(note[1]))
                place = note.end()
    builder.text_with_notes(text[place:].translate(_READABLE))
