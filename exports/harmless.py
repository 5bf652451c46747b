"""Entries as their owners wrote them, as far as they are harmless: a corpus may come from anybody.

A command of TeX that reads or writes files, runs programs or gives other commands a meaning has no place in an entry;
one that has it is written anew from what was read of it. What says nothing of a paper is left out alone: a preamble
that does more than define commands, addresses that are none of the web, marks that control a terminal or turn the
direction of text.
"""

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

import orjson

from exports.original_fields import without_fields
from indexer.original import Original
from indexer.readers.bibtex_keys import unclosed_line

_MARKS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

# BibTeX's styles may lower the case of a title, commands included. Behind a double backslash there is no command.
_COMMAND = r"(?<!\\)(?:\\\\)*\\"
_ACTING = re.compile(
    rf"{_COMMAND}(?:[a-z@]*(?:input|write|openin|openout|scant|csname|catcode|lua|shell|nameuse|namedef|filecontents)"
    r"|(?:include|pdf|at(?:begin|end)|every|ExplSyntax|DeclareOption|Execute)[a-z@]*|(?:sub)?(?:import|file)(?![a-z@])"
    r"|(?:read|readline|immediate|special|usepackage|RequirePackage|IfFileExists|LoadClass|documentclass|openbox)"
    r"(?![a-z@]))"
    r"|\^\^"  # a mark by its number
    # An environment is a command by another name.
    rf"|{_COMMAND}(?:begin|end)(?!\s*\{{[a-z]+\*?\}})"
    rf"|{_COMMAND}(?:begin|end)\s*\{{(?:document|[a-z]*(?:input|write|read|lua|filecontents|import|include|csname)[a-z]*)"
    rf"|{_COMMAND}(?:url|href|nolinkurl)\s*\{{\s*(?:javascript|vbscript|data|file|run)\s*:",
    re.IGNORECASE,
)
_DEFINING = re.compile(
    rf"{_COMMAND}(?:[gex]?def|let|futurelet|(?:re)?newcommand|providecommand|(?:re)?newenvironment|chardef|DeclareRobustCommand)"
    r"(?![a-z@])",
    re.IGNORECASE,
)
_JOINED = re.compile(r'["}]\s*#\s*["{]')
_CUT = re.compile(r'(?:\\[a-z@]*|\^)["}]\s*#', re.IGNORECASE)  # a command that goes on in an abbreviation
_CUT_AT_END = re.compile(r'(?:\\[a-z@]*|\^)["}]\s*[})]\s*$', re.IGNORECASE)
_PREAMBLE = re.compile(r"\s*@\s*preamble\s*[{(](.*)[})]\s*", re.IGNORECASE | re.DOTALL)
_LONGEST = 10_000  # characters of a preamble
_GROUP = re.compile(r"\{[^{}]*\}")
# Definitions, each group in them taken for one mark.
_DEFINITIONS = re.compile(
    r"(?:\\(?:newcommand|renewcommand|providecommand)\*?\s*(?:\0|\\[a-z@]+)\s*(?:\[[^][\\]*\]\s*)*\0"
    r"|\\def\s*\\[a-z@]+[\s#\d]*\0|\\ifx\s*\\[a-z@]+\s*\\[a-z@]+|\\fi(?![a-z@])|\s)*",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*(?=:)", re.IGNORECASE)
_WEB = ("http", "https", "ftp", "doi")
_ADDRESS = re.compile(r"URL?|LK|L[1-4]|.*url.*")  # of CSL-JSON, RIS and BibTeX
_FILES = ("file", "internal-pdf")  # of the user's own in RIS


@lru_cache(maxsize=512)
def harmless(original: Original | None) -> Original | None:
    """The entry as it can be written; None where it is to be written anew from what is known of the paper."""
    if original is None:
        return None
    text = original.text
    clean = replace(
        original,
        text=orjson.dumps(_clean(orjson.loads(text))).decode() if original.format == "csl-json" else _clean(text),
        before=tuple(_clean(original.before)),
        after=tuple(_clean(original.after)),
    )
    found = without_fields(clean, _leads_elsewhere)
    return _bibtex(found) if found and found.format == "bibtex" else found


def _bibtex(original: Original) -> Original | None:
    strings = [one for one in original.before if not _PREAMBLE.match(one)]
    whole = "\n".join((*strings, original.text, *original.after))
    text = _JOINED.sub("", whole)
    cut = _CUT.search(text) or ("#" in text and any(map(_CUT_AT_END.search, strings)))
    if cut or _ACTING.search(text) or _DEFINING.search(text) or unclosed_line(whole):
        return None
    kept = tuple(one for one in original.before if one in strings or _only_defines(one))
    return replace(original, before=kept)


def _leads_elsewhere(name: str, value: str) -> bool:
    """Whether a field is an address that is none of the web."""
    if not _ADDRESS.fullmatch(name):
        return False
    address = re.sub(r'[\s{}"\\]', "", _JOINED.sub("", value))
    if scheme := _SCHEME.match(address):
        return scheme[0].lower() not in (_WEB + _FILES if name[0] == "L" else _WEB)
    return "#" in address and value[:1] not in '{"'  # without a scheme it leads nowhere by itself


def _only_defines(preamble: str) -> bool:
    """Whether a preamble is made of definitions of commands alone, which act on nothing outside of the text."""
    found = _PREAMBLE.fullmatch(preamble)
    text = _JOINED.sub("", found[1]).strip() if found else "#"
    if len(text) > _LONGEST or text[:1] + text[-1:] not in ('""', "{}") or _ACTING.search(text):
        return False
    text, left = text[1:-1], ""
    while text != left:
        text, left = _GROUP.sub("\0", text), text
    return bool(_DEFINITIONS.fullmatch(text))


def _clean(value: Any) -> Any:
    """The text, or all texts within a value of JSON, without such marks."""
    if isinstance(value, dict):
        return {_clean(name): _clean(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_clean, value))
    return _MARKS.sub("", value) if isinstance(value, str) else value
