"""Who wrote the papers of a corpus: NAME.meta.jsonl(.gz) beside NAME.jsonl(.gz), one JSON object a line.

Each has the `id` of a paper and its `authors`, a list of names; other fields are not read.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import orjson

from common.errors import SourceError

META = ".meta.jsonl"  # behind the name of a corpus

Authors = dict[str, tuple[str, ...]]  # paper id → names


def read_authors(papers: Path) -> Authors:
    """The authors of the corpus in this file; empty where no file of authors is beside it.

    Raises:
        SourceError: the file of authors cannot be read, or a line is malformed.
    """
    name = papers.name.removesuffix(".gz").removesuffix(".jsonl")
    path = next((file for end in (".gz", "") if (file := papers.parent / f"{name}{META}{end}").is_file()), None)
    if path is None:
        return {}
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError) as error:
        raise SourceError(f"{path}: cannot be read ({error})") from None
    lines = enumerate(data.splitlines(), start=1)
    return dict(_record(line, f"{path}, line {number}") for number, line in lines if line.strip())


def _record(line: bytes, place: str) -> tuple[str, tuple[str, ...]]:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise SourceError(f"{place}: not JSON") from None
    paper, authors = (record.get("id"), record.get("authors")) if isinstance(record, dict) else (None, None)
    names = authors if isinstance(authors, list) else [None]
    if not isinstance(paper, str) or not all(isinstance(name, str) for name in names):
        raise SourceError(f'{place}: must have an "id" and "authors", a list of names')
    return paper, tuple(names)
