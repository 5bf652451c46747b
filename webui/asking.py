"""The question of the current request."""

import orjson
from flask import g, request
from werkzeug.exceptions import UnsupportedMediaType

from common.errors import QueryError
from webui.api_types import RecommendRequest, Request
from webui.inputs import Asked, from_json
from webui.site import site


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
    try:
        return orjson.loads(request.get_data())
    except orjson.JSONDecodeError as error:
        raise QueryError(f"the request is not JSON: {error}") from None


def noted(asked: Asked) -> Asked:
    """The question, once the log knows it, where questions are logged."""
    g.question = {"title": asked.query.title, "abstract": asked.query.abstract}
    return asked
