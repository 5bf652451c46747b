"""Text of a corpus, made harmless for one line of a file or a terminal."""

from __future__ import annotations

import unicodedata

# Cc: control characters, terminal escapes among them. Cs: halves of surrogate pairs, which UTF-8 cannot hold.
_DROPPED = {"Cc", "Cs"}
# These reverse the order in which text is shown, so that a title could rewrite what stands beside it.
_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def one_line(text: str) -> str:
    """The text on one line, without control characters, direction overrides and doubled spaces."""
    line = " ".join(text.split())
    if line.isascii() and line.isprintable():
        return line
    return "".join(mark for mark in line if unicodedata.category(mark) not in _DROPPED and mark not in _DIRECTION)


def cells(text: str) -> int:
    """Columns that the text takes in a terminal: East Asian wide characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_cells(mark) for mark in text)


def shortened(text: str, width: int) -> str:
    """The text, or as much of it as fits `width` columns together with an ellipsis."""
    if cells(text) <= width:
        return text
    taken = 0
    for place, mark in enumerate(text):
        taken += _cells(mark)
        if taken > width - 1:
            return text[:place].rstrip() + "…"
    return text


def _cells(mark: str) -> int:
    if unicodedata.combining(mark) or unicodedata.category(mark) in {"Cf", "Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(mark) in "WF" else 1
