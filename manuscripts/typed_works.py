"""Citations in notes, by who wrote a work and its title: "Foucault, Discipline and Punish, 210"."""

import re
from collections.abc import Iterable, Iterator, Sequence

from indexer.identity.titles import title_words
from manuscripts.bibliographies import entry_of_text
from manuscripts.manuscript import Entry
from manuscripts.printed_lists import QUOTED, works_of_note
from manuscripts.reference_lines import SAME_AUTHORS, year_of
from manuscripts.typed_marks import Typed, Work

_RUN = 3  # words of a title that name it
_LATEST = 8  # word of an entry with which its title begins
_MOST_OF_NAME = 3  # words
_BEHIND_NAME = re.compile(r",|;| and | & ")

_Run = tuple[str, ...]


class ByWork:
    """A family name and the first words of a title, in a note."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._named: dict[_Run, list[tuple[str, _Run]]] = {}  # run of words → key and family name of each work
        self._said: dict[str, frozenset[_Run]] = {}  # key → all runs of the entry
        self._sources: dict[str, str] = {}  # key → the entry
        self._family: _Run = ()
        self.added: list[Entry] = []
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Another work, below those before."""
        words, repeated = title_words(entry.source), bool(SAME_AUTHORS.match(entry.source))
        if not repeated:
            name = title_words(_BEHIND_NAME.split(entry.source, maxsplit=1)[0])
            # In a note the first name stands before it: "Michel Foucault", and then "Foucault".
            self._family = tuple(name[-1:] if len(name) <= _MOST_OF_NAME else name[:_MOST_OF_NAME])
        self._said[entry.key] = frozenset(_runs(words, _RUN))
        self._sources[entry.key] = entry.source
        runs = _runs(words[:_LATEST], _RUN)[not repeated :]
        for title in re.findall(QUOTED, entry.source):  # which many authors may stand before
            runs += _runs(title_words(title)[:_LATEST], _RUN)
        for run in runs:
            self._named.setdefault(run, []).append((entry.key, self._family))

    def find(self, text: str) -> Iterator[Typed]:
        """What the note `text` cites, at its end."""
        words = title_words(text)
        runs = _runs(words, _RUN)
        names = {run for size in range(1, _MOST_OF_NAME + 1) for run in _runs(words, size)}
        works = dict.fromkeys(work for run in runs for work in self._named.get(run, ()))
        every = frozenset(runs)
        found = {key: self._said[key] & every for key, family in works if family in names}
        # Of "History, Vol. 1" and "History, Vol. 2" that of which it says more.
        distinct = set(found.values())
        less = {said for said in distinct if any(said < other for other in distinct)}
        keys = [key for key, said in found.items() if said not in less]
        if keys:
            yield Typed(len(text), len(text), tuple(Work(key, key) for key in keys))

    def named(self, text: str) -> list[str]:
        """The keys of what the note `text` cites."""
        return [one.name for typed in self.find(text) for one in typed.works]

    def key_of(self, work: str, title: str) -> str:
        """The key of a work that a note names: of an entry with its title and year, or first edition, or of a new one.

        New entries are numbered behind those that are known, and are in `added`.
        """
        year = year_of(work)
        alike = ((key, self._sources[key]) for key in self.named(work))
        same = (key for key, source in alike if year_of(source) == year or str(year) in source)
        if known := next((key for key in same if _says(self._sources[key], title or work)), None):
            return known
        entry = entry_of_text(str(len(self._sources) + 1), work, title)
        self.add(entry)
        self.added.append(entry)
        return entry.key


def entries_of_notes(notes: Iterable[str], listed: Sequence[Entry]) -> tuple[Entry, ...]:
    """An entry for each work that notes name whole, once, and the list does not, numbered behind those of the list."""
    known = ByWork(listed)
    for work, title in (one for note in notes for one in works_of_note(note)):
        known.key_of(work, title)
    return tuple(known.added)


def _says(source: str, title: str) -> bool:
    return f" {' '.join(title_words(title))} " in f" {' '.join(title_words(source))} "


def _runs(words: Sequence[str], size: int) -> list[_Run]:
    return [tuple(words[start : start + size]) for start in range(len(words) - size + 1)]
