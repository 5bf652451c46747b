"""The list at once, and better ones as the cross-encoder reads on: server-sent events.

Each event `list` has one line of JSON: `html` of the list, how many candidates are `read` and are `to_read`, the
`address` of the question in its session, or "", the `title` of the page, and `fields` of the form that hold something
else now: the text of a paper of which only the DOI was given, or a line for each entry of a bibliography. At the end
comes `end`, or `failed` with an `error` where the reading broke off. The format is that of the HTML standard, section
9.2; the page reads it from the answer to a POST, because an abstract is too long for an address.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from flask import Blueprint, Response, request, stream_with_context, url_for

from citescout.recommendation import Answer
from common.errors import CitescoutError
from webui.inputs import Asked
from webui.pages import answer_list, keep, page_title, question_of
from webui.site import site, status_of
from webui.text_field import joined, taken_apart
from webui.uploads import named_paper, named_works

blueprint = Blueprint("stream", __name__)


@blueprint.post("/api/stream")
def stream() -> Response:
    """The lists for one question, which comes as the form of the page."""
    fields = taken_apart(request.form)
    fields |= (named := named_paper(fields) | named_works(fields))
    asked = question_of(fields)
    answers = site().answers.stream(asked.query, asked.settings)
    first = next(answers)  # what is wrong with the question is an ordinary error, not an event
    number = keep(fields)
    address = url_for("pages.asked", number=number) if number else ""
    about = {"address": address, "title": page_title(fields), "fields": _shown(named)}
    response = Response(stream_with_context(_events(asked, first, answers, about)), mimetype="text/event-stream")
    response.headers["X-Accel-Buffering"] = "no"  # nginx would hold the first list back
    response.call_on_close(answers.close)
    return response


def _shown(named: Mapping[str, str]) -> dict[str, str]:
    """What the fields of the form are to hold of a paper that was only named, and of a bibliography."""
    text = {"text": joined(named["title"], named["abstract"])} if "title" in named else {}
    return text | {name: named[name] for name in ("id", "already_cited") if name in named}


def _events(asked: Asked, first: Answer, others: Iterator[Answer], about: Mapping[str, Any]) -> Iterator[bytes]:
    try:
        yield _list(asked, first, about)
        for answer in others:
            yield _list(asked, answer, about)
        yield _event("end", {})
    except CitescoutError as error:
        yield _event("failed", {"error": status_of(error)[1]})


def _list(asked: Asked, answer: Answer, about: Mapping[str, Any]) -> bytes:
    return _event("list", {"html": answer_list(asked, answer), "read": answer.read, "to_read": answer.to_read, **about})


def _event(name: str, data: dict[str, Any]) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"
