"""What happens to every request before and after its view: an id, who may ask, the log, the figures."""

import logging
import re
import time
import uuid

from flask import Flask, Response, g, request
from werkzeug.exceptions import Forbidden, SecurityError, Unauthorized, UnsupportedMediaType

from webui.site import StoppingError, site

_log = logging.getLogger(__name__)

_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OPEN_TO_ALL = frozenset({"static", "api.health"})


def install(app: Flask) -> None:
    """Let every request of the application pass through here."""
    app.before_request(_check)
    app.after_request(_note)


def request_id() -> str:
    """The id of the current request: the one that a proxy gave it if that is well formed, else a fresh one."""
    if "request_id" not in g:
        given = request.headers.get("X-Request-ID", "")
        g.request_id = given if _ID.fullmatch(given) else uuid.uuid4().hex
    found: str = g.request_id
    return found


def route() -> str:
    """What the current request's address is of, for log and figures: the address itself may be a secret."""
    return request.url_rule.rule if request.url_rule else "unknown"


def _check() -> None:
    """Refuse who may not ask.

    Raises:
        SecurityError: the server is asked under a name that is not its own.
        StoppingError: the server is about to stop.
        Forbidden: another site sends the browser of a visitor.
        UnsupportedMediaType: the body is compressed.
        Unauthorized: no valid key where keys are asked for.
    """
    g.started = time.perf_counter()
    if isinstance(request.routing_exception, SecurityError):
        raise request.routing_exception  # before all else: no page of an error has links without a name of the server
    if site().stopping.is_set() and request.endpoint != "static":
        raise StoppingError("the server is stopping: try again in a moment")
    if request.method not in _SAFE_METHODS and not _from_here():
        _note_refusal("origin")
        raise Forbidden(
            "requests from pages of other sites are not answered; if this was no other, the proxy in front of this "
            "server has to pass on Host, with its port"
        )
    if request.content_encoding not in {None, "", "identity"}:
        raise UnsupportedMediaType  # small bodies could hold gigabytes
    keys = site().keys
    if keys is None or request.endpoint in _OPEN_TO_ALL:
        return
    g.asked_by = keys.name_of(_key())
    if g.asked_by is None:
        _note_refusal("key")
        raise Unauthorized("this server asks for an API key: send the header Authorization: Bearer KEY")


def _note_refusal(reason: str) -> None:
    site().metrics.refusal(reason)
    fields = {"event": "refusal", "request_id": request_id(), "reason": reason, "client": request.remote_addr}
    _log.warning("refused a request from %s: %s", request.remote_addr, reason, extra={"fields": fields})


def _from_here() -> bool:
    """Whether the request is from our own page, or from no page at all.

    Browsers say where a request comes from (Fetch Metadata, https://www.w3.org/TR/fetch-metadata/; older ones by
    Origin); programs say nothing.
    """
    if site_of_page := request.headers.get("Sec-Fetch-Site"):
        return site_of_page in {"same-origin", "none"}
    origin = request.headers.get("Origin")
    return origin is None or origin.lower() in {f"http://{request.host}", f"https://{request.host}"}


def _key() -> str:
    """The key of the request: as a bearer token or, from browsers, which ask their user for it, as the password."""
    authorization = request.authorization
    if authorization is None:
        return ""
    key = authorization.token if authorization.type == "bearer" else authorization.password
    return key or ""


def _note(response: Response) -> Response:
    response.headers["X-Request-ID"] = request_id()
    seconds = time.perf_counter() - g.get("started", time.perf_counter())
    method = request.method if request.method in _METHODS else "other"
    site().metrics.request(route(), method, response.status_code, seconds)
    fields = {
        "event": "request",
        "request_id": request_id(),
        "method": method,
        "route": route(),
        "status": response.status_code,
        "ms": round(1000 * seconds, 1),
        "client": request.remote_addr,
    }
    if asked_by := g.get("asked_by"):
        fields["key"] = asked_by
    extra = {"fields": fields} | ({"question": g.question} if "question" in g else {})
    _log.info("%s %s %d", method, route(), response.status_code, extra=extra)
    return response
