"""Conditions of TeX: switches that the manuscript itself sets choose a branch."""

import re
from collections.abc import Callable

from manuscripts.latex.frames import Frame
from manuscripts.latex.groups import after_space, group

_CONDITION = re.compile(r"\\(if[A-Za-z@]*|else|fi)(?![A-Za-z@])|%[^\n]*|\\.", re.DOTALL)
_MACRO_OR_SIGN = r"(?!\\csname(?![A-Za-z@]))(\\[A-Za-z@]+|\\\\|\\?[^\sA-Za-z@\\%{}#]|[A-Za-z@])\s*"
_NUMBER_IN = r"\s*(\d+|\\[A-Za-z@]+)\s?"
_COMPARED = {
    "if": re.compile(r"\s*([0-9])(\\[A-Za-z@]+\s?|[^\\])"),
    "ifnum": re.compile(rf"{_NUMBER_IN}\s*([<=>]){_NUMBER_IN}"),
    "ifx": re.compile(rf"\s*{_MACRO_OR_SIGN}{_MACRO_OR_SIGN}"),
    "ifdefined": re.compile(rf"\s*{_MACRO_OR_SIGN}"),
}
_NUMBER = re.compile(r"\d{1,9}")
_UNDEFINED = r"\undefined"
# What LaTeX itself defines, or does not.
_MEANINGS = {
    **dict.fromkeys((r"\empty", r"\@empty"), "{}"),
    **dict.fromkeys((_UNDEFINED, r"\@undefined"), _UNDEFINED),
    r"\relax": r"\relax",
}
_CONDITIONALS = """
if ifx ifnum ifdim ifodd ifcase ifmmode ifhmode ifvmode ifinner ifcat ifvoid ifeof ifdefined ifcsname ifpdf ifxetex
ifluatex ifPDFTeX ifXeTeX ifLuaTeX iftutex
"""
_BRACED = frozenset(("iftoggle", "nottoggle", "ifbool", "notbool", "ifthenelse"))
_SETS = re.compile(r"(?=new|provide|set|.*(?:true|false)$)(new|provide|set)?(toggle|bool|boolean)(true|false)?")
_BOOLEAN = re.compile(r"\s*(\\(?:NOT|not)(?![A-Za-z]))?\s*\\boolean\s*\{([^{}]*)\}\s*")
_IFS = frozenset(_CONDITIONALS.split())
# Of the package ifdraft, and of others' classes: what is final is read, unless the manuscript has such a switch.
_FINAL = {"ifdraft": False, "ifoptiondraft": False, "iffinal": True, "ifoptionfinal": True}
_BRACE = re.compile(r"\s*\{")
_OF_CLASS = "ifCLASSOPTION"  # of IEEEtran


class Conditions:
    """The switches of one manuscript, and the conditions that are open."""

    def __init__(self, expanded: Callable[[str], str]) -> None:
        """`expanded` gives what a macro stands for."""
        self._expanded = expanded
        self._switches = {"false": False, "true": True}
        self.options: set[str] = set()  # of the class
        self._toggles: dict[str, bool] = {}
        self._taken: list[bool] = []  # of every open condition: whether one branch alone is read

    def read(self, frame: Frame, name: str) -> bool:
        """Read a command that has to do with conditions, and pass over what is not to be read; False for another."""
        if name == "newif":
            self._switch(frame)
        elif self._is_braced(name, frame.text, frame.place):
            self._braced(frame, name)
        elif found := _SETS.fullmatch(name):
            self._set(frame, found)
        elif name in ("else", "fi"):
            self._end_branch(frame, name)
        elif self._is_open(name):
            self._if(frame, name)
        elif name.endswith(("true", "false")) and name.removesuffix("true").removesuffix("false") in self._switches:
            self._switches[name.removesuffix("true").removesuffix("false")] = name.endswith("true")
        else:
            return False
        return True

    def _value(self, name: str) -> bool | None:
        """Whether a condition of this name holds; None where only TeX can say."""
        if name.startswith(_OF_CLASS):
            return name.removeprefix(_OF_CLASS) in self.options
        return self._switches.get(name[2:], _FINAL.get(name))

    def _is_open(self, name: str) -> bool:
        """Whether this is a condition that "fi" ends."""
        return name in _IFS or (name.startswith("if") and self._value(name) is not None)

    def _is_braced(self, name: str, text: str, place: int) -> bool:
        """Whether the branches of a condition stand in braces, and not before "else" and "fi"."""
        if name[2:] in self._switches:
            return False
        return name in _BRACED or (name in _FINAL and _BRACE.match(text, place) is not None)

    def _switch(self, frame: Frame) -> None:
        if found := re.compile(r"\s*\{?\s*\\if([A-Za-z@]+)\s*\}?").match(frame.text, frame.place):
            self._switches[found[1]] = False
            frame.place = found.end()

    def _set(self, frame: Frame, found: re.Match[str]) -> None:
        """Of etoolbox and ifthen: a toggle or a boolean is made, or gets a value."""
        name, frame.place = group(frame.text, frame.place)
        value = found[3]
        if found[1] == "set":
            value, frame.place = group(frame.text, frame.place)
        values = self._toggles if found[2] == "toggle" else self._switches
        values[(name or "").strip()] = (value or "").strip() == "true"

    def _braced(self, frame: Frame, name: str) -> None:
        """A condition whose branches stand in braces: the one that is known to hold, else both."""
        test, place = group(frame.text, frame.place) if name in _BRACED else ("", frame.place)
        parts = [group(frame.text, place)]
        parts.append(group(frame.text, parts[0][1]))
        holds = self._holds(name, test or "")
        read = [part or "" for number, (part, _) in enumerate(parts) if holds is None or holds == (number == 0)]
        frame.text, frame.place = " ".join(read) + frame.text[parts[1][1] :], 0

    def _holds(self, name: str, test: str) -> bool | None:
        values = self._toggles if name.endswith("toggle") else self._switches
        if name not in _BRACED:
            return self._value(name)
        if name == "ifthenelse":
            found = _BOOLEAN.fullmatch(test)
            known = values.get(found[2].strip()) if found else None
            return known != bool(found[1]) if found and known is not None else None
        known = values.get(test.strip())
        return known if known is None or name.startswith("if") else not known

    def _if(self, frame: Frame, name: str) -> None:
        """A switch that is set in the manuscript chooses its branch; of what only TeX can decide both are read."""
        known = self._value(name)
        if known is None and name in _COMPARED:
            known = self._compared(frame, name)
        if known is None:
            self._taken.append(False)
        elif known or self._skip(frame) == "else":
            self._taken.append(True)
        frame.place = after_space(frame.text, frame.place)

    def _compared(self, frame: Frame, name: str) -> bool | None:
        """Whether what stands behind the condition fulfils it; None where only TeX can say."""
        found = _COMPARED[name].match(frame.text, frame.place)
        if found is None:
            return None
        if name in ("ifx", "ifdefined"):
            frame.place = found.end()
            one, other = (*found.groups(), _UNDEFINED)[:2]
            meanings = self._meaning(one), self._meaning(other)
            return None if None in meanings and one != other else (meanings[0] == meanings[1]) == (name == "ifx")
        first, second = (self._expanded(found[place].strip() or found[place]) for place in (1, found.re.groups))
        if name == "ifnum" and _NUMBER.fullmatch(first) and _NUMBER.fullmatch(second):
            frame.place = found.end()
            order = (int(first) > int(second)) - (int(first) < int(second))
            return found[2] == "<=>"[order + 1]
        if name == "ifnum" or second.startswith("\\"):
            return None
        frame.place = found.end()
        return second[:1] == first

    def _meaning(self, token: str) -> str | None:
        """A character itself, of a macro its body in braces; None where the manuscript does not say it."""
        body = self._expanded(token)
        if body in _MEANINGS:
            return _MEANINGS[body]
        if body != token:
            return f"{{{body}}}"
        return None if re.match(r"\\[A-Za-z@]", token) else token

    def _end_branch(self, frame: Frame, name: str) -> None:
        if self._taken and (name == "fi" or self._taken[-1]):
            if name == "else":
                self._skip(frame, to_end=True)
            self._taken.pop()
        frame.place = after_space(frame.text, frame.place)

    def _skip(self, frame: Frame, to_end: bool = False) -> str:
        """Pass over a branch; says whether an "else" or a "fi" ended it."""
        depth = 0
        for found in _CONDITION.finditer(frame.text, frame.place):
            name = found[1] or ""
            if self._is_open(name) and not self._is_braced(name, frame.text, found.end()):
                depth += 1
            elif name == "fi" or (name == "else" and depth == 0 and not to_end):
                if depth == 0:
                    frame.place = found.end()
                    return name
                depth -= 1
        frame.place = len(frame.text)
        return "fi"
