"""What the tests of all formats need."""

import json
from pathlib import Path
from typing import Any

from indexer.paper import Paper
from indexer.readers import ReadReport, read_papers
from indexer.readers.base import readers
from indexer.readers.head import HEAD_BYTES, Head


def write(path: Path, content: str | bytes) -> str:
    """Write a file of a test, with its folders, and return its path as text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def json_lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def read(*sources: str | Path, **options: Any) -> tuple[dict[str, Paper], ReadReport]:
    """Papers by id, and the report."""
    report = ReadReport()
    papers = {p.id: p for p in read_papers([str(s) for s in sources], report=report, **options)}
    return papers, report


def detecting(path: str) -> list[str]:
    """All formats, other than the last resort, that take the file for theirs."""
    head = Head(path, Path(path).read_bytes()[:HEAD_BYTES])
    claims = [reader for reader in readers() if reader.detect(head)]
    return [reader.name for reader in claims if not reader.last_resort] or [reader.name for reader in claims]


def of_format(name: str, path: Path, content: str | bytes) -> str:
    """`write` a file that only the format of that name takes for its own."""
    written = write(path, content)
    assert detecting(written) == [name]
    return written
