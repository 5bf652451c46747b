"""EndNote: its text (.enw; also what publishers offer as "EndNote"), in lines that begin with %0, %A, %T, and its XML.

In XML every value is within `style` elements, all of it on one line as a rule.
"""

import re
from functools import partial
from xml.etree.ElementTree import Element  # parsing is defusedxml's

from indexer.identity.identifiers import clean_doi, digest_id
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.csl_items import csl_type, with_item
from indexer.readers.markup import all_last_first
from indexer.readers.tagged import Tagged, tagged_records
from indexer.readers.xml_records import first_text, is_xml, text, xml_records

_TAG = re.compile(r"(%[0-9A-Z!@$^&<>()\[\]+*~|=?#])(?: (.*)|\s*)", re.DOTALL)
_START = re.compile(r"^%0 [A-Z]", re.MULTILINE)


def _of_text(record: Tagged) -> RawPaper:
    title, year = record.first("%T"), record.first("%D", "%8")
    doi = clean_doi(record.first("%R")) or clean_doi(record.first("%U"))
    paper = RawPaper(
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
    read=record_reader(partial(tagged_records, tagged=_TAG, begins=("%0",)), _of_text),
    describes_references=True,
)


def _of_xml(record: Element) -> RawPaper:
    first = partial(first_text, record)
    title, year = first("titles/title"), first("dates/year", "dates/pub-dates/date")
    addresses = [text(url) for url in record.iterfind("urls/*/url")]
    doi = clean_doi(first("electronic-resource-num")) or next(filter(None, map(clean_doi, addresses)), "")

    def people(group: str) -> list[str]:
        return all_last_first([text(one) for one in record.iterfind(f"contributors/{group}/author")])

    container = first("periodical/full-title", "titles/secondary-title")
    paper = RawPaper(
        id=doi or first("accession-num") or digest_id("endnote", title, year),
        title=title,
        abstract=first("abstract"),
        year=year,
        authors=people("authors") or people("secondary-authors"),
        venue=container or first("publisher"),
        doi=doi,
        url=next((url for url in addresses if url.lower().startswith("http")), None),
        volume=first("volume"),
        page=first("pages", "custom7"),
    )
    called = record.find("ref-type")
    type = csl_type(called.get("name", "") if called is not None else "")
    return with_item(
        paper, type, container, "endnote", lambda name: "" if name[0] == "%" else first(f".//{name}"), people
    )


ENDNOTE_XML = Reader(
    name="endnote_xml",
    description="EndNote's XML export",
    endings=(".xml",),
    detect=lambda head: is_xml(head) and all(tag in head.data for tag in (b"<records>", b"<record>", b"<ref-type")),
    read=record_reader(partial(xml_records, names={"record"}), _of_xml),
    describes_references=True,
)
