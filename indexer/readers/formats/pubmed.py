"""PubMed XML: PubmedArticleSet, as in the baseline and update files and in exports.

Abstracts have several labelled parts; dates may be free text (`MedlineDate`); references are PMIDs. PMIDs elsewhere
(`DeleteCitation`, comments and corrections) are no papers.
"""

from functools import partial
from xml.etree.ElementTree import Element  # parsing is defusedxml's

from common.names import stored_whole
from indexer.identity.identifiers import clean_doi, pubmed_address
from indexer.identity.retractions import is_notice_kind, is_retracted_kind
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.head import Head
from indexer.readers.imprints import csl_type, page_range
from indexer.readers.markup import parted_person, without_final_stop
from indexer.readers.xml_records import first_text, is_xml, text, xml_records

_ARTICLES = {"PubmedArticle", "PubmedBookArticle", "MedlineCitation", "BookDocument"}
_NO_TITLE = ("[Not Available].", "[Not Available]")


def _detect(head: Head) -> bool:
    return is_xml(head) and any(
        f"<{name}".encode() in head.data for name in ("PubmedArticle", "PubmedBookArticle", "MedlineCitation")
    )


def _paper(where: str, found: Element) -> RawPaper | None:
    citation = found.find("MedlineCitation") if found.tag == "PubmedArticle" else found
    if found.tag == "PubmedBookArticle":
        citation = found.find("BookDocument")
    if citation is None:
        return RawPaper(where, id=None)
    article = citation.find("Article")
    article = citation if article is None else article
    kinds = [kind.text or "" for kind in article.iterfind("PublicationTypeList/PublicationType")]
    if is_notice_kind(kinds):
        return None
    pmid = citation.findtext("PMID")
    first = partial(first_text, article)
    title, book = first("ArticleTitle"), first("Book/BookTitle")
    in_book = bool(title and book)
    if not title or title in _NO_TITLE:
        title = first("VernacularTitle") or book
    return RawPaper(
        where,
        id=pmid,
        title=without_final_stop(title),
        abstract=" ".join(_part(part) for part in article.iterfind("Abstract/AbstractText")),
        year=_year(article),
        authors=[_author(author) for author in article.iterfind("AuthorList/Author")],
        venue=first("Journal/Title", "Journal/ISOAbbreviation") or (book if in_book else ""),
        doi=_doi(found, article),
        url=pubmed_address(pmid or ""),
        citations=[_cited(reference) for reference in found.iterfind("PubmedData//Reference")],
        volume=first("Journal/JournalIssue/Volume"),
        issue=first("Journal/JournalIssue/Issue"),
        page=first("Pagination/MedlinePgn") or page_range(first("Pagination/StartPage"), first("Pagination/EndPage")),
        type=("chapter" if in_book else "book") if book else csl_type(*kinds),
        publisher=first("Book/Publisher/PublisherName"),
        retracted=is_retracted_kind(kinds),
    )


def _cited(reference: Element) -> str:
    """The PMID, else the DOI."""
    pmid = first_text(reference, "ArticleIdList/ArticleId[@IdType='pubmed']")
    return pmid or clean_doi(first_text(reference, "ArticleIdList/ArticleId[@IdType='doi']"))


def _part(element: Element) -> str:
    label, words = element.get("Label"), text(element)
    return f"{label}: {words}" if label and label.upper() != "UNLABELLED" and words else words


def _year(article: Element) -> str | None:
    for path in ("Journal/JournalIssue/PubDate", "Book/PubDate", "ArticleDate"):
        date = article.find(path)
        if date is not None:
            year = date.findtext("Year") or date.findtext("MedlineDate")
            if year:
                return year
    return None


def _author(author: Element) -> str:
    given = author.findtext("ForeName") or author.findtext("Initials")
    name = parted_person(author.findtext("LastName"), given, author.findtext("Suffix"))
    return name or stored_whole(text(author.find("CollectiveName")))


def _doi(found: Element, article: Element) -> str | None:
    for place in article.iterfind("ELocationID[@EIdType='doi']"):
        if place.get("ValidYN", "Y") == "Y" and place.text:
            return place.text
    own = found.find("PubmedData/ArticleIdList/ArticleId[@IdType='doi']")
    return own.text if own is not None else None


PUBMED = Reader(
    name="pubmed",
    description="PubMed XML (PubmedArticleSet): baseline, update files and exports",
    endings=(".xml",),
    detect=_detect,
    read=record_reader(partial(xml_records, names=_ARTICLES), _paper),
    companions=("*.md5", "README.txt"),
)
