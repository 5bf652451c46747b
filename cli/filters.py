"""Options that say which papers a list may hold, and which of them it prefers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from cli.options import with_options

_OPTIONS = (
    click.option("--from-year", type=int, default=None, help="Oldest year of a recommended paper."),
    click.option("--to-year", type=int, default=None, help="Newest year; newer papers still serve as evidence."),
    click.option(
        "--venue", "venues", multiple=True, metavar="NAME", help="Only papers whose venue has this name in it; repeat."
    ),
    click.option(
        "--min-citations", type=click.IntRange(0), default=0, help="Fewest citations of a paper within the index."
    ),
    click.option("--not-by", multiple=True, metavar="AUTHOR", help="Leave out this author's papers; repeat."),
    click.option(
        "--diversity",
        type=click.FloatRange(0, 1),
        default=0.0,
        help="How much a paper loses by being like one above it, 0 to 1.",
    ),
    click.option(
        "--recency", type=click.FloatRange(-1, 1), default=0.0, help="From -1, classics first, to 1, the newest first."
    ),
)


def list_filters(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options; the command gets `filters`, a `Filters`, and the two dials `diversity` and `recency`."""

    @wraps(command)
    def with_filters(
        *,
        from_year: int | None,
        to_year: int | None,
        venues: tuple[str, ...],
        min_citations: int,
        not_by: tuple[str, ...],
        **others: Any,
    ) -> None:
        from citescout.filters import Filters

        command(filters=Filters(from_year, to_year, venues, min_citations, not_by).checked(), **others)

    return with_options(with_filters, _OPTIONS)
