"""Where the sentences and entries of a manuscript stand in its files: found again by their words.

Reading expands macros and follows includes, so what comes out of it has no lines any more. A sentence is therefore
looked for in the files that were read, by runs of three of its words. Where a passage stands in several places, that
which follows the sentence before is taken.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from manuscripts.files import NAMELESS, Files
from manuscripts.formats import MARKDOWN, NOTEBOOK, TEX, TYPST
from manuscripts.manuscript import Entry, Manuscript, Paragraph, Place, Sentence

_WORD = re.compile(r"[^\W_]+")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_TEXTS = (*TEX, *TYPST, *MARKDOWN, NOTEBOOK)
_LISTS = (".bib", ".bbl", ".json", ".csljson", ".yml", ".yaml", ".ris")
_ENTRY = re.compile(
    r"""^[ \t]*@[A-Za-z]+[ \t]*[{(]\s*([^\s,{}=]+)[ \t]*,
    | \\bib(?:\*|item\s*(?:\[(?:[^\[\]{}]|\{[^{}]*\})*\])?\s*)?\{\s*([^{}]+?)\s*\}
    | \\entry\{([^{}]+)\}
    | ^[ \t{,\[-]*["']?id["']?\s*:\s*["']?([^\s"',]+)
    | ^ID[ ]{2}-[ ](\S+)
    """,
    re.MULTILINE | re.VERBOSE,
)
_RUN = 3  # words by which a place is known
_MOST_SOURCE, _MOST_LISTED = 2_000_000, 8_000_000  # characters of texts and of lists that are looked through
_MOST_SENTENCES = 20_000  # that are looked for
_MOST_PLACES = 20  # of one run of words: one that stands everywhere says nothing
_ANCHORS, _COMPARED = 3, 12  # runs of a sentence from which it is looked for, and by which places are compared
_GAP = 12  # words that a citation or a macro may put between those of a sentence

_Run = tuple[str, ...]


def located(manuscript: Manuscript, files: Files) -> Manuscript:
    """The manuscript with the places of its sentences and entries, as far as its files have lines and hold them."""
    texts = {path: files.text(path) for path in list(files.opened)}
    lists = {path: files.text(path) for path in list(files.lists) if path.lower().endswith(_LISTS)}
    if sum(map(len, (texts | lists).values())) > _MOST_LISTED:
        return manuscript
    entries = _entries(manuscript.entries, {files.told(path): text for path, text in (texts | lists).items()})
    sources = {path: text for path, text in texts.items() if path == NAMELESS or path.lower().endswith(_TEXTS)}
    wanted = [_runs(sentence) for sentence in manuscript.sentences()]
    if not 0 < sum(map(len, sources.values())) <= _MOST_SOURCE or len(wanted) > _MOST_SENTENCES:
        return replace(manuscript, entries=entries)
    source = _Source({run for runs in wanted for run in runs})
    for path, text in sources.items():
        is_latex = path.lower().endswith(TEX) or (path == NAMELESS and manuscript.markup == "latex")
        # What was made of a notebook has lines that are none of it.
        told = None if path in files.added and path in files.contents else files.told(path)
        source.add(told, _COMMENT.sub("", text) if is_latex else text)
    places = iter([source.find(runs) for runs in wanted])

    def with_places(paragraph: Paragraph) -> Paragraph:
        placed: list[Sentence] = []
        for sentence in paragraph.sentences:  # one that is not found stands near the one before
            place = next(places) or (placed[-1].place if placed else None)
            placed.append(replace(sentence, place=place))
        return replace(paragraph, sentences=tuple(placed))

    sections = tuple(
        replace(section, paragraphs=tuple(map(with_places, section.paragraphs))) for section in manuscript.sections
    )
    return replace(manuscript, sections=sections, entries=entries)


@dataclass(slots=True)
class _Source:
    """The words of all files, one after the other."""

    wanted: set[_Run]  # only where these stand is kept
    places: dict[_Run, list[int]] = field(default_factory=dict)  # run → where its first word stands, ascending
    lines: array[int] = field(default_factory=lambda: array("i"))  # of every word
    starts: list[int] = field(default_factory=list)  # first word of every file
    files: list[str | None] = field(default_factory=list)  # their paths; None for one whose lines say nothing
    last: int = 0  # the word at which the sentence before was found

    def add(self, path: str | None, text: str) -> None:
        """The next file."""
        self.starts.append(len(self.lines))
        self.files.append(path)
        recent: list[str] = []
        for number, line in enumerate(text.split("\n"), 1):
            for word in _words(line):
                recent = [*recent[1 - _RUN :], word]
                self.lines.append(number)
                for size in range(1, len(recent) + 1):
                    self._note(tuple(recent[-size:]), len(self.lines) - size)

    def _note(self, run: _Run, place: int) -> None:
        if run in self.wanted:
            found = self.places.setdefault(run, [])
            if len(found) <= _MOST_PLACES:
                found.append(place)

    def find(self, runs: Sequence[_Run]) -> Place | None:
        """Where a sentence of these runs of words begins; None where too little of it stands anywhere."""
        anchors = [turn for turn, run in enumerate(runs) if 0 < len(self.places.get(run, ())) <= _MOST_PLACES]
        candidates = [(turn, place) for turn in anchors[:_ANCHORS] for place in self.places[runs[turn]]]
        if not candidates:
            return None
        _, place = max(candidates, key=lambda one: (self._agreement(runs, *one), -one[0], *self._nearness(one[1])))
        self.last = place
        path = self.files[bisect_left(self.starts, place + 1) - 1]
        return None if path is None else Place(path, self.lines[place])

    def _agreement(self, runs: Sequence[_Run], turn: int, place: int) -> int:
        """How many of the runs stand behind `place`, where that of number `turn` stands, near enough."""
        found = 0
        for ahead, run in enumerate(runs[turn:]):
            every = self.places.get(run, ())
            next_one = bisect_left(every, place)
            found += next_one < len(every) and every[next_one] <= place + 2 * ahead + _GAP
        return found

    def _nearness(self, place: int) -> tuple[bool, int]:
        return place >= self.last, -abs(place - self.last)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _runs(sentence: Sentence) -> list[_Run]:
    """The first runs of a sentence's words, none across a citation, and the keys that it cites."""
    found: list[_Run] = []
    start = 0
    for mark in sentence.marks:
        found += _runs_of(_words(sentence.text[start : mark.place]))
        found += [tuple(_words(key)[:_RUN]) for key in mark.keys]
        start = mark.place
    return list(filter(None, [*found, *_runs_of(_words(sentence.text[start:]))]))[:_COMPARED]


def _runs_of(words: Sequence[str]) -> list[_Run]:
    size = min(_RUN, len(words))
    return [tuple(words[start : start + size]) for start in range(len(words) - size + 1)] if size else []


def _entries(entries: Sequence[Entry], texts: Mapping[str, str]) -> tuple[Entry, ...]:
    found: dict[str, Place] = {}
    for path, text in texts.items():
        for key, line in _keys(text):
            found.setdefault(key, Place(path, line))
    return tuple(replace(entry, place=found.get(entry.key)) for entry in entries)


def _keys(text: str) -> Iterator[tuple[str, int]]:
    """(key, line) of what may be an entry."""
    line, counted = 1, 0
    for entry in _ENTRY.finditer(text):
        which = entry.lastindex or 0
        line += text.count("\n", counted, entry.start(which))
        counted = entry.start(which)
        yield entry[which], line
