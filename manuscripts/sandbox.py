"""Files that anybody may have made are parsed in a process of their own, which is bounded and may be killed."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import orjson

from common.errors import SourceError
from common.processes import module_path
from indexer.paper import Paper
from manuscripts.limits import MAX_ARCHIVE, MAX_BYTES, OWN_PATIENCE, PATIENCE, REFUSED
from manuscripts.manuscript import Manuscript
from manuscripts.manuscript_json import manuscript_of, paper_of
from manuscripts.packing import packed

_ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd")


def read_manuscript(source: Path | bytes) -> Manuscript:
    """A manuscript in LaTeX, Markdown, Word, LibreOffice, PDF or plain text: a file, folder, zip archive, or bytes.

    A file's format is recognised by its content. Files that a named one includes are looked for in its folder.

    Raises:
        SourceError: it is none of these, damaged, too large, takes too long, holds files that include each other in a
            circle, or has neither title nor abstract.
    """
    if isinstance(source, bytes):
        return manuscript_of(_run("manuscript", source))
    handed = packed(source)
    try:
        found = manuscript_of(_run("manuscript", handed.data, handed.root, limit=MAX_ARCHIVE, patience=OWN_PATIENCE))
    except SourceError as error:
        raise SourceError(f"{source}: {error}") from None
    left = [note.file for note in handed.notes if note.file]
    missing = [note for note in found.notes if not any(map(note.is_about, left))]
    return replace(found, notes=(*handed.notes, *missing))


def read_references(data: bytes) -> list[Paper]:
    """The works in a bibliography (BibTeX, RIS, CSL-JSON, …), the first 2,000 of them, without abstracts.

    Raises:
        SourceError: it is in no known format, damaged, too large, or takes too long.
    """
    if data.startswith(_ARCHIVES):
        raise SourceError("the bibliography is compressed: unpack it first")
    return [paper_of(record) for record in _run("references", data)]


def read_pdf(data: bytes) -> dict[str, Any]:
    """Title, abstract, doi, arxiv and year of a paper as PDF.

    Raises:
        SourceError: it is damaged, encrypted, too large, takes too long, or its first pages hold no text.
    """
    record: dict[str, Any] = _run("paper", data)
    return record


def _run(
    task: Literal["manuscript", "references", "paper"],
    data: bytes,
    *arguments: str,
    limit: int = MAX_BYTES,
    patience: float | None = None,
) -> Any:
    if not data.strip():
        raise SourceError("the file is empty")
    if len(data) > limit:
        raise SourceError(f"the file is larger than {limit >> 20} MB")
    # No secrets of this process.
    environment = {"PYTHONPATH": module_path(), "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
    command = [sys.executable, "-P", "-m", "manuscripts.worker", task, *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and module; the file comes as input
            command, input=data, capture_output=True, timeout=patience or PATIENCE, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        raise SourceError("the file takes too long to read") from None
    except OSError as error:  # as another user, who may not run this interpreter
        raise SourceError(f"cannot start {sys.executable}, which would read the file: {error.strerror}") from None
    if done.returncode == REFUSED and (lines := done.stderr.decode("utf-8", "replace").strip().splitlines()):
        raise SourceError(lines[-1][:300])
    if done.returncode:
        raise SourceError("the file takes too much time or memory to read")
    return orjson.loads(done.stdout)
