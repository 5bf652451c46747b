"""`citescout eval`: how good the lists are on corpora with held-out papers."""

import re
from pathlib import Path
from typing import Any

import click

from cli import baselines, experiments, leakage, report, reproduce, scidocs, splits
from cli.groups import Sentences
from cli.options import FILE, FILE_OR_FOLDER, OUTPUT_FOLDER, Parsed, encoder_option, index_directory, on_corpora, seed
from cli.ranking import system_rows

_blends = click.option(
    "--blend",
    type=FILE_OR_FOLDER,
    help="File with the learned order that `train blend` wrote, or the folder that its --left-out wrote, where "
    "each corpus "
    "gets the blend that never saw it; else the one that ships.",
)
_jobs = click.option("--jobs", default=1, help="Corpora at a time, each in a process of its own.")


def _share(value: str) -> tuple[str, float]:
    from eval.corpora import LACKING

    name, _, share = value.partition("=")
    if name not in LACKING or not re.fullmatch(r"0?\.\d+|1", share):
        raise ValueError(
            f"{value!r} is none of {', '.join(f'{one}=SHARE' for one in LACKING)}, with a share such as 0.3 or 1"
        )
    return name, float(share)


@click.group("eval", cls=Sentences)
def command() -> None:
    """Measure the recommendations on corpora with held-out papers."""


@command.command("corpora")
@on_corpora
@encoder_option("Makes the vectors of the indexes that are built.")
@_blends
@system_rows
@click.option(
    "--lacking",
    type=Parsed("FIELD=SHARE", _share),
    multiple=True,
    help="Take years, abstracts or references (reference lists) out of this share of the records, such as years=0.3: "
    "how good the lists are where records are incomplete. May be repeated.",
)
@_jobs
@seed
def corpora(lacking: tuple[tuple[str, float], ...], **options: Any) -> None:
    """Score every system on each corpus of FOLDER: NAME.jsonl(.gz) beside NAME.test.ids.

    The citations of the test papers are hidden, the papers are asked as queries, and trec_eval scores what comes back
    against what they cite. Indexes are built in the work folder unless they are there; one of other papers or
    citations is refused. Where a NAME.meta.jsonl(.gz) says who wrote the papers, there is also the F1@20 of what the
    authors of a query neither wrote nor cited before. BM25 is measured whatever is named: others are compared with it.
    """
    from eval.corpora_protocol import by_corpus, evaluate, novel, summary

    results = evaluate(**options, lacking=dict(lacking))
    click.echo(by_corpus(results))
    click.echo()
    click.echo(summary(results))
    if table := novel(results):
        click.echo(f"\n{table}")


@command.command("trust")
@on_corpora
@encoder_option("As of eval corpora.")
@_blends
@_jobs
@seed
def trust(**options: Any) -> None:
    """Measure how far what a list says of itself is right, on each corpus of FOLDER: its chances and its fit.

    The test papers are asked as abstracts, as titles and as three sentences, of the indexes of eval corpora. The
    calibration error is how far the chances of the first 20 papers are from the shares of such papers that are cited:
    of those with a chance of 30 %, 30 % should be. The fit is the chance that an index holds papers on a query. Its
    AUROC is how often that is higher for a query of the corpus than for one of another corpus, or for nonsense: the
    mean, then the worst, and against what that is. Popularity is by how many percentiles the first 20 papers are cited
    more often than those that the query cites.
    """
    from eval.trust import measure, table

    click.echo(table(measure(**options)))


@command.command("beyond")
@on_corpora
@click.option(
    "--validation",
    is_flag=True,
    help="Ask older papers than the test papers, 200 of each corpus without --queries: those to tune on.",
)
@seed
def beyond(**options: Any) -> None:
    """Measure how many works that an index does not have are named (`recommend --beyond`).

    A tenth of the papers of each corpus of FOLDER is hidden from its index, not from the reference lists of the others;
    then the test papers are asked, and what they cite of the hidden papers is looked for among the first 50 names. With
    95 % intervals over the queries.
    """
    from eval.beyond import measure, table

    click.echo(table(measure(**options)))


@command.command("contexts")
@click.argument("corpus", type=FILE)
@click.argument("contexts", type=FILE)
@click.option("--work", type=OUTPUT_FOLDER, required=True, help="Folder for the index, built unless it is there.")
@click.option(
    "--part",
    type=click.Choice(["train", "validation", "test"]),
    help="Only sentences of this part, as `train contexts` parts them; what papers of the part for training cite is "
    "then indexed. Without, all sentences are asked, and nothing that their papers cite is indexed.",
)
@click.option("--sample", type=click.IntRange(1), help="Sentences at most, drawn by the seed.")
@encoder_option("Makes the vectors of the index.", none=True)
@click.option("--blend", type=FILE, help="A file of train contexts; else the one that ships.")
@seed
def contexts(**options: Any) -> None:
    """Score the lists for single sentences (`cite`) against BM25 by the sentence alone.

    CORPUS holds papers with their citations; CONTEXTS one JSON object a line: "id", "citing" (the id of the paper that
    the sentence stands in), "text" (with marks such as [CITATION]) and "cited" (a list of ids). Each sentence is asked
    alone, with the paper's title, with title and abstract, and with the title and the paper's other citations. Of the
    measures there are 95 % intervals over citing papers.
    """
    from eval.contexts import measure, table

    click.echo(table(measure(**options)))


@command.command("titles")
@index_directory
@click.option("--papers", default=1500, type=click.IntRange(1), help="Papers that are drawn.")
@click.option("--no-years", is_flag=True, help="The references have no years.")
@seed
def titles(directory: Path, papers: int, no_years: bool, seed: int) -> None:
    """Damage titles of an index, and count how many find their paper and how many another one."""
    from eval.titles import measure

    click.echo(measure(directory, papers, seed, years=not no_years))


for _each in (
    splits.split,
    splits.run,
    splits.score,
    report.report,
    reproduce.reproduce,
    experiments.command,
    leakage.command,
    baselines.baselines,
    *scidocs.COMMANDS,
):
    command.add_command(_each)
