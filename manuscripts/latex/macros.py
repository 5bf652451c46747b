"""Macros that a manuscript defines for itself, as far as they are text."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from manuscripts.latex.groups import after_space, group, optional

_NAMES_KNOWN = """
abstract appendix author begin bibitem bibliography bysame caption chapter date documentclass emph end footnote
footnotetext include input item keywords label maketitle newline nocite par paragraph part ref section subparagraph
subsection subsubsection subtitle textbf textit thanks title url href
"""

_NAME = re.compile(r"\*?\s*(?:\{\s*\\([A-Za-z@]+)\s*\}|\\([A-Za-z@]+))")
_PARAMETER = re.compile(r"((?<!\\)\\[A-Za-z@]+)?(?:#([1-9])|##)")
_SIGNATURE = re.compile(r"[\s+]*(?:([mv])|(o)|(s)|O\s*\{([^{}]*)\})\s*")
_CONDITION = re.compile(r"\\If(NoValue|Value|Boolean|Blank)(TF|T|F)\s*(?:#([1-9])|\{\s*#([1-9])\s*\})")
_DEFINITION = re.compile(
    r"^[ \t]*\\((?:new|renew|provide)command|newrobustcmd|DeclareRobustCommand|NewDocumentCommand)(?![A-Za-z@])",
    re.MULTILINE,
)
_MOST_PARAMETERS = 9
_MOST_CONDITIONS = 100  # in one macro, for each of which its body is copied
_LARGEST_STYLE = 200_000  # characters of a style file that is looked through for macros

# What stands for an argument of \NewDocumentCommand that is not given, and for a star that may be.
NO_VALUE, FALSE, TRUE = "-NoValue-", r"\BooleanFalse", r"\BooleanTrue"
NEW = frozenset(
    ("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand", "newrobustcmd", "renewrobustcmd")
)
NEW_DOCUMENT = frozenset(
    f"{verb}{kind}DocumentCommand" for verb in ("New", "Renew", "Provide", "Declare") for kind in ("", "Expandable")
)
PRIMITIVE = frozenset(("def", "edef", "gdef", "xdef"))
# What the reading itself knows: redefinitions of these set type, and the meaning stays.
_KNOWN = frozenset(_NAMES_KNOWN.split())
_KNOWN_CITATION = re.compile(
    r"[cC]ite(?:[tp]|al[tp]|author|year|yearpar)?|(?:paren|text|auto|foot|smart|super|full)cites?"
)


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro with its parameters: the default of an optional one, None for one that has to be given."""

    body: str
    parameters: tuple[str | None, ...] = ()

    def expanded(self, arguments: list[str]) -> str:
        """The body with the arguments in it."""

        def value(parameter: re.Match[str]) -> str:
            command = parameter[1] or ""
            if parameter[2] is None:
                return f"{command}#"
            number = int(parameter[2]) - 1
            given = arguments[number] if number < len(arguments) else NO_VALUE
            value = "" if given == NO_VALUE else given
            return f"{command} {value}" if command and value[:1].isalpha() else command + value

        return _PARAMETER.sub(value, _decided(self.body, arguments)) if "#" in self.body else self.body


def _decided(body: str, arguments: list[str]) -> str:
    """The body with the branches alone that are read for these arguments of xparse."""
    place = 0
    for _ in range(_MOST_CONDITIONS):
        found = _CONDITION.search(body, place)
        if not found:
            break
        place = found.start()
        number = int(found[3] or found[4]) - 1
        holds = _holds(found[1], arguments[number] if number < len(arguments) else NO_VALUE)
        branch, end = "", found.end()
        for kind in found[2]:
            part, end = group(body, end)
            if (kind == "T") == holds:
                branch = part or ""
        body = f"{body[:place]}{branch}{body[end:]}"
    return body


def _holds(condition: str, given: str) -> bool:
    if condition == "Boolean":
        return given == TRUE
    if condition == "Blank":
        return not given.strip()
    return (given == NO_VALUE) == (condition == "NoValue")


def definition(command: str, text: str, place: int) -> tuple[str, Macro | None, int]:
    """The macro that `command` defines, whose arguments begin at `place`: its name, what it is, the place behind.

    None stands for one that is not to be expanded; the name is "" where this is no definition after all.
    """
    found = _NAME.match(text, place)
    if not found:
        return "", None, place
    name, place = found[1] or found[2], found.end()
    parse: Callable[[str, int], tuple[tuple[str | None, ...] | None, int]]
    parse = _counted if command in NEW else _signature if command in NEW_DOCUMENT else _primitive
    parameters, place = parse(text, place)
    body, place = group(text, place)
    if parameters is None or body is None or name in _KNOWN or _KNOWN_CITATION.fullmatch(name):
        return name, None, place
    return name, Macro(body, parameters), place


def of_style(text: str) -> Iterator[tuple[str, Macro]]:
    """The macros that a style file defines and that can be expanded, with their names."""
    for found in _DEFINITION.finditer(text[:_LARGEST_STYLE]):
        name, macro, _ = definition(found[1], text, found.end())
        if macro is not None and "@" not in macro.body:
            yield name, macro


def replaced(text: str, known: Mapping[str, Macro]) -> str:
    """A file's name, or another short text, without the macros that are known."""
    text = re.sub(r"\\subfix\s*\{([^{}]*)\}", r"\1", text)
    for _ in range(10):
        found = re.search(r"\\([A-Za-z@]+)\s*(?:\{\})?", text)
        if not found or found[1] not in known:
            break
        text = text[: found.start()] + known[found[1]].body + text[found.end() :]
    return text


def environment(text: str, place: int) -> tuple[str, tuple[Macro, Macro] | None, int]:
    r"""What \newenvironment defines: the name, what stands for its begin and end, the place behind."""
    place += text[place : place + 1] == "*"
    name, place = group(text, place)
    parameters, place = _counted(text, place)
    begin, place = group(text, place)
    end, place = group(text, place)
    if not name or parameters is None or begin is None or end is None or name in _KNOWN or "@" in begin:
        return name or "", None, place
    return name, (Macro(begin, parameters), Macro(end)), place


def alias(text: str, place: int) -> tuple[str, Macro | None, int]:
    r"""What \let makes: a second name of a command."""
    found = re.compile(r"\s*\\([A-Za-z@]+)\s*=?\s*\\([A-Za-z@]+)").match(text, place)
    if not found:
        return "", None, place
    known = found[1] in _KNOWN or _KNOWN_CITATION.fullmatch(found[1])
    return found[1], None if known else Macro("\\" + found[2]), found.end()


def _counted(text: str, place: int) -> tuple[tuple[str | None, ...] | None, int]:
    count, place = optional(text, place)
    if count is None:
        return (), place
    first, place = optional(text, place)
    if not count.strip().isdecimal() or int(count) > _MOST_PARAMETERS:
        return None, place
    return (first, *[None] * (int(count) - 1))[: int(count)], place


def _signature(text: str, place: int) -> tuple[tuple[str | None, ...] | None, int]:
    signature, place = group(text, place)
    parameters: list[str | None] = []
    at = 0
    while signature and at < len(signature):
        found = _SIGNATURE.match(signature, at)
        if not found or len(parameters) == _MOST_PARAMETERS:
            return None, place
        parameters.append(None if found[1] else NO_VALUE if found[2] else FALSE if found[3] else found[4])
        at = found.end()
    return tuple(parameters), place


def _primitive(text: str, place: int) -> tuple[tuple[str | None, ...] | None, int]:
    start = text.find("{", place)
    if start < 0:
        return None, place
    pattern = text[place:start].strip()
    plain = "".join(f"#{number}" for number in range(1, len(pattern) // 2 + 1))
    return ((None,) * (len(pattern) // 2) if pattern == plain else None), after_space(text, start)
