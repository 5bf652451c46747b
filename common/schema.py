"""Records whose fields are declared once: types, ranges, defaults and descriptions, checked whenever one is made.

Options of the command line and requests of the API are derived from the declarations; they check the form of the page.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
)

from pydantic import AfterValidator, ConfigDict, Field, Strict, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from common.errors import QueryError

Made = TypeVar("Made")
Place = Literal["command line", "api", "page"]
Each = TypeVar("Each")
if TYPE_CHECKING:
    Several = Sequence  # what callers may give
else:
    Several = Annotated[tuple[Each, ...], Strict(False)]  # what is made of it
# Of papers (ids among them), people or venues; blank ones are nothing.
Names = Annotated[Several[str], AfterValidator(lambda names: tuple(filter(str.strip, names)))]

RULES = ConfigDict(strict=True, extra="forbid", hide_input_in_errors=True)
_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "string": "text",
    "model": "a JSON object",
}
_SHOWN = 20  # characters of a wrong value


@dataclass(frozen=True, slots=True)
class Given:
    """How a field is given, where its name and type do not say it: a mark in the field's annotation."""

    flag: str = ""  # of the command line; without, made of the name
    metavar: str = ""  # its value in the help
    label: str = ""  # what the page calls it
    off: str = ""  # what the option of a switch says that is on without it
    seconds: bool = False  # a time: 1.5s or 800ms on the command line
    retrieval: bool = False  # says how candidates are found and ordered, not what is wanted of the list
    where: tuple[Place, ...] = ("command line", "api", "page")


class FieldError(QueryError):
    """A field has a value that it cannot have, in the names of the record; `renamed` says it in those of the caller."""

    def __init__(self, path: tuple[str | int, ...], problem: str, other: str = "") -> None:
        """Of the field at a path such as ("sources", 1); `problem` may hold {other}, the name of another field."""
        self.path, self.problem, self.other = path, problem, other
        super().__init__(self._message(json_path))

    def renamed(self, name: Callable[[tuple[str | int, ...]], str]) -> QueryError:
        """The error with the caller's name of every path; one without a path stays as it is."""
        return QueryError(self._message(name))

    def _message(self, name: Callable[[tuple[str | int, ...]], str]) -> str:
        problem = self.problem.replace("{other}", name((self.other,))) if self.other else self.problem
        return f"{name(self.path)} {problem}" if self.path else problem


def json_path(path: tuple[str | int, ...]) -> str:
    """Such as sources[1]."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


@dataclass_transform(frozen_default=True, field_specifiers=(Field,))
def record(declared: type[Made]) -> type[Made]:
    """Decorator: a frozen dataclass whose fields are checked when it is made, or a FieldError is raised."""
    made: Any = checked_dataclass(declared, frozen=True, slots=True, config=RULES)
    unchecked = made.__init__

    @wraps(unchecked)
    def __init__(self: Any, *args: Any, **values: Any) -> None:
        try:
            unchecked(self, *map(_plain, args), **of_json(values))
        except ValidationError as error:
            raise first_error(error, made.__pydantic_fields__) from None

    made.__init__ = __init__
    fields, shown = made.__pydantic_fields__, signature(made)  # without marks, for help()
    given = [one.replace(annotation=fields[one.name].annotation) for one in shown.parameters.values()]
    made.__signature__ = shown.replace(parameters=given)
    return cast(type[Made], made)


def of_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a JSON object, in which 10.0 and 1e1 are whole numbers, too, as JSON schema has it."""
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    """A number as Python has it, such as one of NumPy; a whole one as int, whatever its type."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, Real) and not isinstance(value, int):
        value = float(value)
        return int(value) if value.is_integer() else value
    return value


def first_error(error: ValidationError, fields: Mapping[str, FieldInfo]) -> FieldError | TypeError:
    """The first thing that is wrong with a record of these fields; a TypeError for a call that names no field."""
    found = error.errors(include_url=False)
    details = next((one for one in found if one["type"] in _UNKNOWN), found[0])
    path = details["loc"]
    if path and isinstance(path[0], int) and path[0] < len(fields):  # it was given by its place
        path = (list(fields)[path[0]], *path[1:])
    if not path or not isinstance(path[0], str):
        return TypeError(details["msg"])
    if details["type"] in _UNKNOWN:
        return FieldError((), f"unknown field {path[0]!r}; there are {', '.join(sorted(fields))}")
    return FieldError(path, _problem(details, fields[path[0]]))


_UNKNOWN = {"extra_forbidden", "unexpected_keyword_argument"}


def _problem(error: ErrorDetails, field: FieldInfo) -> str:
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    if kind in {"greater_than", "greater_than_equal", "less_than", "less_than_equal", "finite_number"}:
        return f"must be {span(field) or error['msg'].removeprefix('Input should be ')}, not {value}"
    if kind == "literal_error":
        return f"must be {context['expected']}, not {repr(value)[:_SHOWN]}"
    if kind == "string_too_long":
        return f"may have at most {context['max_length']:,} characters, not {len(value):,}"
    if kind == "too_long":
        return f"may hold at most {context['max_length']:,} entries, not {len(value):,}"
    if kind.startswith("dataclass_"):
        return f"must be {context['class_name']}(…), not {repr(value)[:_SHOWN]}"
    if kind == "too_short":
        return "must not be empty"
    if kind == "missing":
        return "is missing"
    wanted = _KINDS.get(kind.split("_")[0], "a list")
    missing = isinstance(value, float | NoneType)  # as tables have it where there is nothing
    shown = f", not {repr(value)[:_SHOWN]}" if missing or wanted.endswith("number") else ""
    return f"must be {wanted}{shown}"


def span(field: FieldInfo) -> str:
    """The values that a number may have, such as "from 0 to 1" or "above 0"; "" where the field does not say it."""
    low, high, above = limit(field, "ge"), limit(field, "le"), limit(field, "gt")
    if above is not None:
        return f"above {above}"
    if high is not None:
        return f"from {low} to {high}"
    return "" if low is None else f"at least {low}"


def limit(field: FieldInfo, name: str) -> Any:
    """The limit of that name (ge, le, gt) of a field's value; None without one."""
    return next((getattr(mark, name) for mark in field.metadata if hasattr(mark, name)), None)


def how_given(field: FieldInfo) -> Given:
    """The field's mark; one of its own for a field without."""
    return next((mark for mark in field.metadata if isinstance(mark, Given)), Given())


def fields_of(*records: type, where: Place) -> Iterator[tuple[str, FieldInfo]]:
    """The fields of records that can be given there, by name; those of a record within a record in its place."""
    for one in records:
        for name, field in cast(Any, one).__pydantic_fields__.items():
            if is_record(field.annotation):
                yield from fields_of(field.annotation, where=where)
            elif where in how_given(field).where:
                yield name, field


def changed(base: Made, values: Mapping[str, Any]) -> Made:
    """The record with other values of the fields that `values` names, those of records within it among them."""
    new: dict[str, Any] = {}
    for name, field in cast(Any, base).__pydantic_fields__.items():
        if is_record(field.annotation):
            new[name] = changed(getattr(base, name), values)
        elif name in values:
            new[name] = values[name]
    return replace(cast(Any, base), **new)  # type: ignore[no-any-return]


def is_record(annotation: object) -> bool:
    """Whether a field of that type holds a record."""
    return hasattr(annotation, "__pydantic_fields__")


def type_of(field: FieldInfo) -> Any:
    """The field's type without None and without marks: int, float, bool, str, a Literal or a tuple."""
    found: Any = field.annotation
    if get_origin(found) in {Union, UnionType}:
        (found,) = (one for one in get_args(found) if one is not NoneType)
    return get_args(found)[0] if get_origin(found) is Annotated else found
