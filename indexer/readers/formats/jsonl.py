"""Our own format: one paper a line, with the field names of `Paper`."""

from indexer.readers.base import RawPaper, Reader, record_reader, register
from indexer.readers.json_records import Fields, json_records, names

_TEXT = {"title", "abstract"}


def _paper(where: str, fields: Fields) -> RawPaper:
    authors = fields.get("authors")
    return RawPaper(
        where,
        id=fields.get("id"),
        title=fields.get("title"),
        abstract=fields.get("abstract"),
        year=fields.get("year"),
        authors=names(authors) if isinstance(authors, list) else authors,
        venue=fields.get("venue"),
        doi=fields.get("doi"),
        arxiv=fields.get("arxiv"),
        url=fields.get("url"),
        citations=fields.get("citations"),
        retracted=fields.get("retracted"),
    )


register(
    Reader(
        name="jsonl",
        description="citescout's own JSON lines: id, title, abstract, year, authors, venue, doi, arxiv, url, citations,"
        " retracted",
        endings=(".jsonl", ".ndjson", ".json"),
        detect=lambda head: "id" in head.keys and bool(_TEXT & head.keys),
        read=record_reader(json_records, _paper),
        last_resort=True,
    )
)
