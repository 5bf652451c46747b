"""Answers over HTTP with patience: paced, retried, bounded; what cannot be had ends in one line."""

import logging
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar
from urllib.parse import quote

import requests
from requests.exceptions import ChunkedEncodingError, ContentDecodingError, ProxyError
from urllib3 import Retry
from urllib3.exceptions import InvalidHeader, MaxRetryError

from common.errors import FetchError
from common.words import counted, shortened
from indexer.readers.json_records import mapping, unquoted

GO_ON = "run the same command again to go on"
_MAX_ANSWER_BYTES = 256 << 20  # of one answer; a page of 100 works has about 2 MiB
_SLOWEST = 10  # an answer may take this many timeouts as a whole, however steadily it drips
_LONGEST_BACKOFF = 60.0  # seconds
_SHOWN_FROM = 5.0  # seconds; a shorter wait is logged, but not shown
_SHOWN = 200  # characters of an address or message
_CHUNK = 1 << 16
_PASSING = (requests.codes.request_timeout, requests.codes.too_many_requests)
_UNTRUSTED = "CERTIFICATE_VERIFY_FAILED"
_logger = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Access:
    """Where an API is, who asks it, and how patiently."""

    base_url: str
    api_key: str = ""  # sent as a header, so that no address, log or error shows it
    key_header: str = "Authorization: Bearer {}"  # which one, and its value
    key_source: str = "--api-key or OPENALEX_API_KEY"  # where the user gives the key; "" where the API has none
    email: str = ""  # where the API's operators can reach the user
    requests_per_second: float = 5.0
    tries: int = 8  # of one request
    timeout: float = 30.0  # seconds without a byte
    backoff: float = 1.0  # seconds; the second wait is twice this (the first is none), and each later one doubles
    patience: float = 120.0  # seconds; when the API asks for a longer wait, the download stops

    def __post_init__(self) -> None:
        """Strip the key; a FetchError for one that no header can have, since the error of HTTP would show it."""
        key = self.api_key.strip()
        if not (key.isascii() and key.isprintable()):
            raise FetchError(f"the key in {self.key_source} has a character that no key has: copy it again")
        object.__setattr__(self, "api_key", key)


class _TransientError(Exception):
    """A failure that the next try may not meet."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait  # seconds that the API asks for


class RefusedError(FetchError):
    """The API refuses a request for good: a 4xx other than 408 and 429."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class FailedError(FetchError):
    """The API fails on every try."""


class _Session(requests.Session):
    """A session that sends the key to the API alone; by itself requests leaves out only `Authorization` elsewhere."""

    def __init__(self, key_header: str) -> None:
        super().__init__()
        self._key_header = key_header

    def rebuild_auth(self, prepared_request: requests.PreparedRequest, response: requests.Response) -> None:
        """Leave the key out where the API redirects to another host."""
        super().rebuild_auth(prepared_request, response)
        if self.should_strip_auth(str(response.request.url), str(prepared_request.url)):
            prepared_request.headers.pop(self._key_header, None)


class Client:
    """One API, asked one request at a time."""

    def __init__(self, access: Access) -> None:
        self._access = access
        header, _, value = access.key_header.partition(": ")
        self._session = _Session(header)
        if access.api_key:
            self._session.headers[header] = value.format(access.api_key)
        # A function rather than None: without one, requests would send what ~/.netrc has for the host.
        self._session.auth = lambda request: request
        self._session.headers["User-Agent"] = _user_agent(access.email)
        self._next_start = 0.0  # of a request, on the monotonic clock
        self._reached = False  # whether it has answered

    @property
    def has_key(self) -> bool:
        """Whether requests carry an API key."""
        return bool(self._access.api_key)

    def get(
        self, path: str, parameters: Mapping[str, str], free: bool = False, has: Mapping[str, type] | None = None
    ) -> dict[str, Any]:
        """The JSON object at `path` below the base URL; one without the fields that it `has`, by type, is no answer.

        Raises:
            FetchError: as `ask`.
        """
        return self.ask(path, parameters, partial(_json_object, has=has or {}), free=free)

    def find(self, path: str, parameters: Mapping[str, str], free: bool = False) -> dict[str, Any] | None:
        """The same; None where the API has no such thing."""
        try:
            return self.get(path, parameters, free)
        except RefusedError as error:
            if error.status != requests.codes.not_found:
                raise
            return None

    def ask(
        self, path: str, parameters: Mapping[str, str], read: Callable[[bytes], T], body: Any = None, free: bool = False
    ) -> T:
        """What `read` makes of the answer at `path` below the base URL; a `body` is posted as JSON.

        `free` where the API does not charge for it, which is nothing to this class.

        Passing failures (408, 429, 5xx, timeouts, lost connections, answers that are cut short or that
        `read` refuses with a ValueError) are tried again, after the wait that the API asks for or else ever longer
        ones.

        Raises:
            RefusedError: The API refuses the request.
            FetchError: It asks for a longer wait than we have patience for, fails on every try, or its host cannot be
                found, and has not answered before.
        """
        address = f"{self._access.base_url.rstrip('/')}/{path}"
        shown = _shown(address, parameters)
        retry = Retry(
            total=self._access.tries - 1,
            backoff_factor=self._access.backoff,
            backoff_jitter=self._access.backoff,
            backoff_max=_LONGEST_BACKOFF,
        )
        while True:
            try:
                return read(self._try(address, parameters, shown, body))
            except ValueError as error:
                failure = _TransientError(str(error))
            except _TransientError as error:
                failure = error
            try:
                retry = retry.increment("GET", address, error=failure)
            except MaxRetryError:
                tries = counted(self._access.tries, "try", "tries")
                raise FailedError(f"{shown}: {failure}, {tries}; {GO_ON}") from None
            self._wait(shown, failure, retry)

    def _wait(self, shown: str, failure: _TransientError, retry: Retry) -> None:
        # A date that is over is no wait: one of both clocks is wrong.
        seconds = failure.wait or retry.get_backoff_time()
        if seconds > self._access.patience:
            raise FetchError(f"{shown}: {failure}; {GO_ON} in {_duration(seconds)}")
        level = logging.WARNING if seconds >= _SHOWN_FROM else logging.INFO
        _logger.log(level, "%s: %s; next try in %.0f s", shown, failure, seconds)
        time.sleep(seconds)

    def _try(self, address: str, parameters: Mapping[str, str], shown: str, posted: Any) -> bytes:
        self._pace()
        method = "GET" if posted is None else "POST"
        try:
            with self._session.request(
                method, address, params=parameters, json=posted, timeout=self._access.timeout, stream=True
            ) as response:
                body = self._body(response)
        except requests.Timeout:
            raise _TransientError(f"no answer within {self._access.timeout:g} s") from None
        except (requests.ConnectionError, ChunkedEncodingError, ContentDecodingError) as error:
            why = _why(error)
            unknown = isinstance(_root(error), socket.gaierror)
            if isinstance(error, ProxyError) and not self._reached and (unknown or "connection failed: 4" in why):
                advice = "HTTPS_PROXY names it, with what it asks for: http://NAME:PASSWORD@HOST:PORT"
                raise FetchError(f"{shown}: the proxy is not there or refuses ({why}); {advice}") from None
            if unknown and not self._reached:
                advice = "is there a network, and is the address right?"
                raise FetchError(f"{shown}: no such host ({why}); {advice}") from None
            if _UNTRUSTED in why:
                advice = "where a proxy has a certificate of its own, name its authority's file in REQUESTS_CA_BUNDLE"
                raise FetchError(f"{shown}: {why}; {advice}") from None
            raise _TransientError(f"the connection failed ({why})") from None
        except OSError as error:  # those of requests among them, and a file of certificates that is not there
            raise FetchError(f"{shown}: {_why(error)}") from None
        self._reached = True
        if response.status_code in _PASSING or response.status_code >= 500:
            raise _TransientError(self._status(response, body), _asked_wait(response))
        if not response.ok:
            raise RefusedError(f"{shown}: {self._status(response, body)}{self._hint(response)}", response.status_code)
        return body

    def _body(self, response: requests.Response) -> bytes:
        deadline = time.monotonic() + _SLOWEST * self._access.timeout
        body = bytearray()
        for chunk in response.iter_content(_CHUNK):
            body += chunk
            if len(body) > _MAX_ANSWER_BYTES or time.monotonic() > deadline:
                raise requests.ConnectionError(f"too long or too slow an answer, {len(body):,} bytes so far")
        return bytes(body)

    def _pace(self) -> None:
        time.sleep(max(0.0, self._next_start - time.monotonic()))
        self._next_start = time.monotonic() + 1 / self._access.requests_per_second

    def _status(self, response: requests.Response, body: bytes) -> str:
        """The code and the API's own message without the key; OpenAlex and others say it as `message` or `error`."""
        fields = mapping(unquoted(body))
        message = str(fields.get("message") or fields.get("error") or response.reason)
        if self._access.api_key:
            message = message.replace(self._access.api_key, "…")
        return " ".join(f"HTTP {response.status_code} {message}".split())[: 2 * _SHOWN]

    def _hint(self, response: requests.Response) -> str:
        may_be_the_key = response.status_code in (requests.codes.unauthorized, requests.codes.forbidden)
        source = self._access.key_source
        return f"; an API key may be missing or wrong ({source})" if source and may_be_the_key else ""


def _json_object(body: bytes, has: Mapping[str, type]) -> dict[str, Any]:
    answer = unquoted(body)
    if not isinstance(answer, dict):
        raise ValueError(f"the answer of {len(body):,} bytes is truncated or no JSON object")
    for name, kind in has.items():
        if not isinstance(answer.get(name), kind):
            raise ValueError(f"the answer has no {name!r}: is the address that of the API?")
    return answer


def json_list(body: bytes) -> list[Any]:
    """A JSON list, for `Client.ask`; a ValueError for anything else."""
    answer = unquoted(body)
    if not isinstance(answer, list):
        raise ValueError(f"the answer of {len(body):,} bytes is no JSON list")
    return answer


def _user_agent(email: str) -> str:
    try:
        name = f"citescout/{version('citescout')}"
    except PackageNotFoundError:  # run from a source tree
        name = "citescout"
    return f"{name} (mailto:{quote(email.strip(), safe='@+')})" if email else name


def _shown(address: str, parameters: Mapping[str, str]) -> str:
    url = requests.Request("GET", address, params=dict(parameters)).prepare().url or address
    return shortened(url, _SHOWN)


def _asked_wait(response: requests.Response) -> float | None:
    """Seconds to wait, as the API asks: until Retry-After, or, with nothing left today, until the limit's reset."""
    asked = response.headers.get("Retry-After")
    if asked is None and response.headers.get("X-RateLimit-Remaining") == "0":
        asked = response.headers.get("X-RateLimit-Reset")
    try:
        return None if asked is None else Retry().parse_retry_after(asked)
    except InvalidHeader:
        return None


def _root(error: BaseException) -> BaseException:
    """The bottom of a chain of wrapped errors."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return error


def _why(error: BaseException) -> str:
    """What went wrong at the bottom of a chain of wrapped errors."""
    return " ".join(str(_root(error)).split())[:_SHOWN] or type(_root(error)).__name__


def _duration(seconds: float) -> str:
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
