"""Pieces of LaTeX → plain text, and where the arguments of a command end."""

import re
from collections.abc import Callable

from indexer.readers.latex import plain
from manuscripts.latex.groups import group, optional

_LOST = re.compile(r"[ \t]+")

_Read = tuple[str | None, int]  # what stands there, if it does, and the place behind it


def readable(source: str) -> str:
    """Plain text of a piece of LaTeX; private-use characters stay."""
    return _LOST.sub(" ", plain(source.strip())) if source.strip() else ""


def arguments_end(text: str, place: int, count: int, option: Callable[[str, int], _Read] = optional) -> int:
    """The place behind so many arguments in braces, and what `option` reads before, between and behind them."""
    _, place = option(text, place)
    for _ in range(count):
        _, place = option(text, group(text, place)[1])
    return place


def last_option(text: str, place: int) -> _Read:
    """The last of the arguments in brackets that stand in a row, and the place behind them."""
    last = None
    while (read := optional(text, place))[0] is not None:
        last, place = read
    return last, place
