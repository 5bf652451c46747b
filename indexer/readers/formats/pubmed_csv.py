"""PubMed's CSV export: titles without abstracts."""

import re

from indexer.identity.identifiers import pubmed_address
from indexer.readers.base import RawPaper, Reader, record_reader, register
from indexer.readers.markup import initials_first, without_final_stop
from indexer.readers.tables import Row, table_rows

_PLACE = re.compile(r";\s*(\w+)(?:\([^()]*\))?:\s*([\w.]+)")  # "Lancet. 2001 May 5;12(3):345-50. doi: …"


def _paper(where: str, row: Row) -> RawPaper:
    place = _PLACE.search(row.get("citation", ""))
    return RawPaper(
        where,
        id=row.get("pmid"),
        title=without_final_stop(row.get("title", "")),
        year=row.get("publication year"),
        authors=[initials_first(name) for name in row.get("authors", "").rstrip(".").split(",")],
        venue=row.get("journal/book"),
        doi=row.get("doi"),
        url=pubmed_address(row.get("pmid", "")),
        volume=place[1] if place else None,
        page=place[2] if place else None,
    )


register(
    Reader(
        name="pubmed_csv",
        description="PubMed's CSV export: titles without abstracts",
        endings=(".csv",),
        detect=lambda head: head.columns >= {"pmid", "title", "citation", "journal/book"},
        read=record_reader(table_rows, _paper),
        describes_references=True,
    )
)
