"""The question of the current request, and as it is stored for a permalink."""

from collections.abc import Mapping
from typing import Any

import orjson
from flask import g, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import UnsupportedMediaType

from common.errors import QueryError
from webui.inputs import Asked, from_form, from_json
from webui.site import site


def asked() -> Asked:
    """The question of the current request.

    Raises:
        QueryError: it cannot be read or answered as it stands.
        UnsupportedMediaType: it is neither JSON nor a form.
    """
    return understood(sent())


def sent() -> dict[str, Any]:
    """The question as it was sent: {"kind": "json" or "form", "fields": …}; errors as for `asked`."""
    if is_a_form():
        if any(name.startswith("{") for name in request.form):  # JSON that curl calls a form unless it is told
            raise UnsupportedMediaType
        fields = {name: values if name == "papers" else values[0] for name, values in request.form.lists()}
        return {"kind": "form", "fields": fields}
    return {"kind": "json", "fields": json_body()}


def is_a_form() -> bool:
    """Whether the request is a form, as a browser sends it."""
    return request.mimetype in {"application/x-www-form-urlencoded", "multipart/form-data"}


def json_body() -> object:
    """The JSON of the current request; errors as for `asked`."""
    if not request.is_json:
        raise UnsupportedMediaType
    try:
        return orjson.loads(request.get_data())
    except orjson.JSONDecodeError as error:
        raise QueryError(f"the request is not JSON: {error}") from None


def understood(question: Mapping[str, Any]) -> Asked:
    """What `sent` gave, now or when it was stored, as a question.

    Raises:
        QueryError: it cannot be answered as it stands.
    """
    fields = question["fields"]
    is_form = question["kind"] == "form"
    settings_of = site().settings_of
    found = (
        from_form(MultiDict(fields), fields.get("papers", []), settings_of, site().answers.recommender.paper)
        if is_form
        else from_json(fields, settings_of)
    )
    g.question = {"title": found.query.title, "abstract": found.query.abstract}
    return found


def as_stored(question: Mapping[str, Any]) -> dict[str, Any]:
    """What `sent` gave as it may be stored: names of authors are private, and the key that deletes it is secret."""
    fields = {name: value for name, value in question["fields"].items() if name not in {"authors", "deletion_key"}}
    return {**question, "fields": fields}


def as_form(question: Mapping[str, Any]) -> dict[str, str]:
    """The fields of the page's form for a stored question: text each, lists with a line an entry."""
    return {name: _as_text(value) for name, value in question["fields"].items()}


def _as_text(value: object) -> str:
    if isinstance(value, list):
        return "\n".join(map(str, value))
    if isinstance(value, bool):
        return "1" if value else ""  # as a ticked box has it
    return "" if value is None else str(value)
