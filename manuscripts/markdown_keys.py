"""How Markdown cites: Pandoc's keys, alone and in brackets, and what looks like them."""

import re
from collections.abc import Iterator

from markdown_it.rules_inline import StateInline

LITERAL_AT = "\ufffc"  # "@" where it cites nothing

_BRACED = re.compile(r"@\{[^{}\s]+\}")
_KEY = r"(?:\{([^{}\s]+)\}|(\w(?:[:.#$%&\-+?<>~/]?\w|[:/](?=/))*))"
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


def named(text: str) -> Iterator[str]:
    """What looks like a key in a text."""
    return (found[1] or found[2] for found in CITED.finditer(text))


def keys_in(known: frozenset[str], text: str) -> list[str]:
    """What a text cites, without figures and the like."""
    return [key for key in named(text) if key in known or not _CROSS_REFERENCE.match(key)]


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
