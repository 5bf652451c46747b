"""arXiv: the metadata snapshot (arxiv-metadata-oai-snapshot.json on Kaggle), and answers of its API (Atom).

The year is that of the first version: `update_date` is the date of the last change to the record. Ids are without
their version. Accents are LaTeX and are decoded, and so is all of titles and names; abstracts keep their formulas.
"""

import re
from functools import partial
from xml.etree.ElementTree import Element  # parsing is defusedxml's

from common.errors import RecordError
from indexer.identity.identifiers import arxiv_key
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.json_records import JSON_LINES, Fields, json_records, objects
from indexer.readers.latex import plain, with_accents
from indexer.readers.markup import person
from indexer.readers.xml_records import first_text, is_xml, text, xml_records

# What follows shows that it is not said of patients or cash, nor of a conference from which the paper was withdrawn.
_WITHDRAWN = re.compile(
    r"\s*(?:(?:this|the) )?(?:(?:paper|article|manuscript|preprint|submission|work) )?"
    r"(?:(?:has been|have been|is(?: being)?|was) )?(?:temporarily )?"
    r"(?:withdrawn|removed by arxiv(?: administrators?)?)\b"
    r"(?=,?\s*(?:$|[.;:(\[]|(?:as|because|by|due|for|from arxiv|in favou?r|owing|pending|please|see|since|until)\b))",
    re.IGNORECASE,
)


def _paper(fields: Fields) -> RawPaper:
    identifier = fields.get("id")
    title, abstract = fields.get("title"), fields.get("abstract")
    created = (version.get("created") for version in objects(fields.get("versions")))
    return RawPaper(
        id=identifier,
        title=plain(title) if isinstance(title, str) else title,
        abstract=with_accents(abstract) if isinstance(abstract, str) else abstract,
        year=next(created, None) or fields.get("update_date"),
        authors=_authors(fields),
        venue=fields.get("journal-ref"),
        doi=fields.get("doi"),
        arxiv=identifier,
        url=f"https://arxiv.org/abs/{identifier}",
        retracted=_is_withdrawn(fields.get("comments"), abstract),
    )


def _is_withdrawn(*texts: object) -> bool:
    """Whether the comments or the abstract begin with it: arXiv has no field for that."""
    return any(isinstance(text, str) and bool(_WITHDRAWN.match(text)) for text in texts)


def _authors(fields: Fields) -> list[str]:
    parsed = fields.get("authors_parsed")
    if isinstance(parsed, list):  # of [last, first, suffix, affiliation…]
        names = [name for name in parsed if isinstance(name, list)]
        return [plain(person(*name[1:2], *name[:1], *name[2:3])) for name in names]
    authors = fields.get("authors")
    return [plain(name) for name in authors.replace(" and ", ", ").split(",")] if isinstance(authors, str) else []


ARXIV = Reader(
    name="arxiv",
    description="arXiv metadata snapshot: JSON lines with versions and authors_parsed",
    endings=(".json", ".jsonl"),
    detect=lambda head: head.keys >= {"id", "authors_parsed"} or head.keys >= {"id", "versions", "categories"},
    read=record_reader(json_records, _paper),
    by_line=JSON_LINES,
)


def paper_of_entry(entry: Element) -> RawPaper:
    """The preprint of an entry; names of elements are without their namespaces.

    Raises:
        RecordError: it is an error of the API.
    """
    first = partial(first_text, entry)
    identifier = arxiv_key(first("id"))
    if not identifier:  # http://arxiv.org/api/errors#…
        raise RecordError(f"no preprint, but {first('title') or 'nothing'}: {first('summary')[:200]}")
    return RawPaper(
        id=identifier,
        title=plain(first("title")),
        abstract=with_accents(first("summary")),
        year=first("published", "updated"),
        authors=[text(name) for name in entry.iterfind("author/name")],
        venue=first("journal_ref"),
        doi=first("doi"),
        arxiv=identifier,
        url=f"https://arxiv.org/abs/{identifier}",
        retracted=_is_withdrawn(first("comment"), first("summary")),
    )


ARXIV_ATOM = Reader(
    name="arxiv_atom",
    description="arXiv's API: its answers (Atom)",
    endings=(".xml", ".atom"),
    detect=lambda head: is_xml(head, b"<feed", b"arxiv.org/api/"),
    read=record_reader(partial(xml_records, names={"entry"}), paper_of_entry),
)
