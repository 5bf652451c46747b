"""Semantic Scholar Academic Graph datasets: papers, abstracts and citations lie in files of their own.

The files are joined by corpus id, which is a number in some files and text in others. An edge may be listed more
than once, and its cited end may be null.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from common.errors import SourceError
from indexer.readers.base import Found, Malformed, RawPaper, Reader, papers_of
from indexer.readers.head import Head
from indexer.readers.join import Join, temporary_join
from indexer.readers.json_records import Fields, json_records, mapping, paper_as_named
from indexer.readers.source import SourceFile


def _kind(head: Head) -> str | None:
    keys = head.keys
    if {"citingcorpusid", "citedcorpusid"} <= keys:
        return "citations"
    if "corpusid" not in keys or {"content", "body", "bibliography"} & keys:
        return None
    if "title" in keys:
        return "papers"
    return "abstracts" if "abstract" in keys else None


def _read(files: Sequence[SourceFile]) -> Iterator[Found]:
    papers: list[SourceFile] = []
    with temporary_join() as join:
        for file in files:
            kind = _kind(file.head())
            if kind == "papers":
                papers.append(file)
            elif kind is not None:
                yield from papers_of(_records(file), partial(_store, join, kind))
        if not papers:
            raise SourceError(f"{files[0].name}: abstracts or citations without their papers; name the folder of all")
        join.finish()
        for file in papers:
            yield from papers_of(_records(file), partial(_paper, join))


def _records(file: SourceFile) -> Iterator[tuple[str, Fields | Malformed]]:
    with file.open() as opened:
        for where, fields in json_records(opened):
            place = f"{file.name}: {where}"
            yield place, Malformed(place, fields.reason) if isinstance(fields, Malformed) else fields


def _store(join: Join, kind: str, where: str, fields: Fields) -> None:
    paper, value = ("corpusid", "abstract") if kind == "abstracts" else ("citingcorpusid", "citedcorpusid")
    if isinstance(fields.get(paper), str | int) and isinstance(fields.get(value), str | int):
        join.add(kind, str(fields[paper]), str(fields[value]))


def _paper(join: Join, where: str, fields: Fields) -> RawPaper:
    outside = {key.lower(): value for key, value in mapping(fields.get("externalids")).items()}
    corpus_id = fields.get("corpusid")
    key = str(corpus_id)
    return paper_as_named(
        where,
        fields,
        id=corpus_id,
        abstract=fields.get("abstract") or join.value("abstracts", key),
        venue=fields.get("venue") or mapping(fields.get("journal")).get("name"),
        doi=outside.get("doi"),
        arxiv=outside.get("arxiv"),
        citations=join.values("citations", key),
    )


S2AG = Reader(
    name="s2ag",
    description="Semantic Scholar Academic Graph: a folder with the papers, abstracts and citations datasets",
    endings=(".jsonl", ".json"),
    detect=lambda head: _kind(head) is not None,
    read_together=_read,
    companions=(
        *("README.txt", "metadata.json", "authors/*", "tldrs/*"),
        *("paper-ids/*", "publication-venues/*", "embeddings*/*"),
    ),
)
