"""Zotero: items of its API and of Better BibTeX's JSON export, where they are `items` of one object; RDF; and CSV.

In RDF items are children of the root; what they appeared in is an element of its own or one within them. rdflib would
read any RDF, but a file as a whole and with entities; Zotero writes one shape. In CSV a row is an item, and its key in
Zotero the id.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from xml.etree.ElementTree import Element  # parsing is defusedxml's

from common.names import stored_whole
from indexer.identity.identifiers import arxiv_key, clean_doi, digest_id, noted
from indexer.identity.keys import address_with_pmid
from indexer.readers.base import Found, Malformed, RawPaper, Reader, record_reader
from indexer.readers.csl_items import csl_type, date_in, date_of, fields_of, with_item
from indexer.readers.head import Head
from indexer.readers.json_records import Fields, array_records, objects
from indexer.readers.markup import last_first, parted_person, person
from indexer.readers.streams import TextFile
from indexer.readers.tables import Row, table_rows
from indexer.readers.xml_records import first_text, is_xml, text, xml_records

NO_WORKS = ("attachment", "note", "annotation")
_CONTAINER_TITLES = (
    *("publicationTitle", "proceedingsTitle", "bookTitle", "encyclopediaTitle", "dictionaryTitle", "blogTitle"),
    *("websiteTitle", "conferenceName", "reporter", "code"),
)
_TITLES = ("title", "caseName", "nameOfAct", "subject")  # the last one of e-mails
_DATES = ("date", "issueDate", "dateDecided", "dateEnacted")  # the last ones of patents, cases and statutes
_PUBLISHERS = ("repository", "university", "institution", "publisher")
_APART = ("volume", "issue", "page", "publisher")  # fields of every paper
# Fields that an item type lacks, beside what `noted` reads.
_EXTRA = re.compile(r"^(arXiv|Citation Key|Original[ -]Date)\s*:\s*(.+)$", re.IGNORECASE | re.MULTILINE)


def zotero_paper(fields: Fields, id: object, where: str = "") -> RawPaper | None:
    """The paper that an item describes; None for attachments, notes and annotations."""
    if fields.get("itemType") in NO_WORKS:
        return None

    def first(names: Iterable[str]) -> str:
        return next((str(value) for name in names if (value := fields.get(name))), "")

    extra = str(fields.get("extra") or "")
    doi_noted, pmid_noted = noted(extra)
    extra_fields = _fields_in_extra(extra)
    doi = fields.get("DOI") or doi_noted
    container = first(_CONTAINER_TITLES)
    numbers = (fields.get("archiveID"), fields.get("number"), extra_fields.get("arxiv"), fields.get("url"))
    type, date = csl_type(str(fields.get("itemType"))), first(_DATES)
    tags = (str(tag.get("tag") or "") for tag in objects(fields.get("tags")))
    fields = {"manualTags": "; ".join(filter(None, tags)), "originalDate": extra_fields.get("original date"), **fields}
    known = fields_of(type, "zotero", lambda name: first([name]), partial(_creators, fields))
    # Of Zotero 8 itself; before, Better BibTeX writes those that its user chose into "Extra".
    key = fields.get("citationKey") or extra_fields.get("citation key")
    if key and key != id:
        known["citation-key"] = str(key)
    if "-" in (day := date_in(date)):
        known["issued"] = date_of(day)  # with a month
    return RawPaper(
        where,
        id=id,
        title=first(_TITLES),
        abstract=fields.get("abstractNote"),
        year=date,
        authors=_authors(fields),
        venue=container or first(_PUBLISHERS),
        doi=doi,
        arxiv=next(filter(None, (arxiv_key(number) for number in numbers if isinstance(number, str))), None),
        url=address_with_pmid(fields.get("url"), pmid_noted, doi),
        volume=known.get("volume"),
        page=known.get("page"),
        type=type,
        issue=fields.get("issue"),
        publisher=None if fields.get("repository") else known.get("publisher"),  # also the university of a thesis
        more={name: value for name, value in known.items() if name not in _APART},
    )


def _fields_in_extra(extra: str) -> dict[str, str]:
    """What stands in Zotero's field "Extra" as `arXiv: …`, by its name in lower case."""
    return {name.lower().replace("-", " "): value for name, value in _EXTRA.findall(extra)}


def _authors(fields: Fields) -> list[str]:
    """The authors; of a work without any, its editors or whoever else made it."""
    return _creators(fields, "author") or _creators(fields, "editor") or _creators(fields, "")


def _creators(fields: Fields, kind: str) -> list[str]:
    """Those of a kind; all of them for ""."""
    return [
        stored_whole(person(creator.get("name"))) or parted_person(creator.get("lastName"), creator.get("firstName"))
        for creator in objects(fields.get("creators"))
        if kind in ("", creator.get("creatorType"))
    ]


_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_NO_ITEMS = {"Attachment", "Memo", "Collection", "Annotation"}
_CONTAINERS = {"Journal", "Series"}  # and whatever has no itemType
_GIVEN_NAMES = ("givenName", "givenname")
_PATHS = {
    **{"itemType": "itemType", "title": "title", "abstractNote": "abstract", "date": "date", "pages": "pages"},
    **{"volume": "volume", "edition": "edition", "language": "language", "type": "type", "extra": "description"},
    **{"publisher": "publisher/Organization/name", "place": "publisher/Organization/adr/Address/locality"},
    **{"numberOfVolumes": "numberOfVolumes", "numPages": "numPages", "shortTitle": "shortTitle"},
    **{"url": "identifier/URI/value", "accessDate": "dateSubmitted", "versionNumber": "version", "number": "number"},
    **{"conferenceName": "presentedAt/Conference/title"},
}
_MOST_CONTAINERS = 100_000


def _read_rdf(file: TextFile) -> Iterator[Found]:
    containers: dict[str, Fields] = {}  # by address: journals with volume and DOI
    waiting: list[tuple[str, str, Fields]] = []  # address of a container that comes later, place and item
    for where, element in xml_records(file, None):
        if isinstance(element, Malformed):
            yield replace(element, where=where)
        elif element.tag in _NO_ITEMS:
            continue
        elif element.tag in _CONTAINERS or element.find("itemType") is None:
            if len(containers) < _MOST_CONTAINERS:
                containers[element.get(_RDF + "about", "")] = _container(element)
        elif text(element.find("itemType")) not in NO_WORKS:
            addresses = (part.get(_RDF + "resource", "") for part in element.iterfind("isPartOf"))
            address, item = next(filter(None, addresses), ""), _of_element(element)
            if address and address not in containers:
                waiting.append((address, where, item))
            else:
                yield from _within(where, item, containers.get(address, {}))
    for address, where, item in waiting:
        yield from _within(where, item, containers.get(address, {}))


def _of_element(item: Element) -> Fields:
    """The item by the names of Zotero's fields, as far as RDF has them."""
    about = item.get(_RDF + "about", "")
    creators = [
        {"creatorType": kind, "lastName": text(one.find("surname")), "firstName": first_text(one, *_GIVEN_NAMES)}
        for role in item
        for kind in [role.tag.removesuffix("s")]  # seriesEditors, translators …
        for one in role.iterfind("Seq/li/Person")
    ]
    tags = [{"tag": first_text(subject, "AutomaticTag/value") or text(subject)} for subject in item.iterfind("subject")]
    fields: Fields = {name: first_text(item, *paths.split()) for name, paths in _PATHS.items()}
    fields |= {"DOI": _identified(item, "DOI"), "ISBN": _identified(item, "ISBN"), "creators": creators, "tags": tags}
    fields["issue"] = fields["number"] if fields["itemType"] in ("journalArticle", "magazineArticle") else ""
    fields["url"] = fields["url"] or (about if about.lower().startswith("http") else "")
    for part in item.iterfind("isPartOf/*"):
        fields = _joined(fields, _container(part))
    return fields


def _container(element: Element) -> Fields:
    if element.tag == "Series":
        return {"series": text(element.find("title")), "seriesNumber": text(element.find("identifier"))}
    found: Fields = {
        "publicationTitle": text(element.find("title")),
        "volume": text(element.find("volume")),
        "issue": text(element.find("number")),
        **{name: _identified(element, name) for name in ("DOI", "ISBN", "ISSN")},
    }
    for part in element.iterfind("isPartOf/*"):
        found = _joined(found, _container(part))
    return found


def _joined(item: Fields, container: Fields) -> Fields:
    return {**container, **{name: value for name, value in item.items() if value or name not in container}}


def _within(where: str, item: Fields, container: Fields) -> Iterator[RawPaper]:
    """The finished paper; the DOI is its id where it has one, else its address."""
    paper = zotero_paper(_joined(item, container), None, where)
    if paper:
        yield replace(paper, id=paper.doi or item["url"] or digest_id("zotero", str(paper.title), str(paper.year)))


def _identified(element: Element, kind: str) -> str:
    """What an identifier such as "ISBN 978-3-16-148410-0" says."""
    values = (text(identifier) for identifier in element.iterfind("identifier"))
    found = next((value.removeprefix(kind).strip(": ") for value in values if value.startswith(kind)), "")
    return clean_doi(found) if kind == "DOI" else found


ZOTERO_RDF = Reader(
    name="zotero_rdf",
    description="Zotero RDF",
    endings=(".rdf", ".xml"),
    detect=lambda head: is_xml(head, b"<rdf:RDF", b"zotero.org/namespaces/export"),
    read=_read_rdf,
    describes_references=True,
)


def _of_row(row: Row) -> RawPaper | None:
    if row.get("item type") in NO_WORKS:
        return None
    extra = row.get("extra", "")
    doi_noted, pmid_noted = noted(extra)
    doi = row.get("doi") or doi_noted
    cells = {column.replace(" ", ""): cell for column, cell in row.items()}
    cells.setdefault("originaldate", _fields_in_extra(extra).get("original date", ""))
    container = row.get("publication title") or row.get("reporter") or row.get("code") or ""

    date, year = row.get("date", ""), row.get("publication year", "")

    def text_of(name: str) -> str:
        return cells.get(name.lower(), "")

    def people_of(role: str) -> list[str]:
        names = filter(str.strip, text_of(role).split(";"))
        return [last_first(name) if "," in name else stored_whole(name) for name in names]

    paper = RawPaper(
        id=row.get("key"),
        title=row.get("title"),
        abstract=row.get("abstract note"),
        year=date if "-" in date_in(date) else year or date,
        authors=people_of("author") or people_of("editor"),
        venue=container or row.get("publisher"),
        doi=doi,
        arxiv=row.get("url") if "arxiv.org" in row.get("url", "") else None,
        url=address_with_pmid(row.get("url"), pmid_noted, doi),
        volume=row.get("volume"),
        page=row.get("pages"),
    )
    return with_item(paper, csl_type(row.get("item type", "")), container, "zotero", text_of, people_of)


ZOTERO_CSV = Reader(
    name="zotero_csv",
    description="Zotero's CSV export",
    endings=(".csv",),
    detect=lambda head: head.columns >= {"key", "item type", "title", "author", "abstract note"},
    read=record_reader(table_rows, _of_row),
    describes_references=True,
)


_ITEMS = re.compile(r'"items"\s*:\s*\[(?=\s*\{)')  # the items of a collection are numbers


def _is_better_bibtex(head: Head) -> bool:
    start = head.text.lstrip()
    return start[:1] == "{" and bool(_ITEMS.search(start)) and '"itemType"' in start


def _of_item(fields: Fields) -> RawPaper | None:
    return zotero_paper(fields, fields.get("citationKey") or fields.get("itemKey") or fields.get("key"))


BETTER_BIBTEX = Reader(
    name="better_bibtex",
    description="Better BibTeX JSON: Zotero's items with their citation keys",
    endings=(".json",),
    detect=_is_better_bibtex,
    read=record_reader(lambda file: array_records(file.body, _ITEMS), _of_item),
    describes_references=True,
)
