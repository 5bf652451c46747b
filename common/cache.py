"""Where this user keeps what can be made again, such as converted models, and what cannot, such as baskets."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from common.errors import CitescoutError

_UNUSED = 183 * 24 * 3600  # seconds after which something may go


def user_cache() -> Path:
    """The folder CITESCOUT_CACHE, else the one that the system has for it; it need not exist.

    Raises:
        CitescoutError: the variable is not set or begins with ~, and the system knows no home of this user.
    """
    from platformdirs import user_cache_path

    return _chosen("CITESCOUT_CACHE", user_cache_path)


def long_unused(folder: Path) -> list[Path]:
    """What nobody has used for half a year; whoever uses something touches it.

    Raises:
        OSError: the folder cannot be read.
    """
    return [path for path in folder.iterdir() if path.stat().st_mtime < time.time() - _UNUSED]


def user_data() -> Path:
    """The same of CITESCOUT_DATA.

    Raises:
        CitescoutError: as `user_cache`.
    """
    from platformdirs import user_data_path

    return _chosen("CITESCOUT_DATA", user_data_path)


def _chosen(variable: str, of_system: Callable[[str], Path]) -> Path:
    with suppress(RuntimeError):
        if chosen := os.environ.get(variable):
            return Path(chosen).expanduser()
        # Older releases of platformdirs name a folder ~ in the one where we are.
        if (folder := of_system("citescout")).is_absolute():
            return folder
    raise CitescoutError(f"this user has no home folder: name another folder with {variable}")
