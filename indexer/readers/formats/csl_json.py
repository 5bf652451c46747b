"""CSL-JSON (citeproc), as exported by Zotero, Pandoc and, with lists for titles, Crossref."""

import orjson

from indexer.identity.identifiers import arxiv_key, pmid_key, pubmed_address
from indexer.original import Original
from indexer.readers.base import RawPaper, Reader, record_reader, register
from indexer.readers.head import Head
from indexer.readers.json_records import Fields, json_records, mapping, objects
from indexer.readers.markup import person, without_markup

PARTICLES = ("dropping-particle", "non-dropping-particle")
_NAME_PARTS = ("given", *PARTICLES, "family", "suffix")


def _detect(head: Head) -> bool:
    keys = head.keys
    return "title" in keys and bool(
        {"issued", "container-title", "citation-key"} & keys or ("type" in keys and {"author", "editor"} & keys)
    )


def paper_of_item(where: str, fields: Fields) -> RawPaper:
    """One item of CSL-JSON."""
    doi, url = fields.get("DOI"), fields.get("URL")
    return RawPaper(
        where,
        id=fields.get("id") or fields.get("citation-key") or doi or url,
        title=without_markup(_single(fields.get("title"))),
        abstract=without_markup(fields.get("abstract")),
        year=_year(fields.get("issued")),
        authors=[name_of(author) for author in objects(fields.get("author")) or objects(fields.get("editor"))],
        venue=without_markup(_single(fields.get("container-title"))) or fields.get("publisher"),
        doi=doi,
        arxiv=arxiv_key(f"{fields.get('number')}"),
        original=_original(fields),
        url=url or pubmed_address(pmid_key(str(fields.get("PMID") or ""), bare=True)),
    )


def _original(fields: Fields) -> Original | None:
    try:
        return Original("csl-json", orjson.dumps(fields).decode())
    except (TypeError, ValueError):  # halves of surrogate pairs, numbers beyond 64 bits
        return None


def _single(value: object) -> object:
    return next(iter(value), None) if isinstance(value, list) else value


def name_of(person_or_group: Fields) -> object:
    """A name as one text, particle and suffix included; Crossref calls a group's `name`."""
    whole = person_or_group.get("literal") or person_or_group.get("name")
    return whole or person(*map(person_or_group.get, _NAME_PARTS))


def _year(value: object) -> object:
    """Of a date in parts or as text, which Pandoc takes as a whole."""
    issued = mapping(value)
    parts = issued.get("date-parts")
    while isinstance(parts, list):
        parts = next(iter(parts), None)
    return parts or issued.get("raw") or issued.get("literal") or value


register(
    Reader(
        name="csl_json",
        description="CSL-JSON: an array of items with issued, author and container-title",
        endings=(".json", ".csljson"),
        detect=_detect,
        read=record_reader(json_records, paper_of_item),
    )
)
