"""JSON that commands write for others to read, checked against the record that it should hold."""

from __future__ import annotations

from typing import Any

from common.errors import SourceError

_SHOWN = 50  # characters of a wrong value, at most


def parsed(content: bytes, kind: Any, what: str) -> Any:
    """What JSON holds, as a dataclass or container of `kind`.

    Raises:
        SourceError: it is no JSON, or something is missing or of another type: "`what`: …".
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        value, place = repr(first["input"]), ".".join(map(str, first["loc"]))
        problem = f"{place}: {first['msg']}" + (f", not {value}" if len(value) <= _SHOWN else "")
        if first["type"] == "missing":
            problem = f"{first['loc'][-1]!r} is missing"
        raise SourceError(f"{what}: {problem}") from None
