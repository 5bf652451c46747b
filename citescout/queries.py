"""Reading queries: JSON lines of our own, or papers in any format that the index reads."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import orjson

from common.errors import QueryError, SourceError
from retrieval.query import Query


def read_queries(source: str) -> list[Query]:
    """All queries of a file, or of standard input for "-".

    JSON lines hold `title` and `abstract` (one of them is enough) and may hold `id`, `year`, `already_cited`, `liked`
    and `disliked`. Anything else is read as papers, each of which becomes a query. A query without an id is called
    after its line, `line-7`.

    Raises:
        SourceError: the file is missing, or holds no query.
        QueryError: a line is no query; names the line.
    """
    if source == "-":
        return _parsed(sys.stdin.buffer.read(), "standard input")
    path = Path(source)
    if not path.exists():
        raise SourceError(f"no such file: {source}")
    if path.suffix in {".jsonl", ".json", ".ndjson"}:
        return _parsed(path.read_bytes(), source)
    from indexer.readers import read_papers

    papers = read_papers([source], strict=True)
    queries = [Query(paper.title, paper.abstract, paper.id, paper.year) for paper in papers]
    if not queries:
        raise SourceError(f"{source} holds no query")
    return queries


def _parsed(data: bytes, name: str) -> list[Query]:
    queries = []
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            queries.append(_query(line, f"{name}, line {number}", f"line-{number}"))
    if not queries:
        raise SourceError(f"{name} holds no query: one JSON object a line, with a title or an abstract")
    return queries


def _query(line: bytes, place: str, default_id: str) -> Query:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise QueryError(f"{place}: not JSON ({error})") from None
    if not isinstance(record, dict):
        raise QueryError(f"{place}: not a JSON object")
    return query_from_record(record, place, default_id)


def query_from_record(record: dict[str, Any], place: str, default_id: str = "") -> Query:
    """A query from the fields of a JSON object; the web API reads its requests by the same rules.

    Raises:
        QueryError: a field of the wrong type, or neither title nor abstract; `place` says where.
    """
    title, abstract = record.get("title") or "", record.get("abstract") or ""
    if not isinstance(title, str) or not isinstance(abstract, str):
        raise QueryError(f"{place}: title and abstract must be text")
    year = record.get("year")
    if year is not None and (isinstance(year, bool) or not isinstance(year, int)):
        raise QueryError(f"{place}: year must be a whole number, not {year!r}")
    ids = {name: _ids(record, name, place) for name in ("already_cited", "liked", "disliked")}
    identity = str(record.get("id") or default_id)
    if not title.strip() and not abstract.strip():
        raise QueryError(f"{place}: the query has neither a title nor an abstract")
    return Query(title, abstract, identity, year, **ids)


def _ids(record: dict[str, Any], name: str, place: str) -> tuple[str, ...]:
    ids = record.get(name) or []
    if not isinstance(ids, list) or not all(isinstance(entry, str) for entry in ids):
        raise QueryError(f"{place}: {name} must be a list of ids")
    return tuple(ids)
