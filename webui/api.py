"""The JSON API. Requests are JSON, or forms with the fields of the page; errors are `{"error": "one line"}`."""

from __future__ import annotations

import io
from typing import Any

import orjson
from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import UnsupportedMediaType

from citescout.exports import find_format, write
from citescout.exports.record import recommendation_record
from common.errors import QueryError
from webui.inputs import Asked, from_form, from_json
from webui.pages import result_list
from webui.site import site

blueprint = Blueprint("api", __name__)


@blueprint.post("/api/recommend")
def recommend() -> Response:
    """The list for one query: as JSON, or as the page's HTML for a client that asks for text/html."""
    asked = _asked()
    if request.accept_mimetypes.best_match(["application/json", "text/html"]) == "text/html":
        response = Response(result_list(asked), mimetype="text/html")
    else:
        response = Response(orjson.dumps(_answer_record(asked)), mimetype="application/json")
    response.vary.add("Accept")
    return response


@blueprint.post("/api/export/<format_name>")
def export(format_name: str) -> Response:
    """The list for one query as a file of an export format; only the `papers` of the request, if it names any."""
    chosen = find_format(format_name)
    asked = _asked()
    found = site().answers.answer(asked.query, asked.settings).recommendations
    selected = [entry for entry in found if not asked.papers or entry.paper.id in asked.papers]
    text = io.StringIO(newline="")
    write(chosen.name, [(asked.query, selected)], text)
    response = Response(text.getvalue().encode("utf-8", "replace"), mimetype=chosen.media_type)
    response.headers["Content-Disposition"] = f'attachment; filename="citescout.{chosen.ending}"'
    return response


@blueprint.get("/health")
def health() -> Response:
    """That the server is up, and what it serves."""
    return jsonify(status="ok", **site().answers.recommender.info.as_dict())


def _answer_record(asked: Asked) -> dict[str, Any]:
    answer = site().answers.answer(asked.query, asked.settings)
    query = asked.query
    return {
        "query": {
            "title": query.title,
            "abstract": query.abstract,
            "year": query.year,
            "already_cited": list(query.already_cited),
        },
        "recommendations": [recommendation_record(entry) for entry in answer.recommendations],
        "unknown": list(answer.unknown),
        "timing_ms": round(answer.milliseconds, 1),
    }


def _asked() -> Asked:
    """The question of the current request.

    Raises:
        QueryError: it cannot be read or answered as it stands.
    """
    if request.mimetype in {"application/x-www-form-urlencoded", "multipart/form-data"}:
        return from_form(request.form, request.form.getlist("papers"))
    if not request.is_json:
        raise UnsupportedMediaType
    try:
        return from_json(orjson.loads(request.get_data()))
    except orjson.JSONDecodeError as error:
        raise QueryError(f"the request is not JSON: {error}") from None
