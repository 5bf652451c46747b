"""Semantic Scholar Open Research Corpus as published until 2017-2019: JSON lines with `paperAbstract`."""

from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.json_records import JSON_LINES, Fields, json_records, paper_as_named


def _paper(where: str, fields: Fields) -> RawPaper:
    return paper_as_named(
        where,
        fields,
        abstract=fields.get("paperAbstract"),
        venue=fields.get("venue") or fields.get("journalName"),
        url=fields.get("s2Url"),
        citations=fields.get("outCitations"),
    )


S2_2017 = Reader(
    name="s2_2017",
    description="Semantic Scholar Open Research Corpus, 2017 to 2020 (paperAbstract, outCitations)",
    endings=(".json", ".jsonl", ".txt"),
    detect=lambda head: "paperAbstract" in head.keys,
    read=record_reader(json_records, _paper),
    by_line=JSON_LINES,
    companions=("sample-S2-records", "license.txt"),
)
