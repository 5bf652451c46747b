"""A manuscript as JSON, between the process that reads it and those that use it, and in a store."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import asdict, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

from indexer.paper import Imprint, Paper
from manuscripts.manuscript import Manuscript

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def as_json(value: Any) -> bytes:
    """A manuscript, or what else holds records and bytes: bytes in Base64, half a surrogate pair as a question mark."""
    try:
        return orjson.dumps(value, default=_plain)
    except orjson.JSONEncodeError:  # of such a half, which JSON and YAML can write
        return json.dumps(value, default=_plain, ensure_ascii=False).encode("utf-8", "replace")


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else b64encode(value).decode("ascii")


def manuscript_of(record: dict[str, Any]) -> Manuscript:
    """What `as_json` wrote of a manuscript."""
    bibtex = [{**one, "data": b64decode(one["data"])} for one in record["bibtex"]]
    return _manuscripts().validate_python({**record, "bibtex": bibtex})


def paper_of(record: dict[str, Any]) -> Paper:
    """A paper of a bibliography."""
    imprint = Imprint(**record["imprint"]) if record["imprint"] else None
    return Paper(**{**record, "authors": tuple(record["authors"]), "citations": (), "imprint": imprint})


@cache
def _manuscripts() -> TypeAdapter[Manuscript]:
    # Imported late: the process that reads the manuscript only writes JSON, and would spend a third of its time on it.
    from pydantic import TypeAdapter

    return TypeAdapter(Manuscript)
