"""BEIR collections: the papers of corpus.jsonl; queries and judgements beside it hold none.

Collections made of papers, such as SciDocs, keep year, authors and references in `metadata`.
"""

from indexer.readers.base import RawPaper, Reader, record_reader
from indexer.readers.json_records import JSON_LINES, Fields, json_records, mapping, paper_as_named


def _paper(fields: Fields) -> RawPaper:
    metadata = mapping(fields.get("metadata"))
    references = metadata.get("references")
    return paper_as_named(
        metadata,
        id=fields.get("_id"),
        title=fields.get("title"),
        abstract=fields.get("text"),
        citations=references if isinstance(references, list) else None,
    )


BEIR = Reader(
    name="beir",
    description="BEIR collection: folder or zip with corpus.jsonl (_id, title, text, metadata)",
    endings=("corpus.jsonl",),
    detect=lambda head: {"_id", "text"} <= head.keys and ("title" in head.keys or head.file_name == "corpus.jsonl"),
    read=record_reader(json_records, _paper),
    by_line=JSON_LINES,
    companions=("queries.jsonl", "qrels/*.tsv"),
)
