"""S2ORC in its three shapes.

The static releases (allenai/s2orc, 2019 and 2020) describe a paper in a line of `metadata/`. The datasets of the
Semantic Scholar API hold one text with annotated spans instead: title and abstract are cut out of it, and the
bibliography names the cited papers by corpus id. There the text lies under `content`, or, in `s2orc_v2`, under
`body` and `bibliography`.
"""

from collections.abc import Iterator

from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.head import Head
from indexer.readers.json_records import JSON_LINES, Fields, json_records, mapping, names, objects, unquoted
from indexer.readers.markup import parted_person, person

_STATIC = {"outbound_citations", "has_outbound_citations", "pmc_id", "s2_pdf_hash", "grobid_parse"}


def _detect(head: Head) -> bool:
    if "paper_id" in head.keys:
        return bool({"title", "metadata"} & head.keys and {*_STATIC, "metadata"} & head.keys)
    return "corpusid" in head.keys and bool({"content", "body", "bibliography"} & head.keys)


def _paper(where: str, fields: Fields) -> RawPaper:
    return _annotated_paper(where, fields) if "corpusid" in fields else _static_paper(where, fields)


def _static_paper(where: str, fields: Fields) -> RawPaper:
    described = {**fields, **mapping(fields.get("metadata"))}
    abstract = described.get("abstract")
    paper_id = fields.get("paper_id")
    return RawPaper(
        where,
        id=paper_id,
        title=described.get("title"),
        abstract=abstract.replace(":::", " ") if isinstance(abstract, str) else abstract,  # breaks between parts
        year=described.get("year"),
        authors=[
            parted_person(author.get("last"), person(author.get("first"), author.get("middle")), author.get("suffix"))
            for author in objects(described.get("authors"))
        ],
        venue=described.get("venue") or described.get("journal"),
        doi=described.get("doi"),
        arxiv=described.get("arxiv_id"),
        url=described.get("s2_url"),
        citations=described.get("outbound_citations"),
    )


def _annotated_paper(where: str, fields: Fields) -> RawPaper:
    content = mapping(fields.get("content")) or mapping(fields.get("body"))
    text = content.get("text")
    text = text if isinstance(text, str) else ""
    annotations = mapping(content.get("annotations"))
    references = {**annotations, **mapping(mapping(fields.get("bibliography")).get("annotations"))}
    access = mapping(fields.get("openaccessinfo"))
    outside = mapping(fields.get("externalids")) or mapping(access.get("externalids"))
    outside = {key.lower(): value for key, value in outside.items()}
    corpus_id = fields.get("corpusid")
    return RawPaper(
        where,
        id=corpus_id,
        title=fields.get("title") or " ".join(_cut(text, annotations.get("title"))),
        abstract=fields.get("abstract") or " ".join(_cut(text, annotations.get("abstract"))),
        year=fields.get("year"),
        authors=names(fields.get("authors")) or list(_cut(text, annotations.get("author"))),
        venue=" ".join(_cut(text, annotations.get("venue"))),
        doi=outside.get("doi"),
        arxiv=outside.get("arxiv"),
        url=f"https://api.semanticscholar.org/CorpusID:{corpus_id}",
        citations=list(_cited(references.get("bibentry") or references.get("bib_entry"))),
    )


def _cut(text: str, annotation: object) -> Iterator[str]:
    for span in objects(unquoted(annotation)):
        start, end = _offset(span.get("start")), _offset(span.get("end"))
        if start is not None and end is not None and start < end:
            yield " ".join(text[start:end].split())


def _offset(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and value >= 0 else None


def _cited(annotation: object) -> Iterator[object]:
    for span in objects(unquoted(annotation)):
        yield mapping(span.get("attributes")).get("matched_paper_id")


S2ORC = Reader(
    name="s2orc",
    description="S2ORC: metadata of the static releases, or the s2orc and s2orc_v2 datasets of Semantic Scholar",
    endings=(".jsonl", ".json"),
    detect=_detect,
    read=record_reader(json_records, _paper),
    by_line=JSON_LINES,
    companions=("pdf_parses/*", "RELEASE_NOTES", "LICENSE"),
)
