"""`citescout eval experiment NAME`: the experiments of the papers on one's own indexes or corpora."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.groups import Sentences
from cli.options import FOLDER, OUTPUT_FOLDER, SEED, Number, TakesMany

if TYPE_CHECKING:
    from eval.experiments.base import Experiment


def _count(name: str, default: int | None, about: str, least: int = 1, field: str | None = None) -> click.Option:
    return click.Option([*filter(None, (name, field))], default=default, type=click.IntRange(least), help=about)


def _several(name: str, field: str, metavar: str | None, about: str) -> click.Option:
    return click.Option([name, field], multiple=True, metavar=metavar, help=about)


# By field of `eval.experiments.base.Inputs`; for the experiments that name them.
_OPTIONS = {
    "reranker": click.Option(
        ["--reranker"], default="default", metavar="default|PATH|HF-ID", help="The cross-encoder."
    ),
    "tokens": _count("--tokens", 512, "Tokens of query and candidate together.", 32),
    "trained": click.Option(
        ["--trained"], is_flag=True, help="Fine-tune --base for every variant instead of reading with --reranker."
    ),
    "single": click.Option(["--single"], is_flag=True, help="Leave out single features instead of groups."),
    "base": click.Option(["--base"], default="minilm", metavar="NAME|PATH|HF-ID", help="The encoder to fine-tune."),
    "bases": click.Option(
        ["--base", "bases"],
        multiple=True,
        required=True,
        metavar="NAME|PATH|HF-ID",
        help="An encoder to fine-tune (repeatable).",
    ),
    "trainings": _count("--trainings", 1, "Trainings of each base, with consecutive seeds."),
    "steps": _count("--steps", 100, "Steps of the training."),
    "batch_size": _count("--batch-size", 128, "Pairs a step."),
    "learning_rate": click.Option(
        ["--learning-rate"], default=3e-6, type=Number(0, min_open=True), help="Learning rate of the training."
    ),
    "training_queries": _count("--training-queries", 200, "From each index."),
    "variants": _several("--variant", "variants", None, "Measure this row and the first only (repeatable)."),
    "most_steps": _count(
        "--steps", None, "Steps of each training at most; by default the paper's two epochs.", 1, "most_steps"
    ),
    "text_tokens": _count(
        "--tokens", None, "Tokens of a text that training reads; by default as many as in use.", 8, "text_tokens"
    ),
    "held_out": _several("--held-out", "held_out", "SOURCE...", "More papers whose titles training must not see."),
    "inits": _several("--init", "inits", "NAME=PATH|HF-ID", "The encoder of a row that starts elsewhere (repeatable)."),
    "signals": _several(
        "--signal", "signals", "NAME=FILE", "Triplets of a row that learns from something else (repeatable)."
    ),
    "words": _several("--words", "words", "NAME=FILE|encoder:NAME", "Word vectors of a row (repeatable)."),
    "channels": _count("--channels", 1024, "Filters of each width."),
    "epochs": _count("--epochs", 100, "Epochs of a CTPE, at most."),
    "word_epochs": _count("--word-epochs", None, "Epochs of word2vec and doc2vec; by default the paper's 100 and 50."),
    "dblp": _several("--dblp", "dblp", "SOURCE...", "Draw the paper's DBLP collection instead of --corpora."),
    "arxiv": _several("--arxiv", "arxiv", "SOURCE...", "Draw the paper's arXiv collection instead of --corpora."),
    "candidates": _count(
        "--candidates", 20_000, "Candidates of a drawn collection, which has a twentieth as many test papers.", 20
    ),
}
_SEED = click.Option(["--seed"], default=0, type=SEED, help="Seed of what is drawn at random.")


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
    """Repeat an experiment of the papers on your own indexes or corpora, beside what they report.

    On indexes, the queries are papers of the indexes, asked as if they were being written; papers whose citations were
    kept out of an index are never asked. On a folder of corpora, NAME.jsonl(.gz) beside NAME.test.ids, the test papers
    are asked, and training sees nothing of them. Figures are means over the corpora with 95 % bootstrap intervals.
    """


def _command(experiment: Experiment) -> click.Command:
    def run(out: Path, **options: Any) -> None:
        from eval.experiments.base import Inputs
        from eval.experiments.report import check_plots, write_report

        inputs = Inputs(out=out, **{"directories": (), **options})
        check_plots()
        out.mkdir(parents=True, exist_ok=True)
        click.echo(write_report(experiment, inputs, experiment.run(inputs)))

    name = experiment.name
    parameters: list[click.Parameter] = [
        *(_on_corpora() if experiment.on_corpora else _on_indexes()),
        *(_OPTIONS[option] for option in experiment.options),
        click.Option(["--out"], type=OUTPUT_FOLDER, required=True, help=f"Folder for {name}.json and {name}.svg."),
    ]
    about = experiment.question + (f"\n\n{experiment.paper}." if experiment.paper else "")
    return TakesMany(name, callback=run, params=parameters, help=about)


def _on_indexes() -> list[click.Parameter]:
    about = "An index, which is one corpus (repeatable)."
    return [
        click.Option(["--index", "directories"], type=FOLDER, multiple=True, required=True, help=about),
        _count("--queries", 120, "Queries of each index."),
        _SEED,
        _count("--newest", 3, "Draw the queries from so many times as many of the newest papers."),
        _count("--jobs", 1, "Processes."),
    ]


def _on_corpora() -> list[click.Parameter]:
    return [
        click.Option(["--corpora"], type=FOLDER, help="Corpora, each with its test papers."),
        _several("--corpus", "names", None, "Only this corpus (repeatable)."),
        _count("--queries", None, "A seeded sample of this many test papers a corpus.", 1, "sample"),
        _SEED,
    ]
