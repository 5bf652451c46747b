"""CSL-JSON (citeproc), as exported by Zotero, Pandoc and, with lists for titles, Crossref."""

from __future__ import annotations

from indexer.identity.identifiers import pmid_key, pubmed_address
from indexer.readers.base import RawPaper, Reader, register
from indexer.readers.head import Head
from indexer.readers.json_records import Fields, json_reader, mapping, objects
from indexer.readers.markup import person, without_markup


def _detect(head: Head) -> bool:
    keys = head.keys
    return "title" in keys and bool({"issued", "container-title", "citation-key"} & keys or {"type", "author"} <= keys)


def _paper(where: str, fields: Fields) -> RawPaper:
    doi, url = fields.get("DOI"), fields.get("URL")
    return RawPaper(
        where,
        id=fields.get("id") or fields.get("citation-key") or doi or url,
        title=without_markup(_single(fields.get("title"))),
        abstract=without_markup(fields.get("abstract")),
        year=_year(mapping(fields.get("issued"))),
        authors=[
            author.get("literal")
            or person(
                author.get("given"),
                author.get("dropping-particle"),
                author.get("non-dropping-particle"),
                author.get("family"),
                author.get("suffix"),
            )
            for author in objects(fields.get("author"))
        ],
        venue=without_markup(_single(fields.get("container-title"))) or fields.get("publisher"),
        doi=doi,
        url=url or pubmed_address(pmid_key(str(fields.get("PMID") or ""), bare=True)),
    )


def _single(value: object) -> object:
    return next(iter(value), None) if isinstance(value, list) else value


def _year(issued: Fields) -> object:
    parts = issued.get("date-parts")
    while isinstance(parts, list):
        parts = next(iter(parts), None)
    return parts or issued.get("raw") or issued.get("literal")


register(
    Reader(
        name="csl_json",
        description="CSL-JSON: an array of items with issued, author and container-title",
        endings=(".json", ".csljson"),
        detect=_detect,
        read=json_reader(_paper),
    )
)
