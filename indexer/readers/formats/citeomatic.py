"""Citeomatic's `corpus.json` of DBLP, PubMed and Open Research: JSON lines with `out_citations`."""

from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.json_records import JSON_LINES, Fields, json_records, paper_as_named


def _paper(where: str, fields: Fields) -> RawPaper:
    # `title` and `abstract` are cut into lower-case tokens: the texts that the published figures were measured on.
    return paper_as_named(
        where,
        fields,
        title=fields.get("title") or fields.get("title_raw"),
        abstract=fields.get("abstract") or fields.get("abstract_raw"),
        url=fields.get("s2_url"),
        citations=fields.get("out_citations"),
    )


CITEOMATIC = Reader(
    name="citeomatic",
    description="Citeomatic's corpus.json of DBLP, PubMed or Open Research (out_citations)",
    endings=(".json", ".jsonl"),
    detect=lambda head: "out_citations" in head.keys,
    read=record_reader(json_records, _paper),
    by_line=JSON_LINES,
)
