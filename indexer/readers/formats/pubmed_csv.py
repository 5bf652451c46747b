"""PubMed's CSV export: titles without abstracts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.identity.identifiers import pubmed_address
from indexer.readers.base import Found, Malformed, RawPaper, Reader, register
from indexer.readers.head import Head
from indexer.readers.markup import without_markup
from indexer.readers.streams import TextFile
from indexer.readers.tables import Row, table_rows

_COLUMNS = {"pmid", "title", "citation", "journal/book"}
_PLACE = re.compile(r";\s*(\w+)(?:\([^()]*\))?:\s*([\w.]+)")  # "Lancet. 2001 May 5;12(3):345-50. doi: …"


def _detect(head: Head) -> bool:
    return head.columns >= _COLUMNS


def _read(file: TextFile) -> Iterator[Found]:
    for where, row in table_rows(file):
        yield row if isinstance(row, Malformed) else _paper(where, row)


def _paper(where: str, row: Row) -> RawPaper:
    place = _PLACE.search(row.get("citation", ""))
    return RawPaper(
        where,
        id=row.get("pmid"),
        title=without_markup(row.get("title")),
        year=row.get("publication year"),
        authors=[_first_last(name) for name in row.get("authors", "").rstrip(".").split(",")],
        venue=row.get("journal/book"),
        doi=row.get("doi"),
        url=pubmed_address(row.get("pmid", "")),
        volume=place[1] if place else None,
        page=place[2] if place else None,
    )


def _first_last(name: str) -> str:
    """The name "Smith JA" as "JA Smith"; a group's name as it is."""
    family, _, initials = name.strip().rpartition(" ")
    return f"{initials} {family}" if family and initials.isupper() and len(initials) <= 3 else name


register(
    Reader(
        name="pubmed_csv",
        description="PubMed's CSV export: titles without abstracts",
        endings=(".csv",),
        detect=_detect,
        read=_read,
        describes_references=True,
    )
)
