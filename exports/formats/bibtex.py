"""BibTeX, one entry a paper, each paper once however many queries it was recommended for.

An entry that came from a BibTeX file is written as it stood there, with what it needs of that file. A note of the
user's is the field `annote`: reference managers read it as a note, and bibliography styles do not print it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from citescout.recommendation import Answer
from exports.base import Format, papers_once, register
from exports.citation_keys import BIBTEX_KEY, Keys
from exports.details import Details, details
from exports.kinds import NAMES
from exports.latex import escaped, name_list, title_value, verbatim
from exports.links import safe_url
from indexer.original import Original
from indexer.paper import Paper

_NOTES = ("annote", "annotation", "comment")  # fields that are read as notes; the first that an entry does not have


class BibtexWriter:
    """Makes entries with keys that are unique among all that it has made."""

    def __init__(self, taken: Iterable[str] = (), written: str = "") -> None:
        """Into a file that holds `written`, in which the keys `taken` are used."""
        self._keys = Keys(taken)
        self._written = written
        self._said: set[str] = set()  # definitions and parents that entries need, which are written once
        self._parents: dict[str, None] = {}

    def key(self, paper: Paper, keep: bool = True) -> str:
        """The key of a paper's entry, from here on always the same; or without `keep` what it would be now."""
        return self._keys.key(paper) if keep else self._keys.next(paper)

    def entry(self, paper: Paper, note: str = "") -> str:
        """The entry of a paper, always under the same key, ending in a newline; before it what it needs."""
        key = self.key(paper)
        original = paper.original
        if original is None or original.format != "bibtex":
            fields = (*_fields(paper, details(paper)), (_NOTES[0], escaped(note)))
            body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields if value)
            return f"@{details(paper).kind}{{{key},\n{body}}}\n"
        self._parents.update(dict.fromkeys(original.after))
        return self._needed(original.before) + _with_note(_under_key(original, key), note) + "\n"

    def end(self) -> str:
        """What entries need behind them: those that their crossref names; each once, "" where there is none."""
        own = {BIBTEX_KEY.match(parent): parent for parent in self._parents}
        missing = [parent for found, parent in own.items() if not found or not self._keys.has(found[1])]
        return "".join(f"\n{parent}\n" for parent in missing if parent not in self._written)

    def _needed(self, definitions: Iterable[str]) -> str:
        new = [one for one in definitions if one not in self._said and one not in self._written]
        self._said.update(new)
        return "".join(f"{definition}\n" for definition in new)


def _under_key(original: Original, key: str) -> str:
    """The entry as it was; with another key where another paper has its own."""
    found = BIBTEX_KEY.match(original.text)
    if not found or found[1] == key:
        return original.text
    return original.text[: found.start(1)] + key + original.text[found.end(1) :]


def _with_note(entry: str, note: str) -> str:
    """Somebody's entry with a note as its last field; as it was without one."""
    if not note.strip():
        return entry
    name = next((one for one in _NOTES if not re.search(rf"\b{one}\s*=", entry, re.IGNORECASE)), _NOTES[0])
    inside, end = entry.rstrip()[:-1].rstrip(), entry.rstrip()[-1]
    line_end = "\r\n" if "\r\n" in entry else "\n"
    return f"{inside.removesuffix(',')},{line_end}  {name} = {{{escaped(note)}}}{line_end}{end}"


def _fields(paper: Paper, known: Details) -> Iterator[tuple[str, str]]:
    """Field names and values, in the order in which people write them."""
    venue_field = NAMES[known.kind].venue
    venue = "" if known.arxiv and venue_field == "howpublished" else paper.venue
    yield "author", name_list(paper.authors)
    yield "title", title_value(paper.title)
    yield venue_field, escaped(venue)
    yield "editor", name_list(known.editors)
    yield "publisher", "" if known.publisher == paper.venue else escaped(known.publisher)
    yield "volume", escaped(known.volume)
    yield "number", escaped(known.number)
    yield "pages", escaped(known.pages).replace("-", "--")
    yield "year", str(paper.year) if paper.year else ""
    yield "doi", verbatim(known.doi)
    if known.arxiv:
        yield "eprint", verbatim(known.arxiv)
        yield "archiveprefix", "arXiv"
    yield "url", verbatim(safe_url(paper.url))


def _write(answers: Iterable[Answer], stream: TextIO) -> None:
    writer = BibtexWriter()
    for number, (paper, note) in enumerate(papers_once(answers, outside=True)):
        stream.write(f"\n{writer.entry(paper, note)}" if number else writer.entry(paper, note))
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
