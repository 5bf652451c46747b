"""What an export format is: one declaration, registered by one module of `citescout.exports.formats`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TextIO

from citescout.recommendation import Recommendation
from retrieval.query import Query

Answer = tuple[Query, Sequence[Recommendation]]


@dataclass(frozen=True, slots=True)
class Format:
    """One format."""

    name: str  # for `--format`
    description: str  # one line for the documentation
    ending: str  # of a file, without the dot
    media_type: str  # for downloads
    write: Callable[[Iterable[Answer], TextIO], None]  # takes the answers one by one and keeps none


registered: dict[str, Format] = {}


def register(export: Format) -> None:
    """Make a format known to `--format`, the downloads of the page and the documentation."""
    registered[export.name] = export
