"""What a browser or a program sends → a query and settings, every field checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citescout.queries import query_from_record
from citescout.settings import Settings
from common.errors import QueryError
from retrieval.query import Query

MAX_TITLE = 2_000  # characters
MAX_ABSTRACT = 50_000  # characters; a long abstract has 3,000
MAX_IDS = 2_000  # papers that are cited already, or selected
MAX_ID = 500  # characters
YEARS = range(1000, 2201)
_LONGEST_FIRST_LINE = 300  # characters of a title pasted above its abstract
_FEWEST_TITLE_WORDS = 4
_ID_ENDS = re.compile(r"[\s,]+")
_NAME = re.compile(r"\b(doi|arxiv|pmid)\s*:\s+", re.IGNORECASE)  # one id, though a space follows

_QUERY_FIELDS = frozenset({"title", "abstract", "year", "already_cited"})
_SETTING_TYPES: Mapping[str, tuple[type, str]] = {
    "k": (int, "a whole number"),
    "sources": (list, "a list of sources"),
    "depth": (int, "a whole number"),
    "query_form": (str, "text"),
    "blend": (bool, "true or false"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One question."""

    query: Query
    settings: Settings
    papers: tuple[str, ...] = ()  # ids of the recommendations that are selected; empty for all


def from_json(record: object) -> Asked:
    """A question as the API has it.

    Raises:
        QueryError: not an object, an unknown field, a wrong type, or a value out of range; names the field.
    """
    if not isinstance(record, dict):
        raise QueryError("the request must be a JSON object")
    known = _QUERY_FIELDS | _SETTING_TYPES.keys() | {"papers"}
    if unknown := sorted(set(record) - known):
        raise QueryError(f"unknown field {unknown[0]!r}; there are {', '.join(sorted(known))}")
    query = query_from_record({name: record.get(name) for name in _QUERY_FIELDS}, "request")
    papers = record.get("papers") or []
    if not isinstance(papers, list) or not all(isinstance(paper, str) for paper in papers):
        raise QueryError("request: papers must be a list of ids")
    return _checked(Asked(query, _settings(record), tuple(papers)))


def from_form(form: Mapping[str, str], papers: Sequence[str] = ()) -> Asked:
    """A question as the form of the page has it: every field is text, and an empty one is not given.

    Title and abstract may both stand in either field, the title on the first line.

    Raises:
        QueryError: no text at all, or a value out of range; names the field.
    """
    title, abstract = _text(form, "title"), _text(form, "abstract")
    if not title or ("\n" in title and not abstract):
        title, abstract = split_title(title or abstract)
    record: dict[str, object] = {
        "title": " ".join(title.split()),
        "abstract": abstract,
        "year": _number(form, "year"),
        "already_cited": split_ids(_text(form, "already_cited")),
        "papers": list(papers),
    }
    record |= {name: _number(form, name) for name in ("k", "depth")}
    if not title and not abstract:
        raise QueryError("enter a title or an abstract")
    return from_json(record)


def split_title(text: str) -> tuple[str, str]:
    """A pasted "title, line break, abstract" → its two parts; ("", text) where the first line is no title.

    It is one if a blank line follows it, or a paragraph that is clearly longer than a line.
    """
    first, _, rest = text.strip().partition("\n")
    lines = rest.splitlines()
    if not rest.strip() or len(first) > _LONGEST_FIRST_LINE:
        return "", text.strip()
    if not lines[0].strip() or len(lines[0]) > max(160, 1.5 * len(first)):
        return first.strip(), rest.strip()
    return "", text.strip()


def split_ids(text: str) -> list[str]:
    """Ids separated by spaces, commas or line breaks, and titles on lines of their own; each once."""
    entries: list[str] = []
    for line in text.splitlines():
        words = line.split()
        entries.extend([" ".join(words)] if _is_title(words) else _ID_ENDS.split(_NAME.sub(r"\1:", line)))
    return list(dict.fromkeys(filter(None, entries)))


def _is_title(words: Sequence[str]) -> bool:
    """A title has at least four words, most of them without the digits and signs of ids, and begins like one."""
    plain = [word for word in words if word.strip("\"'“”‘’().,:;?!-").replace("-", "").isalpha()]
    return len(words) >= _FEWEST_TITLE_WORDS and len(plain) * 2 > len(words) and not words[0][0].islower()


def _text(form: Mapping[str, str], name: str) -> str:
    return form.get(name, "").replace("\r\n", "\n").strip()


def _number(form: Mapping[str, str], name: str) -> int | None:
    value = _text(form, name)
    if not value:
        return None
    if not re.fullmatch(r"-?[0-9]{1,9}", value):
        raise QueryError(f"{name} must be a whole number, not {value[:20]!r}")
    return int(value)


def _settings(record: Mapping[str, Any]) -> Settings:
    given: dict[str, Any] = {}
    for name, (kind, wanted) in _SETTING_TYPES.items():
        value = record.get(name)
        if value is None:
            continue
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise QueryError(f"request: {name} must be {wanted}")
        given[name] = value
    if "sources" in given:
        if not all(isinstance(source, str) for source in given["sources"]):
            raise QueryError("request: sources must be a list of names")
        given["sources"] = tuple(dict.fromkeys(given["sources"]))
    return replace(Settings(), **given).checked()


def _checked(asked: Asked) -> Asked:
    query = asked.query
    if len(query.title) > MAX_TITLE:
        raise QueryError(f"the title is longer than {MAX_TITLE:,} characters")
    if len(query.abstract) > MAX_ABSTRACT:
        raise QueryError(f"the abstract is longer than {MAX_ABSTRACT:,} characters")
    if query.year is not None and query.year not in YEARS:
        raise QueryError(f"the year must be from {YEARS[0]} to {YEARS[-1]}, not {query.year}")
    for name, ids in (("already_cited", query.already_cited), ("papers", asked.papers)):
        if len(ids) > MAX_IDS or any(len(identity) > MAX_ID for identity in ids):
            raise QueryError(f"{name} may hold {MAX_IDS:,} ids of {MAX_ID} characters")
    return replace(asked, query=query.checked())
