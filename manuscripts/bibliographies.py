"""Bibliographies that lie beside a manuscript, and reference lists as they are printed → entries."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from common.errors import SourceError
from indexer.paper import Imprint, Paper
from indexer.readers import ReadReport, read_papers
from indexer.readers.bibtex_keys import entries_by_key, keys_in
from indexer.readers.fields import arxiv, doi, year
from indexer.readers.formats.bibtex import untitled
from indexer.readers.reading import papers_of_bytes
from manuscripts.files import Files, decoded
from manuscripts.latex.citations import split_keys
from manuscripts.limits import MAX_BIBTEX, MAX_BIBTEX_FILES, MAX_REFERENCES
from manuscripts.manuscript import BibtexSource, Entry, Manuscript, Note
from manuscripts.reference_lines import readings

_ALIASES = re.compile(r"""[,\s]ids\s*=\s*[{"]([^{}"]*)""", re.IGNORECASE)
_MEMBERS = re.compile(r"""\A\s*@set\s*\{.*?[,\s]entryset\s*=\s*[{"]([^{}"]*)""", re.IGNORECASE | re.DOTALL)
_MOST_KEYS_NAMED = 10
_MOST_AUTHORS = 30  # of an entry
_LONGEST = 2_000  # characters that are kept of an entry that is no paper, or was printed


def entries_of_file(files: Files, path: str, most: int | None = None) -> list[Entry]:
    """The entries of a bibliography in any format of papers; without a title, its identifiers or its key alone.

    Where it has as many as `most`, no more are read.
    """
    files.lists.setdefault(path)
    data = files.text(path).encode("utf-8", "replace") if path in files.added else files.contents[path]
    try:
        found = list(map(entry_of, islice(papers_of_bytes(path, data, ReadReport()), most)))
    except SourceError as error:
        if data.strip():
            files.note(f"not read: {error}", file=path)
        return []
    if path.lower().endswith(".bib") and len(found) != most:
        found += _without_title(files.text(path), found)
    return found


def _without_title(text: str, titled: Sequence[Entry]) -> Iterator[Entry]:
    known = {key for entry in titled for key in (entry.key, *keys_in(entry.source))}  # abstracts may name some
    identified = {paper.id: paper for paper in untitled(text, known)}
    for key, source in entries_by_key(text).items():
        if key not in known:
            yield Entry(key, (short(identified[key]),) if key in identified else (), source.strip()[:_LONGEST])


def with_entries(manuscript: Manuscript, path: str) -> Manuscript:
    """The manuscript with the entries of another bibliography that it cites and lacks.

    Raises:
        SourceError: the bibliography cannot be read.
    """
    lacking = set(manuscript.keys_without_entry)
    found = map(entry_of, read_papers([path]))
    more = [entry for entry in _as_cited(manuscript, found) if entry.key in lacking]
    if path.lower().endswith(".bib"):
        untitled_entries = _without_title(decoded(Path(path).read_bytes()), more)
        more += [entry for entry in untitled_entries if entry.key in lacking]
    return _with_read(manuscript, path, more)


def with_bibliography(manuscript: Manuscript, path: str, read: Manuscript) -> Manuscript:
    """The manuscript with what it cites of all that was `read` of a file that it names, at `path` from its folder.

    The rest is only `beside` it: a library of all that somebody read is not the bibliography of one paper.
    """
    wanted = set(manuscript.keys)
    entries = (replace(one, place=one.place and replace(one.place, file=path)) for one in read.entries)
    found = tuple(_as_cited(manuscript, entries))
    known = manuscript.entries if manuscript.beside is None else manuscript.beside
    whole = bounded(_with_read(manuscript, path, (entry for entry in found if entry.key in wanted)))
    files = (*whole.bibtex, *(replace(one, path=path) for one in read.bibtex))
    held = {one.path: len(wanted.intersection(keys_in(decoded(one.data)))) for one in files}
    return replace(
        whole,
        bibtex=tuple(sorted(files, key=lambda one: -held[one.path])),
        beside=once((*known, *found))[:MAX_REFERENCES],
        notes=(*whole.notes, *read.notes),
    )


def aliases_in(entry: Entry) -> list[str]:
    """Other keys by which biblatex knows an entry: its field `ids`."""
    found = _ALIASES.search(entry.source)
    return split_keys(found[1]) if found else []


def keys_meant(entries: Iterable[Entry], of_bibtex: bool) -> Callable[[str], Sequence[str]]:
    """What gives the keys of the entries that a key cites: several of a set of biblatex, itself where nothing has it.

    It may be an alias, or, as BibTeX takes keys, be written with other capitals than that of its entry.
    """
    meant: dict[str, list[str]] = {}
    capitals: dict[str, str] = {}
    for entry in entries:
        meant |= {alias: [entry.key] for alias in aliases_in(entry)}
        meant.setdefault(entry.key, [entry.key])
        if of_bibtex and entry.source.startswith("@"):  # LaTeX itself tells those of \bibitem apart
            capitals.setdefault(entry.key.lower(), entry.key)
        if members := _MEMBERS.match(entry.source):
            meant[entry.key] = split_keys(members[1])
    return lambda key: meant.get(key) or [capitals.get(key.lower(), key)]


def _as_cited(manuscript: Manuscript, entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries, each under the alias by which the manuscript, in LaTeX, cites it and lacks it."""
    lacking = set(manuscript.keys_without_entry)
    for entry in entries:
        aliases = lacking.intersection(aliases_in(entry)) if manuscript.markup == "latex" else ()
        yield from (replace(entry, key=alias) for alias in aliases)
        if not aliases or entry.key in lacking:
            yield entry


def _with_read(manuscript: Manuscript, path: str, more: Iterable[Entry]) -> Manuscript:
    """The manuscript with entries of the file at that path, which it names."""
    whole = replace(without_note_on(manuscript, path), entries=once((*manuscript.entries, *more)))
    others = (note for note in whole.notes if note.kind != "entry")
    return replace(whole, notes=(*others, *notes_on_keys(whole)))


def bounded(manuscript: Manuscript) -> Manuscript:
    """The manuscript with so many entries as are allowed: what it cites goes before what it does not."""
    cited = set(manuscript.keys)
    keys = [entry.key for entry in sorted(manuscript.entries, key=lambda entry: entry.key not in cited)]
    beyond = set(keys[MAX_REFERENCES:])
    kept = tuple(entry for entry in manuscript.entries if entry.key not in beyond)
    left_out = (entry.key for entry in manuscript.entries if entry.key in beyond)
    return replace(manuscript, entries=kept, left_out=(*manuscript.left_out, *left_out))


def notes_on_keys(manuscript: Manuscript) -> Iterator[Note]:
    """What to say of the keys without an entry."""
    missing = manuscript.keys_without_entry
    named = missing[:_MOST_KEYS_NAMED] if len(missing) > _MOST_KEYS_NAMED + 2 else missing
    for key in named:
        yield Note(f"no entry for the key {key}", "entry")
    if left := missing[len(named) :]:
        yield Note(f"no entry for the key {left[0]}, nor for {len(left) - 1:,} others", "entry")


def without_note_on(manuscript: Manuscript, *paths: str) -> Manuscript:
    """The manuscript without the advice to name bibliographies that were named."""
    kinds = ("bibliography", "beside")
    left = (note for note in manuscript.notes if note.kind not in kinds or not any(map(note.is_about, paths)))
    return replace(manuscript, notes=tuple(left))


def once(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Each key once: the first entry counts, as in BibTeX, unless only a later one says what it is."""
    found: dict[str, Entry] = {}
    for entry in entries:
        if entry.key not in found or not found[entry.key].readings:
            found[entry.key] = entry
    return tuple(found.values())


def with_bibtex(manuscript: Manuscript, files: Files) -> Manuscript:
    """With the files of BibTeX that hold its entries, most entries first; if none does, all of them.

    Where the manuscript names its bibliographies, only these are among them. What is beyond the bounds is left out and
    noted in `files`.
    """
    wanted = {entry.key for entry in manuscript.entries}
    named = files.lists or any(note.kind == "bibliography" for note in files.notes)
    paths = [path for path in (files.lists if named else files.paths(".bib")) if path in files.contents]
    paths = [path for path in paths if path.lower().endswith(".bib")]
    held = {path: len(wanted.intersection(keys_in(files.text(path)))) for path in paths}
    left = MAX_BIBTEX
    found: dict[str, BibtexSource] = {}
    for path in sorted([path for path in paths if held[path]] or paths, key=lambda path: -held[path]):
        data = files.contents[path]
        if len(data) > left or len(found) == MAX_BIBTEX_FILES:
            files.note(f"too large or too many to add entries to: {path}", "added to")
            continue
        left -= len(data)
        found[path] = BibtexSource(files.told(path), data)
    beside = None
    if not (manuscript.markup or any(held.values())):  # which names none of them
        held_there = (one for path in found for one in entries_of_file(files, path, MAX_REFERENCES))
        beside = tuple(Entry(one.key, one.readings) for one in islice(held_there, MAX_REFERENCES))
    return replace(manuscript, bibtex=tuple(found.values()), beside=beside)


def entry_of(paper: Paper) -> Entry:
    """The entry of a paper whose id is its key."""
    return Entry(paper.id, (short(paper),), paper.original.text if paper.original else "")


def entry_of_fields(
    key: str,
    title: str,
    authors: Iterable[str],
    when: str | None,
    venue: str,
    name: str,
    eprint: str = "",
    source: str = "",
) -> Entry:
    """The entry of a work, published `when`, that has a DOI by this `name`; without title and id, by its key alone."""
    paper = Paper(key, title, "", year(when), tuple(authors), venue, doi(name), arxiv(eprint))
    return Entry(key, (short(paper),) if title or paper.doi or paper.arxiv else (), source[:_LONGEST])


def entry_of_text(key: str, text: str, title: str = "") -> Entry:
    """An entry of a printed reference list; `title` where the list says which part it is."""
    line = " ".join(text.split())
    read = readings(line)
    if title:
        first = next((paper for paper in read if paper.doi or paper.arxiv), None)
        known = replace(first, title=title) if first else Paper(key, title)
        read = (known, *(paper for paper in read if paper.title != title))
    return Entry(key, tuple(short(replace(paper, id=key)) for paper in read), line[:_LONGEST])


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
        imprint=Imprint("book", paper.volume[:100]) if paper.volume else None,
    )
