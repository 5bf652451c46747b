"""How wide text is in a terminal, and text cut to a width."""

import unicodedata


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
