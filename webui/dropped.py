"""Files that somebody dropped or chose: a manuscript, in one file or several, or bibliographies of what it cites."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from flask import Blueprint, jsonify, redirect, url_for
from flask.typing import ResponseReturnValue

from common.errors import QueryError
from indexer.readers.base import endings
from indexer.readers.head import COMPRESSED
from manuscripts.files import decoded
from manuscripts.formats import KINDS, MAINS, TEXT
from manuscripts.manuscript import Manuscript, Note
from manuscripts.packing import packed_files, parts_of
from manuscripts.roots import is_about_files
from manuscripts.unpacking import ENDINGS, names_in
from webui.site import session_of_request, site
from webui.store_file import FullError
from webui.uploads import draft_record, read_draft, refusals, uploaded, works_of, works_record

blueprint = Blueprint("dropped", __name__)

Kind = Literal["draft", "references"]
_FIELD = "file"
BIBLIOGRAPHIES = endings()
MANUSCRIPTS = (*MAINS, TEXT, ".zip", ".gz", ".tgz")
_BIBLIOGRAPHIES = (*BIBLIOGRAPHIES, ".zip", *COMPRESSED)
# What the page's fields of files offer: a manuscript, a bibliography, either or what belongs to one.
ACCEPTED = {
    "accept_manuscript": ",".join((*MANUSCRIPTS, "text/plain", "application/pdf")),
    "accept_bibliography": ",".join(_BIBLIOGRAPHIES),
    "accept_any": ",".join(dict.fromkeys((*MANUSCRIPTS, *ENDINGS, *_BIBLIOGRAPHIES, "text/plain", "application/pdf"))),
}
_PLAIN = tuple(ending for ending in BIBLIOGRAPHIES if ending != TEXT)
_REFERENCES = (*_PLAIN, *(plain + packed for plain in _PLAIN for packed in COMPRESSED))
_HEAD = 4096  # bytes in which a bibliography shows itself
_SHOWN_NAME = 100  # characters
# A BibTeX entry, the list of CSL-JSON, or what RIS, PubMed and Web of Science begin with, which save as .txt.
_BIBLIOGRAPHY = re.compile(
    r"^\s*(?:%[^\n]*\n\s*)*(?:@\w+\s*[{(]|\[\s*\{|TY  - |PMID- ?\d|FN [^\n]+\nVR \d|PT\tAU\t)", re.ASCII
)
_NO_SESSIONS = "Its text can be shown sentence by sentence only where a server keeps sessions; this one does not"


@blueprint.post("/api/file")
def read() -> ResponseReturnValue:
    """What the files `file` of a form are: `kind`, and what is read of a draft or a bibliography.

    A manuscript is kept in the session of the request; `address` is then that of its text, else "".
    """
    found = from_files()
    if found is None:
        raise QueryError(f"choose a file: your manuscript ({KINDS}), or a bibliography")
    return jsonify(found)


@blueprint.post("/manuscript")
def open_text() -> ResponseReturnValue:
    """Keep the manuscript that the files `file` of a form are, and lead to its text."""
    files = _uploaded()
    if not files or _kind_of_all(files) != "draft":
        raise QueryError("choose your manuscript: a file, or all files of its folder")
    manuscript = _manuscript(files)
    if (found := session_of_request()) is None:
        raise QueryError(_NO_SESSIONS)
    sessions, session = found
    number = sessions.manuscripts.keep(session, _name(files), manuscript)
    return redirect(url_for("manuscript.show", number=number), 303)


def from_files() -> dict[str, Any] | None:
    """`kind`, `name` and what the uploaded files `file` hold; None where there are none.

    Raises:
        QueryError: they cannot be read; says why.
    """
    files = _uploaded()
    if not files:
        return None
    kind, name = _kind_of_all(files), _name(files)
    if kind == "references":
        return {"kind": kind, "name": name, **works_record(*works_of(files))}
    manuscript = _manuscript(files)
    address, remark = _kept(name, manuscript)
    return {"kind": kind, "name": name, **draft_record(manuscript), "address": address, "remark": remark}


def kind_of(name: str, data: bytes) -> Kind:
    """Whether a file of this name is a bibliography, or a zip archive of some beside which there is no manuscript."""
    name = name.lower()
    if name.endswith(".zip"):
        names = [path.lower() for path in names_in(data) if not is_about_files(path)]
        is_manuscript = any(one.endswith((*MAINS, TEXT)) for one in names)
        return "references" if not is_manuscript and any(one.endswith(_REFERENCES) for one in names) else "draft"
    head = data[:_HEAD]
    start = head[: head.rfind(b"\n") + 1] or head  # the last line may end within a character
    return "references" if name.endswith(_REFERENCES) or _BIBLIOGRAPHY.match(decoded(start)) else "draft"


def _kept(name: str, manuscript: Manuscript) -> tuple[str, str]:
    """The address of the text of a manuscript, "" where it is not kept, and then why."""
    if (found := session_of_request()) is None:
        return "", "" if site().sessions else f"{_NO_SESSIONS}."
    sessions, session = found
    try:
        number = sessions.manuscripts.keep(session, name, manuscript)
    except (FullError, QueryError) as error:
        return "", f"Its text is not kept: {error}."
    return url_for("manuscript.show", number=number), ""


def _uploaded() -> Mapping[str, bytes]:
    return uploaded(_FIELD, ": choose text and bibliography alone, or make the figures within a single file smaller")


def _manuscript(files: Mapping[str, bytes]) -> Manuscript:
    if len(files) == 1:
        ((name, data),) = files.items()
        return read_draft(data, name, part=True)
    with refusals():
        packed = packed_files(files)
    found = read_draft(packed, part=True)
    alone = {name for name in files if "/" not in name}  # chosen one by one
    left = alone.difference(parts_of(files))
    if found.lacks_bibliography and found.missing_bibliographies:
        left |= {name for name in alone if name.lower().endswith(".bib")}
    return replace(found, notes=(*found.notes, *(Note(f"not read: {name}", file=name) for name in sorted(left))))


def _kind_of_all(files: Mapping[str, bytes]) -> Kind:
    kinds = {kind_of(name, data) for name, data in files.items()}
    return "references" if kinds == {"references"} else "draft"


def _name(files: Mapping[str, bytes]) -> str:
    """What the files are called: their common folder, or the first of them, and how many there are."""
    paths = list(files)
    tops = {path.split("/")[0] for path in paths}
    if len(paths) > 1 and len(tops) == 1:
        return tops.pop()[:_SHOWN_NAME]
    drafts = (path for path in paths if kind_of(path, files[path]) == "draft")
    first = paths[0] if len(paths) == 1 else next(drafts, paths[0])
    name = first.rpartition("/")[2][:_SHOWN_NAME]
    return f"{name} and {len(paths) - 1} more" if len(paths) > 1 else name
