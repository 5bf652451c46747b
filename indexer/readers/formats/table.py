"""Tables that people make themselves: a title column, and others in any order, each known by its name.

The number of a row identifies no paper: other ids, DOI, or a digest of title and year do.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice

from common.names import parse_name
from common.words import listed
from indexer.identity.identifiers import clean_doi, digest_id, noted
from indexer.identity.keys import address_with_pmid
from indexer.readers.base import Found, Malformed, RawPaper, Reader, detect_reader, papers_of
from indexer.readers.csl_items import csl_type, page_range
from indexer.readers.head import TABLES, TITLE_COLUMNS, Head
from indexer.readers.name_lists import listed_names
from indexer.readers.streams import TextFile
from indexer.readers.tables import Row, table_rows
from indexer.readers.unread import database_of

_Columns = dict[str, tuple[str, ...]]  # field → the columns that may hold it, of which the first filled one counts

_NAMES = {
    "authors": (
        "authors, author, author(s), authors(s), author names, author full names, creators, creator, au, "
        "autoren, autor, autor(en), autor(es), autor/in, autor:in, "
        "author string, authorstring, "
        "verfasser, verfasserin, verfasser/in, verfasser(in), autores, auteurs, auteur, autori, autore, "
        "contributors"
    ),
    "year": (
        "year, publication year, published year, year of publication, year published, published, pub year, "
        "pubyear, publication date, date published, date of publication, pubdate, date, yr, py, jahr, "
        "erscheinungsjahr, année, annee, año, ano, anno, first posted, date registration, publish time, "
        "publicationdate, coverdate"
    ),
    "abstract": (
        "abstract, abstracts, abstract note, summary, brief summary, ab, zusammenfassung, résumé, resume, resumen, "
        "resumo, riassunto"
    ),
    "venue": (
        "journal, journal title, journaltitle, journal name, venue, source title, publication title, publication name, "
        "journal/conference, conference, conference name, booktitle, book title, container title, jn, so, "
        "publication, pubtitle, full journal, zeitschrift, revue, revista, rivista, source, publisher"
    ),
    "volume": "volume, vol, band",
    "issue": "issue, issue number, heft",
    "page": "start page, page start, pagestart, startpage, first page, pages, page, seiten, art. no., article number",
    "last_page": "end page, page end, pageend, endpage, last page",
    "publisher": "publisher, verlag",
    "type": "document type, publication type, item type, document identifier, type, doctypes, pubtypes",
    "doi": "doi, doi link, doi url, di, do, digitalobjectidentifier, digital object identifier",
    "pmid": "pmid, pubmed id, medline pmid",
    "arxiv": "arxiv, arxiv id",
    "notes": "notes, note",
    "url": (
        "url, study url, link, paper link, web address, urls, articleurl, article url, pdf link, documenturl, plink, "
        "permalink"
    ),
    "id": "citation key, citekey, cite key, bibtex key, key, nct number, trialid, id",
}
_KNOWN: _Columns = {"title": TITLE_COLUMNS, **{field: tuple(names.split(", ")) for field, names in _NAMES.items()}}
_NAME = r"[^\s,{]+(?: [^\s,{]+)+"  # of several words
_TWO_PEOPLE = re.compile(rf"\s*(?![a-zß-ÿ]){_NAME}, ?{_NAME}\s*")  # "van der Berg, Jan Piet" is one
_ROWS_LOOKED_AT = 200
_ROUNDED = re.compile(r"\d(?:[.,]\d+)?E\+\d+")  # as Excel shows long numbers, many as one


def _columns(head: Head) -> _Columns:
    """Those of a table that are known; none of any other file."""
    named = {column.replace("_", " "): column for column in reversed(head.table.columns if head.table else ())}
    found = {field: tuple(named[column] for column in known if column in named) for field, known in _KNOWN.items()}
    if found["volume"] and not found["issue"] and "number" in named:  # alone it may be that of the row
        found["issue"] = (named["number"],)
    return {field: columns for field, columns in found.items() if columns}


def _detect(head: Head) -> bool:
    found = _columns(head)
    return "title" in found and (len(found) > 1 or head.file_name.endswith(TABLES)) and not database_of(head)


def _are_parted_by_commas(cells: Iterable[str]) -> bool:
    """Whether commas stand between people, as these cells show; "Ann Roe, Bo Poe" alone may be one of two names."""
    shown = False
    for cell in cells:
        commas = cell.count(",")
        if ";" in cell or "\n" in cell or (commas == 1 and not _TWO_PEOPLE.fullmatch(cell)):
            return False
        names = listed_names(cell)
        shown |= commas != 1 and len(names) == commas + 1 and all(map(_is_person, names))
    return shown


def _is_person(name: str) -> bool:
    return bool(re.fullmatch(_NAME, name)) and not parse_name(name).whole


def _paper(columns: _Columns, numbers: bool, commas: bool, row: Row) -> RawPaper:
    def cell(field: str) -> str:
        return next((value for column in columns.get(field, ()) if (value := row.get(column, ""))), "")

    doi_noted, pmid_noted = noted(cell("notes"))
    authors = cell("authors").replace("\n", ";")
    url, id_ = cell("url"), cell("id")
    doi = cell("doi") or ("" if clean_doi(url) else doi_noted)
    if (id_.isdigit() or _ROUNDED.fullmatch(id_)) and not numbers:
        id_ = ""
    return RawPaper(
        id=id_ or clean_doi(doi) or digest_id("table", cell("title"), cell("year")),
        title=cell("title"),
        abstract=cell("abstract"),
        year=cell("year"),
        authors=listed_names(authors.replace(",", ";") if commas and _TWO_PEOPLE.fullmatch(authors) else authors),
        venue=cell("venue"),
        doi=doi or url,
        arxiv=cell("arxiv") or (url if "arxiv.org" in url else None),
        url=address_with_pmid(url, cell("pmid") or pmid_noted, doi),
        volume=cell("volume"),
        issue=cell("issue"),
        page=page_range(cell("page"), cell("last_page")),
        publisher=cell("publisher"),
        type=csl_type(cell("type")),
    )


def _read(file: TextFile, numbers: bool = False) -> Iterator[Found]:
    columns, rows = _columns(file.head), table_rows(file)
    first = list(islice(rows, _ROWS_LOOKED_AT))
    named = columns.get("authors", ("",))[0]
    commas = _are_parted_by_commas(row.get(named, "") for _, row in first if not isinstance(row, Malformed))
    yield from papers_of(chain(first, rows), partial(_paper, columns, numbers, commas))


def _said(head: Head) -> str:
    """Which columns are read, and which are not."""
    if head.table is None:
        return ""
    read = dict.fromkeys(column for columns in _columns(head).values() for column in columns)
    others = [column for column in head.table.columns if column and column not in read]
    return f"columns read: {', '.join(read)}" + (f"; not read: {listed(others, 10)}" if others else "")


TABLE = Reader(
    name="table",
    description="Tables that people make: CSV or tabs, with a column for titles",
    endings=TABLES,
    detect=_detect,
    read=_read,
    said=_said,
    describes_references=True,
    last_resort=True,
)


def table_of_queries() -> Reader:
    """The same for tables of queries, whose answers are called as they are, were it by the numbers of rows."""
    return replace(TABLE, detect=lambda head: detect_reader(head) is TABLE, read=partial(_read, numbers=True))
