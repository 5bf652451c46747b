"""The page on which a visitor has an index built around a bibliography, where the server allows it."""

import re
from pathlib import PurePath

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from common.errors import CitescoutError, QueryError
from indexer.identity.identifiers import arxiv_key, bare_pmid, clean_doi
from webui.builds import SIZES, Builds
from webui.inputs import without_spaces_in_ids
from webui.prefixes import current_session, root_of
from webui.site import NotThereError, site, status_of
from webui.uploads import allow_files, uploaded

blueprint = Blueprint("building", __name__)

# A manuscript is recognised by its ending; the format of a bibliography by its content.
_ENDINGS = (
    *(".bib", ".ris", ".json", ".jsonl", ".nbib", ".enw", ".xml", ".csv", ".rdf", ".txt"),
    *(".xlsx", ".xls", ".ods"),
    *(".zip", ".tex", ".typ", ".docx", ".odt"),
)
_MOST_NAMED = 2_000  # DOIs
_REFRESH = 5  # seconds


@blueprint.route("/build", methods=["GET", "POST"])
def build() -> ResponseReturnValue:
    """The form; and the beginning of a build."""
    allow_files()
    builds = _builds()
    if request.method == "GET":
        return render_template("build.html", sizes=SIZES, fields={"name": request.args.get("name", "")}, error="")
    fields = {name: request.form.get(name, "").strip() for name in ("name", "dois", "size")}
    try:
        name, indexes = fields["name"], site().indexes
        if name in indexes:
            raise QueryError(f"there is an index of the name {name}: choose another name")
        size = int(fields["size"]) if fields["size"] in map(str, SIZES) else SIZES[0]
        bibliography = _uploaded() or _named(fields["dois"])
        first = site().answers
        builds.start(name, bibliography, size, lambda recommender: indexes.add(name, first.beside(recommender)))
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
    """Ending and contents of the file; None without one."""
    for name, data in uploaded("file").items():
        ending = PurePath(name).suffix.lower()
        if data and ending not in _ENDINGS:
            raise QueryError(f"unsupported file: use one of {', '.join(_ENDINGS)}")
        return (ending, data) if data else None
    return None


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
