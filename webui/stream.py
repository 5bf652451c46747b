"""The list at once, and better ones as the cross-encoder reads on: server-sent events.

Each event is `list`, whose data is one line of JSON: `html` of the list, candidates `read` and `to_read`, and whether
it is the `last`; or `failed` with an `error`, where the reading broke off. The format is that of the HTML standard,
section 9.2; the page reads it from the answer to a POST, because an abstract is too long for an address.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from flask import Blueprint, Response, request, stream_with_context

from common.errors import CitescoutError
from webui.answers import Part
from webui.inputs import Asked, from_form
from webui.pages import answer_list
from webui.site import site, status_of

blueprint = Blueprint("stream", __name__)


@blueprint.post("/api/stream")
def stream() -> Response:
    """The lists for one question, which comes as the form of the page."""
    asked = from_form(request.form)
    parts = site().answers.stream(asked.query, asked.settings)
    first = next(parts)  # what is wrong with the question is an ordinary error, not an event
    response = Response(stream_with_context(_events(asked, first, parts)), mimetype="text/event-stream")
    response.headers["X-Accel-Buffering"] = "no"  # nginx would hold the first list back
    response.call_on_close(parts.close)  # a reader who leaves, or stops it, frees the place
    return response


def _events(asked: Asked, first: Part, others: Iterator[Part]) -> Iterator[bytes]:
    try:
        yield _list(asked, first)
        for part in others:
            yield _list(asked, part)
    except CitescoutError as error:
        yield _event("failed", {"error": status_of(error)[1]})


def _list(asked: Asked, part: Part) -> bytes:
    html = answer_list(asked, part.answer, part.read)
    return _event("list", {"html": html, "read": part.read, "to_read": part.to_read, "last": part.last})


def _event(name: str, data: dict[str, Any]) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"
