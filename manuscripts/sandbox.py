"""Files that anybody may have made are parsed in a process of their own, which is bounded and may be killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import orjson

from common.errors import SourceError
from indexer.paper import Paper
from manuscripts.draft import Draft
from manuscripts.limits import MAX_BYTES, PATIENCE, REFUSED

_ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd")


def read_draft(data: bytes) -> Draft:
    """Title and abstract of a draft as text, LaTeX or PDF; told by content.

    Raises:
        SourceError: it is none of these, damaged, too large, takes too long, or has neither title nor abstract.
    """
    record = _run("draft", data)
    return Draft(record["title"], record["abstract"])


def read_references(data: bytes) -> list[Paper]:
    """The works in a bibliography (BibTeX, RIS, CSL-JSON, …), the first 2,000 of them, without abstracts.

    Raises:
        SourceError: it is in no known format, damaged, too large, or takes too long.
    """
    if data.startswith(_ARCHIVES):
        raise SourceError("the bibliography is compressed: unpack it first")
    return [Paper(**{**record, "authors": tuple(record["authors"])}) for record in _run("references", data)]


def read_pdf(data: bytes) -> dict[str, Any]:
    """Title, abstract, doi, arxiv and year of a paper as PDF.

    Raises:
        SourceError: it is damaged, encrypted, too large, takes too long, or its first pages hold no text.
    """
    record: dict[str, Any] = _run("paper", data)
    return record


def _run(task: Literal["draft", "references", "paper"], data: bytes) -> Any:
    if not data.strip():
        raise SourceError("the file is empty")
    if len(data) > MAX_BYTES:
        raise SourceError(f"the file is larger than {MAX_BYTES >> 20} MB")
    # No secrets of this process; the module path makes the child find the same packages.
    modules = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    environment = {"PYTHONPATH": modules, "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
    command = [sys.executable, "-P", "-m", "manuscripts.worker", task]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and module; the file comes as input
            command, input=data, capture_output=True, timeout=PATIENCE, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        raise SourceError("the file takes too long to read") from None
    if done.returncode == REFUSED and (lines := done.stderr.decode("utf-8", "replace").strip().splitlines()):
        raise SourceError(lines[-1][:300])
    if done.returncode:
        raise SourceError("the file takes too much time or memory to read")
    return orjson.loads(done.stdout)
