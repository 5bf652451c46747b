"""The question of the current request, or the several questions of a batch."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

import orjson
from flask import g, request
from werkzeug.exceptions import UnsupportedMediaType

from citescout.recommendation import Answer
from common.errors import QueryError
from webui.answers import Answers, BusyError, DeadlineError
from webui.api_types import MAX_BATCH, MAX_ID, BatchQuery, RecommendRequest, Request
from webui.inputs import Asked, from_json
from webui.site import site

# Of a query behind others, whatever it was that it had too little time for.
_LATE = "the time of this batch was up before this query was answered: send fewer at once, or try again later"


def asked(kind: type[Request] = RecommendRequest) -> Asked:
    """The question of the current request, which may have the fields of that `kind`.

    Raises:
        QueryError: it cannot be read or answered as it stands.
        UnsupportedMediaType: it is no JSON.
    """
    return noted(from_json(json_body(), site().settings_of, kind=kind))


def json_body() -> object:
    """The JSON of the current request; errors as for `asked`."""
    if not request.is_json:
        raise UnsupportedMediaType
    if request.args:
        name = next(iter(request.args))[:MAX_ID]
        raise QueryError(f"the address has a parameter {name!r}: what is asked stands in the JSON alone")
    try:
        # Files that Windows' programs write begin with a byte order mark.
        return orjson.loads(request.get_data().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise QueryError(f"the request is not in UTF-8, as JSON is: byte {error.start + 1:,} is none of it") from None
    except orjson.JSONDecodeError as error:
        raise QueryError(f"the request is not JSON: {error}") from None


def noted(asked: Asked) -> Asked:
    """The question, once the log knows it, where questions are logged."""
    g.question = {"title": asked.query.title, "abstract": asked.query.abstract}
    return asked


def read_batch() -> list[tuple[str, Asked]]:
    """The queries of the current request with their ids; one without an id is called after its place, `query-2`.

    Raises:
        QueryError: the request is no batch, or a query cannot be answered as it stands; names the query.
    """
    body = json_body()
    queries = body.get("queries") if isinstance(body, dict) else None
    if not isinstance(body, dict) or set(body) != {"queries"} or not isinstance(queries, list):
        raise QueryError('the request must be a JSON object with a list "queries" and nothing else')
    if not 1 <= len(queries) <= MAX_BATCH:
        raise QueryError(f"a batch has 1 to {MAX_BATCH} queries, not {len(queries):,}")
    return [_read(record, f"query-{number}") for number, record in enumerate(queries, start=1)]


def _read(record: object, place: str) -> tuple[str, Asked]:
    if not isinstance(record, dict):
        raise QueryError(f"{place}: the query must be a JSON object")
    asked = from_json(record, site().settings_of, place, BatchQuery)
    # Its id is the caller's word for it: no paper of the index is left out because it is called so, too.
    return asked.query.id or place, replace(asked, query=replace(asked.query, id=""))


def answer_batch(answers: Answers, batch: Iterable[tuple[str, Asked]]) -> Iterator[tuple[str, Answer | str]]:
    """The id of every query, and its answer or what is wrong with it, until the deadline of one request.

    They are asked one after the other, so that a batch takes one place at a time.

    Raises:
        BusyError: not even the first query found a place.
    """
    until = time.monotonic() + answers.limits.deadline
    for number, (identity, asked) in enumerate(batch):
        if number and time.monotonic() > until:
            yield identity, _LATE  # nothing is begun for which nobody waits
            continue
        try:
            # The first query queues as any other question does; the others wait for their turn.
            yield identity, answers.answer(asked.query, asked.settings, until if number else None)
        except (BusyError, DeadlineError) as error:
            if isinstance(error, BusyError) and not number:
                raise
            yield identity, _LATE if number else str(error)
        except QueryError as error:
            yield identity, str(error)
