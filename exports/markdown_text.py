"""Text of a corpus in Markdown (CommonMark), where it is to be read as it is written."""

import re

_MARKS = re.compile(r"[\\`*_\[\]<>~|$]|^#|#(?=#*$)|&(?=#?\w+;)")
# What would make a list or a heading at the start of a line.
_BLOCK = re.compile(r"^(\d*)([-+=]|(?<=\d)[.)])")
_NOT_IN_A_LINK = re.compile(r"[\\<>&]")


def escaped(text: str) -> str:
    """The text with a backslash before every mark that Markdown or HTML would read."""
    return _MARKS.sub(r"\\\g<0>", text)


def at_line_start(text: str) -> str:
    """The same for what would begin a list or a heading there."""
    return _BLOCK.sub(r"\1\\\2", text, count=1)


def destination(link: str) -> str:
    """The address as that of a link."""
    return "<" + _NOT_IN_A_LINK.sub(r"\\\g<0>", link) + ">"
