"""CSL-JSON (citeproc), as exported by Zotero, Pandoc and, with lists for titles, Crossref."""

import re
from collections.abc import Iterator

import orjson

from common.names import stored_whole
from common.text import one_line
from indexer.identity.identifiers import arxiv_key, clean_doi
from indexer.identity.keys import address_with_pmid
from indexer.identity.references import Reference
from indexer.original import Original
from indexer.readers.base import Found, RawPaper, Reader, papers_of
from indexer.readers.csl_items import date_in, date_of, people
from indexer.readers.entry_fields import DATES
from indexer.readers.entry_types import NAMES
from indexer.readers.head import Head
from indexer.readers.json_records import Fields, array_records, json_records, mapping, objects
from indexer.readers.markup import initials_first, parted_person, person, with_subtitle, without_markup
from indexer.readers.streams import TextFile

_PARTICLES = ("dropping-particle", "non-dropping-particle")

_MARKS = {"issued", "container-title", "citation-key"}  # names of fields that no other format has
_WITH_TYPE = {"author", "editor", "DOI", "URL", "ISBN", "ISSN", "PMID"}  # the same beside a type
_ANSWER = {"status", "message-type", "message"}  # of Crossref's API: a work, or a list of them
_KEPT = ["title", "container-title", "issued", "volume", "issue", "page", "publisher", "abstract", "DOI", "URL"]
_TYPES = {name: type for type, names in NAMES.items() for name in names.crossref.split()}
_PARTS_OF_DATE = ("year", "month", "day")
_PARTS = ("chapter", "paper-conference", "entry")  # of books
_RETRACTIONS = {"retraction", "withdrawal", "removal"}  # kinds of updates at Crossref
_NOTICES = {*_RETRACTIONS, "correction", "corrigendum", "erratum", "addendum", "expression_of_concern"}
_MARKUP = re.compile(r"(</?(?:i|b|su[bp])>)")  # of CSL
_ITEMS = re.compile(r'"items"\s*:\s*\[')
_WRAPPED = re.compile(r'\s*\{\s*"items"\s*:\s*(\[)')  # as Zotero's API answers


def _detect(head: Head) -> bool:
    keys = head.keys
    if keys >= _ANSWER:
        return True
    if wrapped := _WRAPPED.match(head.text):
        keys = Head(head.name, head.text[wrapped.start(1) :].encode()).keys
    return "title" in keys and bool(_MARKS & keys or ("type" in keys and _WITH_TYPE & keys))


def _read(file: TextFile) -> Iterator[Found]:
    listed = _ITEMS.search(file.head.text) and (file.head.keys >= _ANSWER or _WRAPPED.match(file.head.text))
    return papers_of(array_records(file.body, _ITEMS) if listed else json_records(file), _of_work)


def _of_work(fields: Fields) -> RawPaper | None:
    """One work of Crossref; None for one that only retracts or corrects others."""
    if fields.keys() >= _ANSWER:
        fields = mapping(fields.get("message"))
    others = (update for update in objects(fields.get("update-to")) if update.get("DOI") != fields.get("DOI"))
    return None if any(update.get("type") in _NOTICES for update in others) else paper_of_item(fields)


def paper_of_item(fields: Fields) -> RawPaper:
    """One item of CSL-JSON; Crossref's says what it cites."""
    listed = objects(fields.get("reference"))
    dois = [clean_doi(str(one.get("DOI") or one.get("unstructured") or "")) for one in listed]
    doi, url = fields.get("DOI"), fields.get("URL")
    return RawPaper(
        id=fields.get("id") or fields.get("citation-key") or doi or url,
        title=_title(fields),
        abstract=fields.get("abstract"),
        year=_year(fields.get("issued")),
        authors=[name_of(author) for author in objects(fields.get("author")) or objects(fields.get("editor"))],
        venue=_containers(fields)[1] or fields.get("publisher"),
        doi=doi,
        citations=[doi for doi in dois if doi],
        references=[_reference(one) for one, doi in zip(listed, dois, strict=True) if not doi],
        arxiv=arxiv_key(f"{fields.get('number')}"),
        original=_original(fields),
        type=_TYPES.get(str(fields.get("type")), fields.get("type")),
        volume=fields.get("volume"),
        issue=fields.get("issue"),
        page=fields.get("page"),
        publisher=fields.get("publisher"),
        url=address_with_pmid(url, str(fields.get("PMID") or ""), doi),
        retracted=is_retracted(fields),
    )


def _reference(cited: Fields) -> Reference:
    """What Crossref says of a cited work that it has no DOI of."""
    said = {name: str(value) for name, value in cited.items() if value}
    return Reference(
        author=initials_first(said.get("author", "")),
        year=said.get("year", ""),
        volume=said.get("volume", ""),
        page=said.get("first-page", ""),
        title=said.get("article-title") or said.get("volume-title", ""),
    )


def beside_fields(fields: Fields) -> Fields:
    """What Crossref says of a work that no other field of a paper holds, as CSL has it: series, editors and ISBN."""
    isbn = _single(fields.get("ISBN"))
    editors = people([name_of(editor) for editor in objects(fields.get("editor"))])
    known = {"collection-title": one_line(_containers(fields)[0]), "editor": editors, "ISBN": one_line(f"{isbn or ''}")}
    return {name: value for name, value in known.items() if value}


def is_retracted(fields: Fields) -> bool:
    """Whether a work has a retraction at Crossref."""
    return any(update.get("type") in _RETRACTIONS for update in objects(fields.get("updated-by")))


def _original(fields: Fields) -> Original | None:
    if isinstance(fields.get("title"), list):
        fields = _of_crossref(fields)
    if type := _TYPES.get(str(fields.get("type"))):  # in what resolvers of DOIs call CSL-JSON, too
        fields = fields | {"type": type}
    fields = fields | {name: _date(fields[name]) for name in ("issued", *DATES) if name in fields}
    try:
        return Original("csl-json", orjson.dumps(fields).decode())
    except (TypeError, ValueError):  # halves of surrogate pairs, numbers beyond 64 bits
        return None


def _of_crossref(fields: Fields) -> Fields:
    """What Crossref says of a work as an item of CSL, which has no lists for titles, and other types."""
    kept = {name: _single(fields[name]) for name in _KEPT if name in fields}
    series, container = _containers(fields)
    kept |= {"collection-title": series} if series else {}
    titles = {"title": _title(fields), "container-title": container}
    kept |= {name: _in_csl(title) for name, title in titles.items()}
    kept["abstract"] = " ".join(str(without_markup(kept.get("abstract") or "")).split())
    creators = {role: people([name_of(one) for one in objects(fields.get(role))]) for role in ("author", "editor")}
    return {"id": fields.get("DOI"), "type": fields.get("type"), **kept, **creators}


def _containers(fields: Fields) -> tuple[str, object]:
    """The series and the book, or "" and the journal: of what stands in a book Crossref has the series first."""
    titles = fields.get("container-title")
    is_part = _TYPES.get(str(fields.get("type"))) in _PARTS
    if not is_part or not isinstance(titles, list) or titles[:1] == titles[-1:]:
        return "", _single(titles)
    return str(without_markup(titles[0])), titles[-1]


def _in_csl(title: object) -> object:
    """A title with only such markup as CSL has, too."""
    pieces = _MARKUP.split(title) if isinstance(title, str) else []
    return "".join(piece if place % 2 else str(without_markup(piece)) for place, piece in enumerate(pieces))


def _title(fields: Fields) -> object:
    """The title, at Crossref with its subtitle."""
    title, subtitle = _single(fields.get("title")), _single(fields.get("subtitle"))
    return with_subtitle(title, subtitle) if isinstance(title, str) and isinstance(subtitle, str) else title


def _single(value: object) -> object:
    return next(iter(value), None) if isinstance(value, list) else value


def name_of(person_or_group: Fields) -> str:
    """A name as `common.names` stores it, particle and suffix included; Crossref calls a group's `name`."""
    whole = person(person_or_group.get("literal") or person_or_group.get("name"))
    family = person(*map(person_or_group.get, (*_PARTICLES, "family")))
    return stored_whole(whole) or parted_person(family, person_or_group.get("given"), person_or_group.get("suffix"))


def _date(value: object) -> object:
    """A date as CSL-JSON has it, which in YAML may be text, or have names for its parts."""
    days = [mapping(day) for day in (value if isinstance(value, list) else [value])]
    named = "/".join("-".join(str(day[part]).zfill(2) for part in _PARTS_OF_DATE if part in day) for day in days)
    known = date_in(value if isinstance(value, str) else named if all("year" in day for day in days) else "")
    return date_of(known) if known else {"raw": value} if isinstance(value, str) else value


def _year(value: object) -> object:
    """Of a date in parts or as text, which Pandoc takes as a whole; in YAML it may be `[{year: 2001}]`, too."""
    issued = mapping(next(iter(value), None) if isinstance(value, list) else value)
    parts = issued.get("date-parts")
    while isinstance(parts, list):
        parts = next(iter(parts), None)
    return parts or issued.get("raw") or issued.get("literal") or issued.get("year") or value


CSL_JSON = Reader(
    name="csl_json",
    description="CSL-JSON: an array of items with issued, author and container-title",
    endings=(".json", ".csljson"),
    detect=_detect,
    read=_read,
    describes_references=True,
)
