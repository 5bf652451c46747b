"""Plain text → the values of BibTeX fields."""

from __future__ import annotations

import re
from urllib.parse import quote

from common.names import begins_lower, family_first, joined, parse_name
from exports.text import one_line

# BibTeX counts braces even behind a backslash, so a brace of the text becomes a command. Letters stay Unicode.
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"$\lbrace$",
        "}": r"$\rbrace$",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": "$<$",
        ">": "$>$",
        "|": "$|$",
        **{mark: f"\\{mark}" for mark in "%&_#$"},
    }
)
_NOT_IN_VERBATIM = re.compile(r"[\s{}\\]")


def escaped(text: str) -> str:
    """The text as LaTeX shows it, on one line, with balanced braces."""
    return one_line(text).translate(_ESCAPES)


def title_value(title: str) -> str:
    """An escaped title whose acronyms and names like "LaTeX" are braced, since many styles lower its case."""
    line = one_line(title)
    if line.isupper():
        return escaped(line)
    return " ".join(_protected(word) for word in line.split(" "))


def _protected(word: str) -> str:
    """Braces for a capital that is not merely the first letter: BERT, mRNA, U-Net, IPv6."""
    start = next((place for place, mark in enumerate(word) if mark.isalnum()), len(word))
    end = next((place for place in range(len(word), start, -1) if word[place - 1].isalnum()), start)
    core = word[start:end]
    if not any(mark.isupper() for mark in core[1:]):
        return word.translate(_ESCAPES)
    before, braced, after = (part.translate(_ESCAPES) for part in (word[:start], core, word[end:]))
    return f"{before}{{{braced}}}{after}"


def name_list(authors: tuple[str, ...]) -> str:
    """Author names joined by "and", each so that BibTeX takes it for one name with the right parts."""
    return " and ".join(_name(author) for author in map(one_line, authors) if author)


def _name(author: str) -> str:
    """One name: as it is where BibTeX parts it as we do, else "von Last, Jr., First"; organisations are braced."""
    name = parse_name(author)
    # A parser may take the backslash of an escape behind "and" for an escaped space.
    if name.whole or (name.suffix and not name.given) or escaped(author).startswith("\\"):
        return f"{{{escaped(author)}}}"
    as_bibtex = not any(map(begins_lower, name.family.split()[:-1])) and not begins_lower(name.given)
    if "," not in author and not name.suffix and as_bibtex and not family_first(author):
        return escaped(author)
    family = escaped(name.family) if as_bibtex else f"{{{escaped(name.family)}}}"
    last = joined(escaped(name.particle), family)
    return ", ".join(filter(None, (last, escaped(name.suffix), escaped(name.given))))


def verbatim(text: str) -> str:
    """An address or identifier: not escaped, since DOI and URL fields are read verbatim; braces percent-encoded."""
    return _NOT_IN_VERBATIM.sub(lambda mark: quote(mark[0]), one_line(text))
