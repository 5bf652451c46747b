"""JSON that commands write, or that comes with the package, checked against the record that it should hold."""

from typing import Any

from common.errors import CitescoutError, SourceError

_SHOWN = 50  # characters of a wrong value, at most


def parsed(content: bytes, kind: Any, what: str, problem: type[CitescoutError] = SourceError) -> Any:
    """What JSON holds, as a dataclass or container of `kind`.

    Raises:
        CitescoutError: of the kind `problem`, where it is no JSON, or something is missing or of another type:
            "`what`: …".
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        value, place = repr(first["input"]), ".".join(map(str, first["loc"]))
        shown = len(value) <= _SHOWN and first["type"] != "json_invalid"  # its message quotes what matters
        said = f"{place}: {first['msg']}".removeprefix(": ") + (f", not {value}" if shown else "")
        if first["type"] == "missing":
            said = f"{first['loc'][-1]!r} is missing"
        raise problem(f"{what}: {said}") from None
