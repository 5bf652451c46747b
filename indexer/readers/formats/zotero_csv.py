"""Zotero's CSV export: one row an item, its key in Zotero as id."""

from __future__ import annotations

from collections.abc import Iterator

from indexer.readers.base import Found, Malformed, RawPaper, Reader, register
from indexer.readers.head import Head
from indexer.readers.markup import last_first, without_markup
from indexer.readers.streams import TextFile
from indexer.readers.tables import Row, table_rows
from indexer.readers.zotero_items import NO_WORKS

_COLUMNS = {"key", "item type", "title", "author", "abstract note"}


def _detect(head: Head) -> bool:
    return head.columns >= _COLUMNS


def _read(file: TextFile) -> Iterator[Found]:
    for where, row in table_rows(file):
        if isinstance(row, Malformed):
            yield row
        elif row.get("item type") not in NO_WORKS:
            yield _paper(where, row)


def _paper(where: str, row: Row) -> RawPaper:
    return RawPaper(
        where,
        id=row.get("key"),
        title=without_markup(row.get("title")),
        abstract=without_markup(row.get("abstract note")),
        year=row.get("publication year") or row.get("date"),
        authors=[last_first(name) for name in (row.get("author") or row.get("editor") or "").split(";")],
        venue=row.get("publication title") or row.get("publisher"),
        doi=row.get("doi"),
        arxiv=row.get("url") if "arxiv.org" in row.get("url", "") else None,
        url=row.get("url"),
        volume=row.get("volume"),
        page=row.get("pages"),
    )


register(
    Reader(
        name="zotero_csv",
        description="Zotero's CSV export",
        endings=(".csv",),
        detect=_detect,
        read=_read,
        describes_references=True,
    )
)
