r"""Commands that cite: their names, and the arguments of natbib, biblatex, apacite, csquotes and their kin."""

import re
from typing import NamedTuple

from manuscripts.latex.commands import MORE_CITATIONS, NO_CITATIONS
from manuscripts.latex.groups import after_space, optional

COMMAND = re.compile(r"\\([A-Za-z@]+)\*?")
_VOLUME = re.compile(r"(?:[pfsta]|ft)?volcites?", re.IGNORECASE)
_QUOTATION = re.compile(r"((?:foreign|hyphen|hybrid)?)(?:text|block|display)cquote")  # of csquotes
_DOUBLE_ARGUMENT = re.compile(r"\s*\(([^()]*)\)")
_STARRED = re.compile(r"\*(?=\{)")
_POINTED = re.compile(r"\s*<([^<>{}\n]*)>(?=\s*[\[{])")  # a note of apacite
# Before a key of REVTeX: that it belongs to the entry before, and notes of its own.
_BEFORE_KEY = re.compile(r"(?:^|(?<=,))\s*(?=[*\[])(?:\*\s*)?(?:\[(?:[^\[\]{}]|\{[^{}]*\})*\]\s*)*(?=[^\s,])")
# An argument, with braces in braces in it; one that nothing closes ends with its paragraph, as TeX has it.
_TEXT = r"[^{}\\%\n]|\\.|%[^\n]*+|\n(?![ \t]*\n)"
_INNER = rf"\{{(?:{_TEXT}|\{{(?:{_TEXT})*+\}})*+\}}"
_ARGUMENT = re.compile(rf"\{{((?:{_TEXT}|{_INNER})*+)(?:\}}|(?=\n)|\Z)", re.DOTALL)
_SETTINGS = "IEEEexample:BSTcontrol"  # the usual key of what IEEEtran's style is told in a bibliography


class Citation(NamedTuple):
    """What one command cites, the notes that it has, and the place behind its arguments."""

    keys: list[str]
    notes: list[str]
    end: int


def cites(name: str) -> bool:
    """Whether a command of this name cites."""
    return (
        ("cite" in name.lower() and name not in NO_CITATIONS)
        or name in MORE_CITATIONS
        or _QUOTATION.fullmatch(name) is not None
    )


def split_keys(argument: str) -> list[str]:
    """The keys in the argument of a citation."""
    parts = _BEFORE_KEY.sub("", argument).split(",")
    keys = (" ".join(part.split()) for part in parts)
    return [key for key in keys if key and key != _SETTINGS and "#" not in key and "\\" not in key]


def citation(text: str, name: str, place: int) -> Citation:
    """Read the arguments at `place` of a command that cites: `[see][p. 3]{a,b}`, and for `cites` several of these."""
    arguments: list[str] = []
    notes: list[str] = []
    end = place
    quotation = _QUOTATION.fullmatch(name)
    if quotation and quotation[1]:
        _, end = _argument(text, end)  # the language
    many = name.lower().endswith("cites")
    while many and (double := _DOUBLE_ARGUMENT.match(text, end)):
        end = double.end()
    if pointed := _POINTED.match(text, end):
        notes.append(pointed[1])
        end = pointed.end()
    step = 2 if _VOLUME.fullmatch(name) else 1  # the volume stands before each key
    while many or len(arguments) < step:
        note, after = optional(text, end)
        if note is not None:
            notes.append(note)
            end = after
            continue
        argument, after = _argument(text, end)
        if argument is None:
            break
        end = after
        arguments.append(argument)
        if starred := _STARRED.match(text, end):  # a note of amsrefs: *{Theorem 3}
            note, end = _argument(text, starred.end())
            notes += [note] if note else []
    keys = [key for argument in arguments[step - 1 :: step] for key in split_keys(argument)]
    if keys and (quotation or name == "citefield"):  # punctuation, behind which is text, or a field
        _, end = (optional if quotation else _argument)(text, end)
    return Citation(keys, notes, end)


def _argument(text: str, place: int) -> tuple[str | None, int]:
    """What stands in braces at `place`, if that is so, and the place behind it."""
    found = _ARGUMENT.match(text, after_space(text, place))
    return (found[1], found.end()) if found else (None, place)
