"""The Lens' CSV export of scholarly works; references are Lens ids with semicolons between them."""

from indexer.identity.identifiers import pubmed_address
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.csl_items import csl_type, page_range
from indexer.readers.tables import Row, paper_of_row, table_rows


def _paper(row: Row) -> RawPaper:
    return paper_of_row(
        row,
        id=row.get("lens id"),
        year=row.get("publication year") or row.get("date published"),
        authors=(row.get("author/s") or row.get("authors") or "").split(";"),
        venue=row.get("source title"),
        url=pubmed_address(row.get("pmid", "")) or row.get("external url"),
        citations=[cited.strip() for cited in row.get("references", "").split(";")],
        page=page_range(row.get("start page", ""), row.get("end page", "")),
        type=csl_type(row.get("publication type", "")),
        issue=row.get("issue number"),
    )


LENS = Reader(
    name="lens",
    description="The Lens: CSV export of scholarly works, with references",
    endings=(".csv",),
    detect=lambda head: head.columns >= {"lens id", "title", "publication year"},
    read=record_reader(table_rows, _paper),
    describes_references=True,
)
