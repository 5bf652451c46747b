"""`citescout demo`: index the corpus that comes with the package, and serve it."""

from pathlib import Path

import click

from cli.options import FOLDER, host, port


@click.command("demo")
@click.option(
    "--index", "directory", type=FOLDER, default=Path("demo-index"), help="Where the demo index is, or is built."
)
@click.option("--no-sessions", is_flag=True, help="Keep history and basket in the browser, not on this machine.")
@host
@port
def command(directory: Path, no_sessions: bool, host: str, port: int) -> None:
    """Index a few hundred well-known papers and serve the page on them."""
    from citescout.recommender import Recommender
    from common.cache import user_data
    from common.errors import IndexDirectoryError
    from demo import CORPUS
    from indexer.builds import build_index
    from indexer.generations import open_generation
    from indexer.readers import read_papers
    from webui import create_app, serve

    try:
        open_generation(directory).close()
    except IndexDirectoryError:
        click.echo(f"Building the demo index in {directory} ...", err=True)
        build_index(read_papers([str(CORPUS)], strict=True), directory)
    click.echo(f"Opening {directory} ...", err=True)
    sessions = None if no_sessions else user_data() / "sessions"
    serve(create_app(Recommender.open(directory), demo=True, sessions=sessions, browser_storage=True), host, port)
