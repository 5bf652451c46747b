"""OpenAlex works: JSON lines of the snapshot, pages of the API as they come, or the CSV export of its page.

Ids are shortened from addresses to W…; abstracts are inverted indexes. In CSV a list within a cell is parted by bars,
what the API names with a dot is a column, such as `authorships.author.display_name`, and nothing is spelled "None".
"""

import re
from collections.abc import Iterable, Iterator

from indexer.readers.base import Found, RawPaper, Reader, papers_of, record_reader
from indexer.readers.csl_items import csl_type, page_range
from indexer.readers.head import Head
from indexer.readers.json_records import Fields, array_records, json_records, mapping, objects
from indexer.readers.markup import from_inverted_index
from indexer.readers.streams import TextFile
from indexer.readers.tables import Row, table_rows

_RESULTS = re.compile(r'"results"\s*:\s*\[')
_WORK = {"abstract_inverted_index", "referenced_works"}
_DELETED = "W4285719527"  # in millions of reference lists, of all fields, in place of works that are no more


def _detect(head: Head) -> bool:
    in_page = _is_api_page(head) and any(f'"{key}"' in head.text for key in _WORK)
    return in_page or ("id" in head.keys and bool(_WORK & head.keys))


def _is_api_page(head: Head) -> bool:
    return head.text.lstrip()[:1] == "{" and '"results"' in head.text and '"meta"' in head.text


def _read(file: TextFile) -> Iterator[Found]:
    pages = _is_api_page(file.head) and "id" not in file.head.keys
    return papers_of(array_records(file.body, _RESULTS) if pages else json_records(file), paper_of_work)


def paper_of_work(fields: Fields) -> RawPaper:
    """One work, as the API and the snapshot describe it."""
    place = mapping(fields.get("primary_location"))
    venue = mapping(place.get("source")) or mapping(fields.get("host_venue"))
    references, printed = fields.get("referenced_works"), mapping(fields.get("biblio"))
    addresses = [location.get("landing_page_url") for location in objects(fields.get("locations"))]
    return RawPaper(
        id=_short(fields.get("id")),
        title=fields.get("title") or fields.get("display_name"),
        abstract=from_inverted_index(fields.get("abstract_inverted_index")),
        year=fields.get("publication_year"),
        authors=[
            mapping(authorship.get("author")).get("display_name") or authorship.get("raw_author_name")
            for authorship in objects(fields.get("authorships"))
        ],
        venue=venue.get("display_name") or place.get("raw_source_name"),
        doi=fields.get("doi"),
        arxiv=next((a for a in addresses if isinstance(a, str) and "arxiv.org/abs/" in a), None),
        url=place.get("landing_page_url"),
        citations=_without_deleted(map(_short, references)) if isinstance(references, list) else references,
        retracted=fields.get("is_retracted"),
        volume=printed.get("volume"),
        issue=printed.get("issue"),
        page=page_range(printed.get("first_page") or "", printed.get("last_page") or ""),
        type=type_of_work(fields.get("type"), venue.get("type")),
        publisher=venue.get("host_organization_name"),
    )


def type_of_work(type: object, source: object) -> str:
    """What CSL calls a work of that type in a source of that type; an article in a series of books may be either.

    What appears in a journal, such as a review or a letter, is called an article there.
    """
    if type in ("preprint", "dataset", "dissertation", "report", "reference-entry", "book"):
        return csl_type(type)
    if source in ("journal", "conference"):
        return "article-journal" if source == "journal" else "paper-conference"
    return csl_type(type) if type == "book-chapter" and source != "book series" else ""


def _without_deleted(cited: Iterable[object]) -> list[object]:
    return [id_ for id_ in cited if id_ != _DELETED]


def _short(identifier: object) -> object:
    return identifier.rstrip("/").rsplit("/", 1)[-1] if isinstance(identifier, str) else identifier


OPENALEX = Reader(
    name="openalex",
    description="OpenAlex works: snapshot files, or answers of the API",
    endings=(".json", ".jsonl"),
    detect=_detect,
    read=_read,
    by_line=lambda head: head.is_json_lines and not _is_api_page(head),
    companions=("manifest", "RELEASE_NOTES.txt"),
)


_WORK_ID = re.compile(r"\bW\d+")
_EMPTY = ("", "None")


def _of_row(row: Row) -> RawPaper:
    def every(*columns: str) -> list[str]:
        cells = (row.get(column, "").split("|") for column in columns)
        found = ([value for value in map(str.strip, cell) if value not in _EMPTY] for cell in cells)
        return next(filter(None, found), [])

    def first(*columns: str) -> str:
        return next((row[column] for column in columns if row.get(column, "") not in _EMPTY), "")

    address = first("primary_location.landing_page_url", "ids.pmid")
    return RawPaper(
        id=next(iter(_WORK_ID.findall(row.get("id", ""))), ""),
        title=first("title", "display_name"),
        abstract=first("abstract"),
        year=first("publication_year", "publication_date"),
        authors=every("authorships.author.display_name", "authorships.raw_author_name"),
        venue=first("primary_location.source.display_name", "primary_location.raw_source_name"),
        doi=first("doi"),
        arxiv=next((one for one in [address, *every("locations.landing_page_url")] if "arxiv.org/abs/" in one), None),
        url=address,
        citations=_without_deleted(_WORK_ID.findall(row.get("referenced_works", ""))),
        retracted=row.get("is_retracted", "").lower() == "true",
        volume=first("biblio.volume"),
        issue=first("biblio.issue"),
        page=page_range(first("biblio.first_page"), first("biblio.last_page")),
        type=type_of_work(first("type"), first("primary_location.source.type")),
        publisher=first("primary_location.source.host_organization_name"),
    )


OPENALEX_CSV = Reader(
    name="openalex_csv",
    description="OpenAlex: CSV export of works",
    endings=(".csv",),
    detect=lambda head: head.columns >= {"id", "display_name", "publication_year", "doi"},
    read=record_reader(table_rows, _of_row),
    describes_references=True,
)
