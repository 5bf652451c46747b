"""A file that somebody dropped or chose: the manuscript, or a bibliography of what it cites."""

from __future__ import annotations

import re
from typing import Any, Literal

from flask import Blueprint, jsonify, request

from common.errors import QueryError
from webui.uploads import allow_files, draft_fields, reference_fields

blueprint = Blueprint("dropped", __name__)

Kind = Literal["draft", "references"]
_FIELD = "file"
_ENDINGS = (".bib", ".ris", ".json", ".nbib", ".enw")
_HEAD = 4096  # bytes in which a bibliography shows itself
# A BibTeX entry, the first tag of RIS, or the list of CSL-JSON.
_BIBLIOGRAPHY = re.compile(rb"^\s*(?:%[^\n]*\n\s*)*(?:@\w+\s*[{(]|TY  - |\[\s*\{)", re.ASCII)


@blueprint.post("/api/file")
def read() -> Any:
    """What the file `file` of a form is: `kind`, and what `/api/draft` or `/api/references` gives for it."""
    allow_files()
    found = from_file()
    if found is None:
        raise QueryError("choose a file: your manuscript, or a bibliography")
    return jsonify(found)


def from_file() -> dict[str, Any] | None:
    """`kind`, `name` and what the uploaded file `file` holds; None where there is none.

    Raises:
        QueryError: it cannot be read; says why.
    """
    uploaded = request.files.get(_FIELD)
    if uploaded is None or not uploaded.filename:
        return None
    head = uploaded.stream.read(_HEAD)
    uploaded.stream.seek(0)
    kind = kind_of(uploaded.filename, head)
    found = draft_fields(_FIELD) if kind == "draft" else reference_fields(_FIELD)
    name = uploaded.filename.rpartition("/")[2][:100]
    return {"kind": kind, "name": name, **(found or {})}


def kind_of(name: str, head: bytes) -> Kind:
    """Whether a file of this name that begins like this is a bibliography."""
    return "references" if name.lower().endswith(_ENDINGS) or _BIBLIOGRAPHY.match(head) else "draft"
