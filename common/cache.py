"""Where this user keeps what can be made again, such as converted models, and what cannot, such as baskets."""

import os
from pathlib import Path


def user_cache() -> Path:
    """The folder CITESCOUT_CACHE, else the one that the system has for it; it need not exist."""
    if chosen := os.environ.get("CITESCOUT_CACHE"):
        return Path(chosen).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("citescout")


def user_data() -> Path:
    """The folder CITESCOUT_DATA, else the one that the system has for it; it need not exist."""
    if chosen := os.environ.get("CITESCOUT_DATA"):
        return Path(chosen).expanduser()
    from platformdirs import user_data_path

    return user_data_path("citescout")
