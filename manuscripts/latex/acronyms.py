r"""Acronyms and terms of the packages glossaries, acronym and acro: \gls{cnn} and \ac{cnn} → what LaTeX prints.

At its first use an acronym has its long form, with the short one in brackets.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from manuscripts.latex.groups import group, key_values, optional

_Form = Literal["use", "short", "long", "full"]

_FORMS: dict[_Form, str] = {
    "use": "gls ac",
    "short": "acrshort acs glsentryshort glsxtrshort glstext glsentrytext glsname glsentryname",
    "long": "acrlong acl glsentrylong glsxtrlong",
    "full": "acrfull acf glsentryfull glsxtrfull glsfirst glsentryfirst",
}
# Name of a command in lower case → the form that it prints, and whether in the plural.
_COMMANDS: dict[str, tuple[_Form, bool]] = {
    f"{name}{plural}": (form, bool(plural))
    for form, names in _FORMS.items()
    for name in names.split()
    for plural in ("", "p", "pl")
} | {"glsplural": ("short", True), "glsentryplural": ("short", True)}
_RESET = frozenset(("glsresetall", "acresetall"))
_USED = frozenset(("glsunset", "acused", "acuse"))
_TERMS = frozenset(("newglossaryentry", "provideglossaryentry", "longnewglossaryentry", "DeclareAcronym"))
_LISTED = frozenset(("acro", "acrodef", "newacro"))
_DEFINING = _TERMS | _LISTED | {"newacronym", "newabbreviation"}
_OTHERS = _DEFINING | _RESET | _USED

_DEFINITION = re.compile(rf"\\[\\%]|%[^\n]*|\\({'|'.join(_DEFINING)})(?![A-Za-z@])")
_LABEL = re.compile(r"[*+]?\s*(?:\[((?:[^\[\]{}]|\{[^{}]*\}){0,200})\]\s*)?\{([^{}]{1,200})\}")  # behind options
_INSERTED = re.compile(r"\[([^\[\]{}]{0,50})\]")  # \gls{cnn}['s]


def concerns(command: str) -> bool:
    """Whether a command of this name may be one of acronyms."""
    return command.lower() in _COMMANDS or command in _OTHERS


@dataclass(frozen=True, slots=True)
class _Term:
    short: str
    long: str = ""
    first: str = ""

    def shown(self, form: _Form) -> str:
        if form == "short" or not (self.long or self.first):
            return self.short
        return self.long or self.short if form == "long" else self.first or f"{self.long} ({self.short})"


class Acronyms:
    """Those of one manuscript, and which of them have been used."""

    def __init__(self, texts: Iterable[str]) -> None:
        """`texts` are the manuscript's files: what they define may be used before."""
        self._terms: dict[tuple[str, bool], _Term] = {}
        self._used: set[str] = set()
        for text in texts:
            place = 0
            while found := _DEFINITION.search(text, place):
                read = self.read(found[1], text, found.end()) if found[1] else None
                place = read[1] if read else found.end()

    def read(self, command: str, text: str, place: int) -> tuple[str, int] | None:
        """What is printed for a command whose arguments begin at `place`, and the place behind them.

        None stands for a command that prints something else.
        """
        found = _LABEL.match(text, place)
        if command in _RESET:
            self._used.clear()
            return "", place
        if command in _DEFINING:
            end = self._define(command, found, text)
            return ("", end) if end else None
        label = found[2].strip() if found else ""
        if not found or (label, False) not in self._terms:
            return None
        if command in _USED:
            self._used.add(label)
            return "", found.end()
        inserted = _INSERTED.match(text, found.end()) if command[0] in "gG" else None
        shown = self._shown(command, label)
        return (shown + inserted[1], inserted.end()) if inserted else (shown, found.end())

    def _shown(self, command: str, label: str) -> str:
        form, plural = _COMMANDS[command.lower()]
        if form == "use":
            form = "short" if label in self._used else "full"
            self._used.add(label)
        shown = self._terms[label, plural].shown(form)
        if command[1].isupper():
            return shown.upper()
        return shown[:1].upper() + shown[1:] if command[0].isupper() else shown

    def _define(self, command: str, found: re.Match[str] | None, text: str) -> int:
        """The place behind a definition whose label is `found`; 0 where this is none after all."""
        if not found:
            return 0
        if command in _TERMS:
            settings, end = group(text, found.end())
            if command.startswith("long"):
                _, end = group(text, end)
            self._add(found[2], key_values(settings or ""))
            return end
        short, end = (optional if command in _LISTED else group)(text, found.end())
        long, end = group(text, end)
        if long is None and command in _LISTED:
            return 0
        self._add(found[2], key_values(found[1] or "") | {"short": short or found[2], "long": long or ""})
        return end

    def _add(self, label: str, given: dict[str, str]) -> None:
        short = given.get("text") or given.get("short") or given.get("name") or label
        long, first = given.get("long", ""), given.get("first", "")
        self._terms[label.strip(), False] = _Term(short, long, first)
        self._terms[label.strip(), True] = _Term(
            _plural(short, given, ("shortplural", "short-plural-form", "plural"), "short-plural"),
            _plural(long, given, ("longplural", "long-plural-form"), "long-plural"),
            _plural(first, given, ("firstplural",)),
        )


def _plural(singular: str, given: dict[str, str], written: tuple[str, ...], ending: str = "") -> str:
    """What one of the settings `written` says, else the singular with what `ending` says, or an s."""
    plural = next((given[key] for key in written if key in given), "")
    return plural or (singular and singular + given.get(ending, "s"))
