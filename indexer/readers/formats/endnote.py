"""EndNote: its text (.enw; also what publishers offer as "EndNote"), in lines that begin with %0, %A, %T, and its XML.

In XML every value is within `style` elements, all of it on one line as a rule.
"""

import re
from collections.abc import Callable
from functools import partial
from xml.etree.ElementTree import Element  # parsing is defusedxml's

from indexer.identity.identifiers import clean_doi, digest_id
from indexer.identity.keys import address_with_pmid
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.csl_items import csl_type, date_in, with_item
from indexer.readers.markup import all_last_first
from indexer.readers.name_lists import people_of_fields
from indexer.readers.tagged import Tagged, tagged_records
from indexer.readers.xml_records import first_text, found_at, is_xml, text, xml_records

_TAG = re.compile(r"(%[0-9A-Z!@$^&<>()\[\]+*~|=?#])(?: (.*)|\s*)", re.DOTALL)
# Whose editors EndNote has as authors.
_OF_EDITED_BOOKS = {"%E": "%A", "secondary-authors": "authors", "%Y": "%E", "tertiary-authors": "secondary-authors"}
_START = re.compile(r"^%0 [A-Z]", re.MULTILINE)


def _of_text(record: Tagged) -> RawPaper:
    def first(*tags: str) -> str:
        return "; ".join(record.lines("%K")) if tags == ("%K",) else record.first(*tags)

    url = record.first("%U")
    return _paper(record.first("%0"), first, lambda tag: _people(record.every(tag)), [url], url)


def _of_xml(record: Element) -> RawPaper:
    def first(*names: str) -> str:
        if names == ("keywords",):
            return "; ".join(filter(None, (text(one) for one in record.iterfind("keywords/keyword"))))
        return first_text(record, *(f".//{name}" for name in names if name[0] != "%"))

    def people(group: str) -> list[str]:
        return _people([text(one) for one in record.iterfind(f"contributors/{group}/author")])

    addresses = [text(url) for url in record.iterfind("urls/*/url")]
    url = next((url for url in addresses if url.lower().startswith("http")), "")
    return _paper(found_at(record, "ref-type").get("name", ""), first, people, addresses, url)


def _people(names: list[str]) -> list[str]:
    return people_of_fields(names, all_last_first(names))


def _paper(
    kind: str, first: Callable[..., str], people: Callable[[str], list[str]], addresses: list[str], url: str
) -> RawPaper:
    """The paper of a record, by its tags in text and its elements in XML: the `first` that is filled, and `people`."""
    title, year = first("%T", "titles/title"), first("%D", "%8", "dates/year", "dates/pub-dates/date")
    day, accession = date_in(first("%8", "dates/pub-dates/date")), first("%M", "accession-num")
    is_of_pubmed = "NLM" in (first("%W"), first("remote-database-provider"))
    doi = next(filter(None, map(clean_doi, [first("%R", "electronic-resource-num"), *addresses])), "")
    container = first("%J", "%B", "%S", "periodical/full-title", "titles/secondary-title")
    paper = RawPaper(
        id=doi or accession or first("%U") or digest_id("endnote", title, year),
        title=title,
        abstract=first("%X", "abstract"),
        year=day if day.startswith(f"{year}-") else year,
        authors=next(filter(None, map(people, ("%A", "authors", "%E", "secondary-authors"))), []),
        venue=container or first("%I", "publisher"),
        doi=doi,
        url=address_with_pmid(url, accession, doi) if is_of_pubmed else url,
        volume=first("%V", "volume"),
        page=first("%P", "pages", "custom7"),
    )
    edited = _OF_EDITED_BOOKS if kind == "Edited Book" and (people("%A") or people("authors")) else {}
    return with_item(paper, csl_type(kind), container, "endnote", first, lambda name: people(edited.get(name, name)))


ENDNOTE = Reader(
    name="endnote",
    description="EndNote text (.enw): lines that begin with %0, %A, %T",
    endings=(".enw",),
    detect=lambda head: bool(_START.search(head.text)) and any(line.startswith("%T ") for line in head.lines),
    read=record_reader(partial(tagged_records, tagged=_TAG, begins=("%0",)), _of_text),
    describes_references=True,
)


ENDNOTE_XML = Reader(
    name="endnote_xml",
    description="EndNote's XML export",
    endings=(".xml",),
    detect=lambda head: is_xml(head, b"<records>", b"<record>", b"<ref-type"),
    read=record_reader(partial(xml_records, names={"record"}), _of_xml),
    describes_references=True,
)
