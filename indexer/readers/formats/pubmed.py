"""PubMed XML: PubmedArticleSet, as in the baseline and update files and in exports.

Parsed piece by piece with defusedxml: entities are refused, nothing is fetched. Abstracts have several labelled
parts; dates may be free text (`MedlineDate`); references are PMIDs. PMIDs elsewhere (`DeleteCitation`, comments
and corrections) are no papers.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element, ParseError, TreeBuilder  # parsing is defusedxml's

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, iterparse

from indexer.identity.identifiers import pubmed_address
from indexer.readers import streams
from indexer.readers.base import Found, Malformed, RawPaper, Reader, register
from indexer.readers.head import Head
from indexer.readers.markup import person
from indexer.readers.streams import TextFile

_ARTICLES = {"PubmedArticle", "PubmedBookArticle", "MedlineCitation", "BookDocument"}
_MAX_ELEMENTS = 500_000  # of one article; the longest author and reference lists have a tenth
_CHUNK = 1 << 14  # little, for what a parser makes of a chunk cannot be bounded
_NO_TITLE = ("[Not Available].", "[Not Available]")


def _detect(head: Head) -> bool:
    return head.data.lstrip().startswith(b"<") and any(
        f"<{name}".encode() in head.data for name in ("PubmedArticle", "PubmedBookArticle", "MedlineCitation")
    )


def _read(file: TextFile) -> Iterator[Found]:
    number, elements = 1, 0
    bounded = _Bounded(file.body)
    # The text is UTF-8 here whatever its declaration says.
    parser = DefusedXMLParser(target=TreeBuilder(), encoding="utf-8", forbid_entities=True, forbid_external=True)
    try:
        events = iterparse(bounded, events=("start", "end"), parser=parser)
        root: Element | None = None
        inside = ""  # name of the article element that is open
        for event, element in events:
            root = element if root is None else root
            if event == "start":
                elements += 1
                inside = inside or (element.tag if element.tag in _ARTICLES else "")
                if elements > _MAX_ELEMENTS:
                    raise ValueError(f"more than {_MAX_ELEMENTS:,} elements in one article")
            elif element.tag == inside:
                yield _paper(f"record {number}", element)
                number, elements, inside = number + 1, 0, ""
                bounded.since_record = 0
                root.clear()
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        where = f"record {number}"
        yield Malformed(where, f"{_reason(error)}; nothing after it could be read")


def _reason(error: Exception) -> str:
    if isinstance(error, DefusedXmlException):
        return f"the XML declares entities, which is refused ({type(error).__name__})"
    return f"no valid XML: {error}" if isinstance(error, ParseError) else str(error)


def _paper(where: str, found: Element) -> RawPaper:
    citation = found.find("MedlineCitation") if found.tag == "PubmedArticle" else found
    if found.tag == "PubmedBookArticle":
        citation = found.find("BookDocument")
    if citation is None:
        return RawPaper(where, id=None)
    article = citation.find("Article")
    article = citation if article is None else article
    pmid = citation.findtext("PMID")
    title = _text(article.find("ArticleTitle"))
    if not title or title in _NO_TITLE:
        title = _text(article.find("VernacularTitle")) or _text(article.find("Book/BookTitle"))
    return RawPaper(
        where,
        id=pmid,
        title=title,
        abstract=" ".join(_part(part) for part in article.iterfind("Abstract/AbstractText")),
        year=_year(article),
        authors=[_author(author) for author in article.iterfind("AuthorList/Author")],
        venue=_text(article.find("Journal/Title")) or _text(article.find("Journal/ISOAbbreviation")),
        doi=_doi(found, article),
        url=pubmed_address(pmid or ""),
        citations=[
            identifier.text
            for identifier in found.iterfind("PubmedData//Reference/ArticleIdList/ArticleId[@IdType='pubmed']")
        ],
    )


def _text(element: Element | None) -> str:
    """All text within, whatever italics and superscripts stand around parts of it."""
    return "" if element is None else "".join(element.itertext()).strip()


def _part(element: Element) -> str:
    label, text = element.get("Label"), _text(element)
    return f"{label}: {text}" if label and label.upper() != "UNLABELLED" and text else text


def _year(article: Element) -> str | None:
    for path in ("Journal/JournalIssue/PubDate", "Book/PubDate", "ArticleDate"):
        date = article.find(path)
        if date is not None:
            year = date.findtext("Year") or date.findtext("MedlineDate")
            if year:
                return year
    return None


def _author(author: Element) -> str:
    names = person(author.findtext("ForeName") or author.findtext("Initials"), author.findtext("LastName"))
    return person(names, author.findtext("Suffix")) if names else _text(author.find("CollectiveName"))


def _doi(found: Element, article: Element) -> str | None:
    for place in article.iterfind("ELocationID[@EIdType='doi']"):
        if place.get("ValidYN", "Y") == "Y" and place.text:
            return place.text
    own = found.find("PubmedData/ArticleIdList/ArticleId[@IdType='doi']")
    return own.text if own is not None else None


class _Bounded(io.RawIOBase):
    """Stops the parser when one article takes too much."""

    def __init__(self, body: BinaryIO) -> None:
        super().__init__()
        self._body = body
        self.since_record = 0

    def read(self, size: int = -1) -> bytes:
        data = self._body.read(min(size, _CHUNK) if size > 0 else _CHUNK)
        self.since_record += len(data)
        if self.since_record > streams.MAX_RECORD_BYTES:
            raise ValueError(streams.too_long())
        return data


register(
    Reader(
        name="pubmed",
        description="PubMed XML (PubmedArticleSet): baseline, update files and exports",
        endings=(".xml",),
        detect=_detect,
        read=_read,
        companions=("*.md5", "README.txt"),
    )
)
