"""Permalinks over HTTP: a question is stored when somebody asks for it, answered at its address, and deleted."""

from http import HTTPStatus
from urllib.parse import quote

import orjson
from flask import Blueprint, Response, current_app, render_template, request

from webui import api_types
from webui.asking import as_form, as_stored, is_a_form, sent, understood
from webui.openapi import PREFIX, Operation, describes
from webui.pages import answered
from webui.permalinks import Permalinks
from webui.prefixes import current_index, root_of
from webui.site import NotThereError, site

blueprint = Blueprint("stored", __name__)


@blueprint.post(f"{PREFIX}/queries")
@describes(Operation(api_types.StoredAnswer, api_types.StoredRequest, status=HTTPStatus.CREATED, errors=(404,)))
def store() -> Response:
    """Store a question, so that the address of its answer can be passed on. Nothing is stored without this."""
    links = _permalinks()
    question = sent()
    asked = understood(question)
    stored = links.store(as_stored(question), request.form.get("deletion_key", ""))
    root = quote(root_of(None, current_index()))  # whoever gets the address is not to get into the session
    path = f"{root}/q/{stored.id}"
    if is_a_form() and request.accept_mimetypes.best_match(["text/html", "application/json"]) == "text/html":
        scheme = "https" if current_app.config["BEHIND_HTTPS"] else request.scheme
        address = f"{scheme}://{request.host}{path}"
        named = bool(asked.query.authors)
        page = render_template("stored.html", stored=stored, path=path, address=address, named=named)
        return Response(page, HTTPStatus.CREATED, mimetype="text/html")
    record = {"id": stored.id, "path": path, "deletion_key": stored.deletion_key}
    response = Response(orjson.dumps(record), HTTPStatus.CREATED, mimetype="application/json")
    response.headers["Location"] = f"{root}{PREFIX}/queries/{stored.id}"
    return response


@blueprint.get(f"{PREFIX}/queries/<query_id>")
@describes(Operation(api_types.StoredQuestion, errors=(404,)))
def read(query_id: str) -> Response:
    """A stored question, as it was sent, without its authors."""
    return Response(orjson.dumps(_load(query_id)), mimetype="application/json")


@blueprint.delete(f"{PREFIX}/queries/<query_id>")
@describes(
    Operation(
        None,
        status=HTTPStatus.NO_CONTENT,
        media_types=(),
        errors=(404,),
        headers={"X-Deletion-Key": "The deletion_key that came when the question was stored."},
    )
)
def delete(query_id: str) -> Response:
    """Delete a stored question."""
    _delete(query_id, request.headers.get("X-Deletion-Key", ""))
    return Response(status=HTTPStatus.NO_CONTENT)


@blueprint.get("/q/<query_id>")
def show(query_id: str) -> tuple[str, int]:
    """The page with the answer to a stored question."""
    return answered(as_form(_load(query_id)), sort=request.args.get("sort", ""))


@blueprint.post("/q/<query_id>/delete")
def delete_from_page(query_id: str) -> str:
    """The same deletion for a page without scripts."""
    _delete(query_id, request.form.get("deletion_key", ""))
    return render_template("stored.html", stored=None, address="")


def _permalinks() -> Permalinks:
    links = site().permalinks
    if links is None:
        raise NotThereError("this server stores no questions")
    return links


def _load(query_id: str) -> dict[str, object]:
    question = _permalinks().load(query_id)
    if question is None:
        raise NotThereError("there is no stored question at this address, or it was deleted")
    return question


def _delete(query_id: str, deletion_key: str) -> None:
    if not _permalinks().delete(query_id, deletion_key):
        raise NotThereError("there is no stored question at this address, or the deletion key is not its own")
