"""JATS, the XML of articles at PubMed Central and many publishers, with their reference lists.

References may have marked parts (`element-citation`) or be running text in which some parts are marked
(`mixed-citation`). Graphical abstracts and those in other languages (`trans-abstract`) are left out.
"""

from collections.abc import Iterator
from functools import partial
from xml.etree.ElementTree import Element  # parsing is defusedxml's

from common.names import stored_whole
from indexer.identity.identifiers import clean_doi, digest_id, pmid_key, pubmed_address
from indexer.identity.references import Reference
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.csl_items import page_range
from indexer.readers.markup import parted_person, with_subtitle
from indexer.readers.references import from_text
from indexer.readers.xml_records import first_text, found_at, is_xml, running_text, text, xml_records

_BLOCKS = {"p", "title", "sec", "list-item", "break", "subtitle", "disp-formula"}
_ASIDE = {"fn", "xref", "alternatives", "label", "tex-math", "annotation"}
_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")


def _paper(article: Element) -> RawPaper:
    meta = found_at(article, "front/article-meta")
    ids = {item.get("pub-id-type", ""): text(item) for item in meta.iterfind("article-id")}
    titles = (running_text(meta.find(f"title-group/{name}"), _BLOCKS, _ASIDE) for name in ("article-title", "subtitle"))
    title, year = with_subtitle(*titles), _year(meta)
    doi, pmid = clean_doi(ids.get("doi", "")), pmid_key(ids.get("pmid", ""), bare=True)
    return RawPaper(
        id=doi or pmid or ids.get("pmc") or ids.get("pmcid") or digest_id("jats", title, year),
        title=title,
        abstract=_abstract(meta),
        year=year,
        authors=[
            _author(one)
            for one in meta.iterfind("contrib-group/contrib")
            if one.get("contrib-type", "author") == "author"
        ],
        venue=text(article.find("front/journal-meta//journal-title")),
        doi=doi,
        url=pubmed_address(pmid),
        references=list(_references(article)),
        volume=text(meta.find("volume")),
        page=page_range(text(meta.find("fpage")), text(meta.find("lpage"))) or text(meta.find("elocation-id")),
        type="article-journal",
        issue=text(meta.find("issue")),
    )


def _abstract(meta: Element) -> str:
    """The abstract, or the first one, without a title that only says so."""
    every = (one for one in meta.iterfind("abstract") if one.get("abstract-type") in (None, "", "section"))
    found = next(every, None)
    heading = found.find("title") if found is not None else None
    if found is not None and heading is not None and text(heading).strip(" .:").casefold() == "abstract":
        found.remove(heading)
    return running_text(found, _BLOCKS, _ASIDE)


def _year(meta: Element) -> str:
    """The first year of publication: in print or online, whichever came first."""
    years = [text(date.find("year")) for path in ("pub-date", "date") for date in meta.iterfind(path)]
    return min((year for year in years if year.isdecimal() and len(year) == 4), default="")


def _author(contributor: Element) -> str:
    names = [*contributor.iterfind("name"), *contributor.iterfind("name-alternatives/name")]
    if not names:
        return first_text(contributor, "string-name") or stored_whole(first_text(contributor, "collab"))
    return parted_person(*(text(names[0].find(part)) for part in ("surname", "given-names", "suffix")))


def _references(article: Element) -> Iterator[Reference]:
    for entry in article.iterfind("back//ref"):
        citation = next((found for name in _CITATIONS for found in entry.iter(name)), None)
        if citation is not None:
            yield _reference(citation)


def _reference(citation: Element) -> Reference:
    first = partial(first_text, citation)
    printed = from_text(" ".join(citation.itertext()))
    named = {item.get("pub-id-type", ""): text(item) for item in citation.iterfind(".//pub-id")}
    linked = next((text(item) for item in citation.iterfind(".//ext-link[@ext-link-type='doi']")), "")
    return Reference(
        doi=clean_doi(named.get("doi", "")) or clean_doi(linked) or printed.doi,
        pmid=named.get("pmid", "") or printed.pmid,
        author=first(".//surname"),
        year=first("year"),
        volume=first("volume"),
        page=first("fpage", "elocation-id"),
        title=running_text(citation.find("article-title"), _BLOCKS),
    )


JATS = Reader(
    name="jats",
    description="JATS XML: articles of PubMed Central and of publishers, with references",
    endings=(".xml", ".nxml"),
    detect=lambda head: is_xml(head, b"<article-meta") or is_xml(head, b"<article", b"<journal-meta"),
    read=record_reader(partial(xml_records, names={"article"}), _paper),
    describes_references=True,
)
