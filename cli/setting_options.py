"""Options that are made of the fields of `Query`, `Settings` and `Filters`."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args, get_origin

import click
from pydantic.fields import FieldInfo

from cli.options import Decorator, Number, Parsed, comma_separated
from common.schema import FieldError, Made, how_given, limit, type_of
from retrieval.query import FIRST_YEAR, LAST_YEAR


class _Option(click.Option):
    """One whose default is set later, so that click shows its words in brackets, as if they were none of its values."""

    def get_help_extra(self, ctx: click.Context) -> Any:
        """What stands behind the help."""
        extra = super().get_help_extra(ctx)
        if "default" in extra:
            extra["default"] = extra["default"].strip("()")
        return extra


def _seconds(text: str) -> float:
    """A time such as 1.5s, 800ms or 2."""
    found = re.fullmatch(r"([0-9]*\.?[0-9]+) *(s|ms|)", text.strip())
    seconds = float(found[1]) * (0.001 if found[2] == "ms" else 1.0) if found else 0.0
    if not 0 < seconds < float("inf"):
        raise ValueError(f"{text!r} is not a time above zero, such as 1.5s or 800ms")
    return seconds


def year_option(help_: str) -> Decorator:
    """The option --year of a command whose queries have no year of their own."""
    return click.option("--year", type=click.IntRange(FIRST_YEAR, LAST_YEAR), metavar="YEAR", help=help_)


def flag_of(name: str, field: FieldInfo) -> str:
    """What the option of a field is called; that of a switch that is on turns it off."""
    off = "no-" if field.default is True else ""
    return how_given(field).flag or f"--{off}{name.replace('_', '-')}"


def option_of(name: str, field: FieldInfo) -> Decorator:
    """The option of a field; the command gets None where it is not given."""
    given, kind, flag = how_given(field), type_of(field), flag_of(name, field)
    common: dict[str, Any] = {"help": given.off or field.description, "default": None, "metavar": given.metavar or None}
    if kind is bool:
        return click.option(flag, name, flag_value=not field.default, type=bool, **common)
    if get_origin(kind) is Literal:
        return click.option(flag, name, type=click.Choice(get_args(kind)), **common)
    if kind == tuple[str, ...]:
        common["help"] = f"{field.description} May be repeated."
        return click.option(flag, name, multiple=True, callback=_repeated, **common)
    if get_origin(kind) is tuple:
        return click.option(flag, name, callback=comma_separated, **common)
    if field.default:
        common["show_default"] = str(field.default)
    low, high = limit(field, "ge"), limit(field, "le")
    if given.seconds:
        number: click.ParamType = Parsed("time", _seconds)  # type: ignore[type-arg]
    else:
        number = (click.IntRange if kind is int else Number)(low, high)
    return click.option(flag, name, type=number if kind in {int, float} else str, cls=_Option, **common)


def made_of(fields: Mapping[str, FieldInfo], options: dict[str, Any], make: Callable[..., Made]) -> Made:
    """What `make` makes of those options of the fields that are given; all of them are taken out of `options`.

    Raises:
        QueryError: what is wrong with a value, in the names of the options.
    """
    given = {name: value for name in fields if (value := options.pop(name)) is not None}
    try:
        return make(**given)
    except FieldError as error:
        raise error.renamed(lambda path: flag_of(str(path[0]), fields[str(path[0])])) from None


def _repeated(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...] | None:
    return values or None
