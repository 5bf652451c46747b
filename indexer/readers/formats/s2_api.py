"""Answers of the Semantic Scholar API (Academic Graph, Recommendations): single papers, lists and pages, as they come.

Pages of a paper's references or citations hold each paper within an object of its own.
"""

import re
from collections.abc import Iterator

from indexer.identity.identifiers import pubmed_address
from indexer.readers.base import Found, RawPaper, Reader, papers_of
from indexer.readers.head import Head
from indexer.readers.json_records import Fields, array_records, json_records, mapping, objects, paper_as_named
from indexer.readers.streams import TextFile

_PAGE = re.compile(r'"(?:data|recommendedPapers)"\s*:\s*\[')
_WITHIN = ("citedPaper", "citingPaper")


def _detect(head: Head) -> bool:
    return '"paperId"' in head.text and (_is_page(head) or "paperId" in head.keys)


def _is_page(head: Head) -> bool:
    return head.text.lstrip()[:1] == "{" and "paperId" not in head.keys and bool(_PAGE.search(head.text))


def _read(file: TextFile) -> Iterator[Found]:
    return papers_of(array_records(file.body, _PAGE) if _is_page(file.head) else json_records(file), paper_of_record)


def paper_of_record(where: str, fields: Fields) -> RawPaper:
    """The paper of a record of the API, or of an entry of one of its pages."""
    fields = next((fields[name] for name in _WITHIN if isinstance(fields.get(name), dict)), fields)
    outside = mapping(fields.get("externalIds"))
    address = pubmed_address(str(outside["PubMed"])) if outside.get("PubMed") else None
    return paper_as_named(
        where,
        fields,
        id=fields.get("paperId"),
        venue=fields.get("venue") or mapping(fields.get("journal")).get("name"),
        doi=outside.get("DOI"),
        arxiv=outside.get("ArXiv"),
        url=address or fields.get("url"),
        # Of what Semantic Scholar could not identify it knows the title alone.
        citations=[cited["paperId"] for cited in objects(fields.get("references")) if cited.get("paperId")],
    )


S2_API = Reader(
    name="s2_api",
    description="Semantic Scholar: answers of its API",
    endings=(".json", ".jsonl"),
    detect=_detect,
    read=_read,
    by_line=lambda head: head.is_json_lines and not _is_page(head),
)
