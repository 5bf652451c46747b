"""Where in a sentence the citation goes: the marks that writers and their tools leave there."""

import re

from indexer.identity.cited_names import OTHERS, POSSESSIVE, WORD, YEAR

NEAR = 5  # words

# [CITATION], [cite], [citation needed], [?], (?).
_WANTED = r"\[\s*(?:citations?(?:\s+needed)?|cite|ref|\?+)\s*\] | \(\s*\?+\s*\)"
# [@key; @other], \citep[see][p. 3]{key}, EndNote's {Doe, 2001 #12; Roe, 2003 #4}, and numbers as in [3, 5–7].
_BY_KEY = r"""\[\s*-?@[^\[\]]*\] | \{[^{}]{0,300}\s\#\d[^{}]*\}
    | ~?\\[a-zA-Z]{0,20}cite[a-zA-Z]{0,20}\*?(?:\s*\[[^\[\]]*\]){0,2}\s*\{[^{}]*\}"""
_GIVEN = rf"{_BY_KEY} | \[\s*\d+(?:\s*[,;–-]\s*\d+)*\s*\]"
_RULES = re.IGNORECASE | re.VERBOSE
_MARK = re.compile(f"{_WANTED} | {_GIVEN}", _RULES)
_UNNUMBERED = re.compile(f"{_WANTED} | {_BY_KEY}", _RULES)
_ONLY_WANTED, _ONLY_GIVEN = re.compile(_WANTED, _RULES), re.compile(_GIVEN, _RULES)
# (Lovelace, 1843), Lovelace (1843), (see Lovelace et al., 1843a; Hopper 1952), and neither (n = 1500) nor (1543 m).
_BRACKETS = re.compile(r"[^()]{0,60}\([^()]{4,400}\)")  # with what may be a name before them
_BY_YEAR = re.compile(
    rf"(?:{WORD}(?:{OTHERS})?{POSSESSIVE},?\s*\(|\([^()]*\b[^\W\d_a-zß-öø-ÿ][^()=<>]*\b)"
    rf"{YEAR}[a-z]?(?=\s*[),;:]|\s+pp?\b)"
)


def without_marks(text: str) -> str:
    """The words alone, one space between them."""
    return " ".join(_MARK.sub(" ", text).split())


def without_unnumbered_marks(text: str) -> str:
    """A title or an abstract, where numbers in brackets may be ranges or parts of names, without other marks.

    A text of nothing else stays.
    """
    words = _UNNUMBERED.sub(" ", text)
    return words if words.strip() else text


def marked_alike(text: str) -> str:
    """The text with one and the same mark wherever one stands."""
    return " ".join(_MARK.sub(" [CITATION] ", text).split())


def parts_between_marks(text: str) -> list[str]:
    """What stands before the first mark, between each two, and after the last; one part where there is no mark."""
    return _MARK.split(text)


def wants_citation(text: str) -> bool:
    """Whether the writer left a mark that something is to be cited, such as [citation needed] or [?]."""
    return bool(_ONLY_WANTED.search(text))


def has_typed_citation(text: str) -> bool:
    """Whether a citation was typed into the text: [12], [@key], a command of LaTeX, or a name's year in brackets."""
    return bool(_ONLY_GIVEN.search(text) or any(_BY_YEAR.search(found) for found in _BRACKETS.findall(text)))


def near_marks(text: str) -> list[str]:
    """The words on either side of each mark, `NEAR` of them; nothing where there is no mark."""
    parts = [part.split() for part in parts_between_marks(text)]
    if len(parts) == 1:
        return []
    before = [words[-NEAR:] for words in parts[:-1]]
    after = [words[:NEAR] for words in parts[1:]]
    return [" ".join(words) for words in (*before, *after)]
