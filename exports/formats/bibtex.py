"""BibTeX, one entry a paper, each paper once however many queries it was recommended for.

An entry that came from a BibTeX file is written as it stood there, with what it needs of that file; one that is not
harmless is written anew. BibTeX wants an entry that others name by crossref behind them: where it stands before one of
them, that one has its fields instead. A note of the user's is the field `annote`: reference managers read it as a note,
and bibliography styles do not print it. That a paper was retracted `note` says, where it is free: it is to be printed.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TextIO

from citescout.recommendation import Answer
from common.sequences import numbered
from common.text import clean_lines
from exports.base import Format, papers_once, register
from exports.bibtex_fields import leading_fields, named_by, spelled_out, without_crossref
from exports.citation_keys import Keys, with_own_keys
from exports.details import MONTHS, Details, details, venue_of
from exports.harmless import harmless
from exports.latex import escaped, name_list, title_value, verbatim
from exports.links import safe_url
from exports.reason_sentences import retraction
from indexer.original import Original
from indexer.paper import Paper
from indexer.readers.bibtex_keys import KEY, entries_by_key
from indexer.readers.entry_fields import PEOPLE, TEXTS, named_fields
from indexer.readers.entry_types import NAMES
from indexer.readers.languages import babel_name

_STRING = re.compile(r"@\s*string\s*[{(]\s*([^\s=]+)", re.IGNORECASE)
_NOTES = ("annote", "annotation", "comment")  # fields that are read as notes; the first that an entry does not have
_PRINTED = ("note", *_NOTES)  # the same, where it is to be printed


class BibtexWriter:
    """Makes entries with keys that are unique among all that it has made."""

    def __init__(self, keys: Keys | None = None, written: str = "") -> None:
        """Into a file that holds `written`."""
        self._keys = keys or Keys()
        self._written = written
        self._said: dict[str, str] = {}  # abbreviation → its last definition; a preamble → itself
        self._stands: dict[str, str] = {}  # entry as its owner wrote it → the key under which it stands
        self._promised: dict[str, str] = {}  # the same → the key of its paper, whether that is written or not
        self._missing: list[str] = []  # entries that others name, as they are to be written
        self._ahead: set[str] = set()  # entries as their owners wrote them, that are written already

    def key(self, paper: Paper, wanted: str = "") -> str:
        """The key of a paper's entry, from here on always the same; for `wanted` see `Keys.key`."""
        original = self._original(paper)
        if original is not None and original.text in self._stands:
            return self._stands[original.text]
        key = self._keys.key(paper, wanted)
        if original is not None:
            self._promised[original.text] = key
        return key

    def entry(self, paper: Paper, note: str = "", wanted: str = "") -> str:
        """The entry of a paper, always under the same key, ending in a newline; before it what it needs."""
        key = self.key(paper, wanted)
        original = self._original(paper)
        if original is None or original.format != "bibtex":
            known = details(paper)
            type, _, subtype = NAMES[known.kind].bibtex.partition(" ")[0].partition("/")
            fields = (*_fields(paper, known), ("entrysubtype", subtype), (_NOTES[0], _paragraphs(note)))
            # Months are abbreviations of BibTeX.
            written = ((name, value if name == "month" else f"{{{value}}}") for name, value in fields if value)
            body = "".join(f"  {name} = {value},\n" for name, value in written)
            return f"@{type}{{{key},\n{body}}}\n"
        self._stands[original.text] = key
        waiting = len(self._missing)
        keys: dict[str, str] = {}  # by parent; those that others of them name first
        for parent in reversed(original.after):
            keys[parent] = self._key_of_parent(parent, keys)
        self._missing[waiting:] = reversed(self._missing[waiting:])
        self._ahead.add(original.text)
        entry = _naming(_under_key(original.text, key), keys)
        if entry in self._missing:
            self._missing.remove(entry)
        if not self._ahead.isdisjoint(named_by(original.text, original.after, ("crossref",))):
            entry = _naming(_under_key(without_crossref(original.text, original.after), key), keys)
        said = retraction(paper)
        if said and not any(said in field.value for field in leading_fields(entry) if field.name in _PRINTED):
            entry = _with_note(entry, said, _PRINTED)
        return self._needed(original.before) + _with_note(entry, note) + "\n"

    def _original(self, paper: Paper) -> Original | None:
        """Its entry as it was, but for abbreviations to which the file gives another meaning: they are spelled out."""
        original = harmless(paper.original)
        if original is None or not any(map(self._clashes, original.before)):
            return original
        values: dict[str, str] = {}
        before = []
        for one in original.before:
            definition = spelled_out(one, values) if _STRING.match(one) else one
            if self._clashes(one):
                values[_defined(one)] = definition.partition("=")[2].strip()[:-1].strip()
            else:
                before.append(definition)
        text, *after = (spelled_out(one, values) for one in (original.text, *original.after))
        return replace(original, text=text, before=tuple(before), after=tuple(after))

    def end(self) -> str:
        """What entries need behind them: those that crossref and xdata name, each once; "" where there is none."""
        return "".join(f"\n{parent}\n" for parent in self._missing)

    def _key_of_parent(self, parent: str, keys: Mapping[str, str]) -> str:
        """The key under which an entry that another names stands, or will stand at the end.

        It is its own, unless another entry of the file has that. `keys` are those of entries that it may name itself.
        """
        found = KEY.search(parent)
        promised = self._promised.get(parent)
        own = promised or (found[1] if found else "")
        if parent not in self._stands:
            text = _naming(parent, keys)
            for key in numbered(own):
                there = _compared(_under_key(text, key)) in self._written_compared or (
                    bool(title := _title_of(text)) and title == _title_of(self._held.get(key, ""))
                )
                if there or key == promised or not self._keys.has(key):
                    break
            if there:
                self._ahead.add(parent)
            else:
                self._missing.append(_under_key(text, key))
            self._keys.take(key)
            self._stands[parent] = key
        return self._stands[parent]

    @cached_property
    def _written_compared(self) -> str:
        return _compared(self._written)

    @cached_property
    def _held(self) -> dict[str, str]:
        return entries_by_key(self._written)

    def _needed(self, definitions: Iterable[str]) -> str:
        new = [one for one in definitions if not self._holds(one)]
        self._said.update((_defined(one), one) for one in new)
        return "".join(f"{definition}\n" for definition in new)

    def _holds(self, definition: str) -> bool:
        """Whether it stands there, and nothing later gives its abbreviation another meaning."""
        said = self._said.get(_defined(definition))
        return definition in self._written if said is None else said == definition

    def _clashes(self, definition: str) -> bool:
        """Whether the file defines the abbreviation in another way, which its own entries need."""
        place = self._places.get(_defined(definition))
        return place is not None and not self._written.startswith(definition, place)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {found[1].lower(): found.start() for found in _STRING.finditer(self._written)}


def _defined(definition: str) -> str:
    found = _STRING.match(definition)
    return found[1].lower() if found else definition


def _under_key(entry: str, key: str) -> str:
    """The entry as it was; with another key where another paper has its own."""
    found = KEY.search(entry)
    if not found or found[1] == key:
        return entry
    return entry[: found.start(1)] + key + entry[found.end(1) :]


def _naming(entry: str, keys: Mapping[str, str]) -> str:
    """The entry as it was, but naming others by their `keys`."""
    for parent, key in keys.items():
        entry = _with_crossref(entry, parent, key)
    return entry


def _with_crossref(entry: str, parent: str, key: str) -> str:
    """The entry as it was, but its crossref or xdata names the parent's `key`."""
    found = KEY.search(parent)
    if not found or found[1] == key:
        return entry
    named = rf'(\b(?:crossref|xdata)\s*=\s*[{{"](?:[^{{}}"]*,)?\s*){re.escape(found[1])}(?=\s*[,}}"])'
    return re.sub(named, lambda match: match[1] + key, entry, flags=re.IGNORECASE)


def _compared(text: str) -> str:
    """What entries are compared by: not how they are laid out."""
    return re.sub(r'[\s{}",]', "", text).lower()


def _title_of(entry: str) -> str:
    return next((_compared(field.value) for field in leading_fields(entry) if field.name == "title"), "")


def _with_note(entry: str, note: str, names: Sequence[str] = _NOTES) -> str:
    """Somebody's entry with a note as its last field; as it was without one."""
    if not note.strip():
        return entry
    name = next((one for one in names if not re.search(rf"\b{one}\s*=", entry, re.IGNORECASE)), names[0])
    inside, end = entry.rstrip()[:-1].rstrip(), entry.rstrip()[-1]
    line_end = "\r\n" if "\r\n" in entry else "\n"
    written = _paragraphs(note).replace("\n", line_end)
    return f"{inside.removesuffix(',')},{line_end}  {name} = {{{written}}}{line_end}{end}"


def _paragraphs(note: str) -> str:
    """A note with its paragraphs; none begins as an entry does, by which readers find the next one."""
    return "\n\n".join(map(escaped, clean_lines(note).split("\n\n"))).replace("\n@", "\n{@}")


def _fields(paper: Paper, known: Details) -> Iterator[tuple[str, str]]:
    """Field names and values, in the order in which people write them."""
    texts = dict(named_fields(TEXTS, "bibtex", known.kind, known.texts))
    publisher, venue = texts.pop("publisher", ""), venue_of(paper, known)
    venue_field = NAMES[known.kind].venue
    if venue_field in ("school", "institution", "howpublished") and (not venue or venue_field != "howpublished"):
        texts = {venue_field: publisher} | texts
        publisher, venue_field = "", "series"
    yield "author", name_list(known.authors)
    yield "title", title_value(paper.title)
    yield venue_field, "" if known.arxiv and venue_field == "howpublished" else escaped(venue)
    for role, people in named_fields(PEOPLE, "bibtex", known.kind, known.people):
        yield role, name_list(tuple(people))
    yield "publisher", escaped(publisher)
    note = "" if paper.original and paper.original.format == "bibtex" else texts.get("note", "")
    texts["note"] = "; ".join(filter(None, dict.fromkeys((note, retraction(paper)))))
    if language := babel_name(texts.get("language", "")):
        texts = {"langid" if name == "language" else name: text for name, text in texts.items()} | {"langid": language}
    for name, text in texts.items():
        yield name, escaped(text).replace("-", "--") if name == "pages" else escaped(text)
    yield "year", str(paper.year) if paper.year else ""
    month = known.texts.get("issued", "").partition("/")[0][5:7]
    yield "month", MONTHS[int(month) - 1] if month else ""
    yield "doi", verbatim(known.doi)
    if known.arxiv:
        yield "eprint", verbatim(known.arxiv)
        yield "archiveprefix", "arXiv"
    yield "url", verbatim(safe_url(paper.url))


def parents_last(papers: Iterable[Paper]) -> list[Paper]:
    """The papers in their order, but behind them those that others of them name, such as proceedings."""
    found = list(papers)
    originals = {paper.id: original for paper in found if (original := harmless(paper.original))}
    named = {parent for original in originals.values() for parent in original.after}

    def place(paper: Paper) -> tuple[bool, int]:
        original = originals.get(paper.id)
        return (True, -len(original.after)) if original and original.text in named else (False, 0)

    return sorted(found, key=place)


def _parents_last(answer: Answer) -> Answer:
    entries = {entry.paper.id: entry for entry in answer.recommendations}
    ordered = parents_last(entry.paper for entry in answer.recommendations)
    return replace(answer, recommendations=[entries[paper.id] for paper in ordered])


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    writer = BibtexWriter()
    ordered = map(_parents_last, with_own_keys(answers, writer.key))
    for number, one in enumerate(papers_once(ordered, outside=True)):
        stream.write("\n" if number else "")
        stream.write(writer.entry(one.paper, one.note, one.key))
    stream.write(writer.end())


register(
    Format(
        "bibtex",
        "a bibliography for LaTeX, without abstracts",
        "bib",
        "application/x-bibtex",
        _write,
        outside=True,
        needs="papers",
    )
)
