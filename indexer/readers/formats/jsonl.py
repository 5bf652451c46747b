"""Our own format: one paper a line, with the field names of `Paper`."""

from indexer.readers.base import Reader, record_reader, register
from indexer.readers.json_records import JSON_LINES, json_records, paper_as_named

register(
    Reader(
        name="jsonl",
        description="citescout's own JSON lines: id, title, abstract, year, authors, venue, doi, arxiv, url, citations,"
        " retracted",
        endings=(".jsonl", ".ndjson", ".json"),
        detect=lambda head: "id" in head.keys and bool({"title", "abstract"} & head.keys),
        read=record_reader(json_records, paper_as_named),
        by_line=JSON_LINES,
        last_resort=True,
    )
)
