"""`citescout eval experiment NAME`: the experiments of the papers on one's own indexes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citescout.cli.groups import Sentences
from citescout.cli.options import FOLDER

if TYPE_CHECKING:
    from eval.experiments.base import Experiment


# By field of `eval.experiments.base.Inputs`; for the experiments that name them.
_OPTIONS = {
    "reranker": click.Option(
        ["--reranker"], default="default", show_default=True, metavar="default|PATH|HF-ID", help="The cross-encoder."
    ),
    "tokens": click.Option(
        ["--tokens"], default=512, show_default=True, type=click.IntRange(32), help="Of query and candidate together."
    ),
    "single": click.Option(["--single"], is_flag=True, help="Leave out single features instead of groups."),
    "base": click.Option(
        ["--base"], default="minilm", show_default=True, metavar="minilm|PATH|HF-ID", help="The encoder to fine-tune."
    ),
    "bases": click.Option(
        ["--base", "bases"],
        multiple=True,
        required=True,
        metavar="minilm|PATH|HF-ID",
        help="An encoder to fine-tune (repeatable).",
    ),
    "trainings": click.Option(
        ["--trainings"],
        default=1,
        show_default=True,
        type=click.IntRange(1),
        help="Of each base, with consecutive seeds.",
    ),
    "steps": click.Option(["--steps"], default=100, show_default=True, type=click.IntRange(1), help="Of training."),
    "batch_size": click.Option(
        ["--batch-size"], default=128, show_default=True, type=click.IntRange(1), help="Pairs a step."
    ),
    "learning_rate": click.Option(
        ["--learning-rate"], default=3e-6, show_default=True, type=click.FloatRange(0, min_open=True)
    ),
    "training_queries": click.Option(
        ["--training-queries"], default=200, show_default=True, type=click.IntRange(1), help="From each index."
    ),
}


class _Experiments(Sentences):
    """Its commands are the registered experiments."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from eval.experiments.base import experiments

        return list(experiments())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        from eval.experiments.base import experiments

        found = experiments().get(name)
        return _command(found) if found else None


@click.group("experiment", cls=_Experiments)
def command() -> None:
    """Repeat an experiment of the papers on your own indexes.

    The queries are papers of the indexes, asked as if they were being written; papers whose citations were kept out of
    an index are never asked. Each index is one corpus; figures are means over them with 95 % bootstrap intervals.
    """


def _command(experiment: Experiment) -> click.Command:
    def run(directories: tuple[Path, ...], out: Path, **options: Any) -> None:
        from eval.experiments.base import Inputs
        from eval.experiments.plot import check_plots
        from eval.experiments.report import write_report

        inputs = Inputs(directories, out, **options).checked()
        check_plots()
        out.mkdir(parents=True, exist_ok=True)
        click.echo(write_report(experiment, inputs, experiment.run(inputs)))

    name = experiment.name
    parameters: list[click.Parameter] = [
        click.Option(
            ["--index", "directories"],
            type=FOLDER, multiple=True, required=True, help="An index, which is one corpus (repeatable).",
        ),
        click.Option(
            ["--queries"], default=120, show_default=True, type=click.IntRange(1), help="Queries of each index."
        ),
        click.Option(["--seed"], default=0, show_default=True),
        click.Option(
            ["--newest"], default=3, show_default=True, type=click.IntRange(1),
            help="Draw the queries from so many times as many of the newest papers.",
        ),
        click.Option(["--jobs"], default=1, show_default=True, type=click.IntRange(1), help="Processes."),
        *(_OPTIONS[option] for option in experiment.options),
        click.Option(["--out"], type=FOLDER, required=True, help=f"Folder for {name}.json and {name}.svg."),
    ]  # fmt: skip
    return click.Command(name, callback=run, params=parameters, help=experiment.question)
