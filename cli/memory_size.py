"""Sizes of memory as people write them: 2GB, 500 MB, 1.5GiB."""

from __future__ import annotations

import re

from cli.options import Parsed

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)


def _bytes(text: str) -> int:
    found = _SIZE.fullmatch(text)
    size = int(float(found[1]) * _UNITS[(found[2] or "").lower()]) if found else 0
    if size <= 0:
        raise ValueError(f"{text!r} is no size such as 2GB or 500MB")
    return size


MEMORY_SIZE = Parsed("SIZE", _bytes)  # in bytes; GB is 10⁹ of them and GiB 2³⁰
