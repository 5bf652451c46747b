"""Our own format: one paper a line, with the field names of `Paper`."""

from indexer.identity.keys import address_with_pmid
from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.fields import identifier
from indexer.readers.json_records import JSON_LINES, Fields, json_records, paper_as_named


def _paper(fields: Fields) -> RawPaper:
    paper = paper_as_named(fields)
    paper.url = address_with_pmid(paper.url, identifier(fields.get("pmid")), paper.doi)
    return paper


JSONL = Reader(
    name="jsonl",
    description="citescout's own JSON lines: id, title, abstract, year, authors, venue, doi, arxiv, pmid, url,"
    " citations, retracted",
    endings=(".jsonl", ".ndjson", ".json"),
    detect=lambda head: "id" in head.keys and bool({"title", "abstract"} & head.keys),
    read=record_reader(json_records, _paper),
    by_line=JSON_LINES,
    last_resort=True,
)
