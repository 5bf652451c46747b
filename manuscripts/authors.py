"""What of the texts that stand where authors are named is a name."""

import re
from collections.abc import Iterable

from common.names import family_first, parse_name

_MOST = 200  # names
_LONGEST = 80  # characters
_WORD = re.compile(r"[^\W\d_][^\W\d_.’'‑-]*(?:[.’'‑-][^\W\d_]*)*\.?")
_MOST_WORDS = 6
_SIGNS = re.compile(r"[*∗†‡§¶]+")  # at a name, for a note
_TITLES = re.compile(
    r"^(?:(?:Prof(?:essor)?|Dr|Mrs?|Ms|PD|rer|nat|phil|med|h\.\s?c)\b[. -]*(?:Ing\.\s+)?)+(?=\w)"
    r"|,?\s+(?:Ph\.?\s?D|M\.?D|M\.?Sc|B\.?Sc)\.?$"
)


def names_among(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts that are names of people, given and family name, each once in their order, without titles."""
    names = (_TITLES.sub("", " ".join(_SIGNS.sub(" ", text).split())) for text in texts)
    return tuple(dict.fromkeys(name for name in names if is_name(name)))[:_MOST]


def is_name(text: str) -> bool:
    """Whether it may be the name of a person, where nothing but names and places is expected."""
    words = text.split()
    if family_first(text) and 2 <= len(text) <= 6:
        return True
    if not 2 <= len(words) <= _MOST_WORDS or len(text) > _LONGEST or not all(map(_WORD.fullmatch, words)):
        return False
    return not words[-1].islower() and words[0][0].isalpha() and not parse_name(text).whole
