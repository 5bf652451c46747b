"""Options that several commands of `citescout train` share, and what is kept of how a model was made."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.options import FOLDER, Decorator, Number

if TYPE_CHECKING:
    from training.settings import TrainingSettings

RECORD = "training.json"  # beside the weights
_NO_WEIGHT = ("out", "resume", "dry-run", "checkpoint-every", "write-triplets")  # options that change none

split = click.option(
    "--split",
    type=FOLDER,
    metavar="SPLIT",
    help="Instead of indexes: a folder of eval split. Its training papers are learned from, its development queries "
    "validate, and the index is the one of eval run, built with MiniLM if it is not there.",
)
learning_rate = click.option("--learning-rate", type=Number(0, min_open=True), help="By default the recipe's own.")
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


def write_record(folder: Path, settings: TrainingSettings, **about: object) -> None:
    """Keep beside a model how it was made: the options of the command, the settings that follow from them, and `about`.

    Of files and folders only the names are kept: models are given away, and where their data lay is nobody's business.

    Raises:
        TrainingError: the disk is full, or the system refuses it otherwise.
    """
    import orjson

    from common.files import write_atomically
    from training.checkpoints import written_into

    context = click.get_current_context()
    given = {one.opts[0].lstrip("-"): context.params[one.name] for one in context.command.params if one.name}
    options = {
        name: _named(value) for name, value in given.items() if value not in (None, ()) and name not in _NO_WEIGHT
    }
    record = {"citescout": version("citescout"), "options": options, "settings": asdict(settings), **about}
    with written_into(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / RECORD, orjson.dumps(record, option=orjson.OPT_INDENT_2, default=_named))


def _named(value: Any) -> Any:
    """A value without the way to a file or folder in it."""
    if isinstance(value, tuple):
        return [_named(one) for one in value]
    if isinstance(value, Path) or (isinstance(value, str) and Path(value).exists()):
        return Path(value).resolve().name
    return value
