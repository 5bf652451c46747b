"""What a browser or a program sends → a query and settings, every field checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citescout.filters import Filters
from citescout.queries import query_from_record
from citescout.settings import Settings
from citescout.systems import settings_of as any_settings_of
from common.errors import QueryError
from manuscripts.draft import split_title
from retrieval.query import Query

MAX_TITLE = 2_000  # characters
MAX_ABSTRACT = 50_000  # characters; a long abstract has 3,000
MAX_IDS = 2_000  # papers that are cited already, or selected
MAX_ID = 500  # characters
MAX_NAMES = 50  # venues, authors to leave out, or authors of the query, of MAX_ID characters
YEARS = range(1000, 2201)
# What the page calls the fields whose names would tell its readers nothing; as in templates/index.html.
PAGE_LABELS: Mapping[str, str] = {
    "from_year": "Published from",
    "venues": "In a venue named",
    "min_citations": "Cited here at least",
    "not_by": "Not by these authors",
    "authors": "Who writes it",
}
_FEWEST_TITLE_WORDS = 4
_ID_ENDS = re.compile(r"[\s,]+")
_NAME = re.compile(r"\b(doi|arxiv|pmid)\s*:\s+", re.IGNORECASE)  # one id, though a space follows

_QUERY_FIELDS = frozenset({"id", "title", "abstract", "year", "already_cited", "liked", "disliked", "authors"})
_ID_FIELDS = ("already_cited", "liked", "disliked")
_FILTER_TYPES: Mapping[str, tuple[type, str]] = {
    "from_year": (int, "a whole number"),
    "to_year": (int, "a whole number"),
    "venues": (list, "a list of names"),
    "min_citations": (int, "a whole number"),
    "not_by": (list, "a list of names"),
}
_SETTING_TYPES: Mapping[str, tuple[type, str]] = {
    "hide_known": (bool, "true or false"),
    "diversity": (float, "a number"),
    "recency": (float, "a number"),
    "k": (int, "a whole number"),
    "sources": (list, "a list of sources"),
    "depth": (int, "a whole number"),
    "query_form": (str, "text"),
    "blend": (bool, "true or false"),
}


# Name of a system, or "" for the one that answers without → its settings; see `Recommender.settings_of`.
SettingsOf = Callable[[str], Settings]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question."""

    query: Query
    settings: Settings
    papers: tuple[str, ...] = ()  # ids of the recommendations that are selected; empty for all
    system: str = ""  # that it names


def from_json(record: object, settings_of: SettingsOf = any_settings_of) -> Asked:
    """A question as the API has it; its own settings take the place of those of its system.

    Raises:
        QueryError: not an object, an unknown field, a wrong type, or a value out of range; names the field. Or as
            `settings_of`.
    """
    if not isinstance(record, dict):
        raise QueryError("the request must be a JSON object")
    known = _QUERY_FIELDS | _SETTING_TYPES.keys() | _FILTER_TYPES.keys() | {"papers", "system"}
    if unknown := sorted(set(record) - known):
        raise QueryError(f"unknown field {unknown[0]!r}; there are {', '.join(sorted(known))}")
    if not isinstance(record.get("id") or "", str):
        raise QueryError("request: id must be text")
    query = query_from_record({name: record.get(name) for name in _QUERY_FIELDS}, "request")
    papers = record.get("papers") or []
    if not isinstance(papers, list) or not all(isinstance(paper, str) for paper in papers):
        raise QueryError("request: papers must be a list of ids")
    system = record.get("system") or ""
    if not isinstance(system, str):
        raise QueryError("request: system must be text")
    return _checked(Asked(query, _settings(record, settings_of(system)), tuple(papers), system))


def from_form(form: Mapping[str, str], papers: Sequence[str] = (), settings_of: SettingsOf = any_settings_of) -> Asked:
    """A question as the form of the page has it: every field is text, and an empty one is not given.

    Title and abstract may both stand in either field, the title on the first line.

    Raises:
        QueryError: no text at all, or a value out of range; names the field as the page does.
    """
    try:
        return _from_form(form, papers, settings_of)
    except QueryError as error:
        message = str(error)
        field = next((name for name in PAGE_LABELS if message.startswith(f"{name} ")), "")
        raise QueryError(PAGE_LABELS.get(field, field) + message.removeprefix(field)) from None


def _from_form(form: Mapping[str, str], papers: Sequence[str], settings_of: SettingsOf) -> Asked:
    title, abstract = _text(form, "title"), _text(form, "abstract")
    if not title or ("\n" in title and not abstract):
        title, abstract = split_title(title or abstract)
    record: dict[str, object] = {
        "id": _text(form, "id"),
        "title": " ".join(title.split()),
        "abstract": abstract,
        "year": _number(form, "year"),
        "papers": list(papers),
        "system": _text(form, "system"),
    }
    record["already_cited"] = split_ids(_text(form, "already_cited"))
    record |= {name: list(filter(None, _text(form, name).splitlines())) for name in ("liked", "disliked")}
    record |= {name: _number(form, name) for name in ("k", "depth", "from_year", "to_year", "min_citations")}
    record |= {name: _names(form, name) for name in ("venues", "not_by", "authors")}
    record["hide_known"] = bool(_text(form, "hide_known"))
    record |= {name: (_number(form, name) or 0) / 100 for name in ("diversity", "recency")}  # percent
    if not title and not abstract:
        raise QueryError("enter a title or an abstract")
    return from_json(record, settings_of)


def to_form(asked: Asked) -> dict[str, str]:
    """The fields of the form that ask the same again; `depth` and what else the form does not have is left out."""
    query, settings = asked.query, asked.settings
    filters = settings.filters
    return {
        "id": query.id,
        "title": query.title,
        "abstract": query.abstract,
        "year": _shown(query.year),
        "already_cited": "\n".join(query.already_cited),
        "k": str(settings.k),
        "from_year": _shown(filters.from_year),
        "venues": "; ".join(filters.venues),
        "min_citations": _shown(filters.min_citations or None),
        "not_by": "; ".join(filters.not_by),
        "authors": "; ".join(query.authors),
        "hide_known": "1" if settings.hide_known else "",
        "diversity": str(round(100 * settings.diversity)),
        "recency": str(round(100 * settings.recency)),
        "liked": "\n".join(query.liked),
        "disliked": "\n".join(query.disliked),
        "system": asked.system,
    }


def _shown(number: int | None) -> str:
    return "" if number is None else str(number)


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


def _names(form: Mapping[str, str], name: str) -> list[str]:
    """Names separated by semicolons or line breaks; commas stand within them."""
    return [" ".join(part.split()) for part in re.split(r"[;\n]", _text(form, name)) if part.strip()]


def _given(record: Mapping[str, Any], types: Mapping[str, tuple[type, str]]) -> dict[str, Any]:
    """The fields that the record has, of the right types."""
    given: dict[str, Any] = {}
    for name, (kind, wanted) in types.items():
        value = record.get(name)
        if value is None:
            continue
        fits = isinstance(value, int | float if kind is float else kind)
        if not fits or (isinstance(value, bool) and kind is not bool):
            raise QueryError(f"request: {name} must be {wanted}")
        given[name] = value
    return given


def _filters(record: Mapping[str, Any]) -> Filters:
    given = _given(record, _FILTER_TYPES)
    for name in ("venues", "not_by"):
        names = given.get(name, [])
        if not all(isinstance(entry, str) for entry in names):
            raise QueryError(f"request: {name} must be a list of names")
        given[name] = _checked_names(name, names)
    return Filters(**given)


def _checked_names(field: str, names: Sequence[str]) -> tuple[str, ...]:
    if len(names) > MAX_NAMES or any(len(entry) > MAX_ID for entry in names):
        raise QueryError(f"{field} may hold {MAX_NAMES} names of {MAX_ID} characters")
    return tuple(names)


def _settings(record: Mapping[str, Any], of_system: Settings) -> Settings:
    given = _given(record, _SETTING_TYPES)
    if "sources" in given:
        if not all(isinstance(source, str) for source in given["sources"]):
            raise QueryError("request: sources must be a list of names")
        given["sources"] = tuple(dict.fromkeys(given["sources"]))
    return replace(of_system, filters=_filters(record), **given).checked()


def _checked(asked: Asked) -> Asked:
    query = asked.query
    if len(query.title) > MAX_TITLE:
        raise QueryError(f"the title is longer than {MAX_TITLE:,} characters")
    if len(query.abstract) > MAX_ABSTRACT:
        raise QueryError(f"the abstract is longer than {MAX_ABSTRACT:,} characters")
    if len(query.id) > MAX_ID:
        raise QueryError(f"the id is longer than {MAX_ID} characters")
    if query.year is not None and query.year not in YEARS:
        raise QueryError(f"the year must be from {YEARS[0]} to {YEARS[-1]}, not {query.year}")
    for name, ids in (*((field, getattr(query, field)) for field in _ID_FIELDS), ("papers", asked.papers)):
        if len(ids) > MAX_IDS or any(len(identity) > MAX_ID for identity in ids):
            raise QueryError(f"{name} may hold {MAX_IDS:,} ids of {MAX_ID} characters")
    _checked_names("authors", query.authors)
    return replace(asked, query=query.checked())
