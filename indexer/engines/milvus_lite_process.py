"""Milvus Lite: a Milvus in a file, run by a process of its own that ends with ours.

One process at a time may open a file. Within ours, all connections share one server, which stops with the last.
"""

import os
import threading
import warnings
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import Any

from common.errors import EngineError, extra_needed
from common.processes import environment

# It reports every commit of its index, and of every request that fails, on the standard error that it shares with us.
_QUIET = {"RUST_LOG": "error", "GLOG_minloglevel": "3"}

_lock = threading.Lock()
_users: Counter[str] = Counter()


def acquire(path: str) -> str:
    """Where the server of this file listens; it is started where there is none yet.

    Raises:
        EngineError: Milvus Lite is not installed or is no real Milvus, or the file is in use or cannot be written.
    """
    _check_version()
    folder = Path(path).parent
    if not folder.is_dir():
        raise EngineError(f"cannot write {path}: there is no folder {folder}")
    with _lock:
        # The server takes its environment from ours.
        with environment({name: value for name, value in _QUIET.items() if name not in os.environ}):
            try:
                address = _manager().start_and_get_uri(path)
            except ImportError as error:
                raise EngineError(
                    f"Milvus Lite cannot start ({error}): it needs `pip install 'setuptools<81'`"
                ) from None
        if address is None:
            raise EngineError(f"cannot open {path}: another process has it open, or it is not Milvus Lite's")
        _users[path] += 1
        return str(address)


def release(path: str) -> None:
    """One connection less."""
    with _lock:
        _users[path] -= 1
        if _users[path] <= 0:
            del _users[path]
            _manager().release_server(path)


def _check_version() -> None:
    with extra_needed(EngineError, "Milvus Lite is not installed", "milvus"):
        version = metadata.version("milvus-lite")
    if not version.startswith("2."):
        raise EngineError(
            f"Milvus Lite {version} imitates Milvus in Python and scores each segment by its own statistics: "
            "install milvus-lite==2.5.1"
        )


def _manager() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it imports pkg_resources
        from milvus_lite.server_manager import server_manager_instance
    return server_manager_instance
