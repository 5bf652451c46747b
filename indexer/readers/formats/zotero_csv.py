"""Zotero's CSV export: one row an item, its key in Zotero as id."""

from common.names import stored_whole
from indexer.identity.keys import address_with_pmid
from indexer.readers.base import RawPaper, Reader, record_reader, register
from indexer.readers.markup import last_first
from indexer.readers.tables import Row, table_rows
from indexer.readers.zotero_items import NO_WORKS, fields_in_extra


def _paper(where: str, row: Row) -> RawPaper | None:
    if row.get("item type") in NO_WORKS:
        return None
    extra = fields_in_extra(row.get("extra"))
    doi = row.get("doi") or extra.get("doi")
    return RawPaper(
        where,
        id=row.get("key"),
        title=row.get("title"),
        abstract=row.get("abstract note"),
        year=row.get("publication year") or row.get("date"),
        authors=[
            last_first(name) if "," in name else stored_whole(name)
            for name in (row.get("author") or row.get("editor") or "").split(";")
        ],
        venue=row.get("publication title") or row.get("publisher"),
        doi=doi,
        arxiv=row.get("url") if "arxiv.org" in row.get("url", "") else None,
        url=address_with_pmid(row.get("url"), extra.get("pmid", ""), doi),
        volume=row.get("volume"),
        page=row.get("pages"),
    )


register(
    Reader(
        name="zotero_csv",
        description="Zotero's CSV export",
        endings=(".csv",),
        detect=lambda head: head.columns >= {"key", "item type", "title", "author", "abstract note"},
        read=record_reader(table_rows, _paper),
        describes_references=True,
    )
)
