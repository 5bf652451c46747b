"""Permalinks over HTTP: a question is stored when somebody asks for it, answered at its address, and deleted."""

from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, current_app, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from webui import api_types
from webui.asking import json_body, noted
from webui.inputs import Asked, check_form_has, form_as_json, from_json, to_form
from webui.openapi import PREFIX, Operation
from webui.pages import answered, question_of
from webui.permalinks import Permalinks, Stored
from webui.prefixes import current_index, root_of
from webui.site import NotThereError, site

blueprint = Blueprint("stored", __name__)


@blueprint.post(f"{PREFIX}/queries")
@Operation(
    api_types.StoredAnswer,
    api_types.StoredRequest,
    status=HTTPStatus.CREATED,
    errors=(404,),
    gives={"Location": {"description": "Where it is read and deleted.", "schema": {"type": "string"}}},
)
def store() -> ResponseReturnValue:
    """Store a question, so that the address of its answer can be passed on. Nothing is stored without this.

    What the page cannot ask is refused.
    """
    links, question = _permalinks(), json_body()
    check_form_has(_understood(question), site().settings_of)
    stored, root = _store(links, question), _root()
    record = {"id": stored.id, "path": f"{root}/q/{stored.id}", "deletion_key": stored.deletion_key}
    return jsonify(record), HTTPStatus.CREATED, {"Location": f"{root}{PREFIX}/queries/{stored.id}"}


@blueprint.post("/q")
def store_from_page() -> tuple[str, int]:
    """The same for the page, whose form says by which key the question can be deleted."""
    links, asked = _permalinks(), question_of(request.form)
    question = form_as_json(request.form, site().answers.recommender.paper)
    stored = _store(links, question, request.form.get("deletion_key", ""))
    scheme = "https" if current_app.config["BEHIND_HTTPS"] else request.scheme
    path = f"{_root()}/q/{stored.id}"
    address, named = f"{scheme}://{request.host}{path}", bool(asked.query.authors)
    page = render_template("stored.html", stored=stored, path=path, address=address, named=named)
    return page, HTTPStatus.CREATED


@blueprint.get(f"{PREFIX}/queries/<query_id>")
@Operation(api_types.StoredQuestion, errors=(404,))
def read(query_id: str) -> Response:
    """A stored question, as it was sent, without its authors."""
    return jsonify(_load(query_id))


@blueprint.delete(f"{PREFIX}/queries/<query_id>")
@Operation(
    None,
    status=HTTPStatus.NO_CONTENT,
    media_types=(),
    errors=(404,),
    headers={"X-Deletion-Key": "The deletion_key that came when the question was stored."},
)
def delete(query_id: str) -> Response:
    """Delete a stored question."""
    _delete(query_id, request.headers.get("X-Deletion-Key", ""))
    return Response(status=HTTPStatus.NO_CONTENT)


@blueprint.get("/q/<query_id>")
def show(query_id: str) -> tuple[str, int]:
    """The page with the answer to a stored question."""
    asked = _understood(_load(query_id)["fields"], "the stored question")
    return answered(to_form(asked), sort=request.args.get("sort", ""), asked=asked)


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


def _understood(question: object, place: str = "request") -> Asked:
    return noted(from_json(question, site().settings_of, place))


def _store(links: Permalinks, question: Any, deletion_key: str = "") -> Stored:
    """Without names of authors, which are private."""
    return links.store({"fields": {name: value for name, value in question.items() if name != "authors"}}, deletion_key)


def _root() -> str:
    """Of addresses to be passed on: whoever gets one is not to get into the session."""
    return quote(root_of(None, current_index()))


def _load(query_id: str) -> dict[str, Any]:
    question = _permalinks().load(query_id)
    if question is None:
        raise NotThereError("there is no stored question at this address, or it was deleted")
    return question


def _delete(query_id: str, deletion_key: str) -> None:
    if not _permalinks().delete(query_id, deletion_key):
        raise NotThereError("there is no stored question at this address, or the deletion key is not its own")
