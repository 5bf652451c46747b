"""The application factory: configuration, headers and errors of the page and the API."""

import hashlib
import logging
import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from flask import Flask, Response, current_app, g, jsonify, render_template, request, send_from_directory
from werkzeug.exceptions import HTTPException, InternalServerError, MethodNotAllowed, SecurityError

from citescout.recommendation import Recommendation
from common.errors import CitescoutError
from webui import requests
from webui.answers import Answers, AnyRecommender, Limits
from webui.api_keys import ApiKeys
from webui.builds import Builds
from webui.dropped import ACCEPTED
from webui.indexes import Indexes
from webui.listening import host_name
from webui.masthead import masthead
from webui.metrics import Metrics
from webui.permalinks import Permalinks
from webui.prefixes import Prefixes, root_of
from webui.presentation import FILTERS
from webui.sessions import DAYS, Sessions
from webui.site import ONLY, Site, status_of

_log = logging.getLogger(__name__)

_STATIC = Path(__file__).parent / "static"
_VERSION = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(_STATIC.glob("*.*")))).hexdigest()[:12]
# What addresses of scripts and styles begin with: another version of the page has others, which no browser has kept.
STATIC = f"/static/{_VERSION}"

# The largest allowed question, its ids included, takes about a tenth of this in practice.
_MAX_BODY = 2 * 1024 * 1024  # bytes
_FOR_PROGRAMS = re.compile(r"(/i/[^/]+)?/(api/|health|metrics)")  # also below the name of no index
_YEAR = 365 * 24 * 3600  # seconds
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "object-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: forms would send "Origin: null", by which a page served without TLS is not known as ours.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def create_app(
    recommender: AnyRecommender | Mapping[str, AnyRecommender],
    *,
    demo: bool = False,
    limits: Limits | None = None,
    trusted_hosts: Sequence[str] | None = None,
    keys: Path | None = None,
    permalinks: Path | None = None,
    sessions: Path | None = None,
    session_days: int = DAYS,
    browser_storage: bool = False,
    show_metrics: bool = False,
    builds: Builds | None = None,
    to_zotero: Callable[[Sequence[Recommendation]], str] | None = None,
) -> Flask:
    """The web page and the API on one index.

    Args:
        recommender: answers the questions, or several by the names of their indexes; the caller closes them.
        demo: say that the corpus is the demo's, and offer examples that fit it.
        limits: how many questions are answered together, how many wait, and how long.
        trusted_hosts: names under which the application may be asked, by a proxy that terminates HTTPS;
            None for any. `serve` adds the loopback names when it listens there, so that no other site can reach the
            index through a name that it points at it.
        keys: file of the API keys without which nothing is answered; None to answer everybody.
        permalinks: folder for the questions that people ask to be stored; None to store none.
        sessions: folder for questions and baskets, each session under an address of its own; None to keep none.
        session_days: after so many without a use a session is deleted.
        browser_storage: without sessions, let scripts keep questions and basket in the visitor's browser.
        show_metrics: answer at /metrics.
        builds: has indexes built around bibliographies of visitors, which are served as well; None to build none.
        to_zotero: saves papers in the Zotero of this computer and says what it did; None to offer it to nobody.

    Raises:
        SourceError: the key file cannot be read, or the folder cannot be written.
    """
    recommenders = recommender if isinstance(recommender, Mapping) else {"": recommender}
    if builds:
        recommenders = {name or ONLY: one for name, one in recommenders.items()}
    app = Flask(__name__, static_folder=None)
    app.add_url_rule("/static/<string(length=12):version>/<path:name>", "static", _static)
    app.config.update(
        MAX_CONTENT_LENGTH=_MAX_BODY,
        MAX_FORM_MEMORY_SIZE=_MAX_BODY,
        MAX_FORM_PARTS=5_000,
        TRUSTED_HOSTS=[host_name(name) for name in trusted_hosts] if trusted_hosts is not None else None,
        BEHIND_HTTPS=trusted_hosts is not None,
    )
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_options = {**app.jinja_options, "trim_blocks": True, "lstrip_blocks": True}
    app.jinja_env.filters.update(FILTERS)
    app.jinja_env.globals.update(ACCEPTED, asset=_asset)
    metrics = Metrics()
    answers = Answers(next(iter(recommenders.values())), limits, metrics.stage)
    own = {name: answers.beside(one) for name, one in recommenders.items()}
    indexes = Indexes(own, builds.is_built if builds else own.__contains__)
    if builds:
        builds.serve_with(lambda name, built: indexes.add(name, answers.beside(built)))
    app.extensions["citescout"] = Site(
        indexes,
        demo,
        metrics,
        show_metrics,
        ApiKeys(keys) if keys else None,
        Permalinks(permalinks) if permalinks else None,
        Sessions(sessions, days=session_days) if sessions else None,
        browser_storage and not sessions,
        builds,
        to_zotero,
    )
    app.wsgi_app = Prefixes(app.wsgi_app, indexes, sessions is not None)  # type: ignore[method-assign]

    requests.install(app)
    for found in pkgutil.iter_modules([str(Path(__file__).parent)], "webui."):
        if blueprint := getattr(import_module(found.name), "blueprint", None):
            app.register_blueprint(blueprint)
    app.context_processor(masthead)
    app.after_request(_add_headers)
    app.register_error_handler(CitescoutError, _refused)
    app.register_error_handler(SecurityError, _untrusted_host)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)
    return app


def _asset(name: str) -> str:
    """The address of a script or style, the same in all sessions, so that browsers have it from the first one on."""
    return f"{root_of(None, None)}{STATIC}/{name}"


def _static(version: str, name: str) -> Response:
    """A script or style; of an older page, which may need another one yet, the present one, not to be kept."""
    return send_from_directory(_STATIC, name, max_age=_YEAR if version == _VERSION else 0)


def _add_headers(response: Response) -> Response:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    if current_app.config["BEHIND_HTTPS"]:
        response.headers.setdefault("Strict-Transport-Security", f"max-age={_YEAR}; includeSubDomains")
    if response.location:  # of an address without its slash, by the scheme that the proxy asks for, not its visitors
        response.location = response.location.removeprefix(f"{request.scheme}:")
    if seconds := g.get("retry_after"):
        response.headers["Retry-After"] = str(seconds)
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-store")
    return response


def _refused(error: CitescoutError) -> Response:
    status, message = status_of(error)
    return _error(message, status)


def _http_error(error: HTTPException) -> Response:
    if error.code is None or error.code < 400:
        return error.get_response()  # type: ignore[return-value]
    own_words = error.code in {401, 403}
    message = error.description if own_words and error.description else _MESSAGES.get(error.code)
    is_of_index = request.path.startswith("/i/")  # that is not served: else the name is no part of the path
    if error.code == 404 and is_of_index and not _FOR_PROGRAMS.match(request.path):
        message = "no index of this name is served here, or not any more"
    limit = request.max_content_length or 0  # more where files are taken; each field of a form may have _MAX_BODY
    if error.code == 413 and (request.content_length or 0) > limit:
        message = f"the request is larger than {limit >> 20} MB"
    methods = sorted(error.valid_methods or ()) if isinstance(error, MethodNotAllowed) else []
    if own := [method for method in methods if method not in {"HEAD", "OPTIONS"}]:
        message = f"this address takes {' and '.join(own)} only"
    response = _error(message or error.name.lower(), error.code)
    if error.code == 401:
        # A browser asks its user for the key: any name, the key as the password.
        response.headers["WWW-Authenticate"] = 'Basic realm="citescout", charset="UTF-8"'
    if methods:
        response.headers["Allow"] = ", ".join(methods)
    return response


def _untrusted_host(_found: SecurityError) -> Response:
    message = "this server does not answer under that name: whoever runs it can name it with serve --trusted-host NAME"
    if _FOR_PROGRAMS.match(request.path):
        return _error(message, 400)
    return Response(f"{message}\n", 400, mimetype="text/plain")  # whose page would have links under that name


def _unexpected(error: Exception) -> Response:
    fields = {"event": "error", "request_id": requests.request_id()}
    _log.error("while answering %r", requests.route(), exc_info=error, extra={"fields": fields})
    return _error(_MESSAGES[500], InternalServerError.code)


def _error(message: str, status: int) -> Response:
    """JSON for the API, a page for people."""
    if _FOR_PROGRAMS.match(request.path):
        response = jsonify(error=message, request_id=requests.request_id())
    else:
        page = render_template("error.html", message=message, status=status, request_id=requests.request_id())
        response = Response(page, mimetype="text/html")
    response.status_code = status
    return response


_MESSAGES = {
    400: "the request cannot be read",
    404: "there is no such page",
    413: f"the request is larger than {_MAX_BODY // 1024**2} MB",
    415: "send JSON with the header Content-Type: application/json and no Content-Encoding",
    500: "something went wrong on the server: its log says more",
}
