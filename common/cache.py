"""Where this user keeps what can be made again, such as converted models, and what cannot, such as baskets."""

import os
import time
from pathlib import Path

_UNUSED = 183 * 24 * 3600  # seconds after which something may go


def user_cache() -> Path:
    """The folder CITESCOUT_CACHE, else the one that the system has for it; it need not exist."""
    if chosen := os.environ.get("CITESCOUT_CACHE"):
        return Path(chosen).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("citescout")


def long_unused(folder: Path) -> list[Path]:
    """What nobody has used for half a year; whoever uses something touches it.

    Raises:
        OSError: the folder cannot be read.
    """
    return [path for path in folder.iterdir() if path.stat().st_mtime < time.time() - _UNUSED]


def user_data() -> Path:
    """The folder CITESCOUT_DATA, else the one that the system has for it; it need not exist."""
    if chosen := os.environ.get("CITESCOUT_DATA"):
        return Path(chosen).expanduser()
    from platformdirs import user_data_path

    return user_data_path("citescout")
