"""Ids for records that come without any."""

from __future__ import annotations

import hashlib


def digest_id(format: str, title: str, year: str) -> str:
    """An id of title and year; the same record gets the same one wherever it is read."""
    return f"{format}-" + hashlib.sha256(f"{title}\n{year}".encode("utf-8", "replace")).hexdigest()[:16]
