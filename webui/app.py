"""The application factory: configuration, headers and errors of the page and the API."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from flask import Flask, Response, jsonify, render_template, request
from werkzeug.exceptions import HTTPException, InternalServerError, SecurityError

from citescout.live import LiveRecommender
from citescout.recommender import Recommender
from common.errors import CitescoutError
from webui import api, check, nearby, pages, stream, uploads
from webui.answers import Answers
from webui.site import Site, status_of

_log = logging.getLogger(__name__)

# The largest allowed question, its ids included, takes about a tenth of this in practice.
_MAX_BODY = 2 * 1024 * 1024  # bytes
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def create_app(
    recommender: Recommender | LiveRecommender,
    *,
    demo: bool = False,
    at_once: int = 2,
    patience: float = 30.0,
    trusted_hosts: Sequence[str] | None = None,
) -> Flask:
    """The web page and the API on one index.

    Args:
        recommender: answers the questions; the caller closes it.
        demo: say that the corpus is the demo's, and offer examples that fit it.
        at_once: questions that are answered together; each uses several cores.
        patience: seconds that a further question waits before it is told to come again.
        trusted_hosts: names under which the application may be asked; None for any. `serve` sets the loopback names
            when it listens there, so that no other site can reach the index through a name that it points at it.
    """
    app = Flask(__name__)
    app.config.update(
        MAX_CONTENT_LENGTH=_MAX_BODY,
        MAX_FORM_MEMORY_SIZE=_MAX_BODY,
        MAX_FORM_PARTS=5_000,
        SEND_FILE_MAX_AGE_DEFAULT=3600,
        TRUSTED_HOSTS=list(trusted_hosts) if trusted_hosts is not None else None,
    )
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    app.extensions["citescout"] = Site(Answers(recommender, at_once, patience), demo)

    app.register_blueprint(pages.blueprint)
    app.register_blueprint(api.blueprint)
    for part in (stream, uploads, nearby, check):
        app.register_blueprint(part.blueprint)
    app.after_request(_add_headers)
    app.register_error_handler(CitescoutError, _refused)
    app.register_error_handler(SecurityError, _untrusted_host)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)
    return app


def _add_headers(response: Response) -> Response:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-store")
    return response


def _refused(error: CitescoutError) -> tuple[Response | str, int]:
    status, message = status_of(error)
    return _error(message, status)


def _http_error(error: HTTPException) -> Response | tuple[Response | str, int]:
    if error.code is None or error.code < 400:
        return error.get_response()  # type: ignore[return-value]
    return _error(_MESSAGES.get(error.code) or error.name.lower(), error.code)


def _untrusted_host(_error: SecurityError) -> tuple[Response, int]:
    return Response("this server does not answer under that name\n", mimetype="text/plain"), 400


def _unexpected(error: Exception) -> tuple[Response | str, int]:
    _log.exception("while answering %s", request.path, exc_info=error)
    return _error(_MESSAGES[500], InternalServerError.code)


def _error(message: str, status: int) -> tuple[Response | str, int]:
    """JSON for the API, a page for people."""
    if request.path.startswith(("/api/", "/health")):
        return jsonify(error=message), status
    return render_template("error.html", message=message, status=status), status


_MESSAGES = {
    400: "the request cannot be read",
    404: "there is no such page",
    405: "this address does not take that kind of request",
    413: f"the request is larger than {_MAX_BODY // 1024**2} MB",
    415: "send JSON with the header Content-Type: application/json, or a form",
    500: "something went wrong on the server: its log says more",
}
