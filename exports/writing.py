"""The way into the formats."""

import io
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import TextIO

from citescout.recommendation import Answer, Recommendation
from common.errors import QueryError
from exports import formats
from exports.base import Format, registered
from retrieval.query import Query

for _module in pkgutil.iter_modules(formats.__path__, formats.__name__ + "."):
    import_module(_module.name)

FORMATS: Mapping[str, Format] = MappingProxyType(dict(sorted(registered.items())))


def find_format(name: str) -> Format:
    """The format of that name.

    Raises:
        QueryError: there is none.
    """
    if name not in FORMATS:
        raise QueryError(f"there is no export format {name!r}; choose one of: {', '.join(FORMATS)}")
    return FORMATS[name]


Answered = Answer | tuple[Query, Sequence[Recommendation]]  # a pair is an answer of which nothing else is known


def write(format_name: str, answers: Iterable[Answered], stream: TextIO) -> None:
    """Write every query with its recommendations, in order, as they come; memory does not grow with their number.

    The stream should be UTF-8 and, for CSV, opened with newline="".

    Raises:
        QueryError: there is no format of that name.
    """
    find_format(format_name).write((one if isinstance(one, Answer) else Answer(*one) for one in answers), stream)


def written(format_name: str, answers: Iterable[Answered]) -> str:
    """What `write` writes, as text whose lines end as the format has it."""
    stream = io.StringIO(newline="")
    write(format_name, answers, stream)
    return stream.getvalue()
