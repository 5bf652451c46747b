"""MEDLINE text (.nbib), PubMed's own download: "PMID- 123", "TI  - …", values go on in lines that begin with spaces.

ERIC has it, too, with numbers of its own.
"""

import re
from collections.abc import Iterator

from common.names import stored_whole
from indexer.identity.identifiers import clean_doi, digest_id, pubmed_address
from indexer.identity.retractions import is_notice_kind, is_retracted_kind
from indexer.readers.base import Found, RawPaper, Reader, papers_of
from indexer.readers.imprints import csl_type
from indexer.readers.markup import last_first, with_comma, without_final_stop
from indexer.readers.streams import TextFile
from indexer.readers.tagged import Tagged, tagged_records

_TAG = re.compile(r"([A-Z]{2,4}) {0,2}- ?(.*)", re.DOTALL)
_START = re.compile(r"^PMID- ?\d+\s*$", re.MULTILINE)
_ERIC = re.compile(r"^OWN - ERIC\s*$", re.MULTILINE)
_DOI = re.compile(r"(\S+) \[doi\]$")


def _paper(where: str, record: Tagged) -> RawPaper | None:
    if is_notice_kind(record.every("PT")):
        return None
    pmid = record.first("PMID")
    title, book = record.first("TI"), record.first("BTI")
    if not title or title.startswith("[Not Available]"):
        title = record.first("TT", "BTI")  # of the original language, of a book
    names = record.every("LID", "AID")
    dois = (match[1] for value in names if (match := _DOI.search(value)))
    return RawPaper(
        where,
        id=pmid or record.first("OID") or digest_id("medline", title, record.first("DP")),
        title=without_final_stop(title),
        abstract=record.first("AB"),
        year=record.first("DP", "DEP"),
        authors=[
            *map(last_first, record.every("FAU") or map(with_comma, record.every("AU"))),
            *map(stored_whole, record.every("CN")),
        ],
        venue=record.first("JT", "TA") or (book if record.first("TI") else ""),
        doi=next(dois, None) or next(filter(None, map(clean_doi, names)), None),
        url=pubmed_address(pmid) if pmid else next((name for name in names if name.startswith("http")), None),
        volume=record.first("VI"),
        page=record.first("PG"),
        type=("chapter" if record.first("TI") else "book") if book else csl_type(*record.every("PT")),
        issue=record.first("IP"),
        publisher=record.first("PB"),
        retracted=is_retracted_kind(record.every("PT")),
    )


def _read(file: TextFile) -> Iterator[Found]:
    begins = "PMID" if _START.search(file.head.text) else "OWN"
    return papers_of(tagged_records(file, _TAG, begins=(begins,)), _paper)


MEDLINE = Reader(
    name="medline",
    description="MEDLINE text (.nbib), as PubMed saves and sends it, and ERIC",
    endings=(".nbib", ".medline", ".txt"),
    detect=lambda head: (
        any(mark.search(head.text) for mark in (_START, _ERIC)) and not head.text.lstrip().startswith(("{", "[", "<"))
    ),
    read=_read,
    describes_references=True,
)
