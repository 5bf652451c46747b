"""Options that say how lists are made: one declaration for the commands that answer queries and that measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import click

from cli.options import FILE, Seconds, TermCount, comma_separated, tokens, with_options

if TYPE_CHECKING:
    from citescout.systems import System
    from rerank.token_split import TokenSplit

_RERANKERS = "default|none|PATH|HF-ID"
_NAMES = "default|ordered|nogueira|..."


class Opening(TypedDict):
    """What `Recommender.open` and `LiveRecommender.open` take beside the directory."""

    system: System
    reranker: str
    split: TokenSplit | None
    blend: Path | None


_OPTIONS = (
    click.option(
        "--system",
        "name",
        default="default",
        show_default=True,
        metavar=_NAMES,
        help="How lists are made: nogueira has the cross-encoder alone order BM25's best 1,000, ordered what BM25 and "
        "vectors find together; others are called as in the tables of the evaluation. The options below change parts.",
    ),
    click.option(
        "--sources",
        default=None,
        metavar="bm25,dense,graph",
        callback=comma_separated,
        help="Sources of candidates, some of these; else the system's.",
    ),
    click.option(
        "--query-form",
        default=None,
        type=click.Choice(["title+abstract", "title", "key-terms"]),
        help="What of the query BM25 searches for; else as the system does.",
    ),
    click.option(
        "--bm25-terms",
        type=TermCount(),
        default="all",
        show_default=True,
        metavar="N|all",
        help="Terms of the query that BM25 searches for, those that weigh most; fewer are faster in a large index.",
    ),
    click.option(
        "--blend",
        type=FILE,
        default=None,
        help="The learned final order: a file of train blend; else what comes along, where the system has it.",
    ),
    click.option("--no-blend", is_flag=True, help="Order by the cross-encoder (or the fused ranks) alone."),
    click.option(
        "--reranker",
        default=None,
        metavar=_RERANKERS,
        help="Cross-encoder that reads the best candidates; default is the one that comes along, which a system that "
        "needs one takes.",
    ),
    click.option(
        "--depth",
        default=None,
        type=click.IntRange(0),
        help="Candidates that the cross-encoder reads; else the system's.",
    ),
    click.option(
        "--budget",
        type=Seconds(),
        default=None,
        metavar="TIME",
        help="Time for a query, such as 1.5s: the cross-encoder reads the best candidates first, as many as it allows.",
    ),
    tokens,
)


def list_ranking(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options; the command gets `opening`, an `Opening`."""

    @wraps(command)
    def with_ranking(
        *,
        name: str,
        sources: tuple[str, ...] | None,
        query_form: str | None,
        bm25_terms: int | None,
        blend: Path | None,
        no_blend: bool,
        reranker: str | None,
        depth: int | None,
        budget: float | None,
        tokens: TokenSplit | None,
        **others: Any,
    ) -> None:
        from citescout.systems import find_system

        values = {
            "sources": sources,
            "query_form": query_form,
            "bm25_terms": bm25_terms,
            "blend": False if no_blend else True if blend else None,
            "depth": depth,
            "budget": budget,
        }
        system = find_system(name).changed(**{key: value for key, value in values.items() if value is not None})
        reranker = told_reranker([system], reranker)
        command(opening=Opening(system=system, reranker=reranker, split=tokens, blend=blend), **others)

    return with_options(with_ranking, _OPTIONS)


_ROWS = (
    click.option(
        "--system",
        "systems",
        multiple=True,
        metavar=_NAMES,
        help="Only this system (repeatable), named as in the tables.",
    ),
    click.option(
        "--reranker",
        default=None,
        metavar=_RERANKERS,
        help="Run the systems that read with a cross-encoder, too: default, ordered and nogueira, with this one. "
        "Without it they run only when they are named, with the one that comes along where they need one.",
    ),
    click.option(
        "--depth",
        default=None,
        type=click.IntRange(1),
        help="Candidates that the cross-encoder reads in each system; else its own: up to 2,000 a query "
        "in ordered and 1,000 in nogueira, which takes long.",
    ),
)


def system_rows(command: Callable[..., None]) -> Callable[..., None]:
    """Options that say which systems are measured; the command gets `systems`, `reranker` and `depth`."""

    @wraps(command)
    def with_rows(*, systems: tuple[str, ...], reranker: str | None, depth: int | None, **others: Any) -> None:
        from citescout.systems import find_system

        named = [find_system(name).read_to(depth) for name in systems]
        command(systems=systems, reranker=told_reranker(named, reranker), depth=depth, **others)

    return with_options(with_rows, _ROWS)


def told_reranker(systems: Iterable[System], given: str | None) -> str:
    """The cross-encoder to load for these systems; said on standard error if one of them cannot do without.

    Raises:
        QueryError: see `System.reranker`.
    """
    found = given or "none"
    for system in systems:
        if system.cross_encoder:
            found = system.reranker(given)
            name = "cross-encoder that comes along" if found == "default" else f"cross-encoder {found}"
            click.echo(f"{system.name}: the {name} reads up to {system.settings.depth:,} candidates a query", err=True)
    return found
