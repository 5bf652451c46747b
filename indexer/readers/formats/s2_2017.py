"""Semantic Scholar Open Research Corpus as published until 2017-2019: JSON lines with `paperAbstract`."""

from indexer.readers.base import RawPaper, Reader, record_reader, register
from indexer.readers.json_records import Fields, json_records, names


def _paper(where: str, fields: Fields) -> RawPaper:
    return RawPaper(
        where,
        id=fields.get("id"),
        title=fields.get("title"),
        abstract=fields.get("paperAbstract"),
        year=fields.get("year"),
        authors=names(fields.get("authors")),
        venue=fields.get("venue") or fields.get("journalName"),
        doi=fields.get("doi"),
        url=fields.get("s2Url"),
        citations=fields.get("outCitations"),
    )


register(
    Reader(
        name="s2_2017",
        description="Semantic Scholar Open Research Corpus, 2017 to 2020 (paperAbstract, outCitations)",
        endings=(".json", ".jsonl", ".txt"),
        detect=lambda head: "paperAbstract" in head.keys,
        read=record_reader(json_records, _paper),
        companions=("sample-S2-records", "license.txt"),
    )
)
