"""Addresses below /s/SESSION/ and /i/INDEX/: the same pages, for one session and on one index of several.

Both are taken from the path before Flask sees it and become part of the script's root, so that every address that the
page makes stays within its session and its index.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from flask import has_request_context, request

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_SESSION_BYTES = 16  # 128 random bits: no session can be found by trying
_SESSION = re.compile(r"/s/([A-Za-z0-9_-]{22})(?=/|$)")
_INDEX = re.compile(r"/i/([^/]+)(?=/|$)")
_BEGINS = re.compile(r"/$|/check$|/q/")  # the empty pages, and a stored question that somebody passed on
_SESSION_KEY, _INDEX_KEY, _OFFERED_KEY = "citescout.session", "citescout.index", "citescout.offered"


class Prefixes:
    """A WSGI application whose environment says which session and which index an address is of."""

    def __init__(self, app: WSGIApplication, indexes: Collection[str], sessions: bool) -> None:
        """Each of the `indexes` that has a name has addresses of its own. Sessions only where there are."""
        self._app = app
        self._indexes = indexes  # more may come while it serves
        self._sessions = sessions

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Pass the request on; a prefix of no session and no index stays in the path, where no page is."""
        if host := environ.get("HTTP_HOST"):
            environ["HTTP_HOST"] = host.lower()  # as browsers send it, and names that are trusted are written
        if self._sessions and (found := _SESSION.match(environ["PATH_INFO"])):
            environ[_SESSION_KEY] = found[1]
            _move(environ, found[0])
        root = environ.setdefault("SCRIPT_NAME", "")
        if (found := _INDEX.match(environ["PATH_INFO"])) and (name := _decoded(found[1])) in self._indexes:
            environ[_INDEX_KEY] = name
            _move(environ, found[0])
        begins = environ["REQUEST_METHOD"] == "GET" and _BEGINS.match(environ["PATH_INFO"])
        if self._sessions and begins and _SESSION_KEY not in environ:
            _offer_session(environ, root)
        return self._app(environ, start_response)


def _decoded(part: str) -> str:
    """A part of a path as people write it; WSGI has its bytes as Latin-1."""
    return part.encode("latin-1").decode("utf-8", "replace")


def _move(environ: WSGIEnvironment, prefix: str) -> None:
    environ["SCRIPT_NAME"] = environ.get("SCRIPT_NAME", "") + prefix
    environ["PATH_INFO"] = environ["PATH_INFO"][len(prefix) :]


def _offer_session(environ: WSGIEnvironment, root: str) -> None:
    """Let a page lead on to a new session, `root` being what comes before it; nothing is stored until it is used."""
    session = secrets.token_urlsafe(_SESSION_BYTES)
    environ[_SESSION_KEY] = session
    environ[_OFFERED_KEY] = True
    environ["SCRIPT_NAME"] = f"{root}/s/{session}{environ['SCRIPT_NAME'].removeprefix(root)}"


def current_session() -> str | None:
    """The session of the current request; None outside of all."""
    return request.environ.get(_SESSION_KEY) if has_request_context() else None


def session_is_new() -> bool:
    """Whether the current request named no session, and its page leads on to one."""
    return _OFFERED_KEY in request.environ


def current_index() -> str | None:
    """The index that the address of the current request names; None where it names none."""
    return request.environ.get(_INDEX_KEY) if has_request_context() else None


def root_of(session: str | None, index: str | None) -> str:
    """What the addresses of a session and an index begin with, without a slash at the end."""
    root = request.root_path
    if found := current_index():
        root = root.removesuffix(f"/i/{found}")
    if found := current_session():
        root = root.removesuffix(f"/s/{found}")
    return root + (f"/s/{session}" if session else "") + (f"/i/{index}" if index else "")
