"""MEDLINE text (.nbib), PubMed's own download: "PMID- 123", "TI  - …", values go on in lines that begin with spaces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.identity.identifiers import pubmed_address
from indexer.readers.base import Found, Malformed, RawPaper, Reader, register
from indexer.readers.head import Head
from indexer.readers.markup import last_first, without_markup
from indexer.readers.streams import TextFile
from indexer.readers.tagged import Tagged, tagged_records

_TAG = re.compile(r"([A-Z]{2,4}) {0,2}- ?(.*)", re.DOTALL)
_START = re.compile(r"^PMID- ?\d+\s*$", re.MULTILINE)
_DOI = re.compile(r"(\S+) \[doi\]$")


def _detect(head: Head) -> bool:
    return bool(_START.search(head.text)) and not head.text.lstrip().startswith(("{", "[", "<"))


def _read(file: TextFile) -> Iterator[Found]:
    for where, record in tagged_records(file, _tag, begins=("PMID",)):
        yield record if isinstance(record, Malformed) else _paper(where, record)


def _tag(line: str) -> tuple[str, str] | None:
    match = _TAG.fullmatch(line)
    return (match[1], match[2]) if match else None


def _paper(where: str, record: Tagged) -> RawPaper:
    pmid = record.first("PMID")
    title = record.first("TI")
    if not title or title.startswith("[Not Available]"):
        title = record.first("TT", "BTI")  # of the original language, of a book
    dois = (match[1] for value in record.every("LID", "AID") if (match := _DOI.search(value)))
    return RawPaper(
        where,
        id=pmid,
        title=without_markup(title),
        abstract=without_markup(record.first("AB")),
        year=record.first("DP", "DEP"),
        authors=[*map(last_first, record.every("FAU") or map(_initials, record.every("AU"))), *record.every("CN")],
        venue=record.first("JT", "TA"),
        doi=next(dois, None),
        url=pubmed_address(pmid),
        volume=record.first("VI"),
        page=record.first("PG"),
        retracted="Retracted Publication" in record.every("PT"),
    )


def _initials(name: str) -> str:
    """The name "Smith JA" as "Smith, JA"."""
    family, _, initials = name.rpartition(" ")
    return f"{family}, {initials}" if family else name


register(
    Reader(
        name="medline",
        description="MEDLINE text (.nbib), as PubMed saves and sends it",
        endings=(".nbib", ".medline", ".txt"),
        detect=_detect,
        read=_read,
        describes_references=True,
    )
)
