"""EndNote's own text (.enw; also what publishers offer as "EndNote"): lines that begin with %0, %A, %T and so on."""

import re
from functools import partial

from indexer.identity.identifiers import clean_doi, digest_id
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.csl_items import with_item
from indexer.readers.imprints import csl_type
from indexer.readers.markup import all_last_first
from indexer.readers.tagged import Tagged, tagged_records

_TAG = re.compile(r"(%[0-9A-Z!@$^&<>()\[\]+*~|=?#])(?: (.*)|\s*)", re.DOTALL)
_START = re.compile(r"^%0 [A-Z]", re.MULTILINE)


def _paper(where: str, record: Tagged) -> RawPaper:
    title, year = record.first("%T"), record.first("%D", "%8")
    doi = clean_doi(record.first("%R")) or clean_doi(record.first("%U"))
    paper = RawPaper(
        where,
        id=doi or record.first("%M", "%U") or digest_id("endnote", title, year),
        title=title,
        abstract=record.first("%X"),
        year=year,
        authors=all_last_first(record.every("%A") or record.every("%E")),
        venue=record.first("%J", "%B", "%S", "%I"),
        doi=doi,
        url=record.first("%U"),
        volume=record.first("%V"),
        page=record.first("%P"),
    )
    container = record.first("%J", "%B", "%S")
    return with_item(
        paper,
        csl_type(record.first("%0")),
        container,
        "endnote",
        record.first,
        lambda tag: all_last_first(record.every(tag)),
    )


ENDNOTE = Reader(
    name="endnote",
    description="EndNote text (.enw): lines that begin with %0, %A, %T",
    endings=(".enw",),
    detect=lambda head: bool(_START.search(head.text)) and any(line.startswith("%T ") for line in head.lines),
    read=record_reader(partial(tagged_records, tagged=_TAG, begins=("%0",)), _paper),
    describes_references=True,
)
