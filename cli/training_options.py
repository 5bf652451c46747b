"""Options that several commands of `citescout train` share."""

from pathlib import Path

import click

from cli.options import FOLDER, Decorator

split = click.option(
    "--split",
    type=FOLDER,
    metavar="SPLIT",
    help="Instead of indexes: a folder of eval split. Its training papers are learned from, its development queries "
    "validate, and the index is the one of eval run, built with MiniLM if it is not there.",
)
learning_rate = click.option(
    "--learning-rate", type=click.FloatRange(0, min_open=True), help="By default the recipe's own."
)
batch_size = click.option(
    "--batch-size",
    type=click.IntRange(1),
    help="Pairs, triplets, queries or documents of a step; by default the recipe's own.",
)
steps = click.option("--steps", type=click.IntRange(1), help="Training steps; the recipe's own without it.")
precision = click.option(
    "--precision",
    type=click.Choice(["auto", "bf16", "fp32"]),
    default="auto",
    help="auto: bf16 where the processor has it.",
)
resume = click.option("--resume", is_flag=True, help="Go on from the checkpoint in --out, given the same options.")


def dry_run(counted: str) -> Decorator:
    """`--dry-run`, which counts that."""
    return click.option("--dry-run", is_flag=True, help=f"Only count {counted}.")


def indexes(about: str, required: bool = False) -> Decorator:
    """`--index`, as often as there are corpora; with a metavar in "..." it takes several at once."""
    return click.option(
        "--index",
        "directories",
        type=FOLDER,
        multiple=True,
        required=required,
        metavar="DIR...",
        help=about,
        callback=_each_once,
    )


def _each_once(_context: click.Context, _parameter: click.Parameter, directories: tuple[Path, ...]) -> tuple[Path, ...]:
    """Each folder under the first of its names: what is given twice would count twice."""
    first: dict[Path, Path] = {}
    for directory in directories:
        first.setdefault(directory.resolve(), directory)
    return tuple(first.values())


def held_out(where: str) -> Decorator:
    """`--held-out`, which keeps papers out of that."""
    return click.option(
        "--held-out", "sources", multiple=True, metavar="SOURCE...",
        help="Papers to test on: files, folders, or a NAME.test.ids beside its corpus. Papers with nearly their "
        f"titles are {where}."
    )  # fmt: skip


def checkpoint_every(default: int) -> Decorator:
    """`--checkpoint-every`."""
    return click.option(
        "--checkpoint-every", type=click.IntRange(0), default=default,
        help="Steps; 0 for no checkpoints."
    )  # fmt: skip


def patience(about: str) -> Decorator:
    """`--patience`."""
    return click.option("--patience", type=click.IntRange(1), default=5, help=about)
