"""`citescout mcp`: an index for assistants, by the Model Context Protocol."""

from functools import partial
from pathlib import Path

import click

from cli.options import index_directory
from cli.ranking import Opening, list_ranking


@click.command("mcp")
@index_directory
@partial(list_ranking, all_of_it=False)
def command(directory: Path, opening: Opening) -> None:
    """Let an assistant ask an index, by the Model Context Protocol on standard input and output.

    The assistant starts it: give it this command, with the whole path of the index. It ends with its input.
    """
    from assistants import server
    from citescout.live import LiveRecommender
    from indexer import jvm

    jvm.ends_soon()
    with LiveRecommender.open(directory, **opening) as recommender:
        server(recommender).run("stdio")
