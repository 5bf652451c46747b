"""`citescout eval baselines`: what the papers compare with, in the same table."""

from pathlib import Path
from typing import Any

import click

from cli.options import FILE, comma_separated, on_corpora, seed


def _listing(_context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        from eval.baselines.registry import baselines

        needs = {
            "nothing": "",
            "citations": " (when named: trains long, on citations)",
            "glove": " (needs --glove)",
            "download": " (a download, unless it is cached)",
        }
        for baseline in baselines():
            click.echo(f"{baseline.name:14} {baseline.description}{needs[baseline.needs]}")
        _context.exit()


@click.command("baselines")
@on_corpora
@click.option(
    "--systems",
    default="",
    callback=comma_separated,
    metavar="NAME,…",
    show_default=False,
    help="Names of --list, or encoder:NAME for any encoder by hub id or folder.  "
    "[default: all that need no download and no citations]",
)
@click.option("--glove", type=FILE, help="Word vectors as text, such as GloVe's.")
@click.option("--rerank-depth", default=100, type=click.IntRange(1), help="Candidates of word mover's distance.")
@click.option(
    "--epochs",
    type=click.IntRange(1),
    help="Passes over the texts of what is trained on them.  [default: as in the papers, 100 of word2vec]",
)
@seed
@click.option("--list", is_flag=True, is_eager=True, expose_value=False, callback=_listing, help="Name the baselines.")
def baselines(
    folder: Path, work: Path, names: tuple[str, ...], queries: int | None, systems: tuple[str, ...], **setup: Any
) -> None:
    """Score other people's methods, next to BM25, on each corpus of FOLDER.

    Queries, candidates and scores are those of `eval corpora`, and so is the work folder: indexes that are there are
    used, and runs are written beside its runs.
    """
    from eval.baselines.base import Setup
    from eval.baselines_protocol import evaluate_baselines
    from eval.corpora_protocol import by_corpus, summary

    results = evaluate_baselines(folder, work, names, queries, systems, Setup(**setup))
    click.echo(by_corpus(results))
    click.echo()
    click.echo(summary(results))
