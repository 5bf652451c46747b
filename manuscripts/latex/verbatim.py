"""Code in a manuscript: where the verbatim text of a command ends, and which environments hold it."""

import re

from manuscripts.latex.frames import SPECIAL
from manuscripts.latex.groups import after_space, group, key_values, optional

INLINE = frozenset(("verb", "Verb", "spverb", "lstinline", "mintinline", "mint"))
ENVIRONMENTS = frozenset(
    ("comment", "verbatim", "Verbatim", "lstlisting", "minted", "alltt", "BVerbatim", "tcblisting")
)
_DEFINING = """
excludecomment includecomment lstnewenvironment newtcblisting renewtcblisting NewTCBListing RenewTCBListing
DeclareTCBListing DefineVerbatimEnvironment RecustomVerbatimEnvironment
"""
_OF_MINTED = {"newminted": "code", "newmintinline": "inline", "newmint": ""}  # → what their names end in
# Of a character between which code stands from here on, or no more.
_MARKING = frozenset(("MakeShortVerb", "DefineShortVerb", "lstMakeShortInline"))
_UNMARKING = frozenset(("DeleteShortVerb", "UndefineShortVerb", "lstDeleteShortInline"))
_MARK = re.compile(r"\s*\{?\\?([!-$&-/:-@^`|~])\}?")
DEFINING = frozenset((*_DEFINING.split(), *_OF_MINTED)) | _MARKING | _UNMARKING
_LANGUAGE_FIRST = frozenset(("mintinline", "mint"))
_AS_IT_STANDS = frozenset(("comment", "verbatim", "alltt"))  # environments without options
_ENDS = re.compile(r"\\end(?:comment|verbatim|Verbatim|lstlisting|alltt|minted)(?![A-Za-z])")
_BRACE = re.compile(r"[{}]")


def options_end(command: str, text: str, place: int) -> int:
    r"""The place behind what stands between \lstinline or its kin and the code."""
    place += text[place : place + 1] == "*"
    if command != "verb":
        _, place = optional(text, place)
    if command in _LANGUAGE_FIRST:
        _, place = group(text, place)
    return place


def code_end(command: str, text: str, place: int) -> int:
    r"""The place behind the code of \verb and its kin; `place` where nothing in the paragraph ends it."""
    start = after_space(text, place)
    mark = text[start : start + 1]
    if mark == "{" and not command.endswith("verb"):
        return _braces_end(text, start)
    end = text.find(mark, start + 1) if mark.strip() else -1
    return place if end < 0 or "\n\n" in text[start:end] else end + 1


def _braces_end(text: str, start: int) -> int:
    """As in a group, but a per cent sign begins no comment in code, and a backslash escapes nothing."""
    depth = 0
    for found in _BRACE.finditer(text, start):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.end()
    return start


def address(text: str, place: int) -> tuple[str, int]:
    """An address, in which a per cent sign begins no comment, and the place behind it; "" where none is."""
    start = after_space(text, place)
    if text[start : start + 1] != "{":
        return "", place
    end = text.find("}", start)
    return (text[start + 1 : end], end + 1) if end >= 0 else ("", len(text))


def caption(name: str, text: str, place: int) -> tuple[str, int]:
    r"""A \caption with what the options of a listing give it, "" without one, and the place behind them.

    `name` is that of an environment, or lstinputlisting, which names a file behind them.
    """
    options, end = (None, place) if name in _AS_IT_STANDS else optional(text, place)
    if name == "lstinputlisting":
        _, end = group(text, end)
    given = key_values(options or "").get("caption", "")
    given = given[optional(given, 0)[1] :]  # without the short one for a list of listings
    return (rf"\caption{{{given}}}" if given else ""), end


class Code:
    """What holds code in one manuscript."""

    def __init__(self) -> None:
        self.environments = set(ENVIRONMENTS)
        self.inline: set[str] = set()  # commands of its own that are as INLINE
        self.marks: set[str] = set()  # characters between which code stands
        self.special = SPECIAL  # finds these, too

    def define(self, command: str, text: str, place: int) -> int:
        """What one of DEFINING says; gives the place behind the name or the character that it is told."""
        if command in _MARKING or command in _UNMARKING:
            _, place = optional(text, place + text.startswith("*", place))
            if found := _MARK.match(text, place):
                (self.marks.add if command in _MARKING else self.marks.discard)(found[1])
                self.special = re.compile("|".join((SPECIAL.pattern, *map(re.escape, sorted(self.marks)))), re.DOTALL)
            return found.end() if found else place
        options, place = optional(text, place)
        name, place = group(text, place)
        if command in _OF_MINTED:
            _, place = group(text, place)
            name = options or f"{name}{_OF_MINTED[command]}"
        kept = self.inline if command in ("newmintinline", "newmint") else self.environments
        (kept.discard if command == "includecomment" else kept.add)((name or "").strip())
        return place


def holds_code(end: str) -> bool:
    r"""Whether an environment that \newenvironment ends with `end` holds code, or is a comment."""
    return _ENDS.search(end) is not None
