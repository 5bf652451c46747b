"""The arXiv metadata snapshot (arxiv-metadata-oai-snapshot.json on Kaggle): JSON lines.

`update_date` is the date of the last change to the record, so the year is that of the first version. Accents in
titles and names are LaTeX and are decoded; abstracts keep their formulas as they are.
"""

from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.json_records import JSON_LINES, Fields, json_records, objects
from indexer.readers.latex import plain
from indexer.readers.markup import person


def _paper(where: str, fields: Fields) -> RawPaper:
    identifier = fields.get("id")
    title = fields.get("title")
    created = (version.get("created") for version in objects(fields.get("versions")))
    return RawPaper(
        where,
        id=identifier,
        title=plain(title) if isinstance(title, str) else title,
        abstract=fields.get("abstract"),
        year=next(created, None) or fields.get("update_date"),
        authors=_authors(fields),
        venue=fields.get("journal-ref"),
        doi=fields.get("doi"),
        arxiv=identifier,
        url=f"https://arxiv.org/abs/{identifier}",
    )


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
