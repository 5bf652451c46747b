"""Answers of arXiv's API (export.arxiv.org/api/query) as they come: Atom feeds with a preprint an entry.

The year is that of the first version, as in the metadata snapshot, and ids are without their version.
"""

from functools import partial
from xml.etree.ElementTree import Element  # parsing is defusedxml's

from indexer.identity.identifiers import arxiv_key
from indexer.readers.base import Found, Malformed, RawPaper, Reader, record_reader
from indexer.readers.latex import plain
from indexer.readers.xml_records import first_text, is_xml, text, xml_records


def paper_of_entry(where: str, entry: Element) -> Found:
    """The preprint of an entry; names of elements are without their namespaces."""
    first = partial(first_text, entry)
    identifier = arxiv_key(first("id"))
    if not identifier:  # http://arxiv.org/api/errors#…
        return Malformed(where, f"no preprint, but {first('title') or 'nothing'}: {first('summary')[:200]}")
    return RawPaper(
        where,
        id=identifier,
        title=plain(first("title")),
        abstract=first("summary"),
        year=first("published", "updated"),
        authors=[text(name) for name in entry.iterfind("author/name")],
        venue=first("journal_ref"),
        doi=first("doi"),
        arxiv=identifier,
        url=f"https://arxiv.org/abs/{identifier}",
    )


ARXIV_ATOM = Reader(
    name="arxiv_atom",
    description="arXiv's API: its answers (Atom)",
    endings=(".xml", ".atom"),
    detect=lambda head: is_xml(head) and all(mark in head.data for mark in (b"<feed", b"arxiv.org/api/")),
    read=record_reader(partial(xml_records, names={"entry"}), paper_of_entry),
)
