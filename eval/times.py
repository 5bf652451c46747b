"""How long systems took for a query, beside their runs: `times.json`, {system: [seconds, …]}."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from common.errors import SourceError
from common.files import write_atomically

TIMES = "times.json"
_LONGEST = 1e7  # seconds, of one query

# System → seconds of each query, in the order of the queries' file.
Times = Mapping[str, Sequence[float]]


def read_times(folder: Path) -> Times:
    """The times beside the runs of a folder; nothing where none were kept.

    Raises:
        SourceError: the file cannot be read, or is not of that form.
    """
    path = folder / TIMES
    if not path.exists():
        return {}
    try:
        found = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise SourceError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    if not isinstance(found, dict) or not all(isinstance(seconds, list) and seconds for seconds in found.values()):
        raise SourceError(f"{path} is not of the form {{system: [seconds of each query]}}")
    for name, seconds in found.items():
        for value in seconds:
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < _LONGEST:
                raise SourceError(f"{path}: {value!r} is no time of {name!r} in seconds")
    return found


def write_times(folder: Path, times: Times) -> None:
    """Write them beside the runs; the caller merges what was there."""
    write_atomically(folder / TIMES, orjson.dumps(dict(times)))
