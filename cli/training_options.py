"""Options that several commands of `citescout train` share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.options import FOLDER

if TYPE_CHECKING:
    from training.held_out import HeldOut

split = click.option(
    "--split",
    type=FOLDER,
    default=None,
    metavar="SPLIT",
    help="Instead of indexes: a folder of eval split. Its training papers are learned from, its development queries "
    "validate, and the index is the one of eval run, built if it is not there.",
)
seed = click.option("--seed", default=0, show_default=True)


def held_out_papers(sources: Sequence[str]) -> HeldOut:
    """The titles of --held-out."""
    from eval.leakage import evaluation_papers
    from training.held_out import HeldOut

    return HeldOut(paper.title for paper in evaluation_papers(sources))


def one_kind_of_papers(directories: Sequence[Path], split: Path | None, others: dict[str, object]) -> None:
    """Refuse a --split beside what is said of other papers, and neither.

    Raises:
        click.UsageError: which options do not go together.
    """
    if split is None:
        if not directories and not any(others.values()):
            raise click.UsageError("give --index or --split")
        return
    beside = [name for name, value in {"--index": directories, **others}.items() if value]
    if beside:
        raise click.UsageError(f"--split says who is learned from: leave out {' and '.join(beside)}")
