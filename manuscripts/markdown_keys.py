"""How Markdown cites: Pandoc's keys, alone and in brackets, MultiMarkdown's, and what looks like them."""

import re
from collections.abc import Iterator, Set

from markdown_it.rules_inline import StateInline

LITERAL_AT = "\ufffc"  # "@" where it cites nothing

_BRACED = re.compile(r"@\{[^{}\s]+\}")
_KEY = r"(?:\{([^{}\s]+)\}|(\w(?:[:.#$%&\-+?<>~/]?\w|[:/](?=/))*+)(?!@\w))"
CITED = re.compile(rf"(?<![\w.\\])-?@{_KEY}")
GROUP = re.compile(r"\[([^\[\]]*(?<![\w.\\])-?@(?:\{|\w)[^\[\]]*)\]")
# References to figures, sections and so on: Quarto's, and those of pandoc-crossref.
_CROSS_REFERENCE = re.compile(
    r"(?:fig|tbl|sec|eq|lst|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg|tip|nte|wrn|imp|cau)-"
    r"|(?:fig|tbl|sec|eq|lst):",
    re.IGNORECASE,
)
_NO_LINK = re.compile(rf"{GROUP.pattern}(?!\()|{CITED.pattern}")
KEYS = re.compile(rf"\s*(?:{GROUP.pattern}|{CITED.pattern})")
_REFERENCE = rf"(?<![\w.\\])@(?:{_CROSS_REFERENCE.pattern})[\w:-]*\w"
REFERENCES = re.compile(rf"\s*(?:\({_REFERENCE}\)|{_REFERENCE})", re.IGNORECASE)
# MultiMarkdown's keys, with a note before them, and the works that it defines by them, or Manubot by their identifiers.
_HASHED = re.compile(r"(?:\[[^\[\]^\n][^\[\]\n]*\] ?|\[\] ?)?\[#([A-Za-z][\w:.+/-]*);?\](?![:(])")
_DEFINED = re.compile(
    r"^\[#([A-Za-z][\w:.+/-]*)\]:[ \t]*(?!<|https?:|\S+[ \t]*$)(\S.*(?:\n(?!\[)[ \t]*\S.*)*)"
    r"|^\[@([^\[\]\s]+)\]:[ \t]*(\S+)[ \t]*$",
    re.MULTILINE,
)
_LINK_TO = re.compile(r"^\[#([^\[\]\n]+)\]:", re.MULTILINE)


def defined(text: str) -> tuple[str, dict[str, str]]:
    """The text without the works that it defines as MultiMarkdown and Manubot do, and these by their keys."""
    works = {found[1] or found[3]: found[2] or found[4] for found in _DEFINED.finditer(text)}
    return _DEFINED.sub("", text), works


def hashed(text: str) -> list[str]:
    """What looks like a key of MultiMarkdown."""
    return _HASHED.findall(text)


def without_hashes(text: str) -> str:
    """The text with MultiMarkdown's `[p. 3][#key]` as Pandoc cites."""
    links = set(_LINK_TO.findall(text))
    return _HASHED.sub(lambda found: found[0] if found[1] in links else f"[@{{{found[1]}}}]", text)


def named(text: str) -> Iterator[str]:
    """What looks like a key in a text."""
    return (found[1] or found[2] for found in CITED.finditer(text))


def keys_in(known: Set[str], labels: Set[str], text: str) -> list[str]:
    """What a text cites, without figures and the like, unless one is `known` as a key; `labels` name some of them."""
    return [key for key in named(text) if key in known or not (key in labels or _CROSS_REFERENCE.match(key))]


def without_handles(text: str) -> str:
    """The text with keys as citations only where they stand in brackets."""
    return _NO_LINK.sub(lambda key: key[0] if key[0][0] == "[" else key[0].replace("@", LITERAL_AT), text)


def braced_key(state: StateInline, silent: bool) -> bool:
    """A rule for a key in braces, in which nothing is emphasis, code or HTML."""
    found = _BRACED.match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        state.push("text", "", 0).content = found[0]
    state.pos = found.end()
    return True
