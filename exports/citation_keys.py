"""Keys by which a text cites the entries of a bibliography."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType

from citescout.recommendation import Answer
from citescout.stop_words import function_words
from common.names import parse_names
from common.sequences import numbered
from common.text import one_line, unaccented
from indexer.paper import Paper
from indexer.readers.bibtex_keys import KEY

_LONGEST = 60  # characters
_SHORTEST_WORD = 4  # letters of a title's word by which a key is known
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9:./+_-]*")
# As catalogues write it in Latin letters.
_CYRILLIC = str.maketrans("абвгґдезиіклмнопрстуфыэ", "abvggdeziiklmnoprstufye", "ъь") | {
    ord(letter): latin
    for letter, latin in zip("жхцчшщюяє", ("zh", "kh", "ts", "ch", "sh", "shch", "iu", "ia", "ie"), strict=True)
}
_WORD = re.compile(r"[a-z]{3}")  # numbers and digests hold none
_STOP_WORDS = re.compile(
    r"an?|and|are|as|at|by|can|do|does|for|from|how|in|is|it|of|on|or|the|to|towards|what|why|with"
)


class Keys:
    """Gives every paper a key that no other paper of this bibliography has.

    A paper that came from a bibliography keeps the key that it had there; others get one of ASCII letters and digits.
    Keys differ in more than the case of their letters, as BibTeX wants it.
    """

    def __init__(self, taken: Iterable[str] = (), given: Mapping[str, str] = MappingProxyType({})) -> None:
        """`taken` are keys that others have, `given` those that papers have already, by their ids, unless taken."""
        self._taken = {key.lower() for key in taken}
        self._keys = {id_: key for id_, key in given.items() if not self.has(key)}
        self._taken.update(key.lower() for key in self._keys.values())

    def key(self, paper: Paper, wanted: str = "") -> str:
        """Such as vaswani2017attention; the second paper of that name is vaswani2017attention-2.

        The first time it is `wanted`, where that is not "" and no other paper has it.
        """
        if paper.id not in self._keys:
            possible = chain(filter(None, [wanted]), possible_keys(paper))
            self._keys[paper.id] = next(key for key in possible if not self.has(key))
            self.take(self._keys[paper.id])
        return self._keys[paper.id]

    def take(self, key: str) -> None:
        """Have no other paper get this key."""
        self._taken.add(key.lower())

    def has(self, key: str) -> bool:
        """Whether a paper has this key."""
        return key.lower() in self._taken


def with_own_keys(answers: Iterable[Answer], key: Callable[[Paper, str], str]) -> Iterator[Answer]:
    """The answers one by one; before each, those of its papers that bring a key are given it, by `key`.

    So no paper that stands before them in the list gets it. A key under which a text cites a paper goes first.
    """
    for answer in answers:
        for entry in sorted(answer.recommendations, key=lambda entry: not entry.key):
            if entry.key or own_key(entry.paper):
                key(entry.paper, entry.key)
        yield answer


def possible_keys(paper: Paper) -> Iterator[str]:
    """The keys that a paper may have, without end; the first that no other paper has is its own."""
    return numbered(own_key(paper) or (paper.id if _is_key(paper) else _base_key(paper)))


def own_key(paper: Paper) -> str:
    """The key of the entry of BibTeX or the item of Zotero that the paper came from; "" where it has none.

    One that is not only text is none.
    """
    text = paper.original.text if paper.original and paper.original.format == "bibtex" else ""
    if not paper.original and paper.imprint:
        text = f"@misc{{{paper.imprint.citation_key},"
    found = KEY.search(text)
    return found[1] if found and one_line(found[1]) == found[1] and not re.search(r"\\|\^\^", found[1]) else ""


def _is_key(paper: Paper) -> bool:
    """Whether the id is a key that somebody chose: plain marks, and in them the surname, the year or a title's word."""
    key = paper.id
    if len(key) > _LONGEST or "//" in key or not (_PLAIN.fullmatch(key) and _WORD.search(key)):
        return False
    if paper.year and str(paper.year) in key:
        return True
    surnames = [name.surname for name in parse_names(paper.authors)[:1]]
    words = map(_ascii, [*surnames, *one_line(paper.title).split()])
    return any(word in key.lower() for word in words if len(word) >= _SHORTEST_WORD)


def _base_key(paper: Paper) -> str:
    """Surname, year, first distinctive word of the title."""
    names = parse_names(paper.authors)
    name = _ascii(names[0].surname) if names else ""
    title = one_line(paper.title).split()
    empty = function_words(title)  # of another language than English
    words = (_ascii(word) for word in title if word.lower() not in empty)
    word = next((word for word in words if word and not _STOP_WORDS.fullmatch(word)), "")
    key = f"{name}{paper.year or ''}{word}"
    if key.isdecimal():  # name and title are in another script
        key = f"paper{key}"
    return (key or _ascii(paper.id))[:_LONGEST] or "paper"


def _ascii(text: str) -> str:
    plain = unaccented(unicodedata.normalize("NFKD", text).casefold()).translate(_CYRILLIC)
    return "".join(mark for mark in plain if mark.isascii() and mark.isalnum())
