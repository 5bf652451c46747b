"""When two names are one author's: the same family name, and given names that do not disagree.

Case, accents and punctuation do not count. Nothing is guessed beyond spelling: no nicknames, no changes of name, no
other alphabet, and of "Zuo Min" the last word is taken for the family name. Initials are weak evidence: see `matching`.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from common.names import MOST_INITIALS, SUFFIXES, family_first, initials_last, is_others, parse_name
from common.text import one_line
from indexer.identity.titles import written_words

# "full": a full given name agrees, or neither has one; "initials": only initials say that it is the same person.
Agreement = Literal["full", "initials"]

# Where more further initials than this stand before a family name, it is so common that an initial joins different
# people: see docs/page.md for how many.
MOST_OTHER_INITIALS = 1

_APOSTROPHES = re.compile(r"['’‘ʼ`´]")
_PLAIN = re.compile(r"(?:[A-Z][a-z]*\.? )+([A-Z][a-z]{2,})")
_GIVEN = re.compile(r"[^\s.\-‐‑–_,]+\.?")
SUFFIX_WORDS = frozenset(map(str.lower, SUFFIXES))
_UMLAUTS = (("ae", "a"), ("oe", "o"), ("ue", "u"), ("ё", "е"))


@dataclass(frozen=True, slots=True)
class Author:
    """A name in the one spelling in which names are compared."""

    family: tuple[str, ...]  # words, particles among them; of an organisation all words
    given: tuple[str, ...] = ()  # words; a single letter is an initial
    suffix: str = ""  # such as jr
    parted: bool = True  # False where no comma says where the family name begins

    @property
    def words(self) -> tuple[str, ...]:
        """Given names, then family names."""
        return (*self.given, *self.family)


def author_of(name: str) -> Author:
    """The author whose name is written so: "Ada Lovelace", "Lovelace, A.", "Lovelace AK" or "李明"."""
    line = "" if is_others(name) else _unmarked(one_line(name))
    if family_first(line.replace(",", "")):
        return Author(("".join(_words(line)),) if line else ())
    parted = "," in line
    if not parted and (found := _initials_last(line)):
        line, parted = found, True
    parts = parse_name(line)
    family = _words(parts.whole or parts.surname)
    suffix = "".join(_words(parts.suffix))
    if len(family) > 1 and family[-1] in SUFFIX_WORDS:  # "King Jr, ML"
        suffix = family.pop()
    shouted = line.isupper()
    given = [word for token in _GIVEN.findall(parts.given) for word in _given(token, shouted)]
    return Author(tuple(family), tuple(given), suffix, parted or bool(parts.whole))


def key_of(name: str) -> str:
    """What all spellings of a name share, by which it is looked up: the last word of the family name; "" for none.

    Cheap, because an index asks it of every author of every paper.
    """
    if (plain := _PLAIN.fullmatch(name)) and (family := plain.group(1).lower()) not in SUFFIX_WORDS:
        return plain_word(family)  # as most are
    if is_others(name):
        return ""
    name = _unmarked(name)
    if not name.isascii() and family_first(name.replace(",", "")):
        return "".join(_words(name))
    family, comma, _ = name.partition(",")
    if not comma:
        family = _initials_last(" ".join(name.split())).partition(",")[0] or name
    words = _words(family)
    while len(words) > 1 and words[-1] in SUFFIX_WORDS:
        words.pop()
    return words[-1] if words else ""


def is_named(name: str, text: str) -> bool:
    """Does the family name of an author stand in a text, such as a printed reference?"""
    key, words = key_of(name), _words(text)
    return key in words or (family_first(key) and key in "".join(words))


def agreement(one: Author, other: Author) -> Agreement | None:
    """How well two names agree; None where they cannot be the same person's, or one has no given name at all."""
    if not one.family or not other.family:
        return None
    if one.suffix and other.suffix and one.suffix != other.suffix:
        return None
    if one.words == other.words and any(len(word) > 1 for word in one.given):
        return "full"  # parted differently: "Jones, Karen Spärck", "Spärck Jones, Karen"
    one, other = _parted_alike(one, other)
    return given_agree(one.given, other.given) if one.family == other.family else None


def given_agree(one: Sequence[str], other: Sequence[str]) -> Agreement | None:
    """How well the given names of two authors of one family name agree; None where they do not, or one has none."""
    if not one or not other:
        return "full" if not one and not other else None
    if "".join(one) == "".join(other) and any(len(word) > 1 for word in one) and any(len(word) > 1 for word in other):
        return "full"  # Xiao-Ming, Xiaoming
    full = False
    for word, its in zip(one, other, strict=False):
        if len(word) > 1 and len(its) > 1:
            if word != its:
                return None
            full = True
        elif word[0] != its[0]:
            return None
    return "full" if full else "initials"


def may_be(name: Author, author: Author) -> bool:
    """May both be the same person? A `name` without given names may be anybody's of that family name."""
    size = len(name.words)
    if size and author.words[-size:] == name.words:
        return True
    if agreement(name, author):
        return True
    one, other = _parted_alike(name, author)
    return bool(one.family) and one.family == other.family and not (one.given and other.given)


def matching(name: Author, others: Collection[Author]) -> frozenset[Author]:
    """Which of the `others` are the author of that name; they are all authors of an index with the same key.

    A full given name that agrees is enough. Initials match only where the name is rare among the `others`: at most
    MOST_OTHER_INITIALS further initials stand before the family name, and all who share family name and initial agree
    with each other, so that there is at most one full given name among them.
    """
    found = {other: how for other in others if (how := agreement(name, other))}
    if "initials" in found.values() and not _is_rare(name, others):
        return frozenset(other for other, how in found.items() if how == "full")
    return frozenset(found)


def _is_rare(name: Author, others: Iterable[Author]) -> bool:
    namesakes: set[tuple[str, ...]] = {name.given}
    initials: set[str] = set()
    for other in others:
        mine, its = _parted_alike(name, other)
        if mine.family != its.family or not its.given or not mine.given:
            continue
        if its.given[0][0] == mine.given[0][0]:
            namesakes.add(its.given)
        else:
            initials.add(its.given[0][0])
    if len(initials) > MOST_OTHER_INITIALS:
        return False
    every = sorted(namesakes)
    return all(given_agree(one, other) for place, one in enumerate(every) for other in every[:place])


def _parted_alike(one: Author, other: Author) -> tuple[Author, Author]:
    """Both with as many words in the family name, where at least one of them does not say where it begins."""
    if one.parted and other.parted:
        return one, other
    if not one.parted and not other.parted:
        size = max(len(one.family), len(other.family))
    else:
        size = len(one.family if one.parted else other.family)
    return _with_family(one, size), _with_family(other, size)


def _with_family(author: Author, size: int) -> Author:
    # What is known to be of the family name, such as a particle, stays there: Jan van den Berg is no Jan Berg.
    if author.parted or not len(author.family) < size <= len(author.words):
        return author
    words = author.words
    return Author(words[-size:], words[:-size], author.suffix, False)


def _unmarked(name: str) -> str:
    """The name without the braces of one that its source does not part: others may have read it without them."""
    return name.strip("{}")


def _initials_last(line: str) -> str:
    """The name "Lovelace AK" as "Lovelace, AK", "King ML Jr" as "King, Jr, ML"; "" for what is not written so."""
    family, initials, suffix = initials_last(line) or ("", "", "")
    if line.isupper() and sum(map(str.isalpha, initials)) > 1:
        return ""  # "LI MIN" is no Li, M. I. N.
    is_family = any(len(part.strip(".")) > 1 for part in family.split())
    return ", ".join(filter(None, (family, suffix, initials))) if is_family else ""


def _given(token: str, shouted: bool) -> list[str]:
    """The words of one word of given names: one, or the letters of initials such as AK, A. or Ch."""
    word = "".join(_words(token))
    if not word:
        return []
    if token.endswith(".") and len(word) <= 2 and not token[:-1].isupper():
        return [word[0]]
    is_initials = token.rstrip(".").isupper() and len(word) <= (MOST_INITIALS - shouted)
    return list(word) if is_initials else [word]


def _words(text: str) -> list[str]:
    return [plain_word(word) for word in written_words(_APOSTROPHES.sub("", text))]


def plain_word(word: str) -> str:
    """Müller, Mueller and Muller in one spelling."""
    for written, letter in _UMLAUTS:
        word = word.replace(written, letter)
    return word
