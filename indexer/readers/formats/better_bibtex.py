"""Better BibTeX's JSON export ("BetterBibTeX JSON"): one object whose `items` are Zotero's."""

import re

from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.head import Head
from indexer.readers.json_records import Fields, array_records
from indexer.readers.zotero_items import zotero_paper

_ITEMS = re.compile(r'"items"\s*:\s*\[(?=\s*\{)')  # the items of a collection are numbers


def _detect(head: Head) -> bool:
    start = head.text.lstrip()
    return start[:1] == "{" and bool(_ITEMS.search(start)) and '"itemType"' in start


def _paper(where: str, fields: Fields) -> RawPaper | None:
    return zotero_paper(where, fields, fields.get("citationKey") or fields.get("itemKey") or fields.get("key"))


BETTER_BIBTEX = Reader(
    name="better_bibtex",
    description="Better BibTeX JSON: Zotero's items with their citation keys",
    endings=(".json",),
    detect=_detect,
    read=record_reader(lambda file: array_records(file.body, _ITEMS), _paper),
    describes_references=True,
)
