"""PubMed: its XML, its text (MEDLINE, which ERIC has, too), and its CSV export, which has titles without abstracts.

In XML (PubmedArticleSet, as in the baseline, the update files and exports) abstracts have several labelled parts;
dates may be free text (`MedlineDate`); references are PMIDs. PMIDs elsewhere (`DeleteCitation`, comments and
corrections) are no papers. In text a value goes on in lines that begin with spaces: "PMID- 123", "TI  - …".
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any
from xml.etree.ElementTree import Element  # parsing is defusedxml's

from common.names import initials_last, parse_name, stored_whole
from indexer.identity.identifiers import clean_doi, digest_id, pubmed_address
from indexer.identity.retractions import is_notice_kind, is_retracted_kind
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.csl_items import beside, csl_type, page_range
from indexer.readers.markup import initials_first, last_first, parted_person, with_comma, without_final_stop
from indexer.readers.tables import Row, table_rows
from indexer.readers.tagged import Tagged, tagged_records
from indexer.readers.xml_records import first_text, is_xml, text, xml_records

_ARTICLES = {"PubmedArticle", "PubmedBookArticle", "MedlineCitation", "BookDocument"}
_DATES = ("Journal/JournalIssue/PubDate", "Book/PubDate", "ArticleDate")
_NO_TITLE = "[Not Available]"


def _document(
    first: Callable[..., str], kinds: Sequence[str], authors: list[str], editors: list[str], keyword: str, **others: Any
) -> RawPaper | None:
    """The paper of a document, by its elements in XML and its tags in text: the `first` that is filled."""
    if is_notice_kind(kinds):
        return None
    title, book = first("ArticleTitle", "TI"), first("Book/BookTitle", "BTI")
    in_book = bool(title and book)
    if not title or title.startswith(_NO_TITLE):
        title = first("VernacularTitle", "TT") or book
    type = ("chapter" if in_book else "book") if book else csl_type(*kinds)
    pages = page_range(first("Pagination/StartPage"), first("Pagination/EndPage"))
    return RawPaper(
        title=without_final_stop(title),
        year=first(*(f"{date}/{part}" for date in _DATES for part in ("Year", "MedlineDate")), "DP", "DEP"),
        authors=authors or editors,
        venue=first("Journal/Title", "Journal/ISOAbbreviation", "JT", "TA") or (book if in_book else ""),
        volume=first("Journal/JournalIssue/Volume", "VI"),
        issue=first("Journal/JournalIssue/Issue", "IP"),
        page=first("Pagination/MedlinePgn", "PG") or pages,
        type=type,
        publisher=first("Book/Publisher/PublisherName", "PB"),
        more=beside(
            type,
            first("Language", "LA"),
            editors,
            keyword,
            publisher_place=first("Book/Publisher/PublisherLocation", "PL"),
            collection_title=first("Book/CollectionTitle", "CTI"),
            ISBN=first("Book/Isbn", "ISBN"),
        ),
        retracted=is_retracted_kind(kinds),
        **others,
    )


def _of_xml(found: Element) -> RawPaper | None:
    citation = found.find({"PubmedArticle": "MedlineCitation", "PubmedBookArticle": "BookDocument"}.get(found.tag, "."))
    if citation is None:
        return RawPaper()
    article = citation.find("Article")
    article = citation if article is None else article
    first, pmid = partial(first_text, article), citation.findtext("PMID")
    kinds = [kind.text or "" for kind in article.iterfind("PublicationTypeList/PublicationType")]
    whole_book = first("Book/BookTitle") and not first("ArticleTitle")
    return _document(
        first,
        kinds,
        authors=_people(article, "authors"),
        editors=_people(article, "editors"),
        keyword="",
        id=pmid,
        abstract=" ".join(_part(part) for part in article.iterfind("Abstract/AbstractText")),
        doi=_doi(found, article, "Book/ELocationID" if whole_book else "ELocationID"),
        url=pubmed_address(pmid or ""),
        citations=[_cited(reference) for reference in found.iterfind("PubmedData//Reference")],
    )


def _cited(reference: Element) -> str:
    """The PMID, else the DOI, which may stand in the printed reference alone."""
    pmid = first_text(reference, "ArticleIdList/ArticleId[@IdType='pubmed']")
    return pmid or clean_doi(first_text(reference, "ArticleIdList/ArticleId[@IdType='doi']", "Citation"))


def _part(element: Element) -> str:
    label, words = element.get("Label"), text(element)
    return f"{label}: {words}" if label and label.upper() != "UNLABELLED" and words else words


def _people(article: Element, role: str) -> list[str]:
    """The authors or editors of a document; of a book, whose they are for a chapter that has none of its own."""
    for path in ("AuthorList", "Book/AuthorList"):
        lists = (found for found in article.iterfind(path) if found.get("Type", "authors") == role)
        if people := [_author(one) for found in lists for one in found.iterfind("Author")]:
            return people
    return []


def _author(author: Element) -> str:
    given = author.findtext("ForeName") or author.findtext("Initials")
    name = parted_person(author.findtext("LastName"), given, author.findtext("Suffix"))
    return name or stored_whole(text(author.find("CollectiveName")))


def _doi(found: Element, article: Element, at: str) -> str | None:
    places = article.iterfind(f"{at}[@EIdType='doi']")
    valid = (place.text for place in places if place.get("ValidYN", "Y") == "Y" and place.text)
    ids = "ArticleIdList/ArticleId[@IdType='doi']"
    others = chain(found.iterfind(f"PubmedData/{ids}"), article.iterfind(ids))  # the latter of books
    return next(chain(valid, (one.text for one in others if one.text)), None)


PUBMED = Reader(
    name="pubmed",
    description="PubMed XML (PubmedArticleSet): baseline, update files and exports",
    endings=(".xml",),
    detect=lambda head: any(
        is_xml(head, mark) for mark in (b"<PubmedArticle", b"<PubmedBookArticle", b"<MedlineCitation")
    ),
    read=record_reader(partial(xml_records, names=_ARTICLES), _of_xml),
    companions=("*.md5", "README.txt"),
)


_TAG = re.compile(r"([A-Z]{2,4}) {0,2}- ?(.*)", re.DOTALL)
_START = re.compile(r"^PMID- ?\d+\s*$", re.MULTILINE)
_ERIC = re.compile(r"^OWN - ERIC\s*$", re.MULTILINE)
_DOI = re.compile(r"(\S+) \[doi\]$")


def _of_text(record: Tagged) -> RawPaper | None:
    pmid, names = record.first("PMID"), record.every("LID", "AID")
    dois = (match[1] for value in names if (match := _DOI.search(value)))
    titles = (title for title in record.every("TI", "TT", "BTI") if not title.startswith(_NO_TITLE))
    keywords = [value.replace("*", "") for value in record.every("MH", "OT")]  # the asterisk marks the main ones
    authors, editors = (
        [*map(last_first, record.every(full) or map(with_comma, record.every(short)))]
        for full, short in (("FAU", "AU"), ("FED", "ED"))
    )
    authors += map(stored_whole, record.every("CN"))
    return _document(
        record.first,
        record.every("PT"),
        authors=authors,
        editors=editors,
        keyword="; ".join(keywords),
        id=pmid or record.first("OID") or digest_id("medline", next(titles, ""), record.first("DP")),
        abstract=record.first("AB"),
        doi=next(dois, None) or next(filter(None, map(clean_doi, names)), None),
        url=pubmed_address(pmid) if pmid else next((name for name in names if name.startswith("http")), None),
    )


MEDLINE = Reader(
    name="medline",
    description="MEDLINE text (.nbib), as PubMed saves and sends it, and ERIC",
    endings=(".nbib", ".medline", ".txt"),
    detect=lambda head: head.is_plain and any(mark.search(head.text) for mark in (_START, _ERIC)),
    read=record_reader(
        lambda file: tagged_records(file, _TAG, ("PMID" if _START.search(file.head.text) else "OWN",)), _of_text
    ),
    describes_references=True,
)


_PLACE = re.compile(r";\s*(\w+)(?:\(([^()]*)\))?:\s*([\w.]+(?:-\w+)?)")  # "Lancet. 2001 May 5;12(3):345-50. doi: …"


def _of_row(row: Row) -> RawPaper:
    place = _PLACE.search(row.get("citation", ""))
    return RawPaper(
        id=row.get("pmid"),
        title=without_final_stop(row.get("title", "")),
        year=row.get("publication year"),
        authors=[*_names(row.get("authors", ""))],
        venue=row.get("journal/book"),
        doi=row.get("doi"),
        url=pubmed_address(row.get("pmid", "")),
        volume=place[1] if place else None,
        page=place[3] if place else None,
        type="article-journal" if place else None,
        issue=place[2] if place else None,
    )


def _names(listed: str) -> Iterator[str]:
    """People between commas, and groups, which semicolons part from them."""
    parts = listed.rstrip(".").split(";")
    for part in parts:
        people = part.split(",")
        if len(parts) == 1 or (any(map(initials_last, people)) and (len(people) > 1 or not parse_name(part).whole)):
            yield from (initials_first(name, always=True) for name in people)
        else:
            yield stored_whole(part) if part.strip() else ""


PUBMED_CSV = Reader(
    name="pubmed_csv",
    description="PubMed's CSV export: titles without abstracts",
    endings=(".csv",),
    detect=lambda head: head.columns >= {"pmid", "title", "citation", "journal/book"},
    read=record_reader(table_rows, _of_row),
    describes_references=True,
)
