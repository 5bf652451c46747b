"""Scopus' CSV export; with "Include references", all that a paper cites stands in one cell."""

import re

from common.names import stored_name
from indexer.identity.identifiers import digest_id
from indexer.identity.keys import address_with_pmid
from indexer.identity.retractions import is_notice_kind, is_retracted_kind
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.csl_items import beside, csl_type, page_range
from indexer.readers.markup import all_last_first, last_first
from indexer.readers.references import from_scopus
from indexer.readers.tables import Row, paper_of_row, table_rows

_COLUMNS = {"authors", "title", "year", "source title"}
_ONE_OF = {"eid", "art. no.", "authors with affiliations"}
_AUTHOR_NUMBER = re.compile(r"\s*\(\d+\)\s*$")
_SHORT_NAME = re.compile(r"(.+?)\s+((?:\w+\.-?)+)")  # "van der Berg A.-B."


def _paper(row: Row) -> RawPaper | None:
    kind = row.get("document type", "")
    if is_notice_kind([kind]):
        return None
    doi = row.get("doi")
    return paper_of_row(
        row,
        id=row.get("eid") or doi or digest_id("scopus", row.get("title", ""), row.get("year", "")),
        authors=_authors(row),
        venue=row.get("source title"),
        url=address_with_pmid(row.get("link"), row.get("pubmed id", ""), doi),
        references=[from_scopus(entry) for entry in row.get("references", "").split("; ") if entry.strip()],
        page=page_range(row.get("page start", ""), row.get("page end", "")) or row.get("art. no."),
        type=csl_type(kind),
        more=beside(
            csl_type(kind),
            row.get("language of original document", ""),
            _short_names(row.get("editors", "")),
            row.get("author keywords", ""),
            ISBN=row.get("isbn", ""),
        ),
        retracted=is_retracted_kind([kind]),
    )


def _authors(row: Row) -> list[str]:
    """Full names where they are given; before 2022 names were short, with commas between them."""
    if full := row.get("author full names"):
        return all_last_first([_AUTHOR_NUMBER.sub("", name) for name in full.split(";")])
    return _short_names(row.get("authors", ""))


def _short_names(short: str) -> list[str]:
    names = short.split(";" if ";" in short else "., ")
    return [_first_last(name.strip()) for name in names]


def _first_last(name: str) -> str:
    if "," in name:
        return last_first(name)
    match = _SHORT_NAME.fullmatch(name if name.endswith(".") else name + ".")
    return stored_name(match[1], match[2]) if match else name


SCOPUS = Reader(
    name="scopus",
    description="Scopus: CSV export, with references",
    endings=(".csv",),
    detect=lambda head: head.columns >= _COLUMNS and bool(_ONE_OF & head.columns),
    read=record_reader(table_rows, _paper),
    describes_references=True,
)
