"""OpenAlex's CSV export of works, which people download from its page; a list within a cell is parted by bars.

What the API names with a dot is a column: `authorships.author.display_name`. Nothing is spelled "None".
"""

import re

from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.formats.openalex import type_of_work
from indexer.readers.imprints import page_range
from indexer.readers.tables import Row, table_rows

_WORK = re.compile(r"\bW\d+")
_EMPTY = ("", "None")


def _paper(where: str, row: Row) -> RawPaper:
    def every(*columns: str) -> list[str]:
        cells = (row.get(column, "").split("|") for column in columns)
        found = ([value for value in map(str.strip, cell) if value not in _EMPTY] for cell in cells)
        return next(filter(None, found), [])

    def first(*columns: str) -> str:
        return next((row[column] for column in columns if row.get(column, "") not in _EMPTY), "")

    address = first("primary_location.landing_page_url", "ids.pmid")
    return RawPaper(
        where,
        id=next(iter(_WORK.findall(row.get("id", ""))), ""),
        title=first("title", "display_name"),
        abstract=first("abstract"),
        year=first("publication_year", "publication_date"),
        authors=every("authorships.author.display_name", "authorships.raw_author_name"),
        venue=first("primary_location.source.display_name", "primary_location.raw_source_name"),
        doi=first("doi"),
        arxiv=next((one for one in [address, *every("locations.landing_page_url")] if "arxiv.org/abs/" in one), None),
        url=address,
        citations=_WORK.findall(row.get("referenced_works", "")),
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
    read=record_reader(table_rows, _paper),
)
