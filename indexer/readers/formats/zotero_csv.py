"""Zotero's CSV export: one row an item, its key in Zotero as id."""

from common.names import stored_whole
from indexer.identity.keys import address_with_pmid
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.csl_items import with_item
from indexer.readers.imprints import csl_type
from indexer.readers.markup import last_first
from indexer.readers.tables import Row, table_rows
from indexer.readers.zotero_items import NO_WORKS, fields_in_extra


def _paper(where: str, row: Row) -> RawPaper | None:
    if row.get("item type") in NO_WORKS:
        return None
    extra = fields_in_extra(row.get("extra"))
    doi = row.get("doi") or extra.get("doi")
    cells = {column.replace(" ", ""): cell for column, cell in row.items()}
    container = row.get("publication title") or ""

    def text_of(name: str) -> str:
        return cells.get(name.lower(), "")

    def people_of(role: str) -> list[str]:
        return _names(text_of(role))

    paper = RawPaper(
        where,
        id=row.get("key"),
        title=row.get("title"),
        abstract=row.get("abstract note"),
        year=row.get("publication year") or row.get("date"),
        authors=people_of("author") or people_of("editor"),
        venue=container or row.get("publisher"),
        doi=doi,
        arxiv=row.get("url") if "arxiv.org" in row.get("url", "") else None,
        url=address_with_pmid(row.get("url"), extra.get("pmid", ""), doi),
        volume=row.get("volume"),
        page=row.get("pages"),
    )
    return with_item(paper, csl_type(row.get("item type", "")), container, "zotero", text_of, people_of)


def _names(cell: str) -> list[str]:
    return [last_first(name) if "," in name else stored_whole(name) for name in cell.split(";") if name.strip()]


ZOTERO_CSV = Reader(
    name="zotero_csv",
    description="Zotero's CSV export",
    endings=(".csv",),
    detect=lambda head: head.columns >= {"key", "item type", "title", "author", "abstract note"},
    read=record_reader(table_rows, _paper),
    describes_references=True,
)
