"""JSON that commands write for others to read, checked against the record that it should hold."""

from __future__ import annotations

from typing import Any

from common.errors import SourceError


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
        place = ".".join(map(str, first["loc"]))
        value = repr(first["input"])
        given = "" if len(value) > 50 else f", not {value}"
        problem = f"{first['loc'][-1]!r} is missing" if first["type"] == "missing" else f"{place}: {first['msg']}{given}"
        raise SourceError(f"{what}: {problem}") from None
