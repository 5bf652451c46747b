"""TEI as GROBID makes it of a PDF: header and list of references."""

from functools import partial
from xml.etree.ElementTree import Element  # parsing is defusedxml's

from indexer.identity.identifiers import arxiv_key, clean_doi, digest_id, pmid_key, pubmed_address
from indexer.identity.references import Reference
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.markup import parted_person
from indexer.readers.xml_records import found_at, is_xml, running_text, text, xml_records

_BLOCKS = {"p", "s", "div", "head", "title"}


def _paper(document: Element) -> RawPaper:
    header = found_at(document, "teiHeader")
    source = found_at(header, "fileDesc/sourceDesc/biblStruct")
    ids = _ids(source)
    work = _reference(source)
    title = running_text(header.find("fileDesc/titleStmt/title"), _BLOCKS) or work.title
    year = work.year or _date(header.find("fileDesc/publicationStmt"))
    return RawPaper(
        id=work.doi or ids.get("arxiv") or work.pmid or digest_id("tei", title, year),
        title=title,
        abstract=running_text(header.find("profileDesc/abstract"), _BLOCKS),
        year=year,
        authors=[_name(author) for author in source.iterfind("analytic/author")],
        venue=text(source.find("monogr/title")),
        doi=work.doi,
        arxiv=arxiv_key(ids.get("arxiv", "")),
        url=pubmed_address(work.pmid),
        references=[_reference(entry) for entry in document.iterfind("text//listBibl/biblStruct")],
        volume=work.volume,
        page=work.page,
    )


def _reference(entry: Element) -> Reference:
    ids = _ids(entry)
    author = entry.find("analytic/author")
    author = entry.find("monogr/author") if author is None else author
    page = entry.find("monogr/imprint/biblScope[@unit='page']")
    return Reference(
        doi=clean_doi(ids.get("doi", "")),
        pmid=pmid_key(ids.get("pmid", ""), bare=True),
        author=text(author.find("persName/surname")) if author is not None else "",
        year=_date(entry.find("monogr/imprint")),
        volume=text(entry.find("monogr/imprint/biblScope[@unit='volume']")),
        page="" if page is None else page.get("from") or text(page),
        title=running_text(entry.find("analytic/title"), _BLOCKS),
    )


def _ids(entry: Element) -> dict[str, str]:
    return {item.get("type", "").lower(): text(item) for item in entry.iterfind(".//idno")}


def _date(place: Element | None) -> str:
    if place is None:
        return ""
    dates = [date.get("when") or text(date) for date in place.iterfind("date")]
    return next((date[:4] for date in dates if date[:4].isdecimal()), "")


def _name(author: Element) -> str:
    forenames = [text(name) for name in author.iterfind("persName/forename")]
    return parted_person(text(author.find("persName/surname")), forenames, text(author.find("persName/genName")))


TEI = Reader(
    name="tei",
    description="TEI XML as GROBID makes it of PDFs, with references",
    endings=(".xml", ".tei"),
    detect=lambda head: is_xml(head, b"<TEI", b"<teiHeader") and b"<biblFull" not in head.data,
    read=record_reader(partial(xml_records, names={"TEI"}), _paper),
    describes_references=True,
)
