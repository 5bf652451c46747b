"""RIS, the exchange format of reference managers.

Real exports differ from the description: an end (`ER`) may be missing, also the last one, and one space may stand
where two should be. rispy reads a file as a whole and drops or merges such records, so the lines are read here.
Most exports have no `ID`; then DOI, accession number, address, or a digest of title and year identifies the paper.
Scopus adds what a paper cites as a note.
"""

import re
from collections.abc import Iterator
from functools import partial

from common.names import initials_last
from indexer.identity.identifiers import arxiv_key, clean_doi, digest_id, noted
from indexer.identity.keys import address_with_pmid
from indexer.original import Original
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.markup import all_last_first, initials_first
from indexer.readers.name_lists import people_of_fields
from indexer.readers.references import from_scopus
from indexer.readers.tagged import Tagged, tagged_records

TAG = re.compile(r"([A-Z][A-Z0-9]) {1,2}-(?: (.*)|\s*)$", re.DOTALL)
_REFERENCES = "References:"
_PMID_OF_EBSCO = re.compile(r"\bPMID: NLM(\d+)")
_START = re.compile(r"^TY {1,2}- ?[A-Z]{3,}", re.MULTILINE)


def record_of(entry: str) -> Tagged:
    """The values of one entry."""
    record = Tagged()
    for line in entry.split("\n"):
        record.take(line, TAG.fullmatch(line))
    return record


def _paper(record: Tagged) -> RawPaper:
    title, year = record.first("TI", "T1", "CT", "BT"), record.first("PY", "Y1", "YR", "DA")
    abstract = record.first("AB", "N2")
    addresses = record.lines("UR", "L2", "L1")
    doi_noted, pmid_noted = noted("\n".join(record.lines("N1", "U1")))  # of Zotero's "Extra", and Rayyan
    doi = record.first("DO") or next(filter(clean_doi, record.every("UR", "L3", "M3")), doi_noted)
    url = next((address for address in addresses if address.lower().startswith("http")), None)
    return RawPaper(
        id=record.first("ID")
        or clean_doi(record.first("DO"))
        or record.first("AN", "UR")
        or digest_id("ris", title or abstract, year),
        title=title,
        abstract=abstract,
        year=year,
        authors=people_in(record.every("AU", "A1") or _editors(record)),
        venue=record.first("JF", "JO", "T2", "JA", "J2", "BT", "PB"),
        doi=doi,
        arxiv=next(filter(arxiv_key, [*addresses, record.first("AN")]), None),
        url=address_with_pmid(url, _pmid(record) or pmid_noted, doi),
        references=[from_scopus(line) for line in _references(record)],
        volume=record.first("VL"),
        page=record.first("SP", "C7"),
        original=Original("ris", record.source.replace("\r\n", "\n")),
    )


def _editors(record: Tagged) -> list[str]:
    # Of a book A2 is the editor of its series, unless it has no other.
    tags = ("ED", "A3", "A2") if "BOOK" in record.first("TY") else ("ED", "A2")
    return next(filter(None, map(record.every, tags)), [])


def people_in(names: list[str]) -> list[str]:
    """What fields of authors or editors name, each as `common.names` stores it."""
    if any("," in name for name in names):
        return people_of_fields(names, all_last_first(names))
    always = any(map(initials_last, names))  # as Embase and Cochrane have them, without a comma
    return people_of_fields(names, [initials_first(name, always) for name in names])


def _pmid(record: Tagged) -> str:
    """The PMID, which RIS has no tag for, as Embase, Ovid's MEDLINE, EBSCO and EndNote write it; "" without one."""
    databases = record.every("DB")
    if "Embase" in databases:
        return record.first("C5")
    if "NLM" in record.every("DP") or any(name.startswith("Ovid MEDLINE") for name in databases):
        return record.first("AN")
    of_ebsco = _PMID_OF_EBSCO.search(record.first("N1"))
    return of_ebsco[1] if of_ebsco else ""


def _references(record: Tagged) -> Iterator[str]:
    """The entries of Scopus' notes, each on a line that ends with a semicolon."""
    for lines in record.values("N1"):
        if lines and lines[0].startswith(_REFERENCES):
            entries = "\n".join(lines).removeprefix(_REFERENCES)
            yield from filter(None, map(str.strip, entries.split(";\n" if len(lines) > 1 else "; ")))


RIS = Reader(
    name="ris",
    description="RIS, as exported by reference managers and publishers",
    endings=(".ris",),
    detect=lambda head: head.is_plain and bool(_START.search(head.text)),
    read=record_reader(partial(tagged_records, tagged=TAG, begins=("TY",), ends=("ER",)), _paper),
    describes_references=True,
)
