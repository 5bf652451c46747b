"""The page on which a visitor has an index built around a bibliography, where the server allows it."""

import io
import re
import zipfile
from pathlib import PurePath

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from common.errors import CitescoutError, QueryError, SourceError
from indexer.identity.identifiers import arxiv_key, bare_pmid, clean_doi, listed_ids
from manuscripts.files import decoded
from manuscripts.packing import OF_SEVERAL_FILES, packed_files
from webui.builds import SIZES, Builds
from webui.dropped import BIBLIOGRAPHIES, MANUSCRIPTS, kind_of
from webui.inputs import without_spaces_in_ids
from webui.prefixes import current_session, root_of
from webui.site import NotThereError, site, status_of
from webui.uploads import allow_files, read_draft, uploaded, works_of

blueprint = Blueprint("building", __name__)

# A manuscript is recognised by its ending; the format of a bibliography by its content.
_MANUSCRIPTS = tuple(ending for ending in MANUSCRIPTS if ending not in (*BIBLIOGRAPHIES, ".zip"))
_ENDINGS = (*BIBLIOGRAPHIES, ".zip", *_MANUSCRIPTS)
_MOST_NAMED = 2_000  # DOIs
_REFRESH = 5  # seconds
_SHOWN_NAME = 100  # characters of a file's name


@blueprint.route("/build", methods=["GET", "POST"])
def build() -> ResponseReturnValue:
    """The form; and the beginning of a build."""
    allow_files()
    builds = _builds()
    if request.method == "GET":
        return render_template("build.html", sizes=SIZES, fields={"name": request.args.get("name", "")}, error="")
    fields = {name: request.form.get(name, "").strip() for name in ("name", "dois", "size")}
    try:
        name = fields["name"]
        if name in site().indexes:
            raise QueryError(f"there is an index of the name {name}: choose another name")
        size = int(fields["size"]) if fields["size"] in map(str, SIZES) else SIZES[0]
        builds.start(name, _uploaded() or _named(fields["dois"]), size)
    except CitescoutError as error:
        status, message = status_of(error)
        return render_template("build.html", sizes=SIZES, fields=fields, error=message), status
    return redirect(url_for("building.progress", name=name), 303)


@blueprint.get("/build/<name>")
def progress(name: str) -> Response:
    """How far a build is; it asks for itself again until the index is there."""
    found = _builds().progress(name)
    if found is None:
        raise NotThereError("no index of this name is being built")
    address = f"{root_of(current_session(), name)}/"
    response = make_response(render_template("build_progress.html", build=found, address=address))
    if found.state == "building":
        response.headers["Refresh"] = str(_REFRESH)
    return response


@blueprint.post("/build/<name>/stop")
def stop(name: str) -> ResponseReturnValue:
    """End a build, such as one of the wrong file."""
    _builds().stop(name)
    return redirect(url_for("building.progress", name=name), 303)


def _builds() -> Builds:
    builds = site().builds
    if builds is None:
        raise NotThereError("this server builds no indexes")
    return builds


def _uploaded() -> tuple[str, bytes] | None:
    """Ending and contents of the file; None without one.

    Raises:
        QueryError: nothing in it can be looked up.
    """
    path, data = next(iter(uploaded("file").items()), ("", b""))
    if not data:
        return None
    name = PurePath(path).name[-_SHOWN_NAME:]
    ending = PurePath(name).suffix.lower()
    if ending not in _ENDINGS:
        raise QueryError(f"unsupported file: use one of {', '.join(_ENDINGS)}")
    _check_read(name, ending, data)
    if ending in OF_SEVERAL_FILES:  # by itself it may name bibliographies of this computer
        return ".zip", packed_files({f"manuscript{ending}": data})
    return ending, data


def _check_read(name: str, ending: str, data: bytes) -> None:
    """Raise QueryError for a file that the build would not read; of an archive it alone sees the files."""
    try:
        if ending == ".zip":
            if not zipfile.is_zipfile(io.BytesIO(data)):
                raise QueryError("no zip archive, or a damaged one")
        elif ending in _MANUSCRIPTS and kind_of(name, data) == "draft":
            if not read_draft(data, part=True, name=f"manuscript{ending}").entries:
                raise QueryError("it holds no bibliography: choose a .zip of its folder, or the bibliography itself")
        elif not listed_ids(decoded(data)):  # as it is: a compressed file is for the process that is bounded
            works_of({name: data})
    except (QueryError, SourceError) as error:
        raise QueryError(f"{name}: {error}") from None


def _named(text: str) -> list[str]:
    """The DOIs, PMIDs and arXiv ids of the field.

    Raises:
        QueryError: there is none, or something else is among them.
    """
    words = [word for word in re.split(r"[\s,;]+", without_spaces_in_ids(text)) if word]
    if not words:
        raise QueryError("choose a bibliography, or give DOIs")
    if len(words) > _MOST_NAMED:
        raise QueryError(f"more than {_MOST_NAMED:,} DOIs: choose a file")
    named = []
    for word in words:
        doi, arxiv, pmid = clean_doi(word), arxiv_key(word), bare_pmid(word)
        if not doi and not arxiv and not pmid:
            raise QueryError(f"'{word[:60]}' is no DOI, PMID or arXiv id")
        named.append(f"arXiv:{arxiv}" if arxiv else doi or f"PMID:{pmid}")
    return named
