"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

index_directory = click.option(
    "--index", "directory", type=click.Path(path_type=Path, file_okay=False), required=True, help="The index directory."
)
reranker = click.option(
    "--reranker",
    default="none",
    show_default=True,
    metavar="default|none|PATH|HF-ID",
    help="Cross-encoder that reads the best candidates; default is the one that comes along.",
)
host = click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
port = click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="Port to listen on.")


def comma_separated(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[Any, ...]:
    """Callback: "bm25,dense" → ("bm25", "dense")."""
    return tuple(part.strip() for part in value.split(",") if part.strip())


class TakesMany(click.Command):
    """A command whose options with a metavar in "..." take all arguments up to the next option: `--against *.jsonl`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse with such an option repeated before each of its values."""
        many = {
            name
            for parameter in self.params
            if isinstance(parameter, click.Option) and (parameter.metavar or "").endswith("...")
            for name in parameter.opts
        }
        return super().parse_args(ctx, list(_repeated(args, many)))


def _repeated(arguments: Iterable[str], many: Collection[str]) -> Iterator[str]:
    """`--against a b` as `--against a --against b`."""
    option, values = "", 0
    for argument in arguments:
        if argument.startswith("-") and argument != "-":
            name, _, value = argument.partition("=")
            option, values = (name, len(value)) if name in many else ("", 0)
        elif option:
            if values:
                yield option
            values += 1
        yield argument
