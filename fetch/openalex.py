"""A selection → requests to the works endpoint of OpenAlex (https://developers.openalex.org, as of 2026)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from requests import codes

from common.errors import FetchError
from common.sequences import batches_within
from fetch.client import Client, RefusedError
from fetch.selection import Selection
from indexer.identity.identifiers import lone_doi

BASE_URL = "https://api.openalex.org"
Work = dict[str, Any]  # as the API gives it

PER_PAGE = 100  # the API's most
FIRST_CURSOR = "*"
_BY_NUMBER = "page:"  # begins a cursor of ours, which counts pages
_MOST_PAGES = 100  # that can be had by number
MAX_VALUES = 100  # of one filter, joined by |
_MAX_VALUE_BYTES = 2_500  # the whole address may have 4,094
# What the reader of this format reads; only fields at the top level can be chosen.
_FIELDS = (
    "id,doi,title,publication_year,authorships,primary_location,locations,abstract_inverted_index,referenced_works,"
    "is_retracted,cited_by_count,type,biblio"
)
MOST_CITED_FIRST = "cited_by_count:desc"
_ILLEGAL = set(",&")  # ids with these may be answered by 403, says docs.openalex.org
_CANDIDATES = 25  # names looked at
_CANDIDATES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Step:
    """One list of works."""

    filter: str  # in OpenAlex's syntax
    sort: str = ""  # "" for the API's own order, which for a search is relevance
    size: int | None = None  # works, where that many ids are asked for, all of which fit one page
    fields: str = _FIELDS  # of each work


@dataclass(frozen=True, slots=True)
class Page:
    """One answer of a list."""

    works: tuple[Work, ...]
    next_cursor: str  # "" after the last page
    count: int  # works of the whole list


@dataclass(frozen=True, slots=True)
class Kind:
    """Something works are filtered by, known by an id or a name."""

    what: str
    endpoint: str
    letter: str  # that ids begin with
    filter: str


TOPIC = Kind("topic", "topics", "T", "topics.id")
VENUE = Kind("venue", "sources", "S", "primary_location.source.id")


def short_id(address: object) -> str:
    """https://openalex.org/W12 → W12; "" for what is no id."""
    return address.rstrip("/").rsplit("/", 1)[-1].upper() if isinstance(address, str) else ""


def filters(client: Client, selection: Selection) -> str:
    """The filters that every list of the selection has in common, with names resolved to ids; "" without any.

    Raises:
        FetchError: A name fits no topic or venue, or several; or the API fails.
    """
    parts = []
    if selection.search.strip():
        # A comma would begin the next filter; to the search it means no more than the space.
        parts.append(f"title_and_abstract.search:{' '.join(selection.search.replace(',', ' ').split())}")
    for kind, names in ((TOPIC, selection.topics), (VENUE, selection.venues)):
        if names:
            parts.append(f"{kind.filter}:{'|'.join(_resolved(client, kind, name) for name in names)}")
    if selection.from_year:
        parts.append(f"from_publication_date:{selection.from_year}-01-01")
    if selection.to_year:
        parts.append(f"to_publication_date:{selection.to_year}-12-31")
    return ",".join(parts)


def _resolved(client: Client, kind: Kind, name: str) -> str:
    identifier = short_id(name.strip())
    if re.fullmatch(rf"{kind.letter}\d{{4,}}", identifier):
        return identifier
    parameters = {"search": name, "per_page": str(_CANDIDATES), "select": "id,display_name,works_count"}
    answer = client.get(kind.endpoint, parameters, has={"results": list})
    found = [entity for entity in answer["results"] if isinstance(entity, dict)]
    exact = [entity for entity in found if str(entity.get("display_name")).casefold() == name.strip().casefold()]
    fitting = exact or found
    if len(fitting) == 1:
        return short_id(fitting[0].get("id"))
    if not fitting:
        raise FetchError(f"OpenAlex knows no {kind.what} {name!r}; look for its id at https://openalex.org")
    shown = ", ".join(f"{short_id(e.get('id'))} ({e.get('display_name')})" for e in fitting[:_CANDIDATES_SHOWN])
    more = f" and {len(fitting) - _CANDIDATES_SHOWN} more" if len(fitting) > _CANDIDATES_SHOWN else ""
    raise FetchError(f"{name!r} fits several {kind.what}s: {shown}{more}; give the id of the one that you mean")


def seeds(client: Client, dois: Sequence[str]) -> tuple[list[Work], list[str]]:
    """The works of the DOIs, and the DOIs that OpenAlex does not have.

    Raises:
        FetchError: The API fails.
    """
    found = works_by_doi(client, dois)
    distinct = {short_id(found[doi].get("id")): found[doi] for doi in dois if doi in found}
    return list(distinct.values()), [doi for doi in dois if doi not in found]


def works_by_doi(client: Client, dois: Sequence[str]) -> dict[str, Work]:
    """The works of those of the DOIs that OpenAlex has.

    Raises:
        FetchError: The API fails.
    """
    found: dict[str, Work] = {}
    # These two characters separate filters and values; there is no way to write them within a value.
    for batch in batches(doi for doi in dois if not set(doi) & set(",|")):
        for work in page(client, Step(f"doi:{'|'.join(batch)}"), "").works:
            found.setdefault(lone_doi(str(work.get("doi"))), work)
    for doi in (doi for doi in dois if doi not in found):
        # A work that has absorbed another is listed under its own DOI alone, but answers to both when asked singly.
        if (one := single(client, f"doi:{doi}")) is not None:
            found[doi] = one
    return found


def single(client: Client, name: str) -> Work | None:
    """The work of an id of another registry, such as doi:10.1561/1500000019 or pmid:14907713; None without one.

    Raises:
        FetchError: The API fails.
    """
    try:
        work = client.find(f"works/{quote(name, safe='/:()')}", {"select": _FIELDS}, free=True)
    except RefusedError as error:
        if error.status != codes.forbidden or not set(name) & _ILLEGAL:
            raise
        return None
    return work if work and short_id(work.get("id")) else None


def plan(selection: Selection, common: str, seed_works: Sequence[Work]) -> list[Step]:
    """The lists that make up the selection, in the order in which they are fetched.

    Args:
        selection: What the user wants.
        common: The `filters` of every list.
        seed_works: The works that the selection is around.
    """
    if not selection.around:
        return [Step(common, "" if selection.search.strip() else MOST_CITED_FIRST)]
    own = [short_id(work.get("id")) for work in seed_works]
    known = set(own)
    cited = dict.fromkeys(short_id(address) for work in seed_works for address in _referenced(work))
    beside = f",{common}" if common else ""
    steps = [
        Step(f"ids.openalex:{'|'.join(batch)}{beside}", size=len(batch))
        for batch in batches(identifier for identifier in cited if identifier and identifier not in known)
    ]
    return steps + [Step(f"cites:{'|'.join(batch)}{beside}", MOST_CITED_FIRST) for batch in batches(own)]


def _referenced(work: Work) -> list[Any]:
    referenced = work.get("referenced_works") or []
    if not isinstance(referenced, list):
        raise FetchError(f"OpenAlex's referenced_works of {work['id']} is no list: update citescout")
    return referenced


def is_beyond_reach(cursor: str) -> bool:
    """Whether the API gives the page of this cursor only to those who have a key."""
    return _number_of(cursor) > _MOST_PAGES


def page(client: Client, step: Step, cursor: str) -> Page:
    """One page of a list; with "" for a cursor the first and only one.

    Without a key the API refuses all cursors but the first: pages are asked for by number then, up to 10,000 works. The
    cursor of a run with a key says nothing to one without, nor the other way round: the list begins anew.

    Raises:
        FetchError: The API fails.
    """
    if cursor and client.has_key == bool(_number_of(cursor)):
        cursor = FIRST_CURSOR if client.has_key else f"{_BY_NUMBER}1"
    if is_beyond_reach(cursor):
        raise FetchError(
            f"without an API key OpenAlex gives {_MOST_PAGES * PER_PAGE:,} works of a list; "
            "get a free key at https://openalex.org/settings/api and go on with --api-key, or give a --limit"
        )
    number = _number_of(cursor)
    parameters = {"filter": step.filter, "select": step.fields, "per_page": str(PER_PAGE)}
    if step.sort:
        parameters["sort"] = step.sort
    if number:
        parameters["page"] = str(number)
    elif cursor:
        parameters["cursor"] = cursor
    answer = client.get("works", parameters, has={"meta": dict, "results": list})
    meta, results = answer["meta"], answer["results"]
    count = meta["count"] if isinstance(meta.get("count"), int) else len(results)
    following = meta.get("next_cursor") if cursor else ""
    if number:
        following = f"{_BY_NUMBER}{number + 1}" if number * PER_PAGE < count else ""
    return Page(
        tuple(work for work in results if isinstance(work, dict) and short_id(work.get("id"))),
        str(following) if results and following else "",
        count,
    )


def _number_of(cursor: str) -> int:
    """Of the page, where the cursor counts them; else 0."""
    return int(cursor.removeprefix(_BY_NUMBER)) if cursor.startswith(_BY_NUMBER) else 0


def batches(values: Iterable[str]) -> Iterator[list[str]]:
    """The values in lists that fit one filter."""
    return batches_within(values, lambda value: len(quote(value, safe="") + "%7C"), _MAX_VALUE_BYTES, MAX_VALUES)
