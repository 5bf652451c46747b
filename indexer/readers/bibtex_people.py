"""The people of a BibTeX field: names joined by "and", and what people write instead."""

import re
from html import unescape

from bibtexparser.middlewares.names import (
    InvalidNameError,
    parse_single_name_into_parts,
    split_multiple_persons_names,
)

from common.names import OTHERS, SUFFIX, initials_last, parse_name, stored_name, stored_whole
from indexer.readers.bibtex_keys import in_braces
from indexer.readers.latex import plain
from indexer.readers.markup import person

_SUFFIX = re.compile(rf"{SUFFIX}|(?:ph\.? ?d|m\.?d|i|vi{{0,3}}|1st)\.?", re.IGNORECASE)
_NAMED = re.compile(r"\s*\"?[a-z-]+\s*=")  # BibLaTeX's "given=Hans, family=Harman"
_MOST_INITIALS = 4
# "J. Smith", "Donald E. Knuth": no family name has an initial before its last word.
_INITIAL_FIRST = re.compile(r"[^\W\d_]\.[ -]?\S|\S.{0,100} [^\W\d_]\.[ -]?(?:[^\W\d_]\.[ -]?){0,3}[^\W\d_]{2}")
_INITIALS_FIRST = re.compile(r"[A-ZÀ-Þ]{1,3} [^\W\d_]{2}")  # Google Scholar has "JA Smith, B Doe"
_COMMAND_FIRST = re.compile(r"(?<=\sand)\s+(?=\\)", re.IGNORECASE)  # bibtexparser would lose the backslash
_AMPERSAND, _AND_FIRST = re.compile(r" \\*& "), re.compile(r"^\s*(?:and|\\*&)\s+", re.IGNORECASE)
_ET_AL = re.compile(r"(?:^|[\s,;]{1,3})(?:and )?(?:et\.? al\.?|\.\.\.)$|(?:[\s,;]{1,3}(?:and )?)?…$", re.IGNORECASE)
_TILDE = re.compile(r"\\~\s*(?:\{([^{}]+)\}|(\\?[A-Za-z]))")  # the accent, as in Pe\~na
_LONGEST_NAME = 1_000  # characters

# One part of a name as biblatex and Better BibTeX name them: family=Vaart, given=Aad, prefix=van der.
_NAMED_PART = re.compile(r'(?:^|,)\s*"?([a-z-]+)\s*=\s*((?:\{(?:[^{}]|\{[^{}]*\})*\}|[^,{}"])+)')


def names(value: str) -> list[str]:
    """The people of a field such as `author`, each as `common.names` stores it; at the end perhaps "others"."""
    named = _ET_AL.sub(lambda found: f" and {OTHERS}" if found.start() else "", " ".join(with_tildes(value).split()))
    found = [name for name in people(named) if name]
    others = [OTHERS] if len(found) > 1 and found[-1].lower() == OTHERS else []
    return [stored(name) for name in found if name.lower() != OTHERS] + others


def with_tildes(value: str) -> str:
    r"""A field whose accents \~ are in braces, for the parser takes any other "~" for a space."""
    return _TILDE.sub(lambda accent: f"{{\\~{{{accent[1] or accent[2]}}}}}", value)


def stored(name: str) -> str:
    """One name as BibTeX takes it, perhaps in braces or with LaTeX's accents, as `common.names` stores it."""
    if in_braces(name):
        whole = plain(name)
        return whole if "," in whole else stored_whole(whole)  # Citavi has "{Berg, Ann van der}"
    named = dict(_NAMED_PART.findall(name[:_LONGEST_NAME]))
    if "family" in named:
        given, family = named.get("given", ""), person(named.get("prefix"), named["family"])
        suffix = named.get("suffix", "")
    else:
        try:
            parts = parse_single_name_into_parts(name)
        except InvalidNameError:
            return plain(name)
        if "," not in name and len(parts.first) > 1 and re.fullmatch(SUFFIX, " ".join(parts.last)):
            return plain(name)  # BibTeX would take "Jr" of "Martin King Jr" for the family name
        given, family, suffix = " ".join(parts.first), " ".join([*parts.von, *parts.last]), " ".join(parts.jr)
    return stored_name(*map(plain, (family, given, suffix)))


def people(value: str) -> list[str]:
    """The names of a field such as `author`, each as BibTeX takes a name: "First von Last" or "von Last, Jr, First".

    BibTeX knows no other separator than "and". Many files have lists with commas or semicolons, of which it would make
    one name; where the commas of a name can mean nothing else, they are separators here.
    """
    parts = [_AND_FIRST.sub("", part) for part in apart(unescape(value), ";")]  # "Roe, R; and Doe, J"
    joined = _COMMAND_FIRST.sub(" {}", " and ".join(filter(str.strip, parts)))
    named = [name.removeprefix("{}") for name in split_multiple_persons_names(joined)]
    written = [one for name in named for one in _two_people(name)]
    # BibTeX takes no name with a comma at its end, as the last but one has in "John Smith, Jane Doe, and Bo Li".
    listed = "," not in written[-1] and any(name.endswith(",") for name in written) if written else False
    by_and_alone = len(written) == len(named) and ";" not in value  # "Li X. and Wang Y." is BibTeX
    return _short(written, by_and_alone) or [one for name in written for one in _listed(name, listed)]


def _two_people(name: str) -> list[str]:
    """The sides of "John Smith & Jane Doe", but "Johnson & Johnson" as it is."""
    both = _AMPERSAND.split(name)
    people = "," not in name and all(" " in one and not parse_name(one).whole for one in both)
    return both if people else [name]


def _short(written: list[str], by_and_alone: bool) -> list[str]:
    """The names of a list such as "Li X., Wang Y." with commas in the places that BibTeX expects; empty for others."""
    pieces = [piece for name in written for part in apart(name, ",") if (piece := part.strip())]
    if not pieces or (by_and_alone and len(pieces) == len(written)):
        return []
    named = pieces[:-1] if pieces[-1].lower() == OTHERS else pieces
    parts = [() if parse_name(name).whole else initials_last(name) for name in named]
    if None in parts or not any(parts):
        return []
    return [with_suffix(one) if one else name for one, name in zip(parts, named, strict=True)] + pieces[len(named) :]


def with_suffix(parts: tuple[str, str, str]) -> str:
    """Family name, given name and suffix as BibTeX has them: "King, Jr., Martin"."""
    family, given, suffix = parts
    return ", ".join(filter(None, (family, suffix, given)))


def _listed(name: str, listed: bool) -> list[str]:
    pieces = [piece for part in apart(name, ",") if (piece := part.strip())]
    if len(pieces) < 2:
        return pieces  # Crossref has "{Alan D. Sokal},"
    if _NAMED.match(name):
        return [name]
    if len(both := _AMPERSAND.split(name)) > 1:
        return [one for part in both for one in _listed(part, listed)]
    if len(pieces) == 2 and not begin_with_initials(pieces) and not (listed and all(" " in piece for piece in pieces)):
        return [", ".join(pieces)]
    if len(pieces) <= 3 and any(map(_SUFFIX.fullmatch, pieces[1:])):
        return [", ".join(pieces)]
    if len(pieces) % 2 == 0 and all(map(are_initials, pieces[1::2])):
        return [", ".join(pair) for pair in zip(pieces[::2], pieces[1::2], strict=True)]
    return pieces


def begin_with_initials(pieces: list[str]) -> bool:
    """Whether the pieces between commas are names such as "J. Smith" and "JA Smith"."""
    return bool(_INITIAL_FIRST.match(pieces[0])) or all(map(_INITIALS_FIRST.match, pieces))


def are_initials(piece: str) -> bool:
    """Whether there are no other letters than initials, as in "J.-A."."""
    first, *others = piece.split()
    letters = [character for character in piece if character.isalpha()]
    if others and len(first) > 1 and first.isalpha():
        return False  # "DOE J"
    return 0 < len(letters) <= _MOST_INITIALS and all(map(str.isupper, letters))


def apart(value: str, separator: str) -> list[str]:
    """Parted at the separators that are in no braces."""
    parts, start, depth = [], 0, 0
    for mark in re.finditer(f"[{{}}{separator}]", value):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if mark[0] == separator and depth <= 0:
            parts.append(value[start : mark.start()])
            start = mark.end()
    return [*parts, value[start:]]
