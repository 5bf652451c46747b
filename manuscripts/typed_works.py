"""Citations in notes, by who wrote a work and its title: "Foucault, Discipline and Punish, 210"."""

import re
from collections.abc import Iterator, Sequence

from indexer.identity.titles import title_words
from manuscripts.manuscript import Entry
from manuscripts.typed_marks import Typed, Work

_SAME_AUTHOR = re.compile(r"\s*[—–_-]{2,}")  # in place of the name in the entry above
_RUN = 3  # words of a title that name it
_LATEST = 8  # word of an entry with which its title begins
_MOST_OF_NAME = 3  # words

_Run = tuple[str, ...]


class ByWork:
    """A family name and the first words of a title, in a note."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._named: dict[_Run, list[tuple[str, _Run]]] = {}  # run of words → key and family name of each work
        family: _Run = ()
        for entry in entries:
            words, repeated = title_words(entry.source), bool(_SAME_AUTHOR.match(entry.source))
            if not repeated:
                family = tuple(title_words(entry.source.partition(",")[0])[:_MOST_OF_NAME])
            for run in _runs(words[:_LATEST], _RUN)[not repeated :]:
                self._named.setdefault(run, []).append((entry.key, family))

    def find(self, text: str) -> Iterator[Typed]:
        """See `Way.find`: what the note `text` cites, at its end."""
        words = title_words(text)
        found: dict[str, set[_Run]] = {}
        for run in _runs(words, _RUN):
            for key, family in self._named.get(run, ()):
                if family and family in _runs(words, len(family)):
                    found.setdefault(key, set()).add(run)
        # Of "History, Vol. 1" and "History, Vol. 2" that of which it says more.
        keys = [key for key, runs in found.items() if not any(runs < other for other in found.values())]
        if keys:
            yield Typed(len(text), len(text), tuple(Work(key, key) for key in keys))


def _runs(words: Sequence[str], size: int) -> list[_Run]:
    return [tuple(words[start : start + size]) for start in range(len(words) - size + 1)]
