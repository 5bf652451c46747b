"""Our own format: one paper a line, with the field names of `Paper`."""

from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.json_records import JSON_LINES, Fields, json_records, paper_as_named
from indexer.readers.name_lists import listed_names


def _paper(fields: Fields) -> RawPaper:
    paper = paper_as_named(fields)
    if isinstance(paper.authors, str):
        paper.authors = listed_names(paper.authors)
    return paper


JSONL = Reader(
    name="jsonl",
    description="citescout's own JSON lines: id, title, abstract, year, authors, venue, doi, arxiv, url, citations,"
    " retracted",
    endings=(".jsonl", ".ndjson", ".json"),
    detect=lambda head: "id" in head.keys and bool({"title", "abstract"} & head.keys),
    read=record_reader(json_records, _paper),
    by_line=JSON_LINES,
    last_resort=True,
)
