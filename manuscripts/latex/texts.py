"""Pieces of LaTeX → plain text, and where the arguments of a command end."""

import re
from collections.abc import Callable

from indexer.readers.latex import plain
from manuscripts.latex.citations import COMMAND, without_citations
from manuscripts.latex.commands import ASIDES, DROPPED, ENVIRONMENT_ARGUMENTS, SETTINGS
from manuscripts.latex.groups import group, optional

_LINE_BREAK = re.compile(r"\\\\(?:\[[^\]]*\])?|\\(?:newline|linebreak|titlebreak)(?![A-Za-z])(?:\[\d\])?")
_LOST = re.compile(r"[ \t]+")

_Read = tuple[str | None, int]  # what stands there, if it does, and the place behind it


def readable(source: str) -> str:
    """Plain text of a piece of LaTeX; private-use characters stay."""
    return _LOST.sub(" ", plain(source.strip())) if source.strip() else ""


def without_notes(source: str) -> str:
    """Plain text of a title, a heading or an abstract: without notes, citations, references and breaks of lines."""
    source = _LINE_BREAK.sub(" ", without_citations(_without_arguments(source)))
    return re.sub(r"\s+([.,;:])", r"\1", readable(source))


def _without_arguments(source: str) -> str:
    """A piece of LaTeX without its notes, and without what commands and environments are told that is no text."""
    kept: list[str] = []
    place = 0
    for found in COMMAND.finditer(source):
        name, end = found[1], found.end()
        if found.start() < place:
            continue
        if name == "begin":
            environment, end = group(source, end)
            kept.append(source[place:end])
            place = arguments_end(source, end, ENVIRONMENT_ARGUMENTS.get(environment or "", 0))
        elif name in SETTINGS or name in ASIDES or name in DROPPED:
            kept.append(source[place : found.start()].removesuffix("~"))
            count, option = (SETTINGS[name], last_option) if name in SETTINGS else (DROPPED.get(name, 1), optional)
            place = arguments_end(source, end, count, option)
    return "".join(kept) + source[place:]


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
