"""`citescout lsp`: an index for editors, by the Language Server Protocol."""

from functools import partial
from pathlib import Path

import click

from cli.options import index_directory
from cli.ranking import Opening, list_ranking


@click.command("lsp")
@index_directory
@partial(list_ranking, all_of_it=False)
def command(directory: Path, opening: Opening) -> None:
    r"""Offer papers in an editor where a citation is being written, by the Language Server Protocol.

    The editor starts it: give it this command, with the whole path of the index. Behind \cite{ in LaTeX, [@ in
    Markdown and @ in Typst it offers the papers that the sentence should cite, and adds the entry of the one that is
    taken to the draft's file of BibTeX.
    """
    from citescout.live import LiveRecommender
    from editors import server
    from indexer import jvm

    jvm.ends_soon()
    with LiveRecommender.open(directory, **opening) as recommender:
        server(recommender).start_io()
