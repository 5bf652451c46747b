"""Dimensions' CSV export, and its export for bibliometric mapping, which has what every paper cites.

A first line describes the search. Cited references hold the id that each work has at Dimensions (`pub.…`).
"""

import re

from indexer.identity.identifiers import clean_doi, pubmed_address
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.csl_items import csl_type
from indexer.readers.markup import all_last_first
from indexer.readers.tables import Row, paper_of_row, table_rows

_PUBLICATION = re.compile(r"pub\.\d+")
_EMPTY = ("", "-", "n/a")
_VENUES = ("source title", "anthology title", "source title/anthology title")  # the last one for mapping


def _paper(row: Row) -> RawPaper:
    return paper_of_row(
        row,
        id=row.get("publication id") or clean_doi(row.get("doi", "")),
        year=row.get("pubyear") or row.get("publication date"),
        authors=all_last_first([name for name in row.get("authors", "").split(";") if name.strip() not in _EMPTY]),
        venue=next(filter(None, map(row.get, _VENUES)), None),
        url=pubmed_address(row.get("pmid", "")) or row.get("dimensions url"),
        citations=list(dict.fromkeys(_PUBLICATION.findall(row.get("cited references", "")))) or None,
        page=row.get("pagination"),
        type=csl_type(row.get("publication type", "")),
    )


DIMENSIONS = Reader(
    name="dimensions",
    description="Dimensions: CSV export, also the one for bibliometric mapping",
    endings=(".csv",),
    detect=lambda head: head.columns >= {"publication id", "title", "pubyear"},
    read=record_reader(table_rows, _paper),
    describes_references=True,
)
