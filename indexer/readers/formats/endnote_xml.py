"""EndNote's XML export: every value within `style` elements, all of it on one line as a rule."""

from functools import partial
from xml.etree.ElementTree import Element  # parsing is defusedxml's

from indexer.identity.identifiers import clean_doi, digest_id
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.csl_items import with_item
from indexer.readers.imprints import csl_type
from indexer.readers.markup import all_last_first
from indexer.readers.xml_records import first_text, is_xml, text, xml_records


def _paper(where: str, record: Element) -> RawPaper:
    first = partial(first_text, record)
    title, year = first("titles/title"), first("dates/year", "dates/pub-dates/date")
    addresses = [text(url) for url in record.iterfind("urls/*/url")]
    doi = clean_doi(first("electronic-resource-num")) or next(filter(None, map(clean_doi, addresses)), "")

    def people(group: str) -> list[str]:
        return all_last_first([text(one) for one in record.iterfind(f"contributors/{group}/author")])

    container = first("periodical/full-title", "titles/secondary-title")
    paper = RawPaper(
        where,
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
    read=record_reader(partial(xml_records, names={"record"}), _paper),
    describes_references=True,
)
