"""Code in a manuscript: where the verbatim text of a command ends, and which environments hold it."""

import re

from manuscripts.latex.groups import after_space, group, key_values, optional

INLINE = frozenset(("verb", "Verb", "spverb", "lstinline", "mintinline", "mint"))
ENVIRONMENTS = frozenset(("comment", "verbatim", "Verbatim", "lstlisting", "minted", "alltt", "BVerbatim"))
_DEFINING = """
excludecomment includecomment lstnewenvironment newtcblisting renewtcblisting NewTCBListing RenewTCBListing
DeclareTCBListing DefineVerbatimEnvironment RecustomVerbatimEnvironment newminted
"""
DEFINING = frozenset(_DEFINING.split())
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


def defined(command: str, text: str, place: int) -> tuple[str, int]:
    """The name of the environment for code that `command` defines, and the place behind the definition's name."""
    options, place = optional(text, place)
    name, place = group(text, place)
    if command == "newminted":
        _, place = group(text, place)
        name = options or f"{name}code"
    return (name or "").strip(), place


def holds_code(end: str) -> bool:
    r"""Whether an environment that \newenvironment ends with `end` holds code, or is a comment."""
    return _ENDS.search(end) is not None
