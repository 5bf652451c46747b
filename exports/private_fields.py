"""What people note in their bibliographies for themselves, which is left out where others may ask an index."""

from __future__ import annotations

import re
from dataclasses import replace

import orjson

from citescout.recommendation import Answer
from exports.bibtex_fields import fields_of, without_fields
from exports.links import safe_url
from indexer.original import Original
from indexer.paper import Paper

# Notes, files on the owner's disk, and what reference managers say of the owner: JabRef, BibDesk, Mendeley.
_BIBTEX = re.compile(
    r"annote|annotation|comments?|review|file|localfile|pdf|local-url|bdsk-file-\d+|owner|timestamp|groups|username"
    r"|mendeley-(?:groups|tags)|readstatus|ranking|priority|printed|relevance|qualityassured|comment-.*"
)
_RIS_TAG = re.compile(r"([A-Z][A-Z0-9]) {1,2}-(.*)")
_RIS_NOTES, _RIS_FILES = ("N1", "RN"), ("L1", "L2", "L3", "L4")
_CSL = ("note", "annote", "custom")


def for_others(answer: Answer) -> Answer:
    """The answer as whoever may ask the index can have it."""
    entries = [replace(entry, paper=without_private(entry.paper)) for entry in answer.recommendations]
    return replace(answer, recommendations=entries)


def without_private(paper: Paper) -> Paper:
    """The paper with its entry, but without the private fields of that."""
    return replace(paper, original=_without(paper.original)) if paper.original else paper


def _without(original: Original) -> Original:
    if original.format == "bibtex":
        return replace(original, text=_bibtex(original.text), after=tuple(map(_bibtex, original.after)))
    return replace(original, text=(_ris if original.format == "ris" else _csl)(original.text))


def _bibtex(entry: str) -> str:
    # One that is not whole is written anew, and so without them.
    return without_fields(entry, (field for field in fields_of(entry) or () if _BIBTEX.fullmatch(field.name)))


def _ris(text: str) -> str:
    lines, kept = [], True
    for line in text.split("\n"):
        if tag := _RIS_TAG.match(line):
            kept = tag[1] not in _RIS_NOTES and (tag[1] not in _RIS_FILES or bool(safe_url(tag[2])))
        if kept:
            lines.append(line)
    return "\n".join(lines)


def _csl(text: str) -> str:
    return orjson.dumps({name: value for name, value in orjson.loads(text).items() if name not in _CSL}).decode()
