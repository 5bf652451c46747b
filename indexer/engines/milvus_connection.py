"""A connection to Milvus whose failures are one clear line each.

While a server cannot be reached, pymilvus repeats a request until its timeout has passed; then the request fails as a
whole. Nothing here ever returns a part of an answer. Rows that a repetition may write twice are the ingest's to count.
"""

import logging
import os
import re
from typing import Any, Self

from common.errors import EngineError, extra_needed
from indexer.engines import milvus_lite_process
from indexer.engines.address import EngineAddress

# Before these, Milvus has no full-text function, no 16-bit floats, and an interface that pymilvus no longer supports.
_FULL_TEXT, _FLOAT16, _OLDEST = (2, 5), (2, 4), (2, 3)
_CONNECTING = 10.0  # seconds
_GONE = ("UNAVAILABLE", "DEADLINE_EXCEEDED", "Retry timeout", "Fail connecting", "should create connection first")
_MISSING = ("can't find collection", "collection not found", "Can not find")
# Milvus Lite hangs up on who asks every ten seconds whether it is there, as pymilvus does.
_PATIENT = {"grpc.keepalive_time_ms": 2**31 - 1}

Row = dict[str, Any]


class Milvus:
    """One connection, safe to share between threads; a context manager that closes it."""

    def __init__(self, address: EngineAddress) -> None:
        """Connect.

        Raises:
            EngineError: the extra is not installed, nothing answers there, the file of an embedded engine is in use, or
                the server is too old for what the address asks of it.
        """
        self.address = address
        self._client = _connected(address)
        try:
            self.version = None if address.embedded else _version(str(self.call("get_server_version")))
            self._check_version()
        except EngineError:
            self.close()
            raise

    def call(self, method: str, *arguments: Any, timeout: float | None = None, **options: Any) -> Any:
        """Call a method of pymilvus' client.

        Raises:
            EngineError: it failed.
        """
        from grpc import RpcError
        from pymilvus.exceptions import MilvusException

        # A timeout also ends pymilvus' own repetitions, of which there are 75 without one.
        options["timeout"] = self.address.timeout if timeout is None else timeout
        try:
            return getattr(self._client, method)(*arguments, **options)
        except (MilvusException, RpcError, ValueError) as error:
            raise EngineError(self._line(method, _reason(error))) from None

    def refuse_16_bits(self) -> None:
        """Raise EngineError if the server does not know 16-bit floats."""
        if self.version is not None and self.version < _FLOAT16:
            raise EngineError(f"{self._named()} has no 16-bit vectors: take --vectors fp32")

    def close(self) -> None:
        """End the connection, and with the last one the process of an embedded engine."""
        client, self._client = self._client, None
        if client is None:
            return
        client.close()
        if self.address.embedded:
            milvus_lite_process.release(self.address.target)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_version(self) -> None:
        if self.version is None:
            return
        if self.version < _OLDEST:
            raise EngineError(f"{self._named()} is too old: {'.'.join(map(str, _FULL_TEXT))} or newer is needed")
        if self.version < _FULL_TEXT and self.address.holds_texts:
            raise EngineError(
                f"{self._named()} has no full-text search, which came with 2.5: "
                "add ?bm25=lucene to its address to keep texts in the index directory"
            )

    def _named(self) -> str:
        return f"{self.address.place} ({'.'.join(map(str, self.version or ()))})"

    def _line(self, method: str, reason: str) -> str:
        place = self.address.place
        if any(sign in reason for sign in _GONE):
            return f"lost the connection to {place} ({reason}): nothing was answered; try again when it is there"
        if any(sign in reason for sign in _MISSING):
            return f"{place} lacks the collection of this index ({reason}): build the index again"
        return f"{place} refused to {method.replace('_', ' ')}: {reason}"


def _connected(address: EngineAddress) -> Any:
    with extra_needed(EngineError, "an index in Milvus needs pymilvus", "milvus"):
        from pymilvus import MilvusClient
        from pymilvus.exceptions import MilvusException
    if not logging.getLogger().isEnabledFor(logging.INFO):  # every error that we turn into a line it logs with a trace
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
    if address.embedded:
        uri = milvus_lite_process.acquire(address.target)
    else:
        uri = f"{'https' if address.tls else 'http'}://{address.target}"
    try:
        return MilvusClient(
            uri,
            token=os.environ.get("MILVUS_TOKEN", ""),
            timeout=min(_CONNECTING, address.timeout),
            grpc_options=_PATIENT if address.embedded else {},
        )
    except MilvusException as error:
        if address.embedded:
            milvus_lite_process.release(address.target)
        raise EngineError(f"cannot reach {address.place} ({_reason(error)}): is it running?") from None


def _version(text: str) -> tuple[int, int, int]:
    """Of `v2.5.4-dev`: (2, 5, 4); what cannot be read counts as new."""
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    return (int(found[1]), int(found[2]), int(found[3] or 0)) if found else (999, 0, 0)


def _reason(error: Exception) -> str:
    """What an error says, in a few words."""
    details = getattr(error, "details", None)
    code = getattr(error, "code", None)
    if callable(details):  # gRPC's
        name = getattr(code() if callable(code) else None, "name", "")
        return f"{name} {details() or ''}".strip()[:200]
    text = str(getattr(error, "message", "") or error)
    return " ".join(text.split())[:200]
