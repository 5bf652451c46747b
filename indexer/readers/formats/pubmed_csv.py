"""PubMed's CSV export: titles without abstracts."""

import re
from collections.abc import Iterator

from common.names import initials_last, parse_name, stored_whole
from indexer.identity.identifiers import pmid_key, pubmed_address
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.markup import initials_first, without_final_stop
from indexer.readers.tables import Row, table_rows

_PLACE = re.compile(r";\s*(\w+)(?:\(([^()]*)\))?:\s*([\w.]+(?:-\w+)?)")  # "Lancet. 2001 May 5;12(3):345-50. doi: …"


def _paper(where: str, row: Row) -> RawPaper:
    place = _PLACE.search(row.get("citation", ""))
    return RawPaper(
        where,
        id=row.get("pmid"),
        title=without_final_stop(row.get("title", "")),
        year=row.get("publication year"),
        authors=[*_names(row.get("authors", ""))],
        venue=row.get("journal/book"),
        doi=row.get("doi"),
        url=pubmed_address(pmid_key(row.get("pmid", ""), bare=True)),
        volume=place[1] if place else None,
        page=place[3] if place else None,
        type="article-journal" if place else None,
        issue=place[2] if place else None,
    )


def _names(listed: str) -> Iterator[str]:
    """People between commas, and groups, which semicolons part from them."""
    parts = listed.rstrip(".").split(";")
    for part in parts:
        people = part.split(",")
        if len(parts) == 1 or (any(map(initials_last, people)) and (len(people) > 1 or not parse_name(part).whole)):
            yield from map(initials_first, people)
        else:
            yield stored_whole(part) if part.strip() else ""


PUBMED_CSV = Reader(
    name="pubmed_csv",
    description="PubMed's CSV export: titles without abstracts",
    endings=(".csv",),
    detect=lambda head: head.columns >= {"pmid", "title", "citation", "journal/book"},
    read=record_reader(table_rows, _paper),
    describes_references=True,
)
