"""The list at once, and better ones as the cross-encoder reads on: server-sent events.

Each event `list` has one line of JSON: `html` of the list, and how many candidates are `read` and are `to_read`. At the
end comes `end`, or `failed` with an `error` where the reading broke off. The format is that of the HTML standard,
section 9.2; the page reads it from the answer to a POST, because an abstract is too long for an address.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any

import orjson
from flask import Blueprint, Response, request, stream_with_context

from common.errors import CitescoutError
from webui.answers import Answer, Answers
from webui.inputs import Asked, from_form
from webui.pages import answer_list
from webui.site import site, status_of

blueprint = Blueprint("stream", __name__)


@dataclass(frozen=True, slots=True)
class Part:
    """One of the lists that an answer goes through on its way."""

    answer: Answer
    read: int  # candidates that the cross-encoder has read for this list
    to_read: int  # that it is to read for the last one


def parts_of(answers: Answers, asked: Asked) -> Generator[Part, None, None]:
    """The lists for a question: the first without waiting for the cross-encoder, the last with all that it reads.

    Whoever stops asking for more stops the reading. Errors are those of `Answers.answer`.
    """
    query, settings = asked.query, asked.settings
    if not answers.recommender.info.reranker or not settings.depth:
        yield Part(answers.answer(query, settings), 0, 0)
        return
    yield Part(answers.answer(query, replace(settings, depth=0)), 0, settings.depth)
    yield Part(answers.answer(query, settings), settings.depth, settings.depth)


@blueprint.post("/api/stream")
def stream() -> Response:
    """The lists for one question, which comes as the form of the page."""
    asked = from_form(request.form)
    parts = parts_of(site().answers, asked)
    first = next(parts)  # what is wrong with the question is an ordinary error, not an event
    response = Response(stream_with_context(_events(asked, first, parts)), mimetype="text/event-stream")
    response.headers["X-Accel-Buffering"] = "no"  # nginx would hold the first list back
    response.call_on_close(parts.close)
    return response


def _events(asked: Asked, first: Part, others: Iterator[Part]) -> Iterator[bytes]:
    try:
        yield _list(asked, first)
        for part in others:
            yield _list(asked, part)
        yield _event("end", {})
    except CitescoutError as error:
        yield _event("failed", {"error": status_of(error)[1]})


def _list(asked: Asked, part: Part) -> bytes:
    html = answer_list(asked, part.answer, part.read)
    return _event("list", {"html": html, "read": part.read, "to_read": part.to_read})


def _event(name: str, data: dict[str, Any]) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"
