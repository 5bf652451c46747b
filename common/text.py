"""Text as files, databases and other languages' libraries can hold it."""

import unicodedata
from pathlib import Path

STDIN = "standard input"  # what "-" is called
# Cc: control characters, terminal escapes among them. Cs: halves of surrogate pairs, which UTF-8 cannot hold.
_DROPPED = {"Cc", "Cs"}
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
# These reverse the order in which text is shown, so that a title could rewrite what stands beside it.
_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def encodable(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair, which UTF-8 cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def name_of(source: str) -> str:
    """What a file, a folder, or "-" is called."""
    return STDIN if source == "-" else encodable(Path(source).resolve().name)


def composed(text: str) -> str:
    """The text in NFC, as it is typed; macOS writes the names of files in NFD."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def unligated(text: str) -> str:
    """The text with letters for the ligatures that PDFs have, as in "classiﬁed", which no search would find."""
    return text if text.isascii() else text.translate(_LIGATURES)


def one_line(text: str) -> str:
    """The text on one line, without control characters, direction overrides and doubled spaces."""
    line = " ".join(text.split())
    if line.isascii() and line.isprintable():
        return line
    kept = "".join(mark for mark in line if unicodedata.category(mark) not in _DROPPED and mark not in _DIRECTION)
    return " ".join(kept.split())


def clean_lines(text: str) -> str:
    """The text with each line as `one_line` makes it; of several blank lines one stays, and none at the ends."""
    lines = [one_line(line) for line in text.splitlines()]
    return "\n".join(line for line, before in zip(lines, ["", *lines], strict=False) if line or before).rstrip("\n")
