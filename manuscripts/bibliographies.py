"""Bibliographies that lie beside a manuscript, and reference lists as they are printed → entries."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from common.errors import SourceError
from indexer.paper import Paper
from indexer.readers import ReadReport
from indexer.readers.reading import papers_of_bytes
from manuscripts.files import Files
from manuscripts.limits import MAX_BIBTEX, MAX_BIBTEX_FILES
from manuscripts.manuscript import BibtexSource, Entry
from manuscripts.reference_lines import readings

_MOST_AUTHORS = 30  # of an entry
_BIBTEX_KEY = re.compile(
    r"^[ \t]*@[ \t]*(?!string|comment|preamble)[A-Za-z]+[ \t]*[{(]\s*([^\s,{}=]{1,300})[ \t]*,",
    re.MULTILINE | re.IGNORECASE,
)


def entries_of_file(files: Files, path: str) -> list[Entry]:
    """The entries of a bibliography in any format of papers; what has no title has its key alone."""
    data = files.text(path).encode("utf-8", "replace") if path in files.added else files.contents[path]
    try:
        found = [
            Entry(paper.id, (short(paper),), paper.original.text if paper.original else "")
            for paper in papers_of_bytes(path, data, ReadReport())
        ]
    except SourceError as error:
        if data.strip():
            files.note(f"not read: {error}")
        return []
    if path.lower().endswith(".bib"):
        known = {entry.key for entry in found}
        keys = _BIBTEX_KEY.findall(files.text(path))
        found += [Entry(key, ()) for key in dict.fromkeys(keys) if key not in known]
    return found


def once(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Each key once: the first entry counts, as in BibTeX, unless only a later one says what it is."""
    found: dict[str, Entry] = {}
    for entry in entries:
        if entry.key not in found or not found[entry.key].readings:
            found[entry.key] = entry
    return tuple(found.values())


def bibtex_of(files: Files, entries: Iterable[Entry]) -> tuple[BibtexSource, ...]:
    """The files of BibTeX that hold these entries, most entries first; if none does, all of them.

    What is beyond the bounds is left out and noted in `files`.
    """
    wanted = {entry.key for entry in entries}
    paths = [path for path in files.paths(".bib") if path in files.contents]
    held = {path: len(wanted.intersection(_BIBTEX_KEY.findall(files.text(path)))) for path in paths}
    left = MAX_BIBTEX
    found: list[BibtexSource] = []
    for path in sorted([path for path in paths if held[path]] or paths, key=lambda path: -held[path]):
        data = files.contents[path]
        if len(data) > left or len(found) == MAX_BIBTEX_FILES:
            files.note(f"too large or too many to add entries to: {path}")
            continue
        left -= len(data)
        found.append(BibtexSource(path, data))
    return tuple(found)


def entry_of_text(key: str, text: str, title: str = "") -> Entry:
    """An entry of a printed reference list; `title` where the list says which part it is."""
    line = " ".join(text.split())
    read = readings(line)
    if title:
        first = next((paper for paper in read if paper.doi or paper.arxiv), None)
        known = replace(first, title=title) if first else Paper(key, title)
        read = (known, *(paper for paper in read if paper.title != title))
    return Entry(key, tuple(short(replace(paper, id=key)) for paper in read), line[:2_000])


def short(paper: Paper) -> Paper:
    """What is needed to find a work, each field within bounds."""
    return replace(
        paper,
        id=paper.id[:500],
        title=paper.title[:500],
        abstract="",
        authors=tuple(author[:200] for author in paper.authors[:_MOST_AUTHORS]),
        venue=paper.venue[:200],
        doi=paper.doi[:500],
        arxiv=paper.arxiv[:100],
        url=paper.url[:500],
        citations=(),
        original=None,
    )
