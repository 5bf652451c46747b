"""MEDLINE text (.nbib), PubMed's own download: "PMID- 123", "TI  - …", values go on in lines that begin with spaces."""

import re
from functools import partial

from common.names import stored_whole
from indexer.identity.identifiers import pubmed_address
from indexer.identity.retractions import is_notice_kind, is_retracted_kind
from indexer.readers.base import RawPaper, Reader, record_reader, register
from indexer.readers.markup import last_first, with_comma
from indexer.readers.tagged import Tagged, tagged_records

_TAG = re.compile(r"([A-Z]{2,4}) {0,2}- ?(.*)", re.DOTALL)
_START = re.compile(r"^PMID- ?\d+\s*$", re.MULTILINE)
_DOI = re.compile(r"(\S+) \[doi\]$")


def _paper(where: str, record: Tagged) -> RawPaper | None:
    if is_notice_kind(record.every("PT")):
        return None
    pmid = record.first("PMID")
    title = record.first("TI")
    if not title or title.startswith("[Not Available]"):
        title = record.first("TT", "BTI")  # of the original language, of a book
    dois = (match[1] for value in record.every("LID", "AID") if (match := _DOI.search(value)))
    return RawPaper(
        where,
        id=pmid,
        title=title,
        abstract=record.first("AB"),
        year=record.first("DP", "DEP"),
        authors=[
            *map(last_first, record.every("FAU") or map(with_comma, record.every("AU"))),
            *map(stored_whole, record.every("CN")),
        ],
        venue=record.first("JT", "TA"),
        doi=next(dois, None),
        url=pubmed_address(pmid),
        volume=record.first("VI"),
        page=record.first("PG"),
        retracted=is_retracted_kind(record.every("PT")),
    )


register(
    Reader(
        name="medline",
        description="MEDLINE text (.nbib), as PubMed saves and sends it",
        endings=(".nbib", ".medline", ".txt"),
        detect=lambda head: bool(_START.search(head.text)) and not head.text.lstrip().startswith(("{", "[", "<")),
        read=record_reader(partial(tagged_records, tagged=_TAG, begins=("PMID",)), _paper),
        describes_references=True,
    )
)
