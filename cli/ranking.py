"""Options that say how lists are made: one declaration for the commands that answer queries and that measure."""

from collections.abc import Callable, Iterable
from functools import wraps
from itertools import starmap
from pathlib import Path
from typing import Any, TypedDict

import click

from citescout.settings import Settings
from citescout.systems import System, find_system
from cli.options import FILE, tokens, with_options
from cli.setting_options import made_of, option_of
from common.schema import fields_of, how_given
from rerank.token_split import TokenSplit

_RERANKERS = "default|none|PATH|HF-ID"
_NAMES = "default|ordered|nogueira|..."


class Opening(TypedDict):
    """What `Recommender.open` and `LiveRecommender.open` take beside the directory."""

    system: System
    reranker: str
    split: TokenSplit | None
    blend: Path | None


_models = with_options(
    click.option(
        "--system",
        "name",
        default="default",
        metavar=_NAMES,
        help="How lists are made. nogueira: a cross-encoder alone orders BM25's best 1,000; ordered: the same "
        "for what BM25 and vectors find; others are called as in the tables of the evaluation. The options below "
        "change parts.",
    ),
    click.option(
        "--blend",
        "blend_file",
        type=FILE,
        help="File with the learned order that `train blend`, or for sentences `train contexts`, wrote; by "
        "default the one that ships.",
    ),
    click.option(
        "--reranker",
        metavar=_RERANKERS,
        help="Cross-encoder that reads the best candidates; default is the one that ships. A system that needs "
        "one takes that one by itself.",
    ),
    tokens,
)


def list_ranking(command: Callable[..., None], all_of_it: bool = True) -> Callable[..., None]:
    """Add the options of a system and of its settings; the command gets `opening`, an `Opening`.

    Without `all_of_it` only settings that say how candidates are found and ordered, and not what is wanted of a list.
    """
    fields = {
        name: field
        for name, field in fields_of(Settings, where="command line")
        if all_of_it or how_given(field).retrieval
    }

    @wraps(command)
    def with_ranking(
        *, name: str, blend_file: Path | None, reranker: str | None, tokens: TokenSplit | None, **others: Any
    ) -> None:
        in_use = {"blend": True} if blend_file else {}
        system = made_of(fields, others, lambda **given: find_system(name).changed(**in_use | given))
        reranker = chosen_reranker([system], reranker)
        if tokens and reranker == "none":  # what reads lists for sentences has its own
            raise click.UsageError("--tokens goes with --reranker, whose cross-encoder reads so many")
        command(opening=Opening(system=system, reranker=reranker, split=tokens, blend=blend_file), **others)

    return with_options(_models, *starmap(option_of, fields.items()))(with_ranking)


_rows = with_options(
    click.option(
        "--system",
        "systems",
        multiple=True,
        metavar=_NAMES,
        help="Only this system (repeatable), named as in the tables.",
    ),
    click.option(
        "--reranker",
        metavar=_RERANKERS,
        help="Run the systems that read with a cross-encoder, too: default, ordered and nogueira, with this one. "
        "Without it they run only when they are named, with the one that ships where they need one.",
    ),
    click.option(
        "--depth",
        type=click.IntRange(1),
        help="Candidates that the cross-encoder reads in each system; else its own: up to 2,000 a query "
        "in ordered and 1,000 in nogueira, which takes long.",
    ),
)


def system_rows(command: Callable[..., None]) -> Callable[..., None]:
    """Options that say which systems are measured; the command gets `systems`, `reranker` and `depth`."""

    @wraps(command)
    def with_rows(*, systems: tuple[str, ...], reranker: str | None, depth: int | None, **others: Any) -> None:
        named = [find_system(name).read_to(depth) for name in systems]
        command(systems=systems, reranker=chosen_reranker(named, reranker), depth=depth, **others)

    return _rows(with_rows)


def chosen_reranker(systems: Iterable[System], given: str | None) -> str:
    """The cross-encoder to load for these systems; said on standard error if one of them cannot do without.

    Raises:
        QueryError: see `System.reranker`.
    """
    found = given or "none"
    for system in systems:
        if system.cross_encoder:
            found = system.reranker(given)
            name = "cross-encoder that ships" if found == "default" else f"cross-encoder {found}"
            click.echo(f"{system.name}: the {name} reads up to {system.settings.depth:,} candidates a query", err=True)
    return found
