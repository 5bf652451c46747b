"""The people of a BibTeX field: names joined by "and", and what people write instead."""

import re
from html import unescape

from bibtexparser.middlewares.names import split_multiple_persons_names

_SUFFIX = re.compile(r"(?:jr|sr|esq|ph\.? ?d|m\.?d|i{1,3}|iv|vi{0,3}|\d(?:st|nd|rd|th))\.?", re.IGNORECASE)
_NAMED = re.compile(r"\s*\"?[a-z-]+\s*=")  # BibLaTeX's "given=Hans, family=Harman"
_MOST_INITIALS = 4
_INITIAL_FIRST = re.compile(r"[^\W\d_]\.[ -]?\S")
_INITIALS_FIRST = re.compile(r"[A-ZÀ-Þ]{1,3} [^\W\d_]{2}")  # Google Scholar has "JA Smith, B Doe"
_COMMAND_FIRST = re.compile(r"(?<=\sand)\s+(?=\\)", re.IGNORECASE)  # bibtexparser would lose the backslash


def people(value: str) -> list[str]:
    """The names of a field such as `author`, each as BibTeX takes a name: "First von Last" or "von Last, Jr, First".

    BibTeX knows no other separator than "and". Many files have lists with commas or semicolons, of which it would make
    one name; where the commas of a name can mean nothing else, they are separators here.
    """
    joined = _COMMAND_FIRST.sub(" {}", " and ".join(filter(str.strip, _apart(unescape(value), ";"))))
    names = split_multiple_persons_names(joined)
    return [one for name in names for one in _listed(name.removeprefix("{}"))]


def _listed(name: str) -> list[str]:
    pieces = [piece for part in _apart(name, ",") if (piece := part.strip())]
    if len(pieces) < 2:
        return pieces  # Crossref has "{Alan D. Sokal},"
    if _NAMED.match(name):
        return [name]
    if len(both := re.split(r" \\*& ", name)) > 1:
        return [one for part in both for one in _listed(part)]
    if len(pieces) == 2 and not (_INITIAL_FIRST.match(pieces[0]) or all(map(_INITIALS_FIRST.match, pieces))):
        return [name]
    if len(pieces) <= 3 and any(map(_SUFFIX.fullmatch, pieces[1:])):
        return [name]
    if len(pieces) % 2 == 0 and all(map(_are_initials, pieces[1::2])):
        return [", ".join(pair) for pair in zip(pieces[::2], pieces[1::2], strict=True)]
    return pieces


def _are_initials(piece: str) -> bool:
    letters = [character for character in piece if character.isalpha()]
    return 0 < len(letters) <= _MOST_INITIALS and all(map(str.isupper, letters))


def _apart(value: str, separator: str) -> list[str]:
    """Parted at the separators that are in no braces."""
    parts, start, depth = [], 0, 0
    for mark in re.finditer(f"[{{}}{separator}]", value):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if mark[0] == separator and depth <= 0:
            parts.append(value[start : mark.start()])
            start = mark.end()
    return [*parts, value[start:]]
