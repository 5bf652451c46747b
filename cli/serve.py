"""`citescout serve`: the web page and the JSON API on one index."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from cli.options import FILE, FOLDER, host, index_directory, port
from cli.ranking import Opening, list_ranking


@click.command("serve")
@index_directory
@partial(list_ranking, all_of_it=False)
@host
@port
@click.option(
    "--at-once",
    default=2,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Questions answered together; each uses several cores.",
)
@click.option(
    "--queue",
    default=1,
    show_default=True,
    type=click.IntRange(0, 1000),
    help="Further questions that wait; beyond them the answer is 429 at once.",
)
@click.option(
    "--deadline",
    default=30.0,
    show_default=True,
    type=click.FloatRange(0.1, 3600),
    help="Seconds until a question is answered or given up.",
)
@click.option(
    "--trusted-host",
    "trusted_hosts",
    multiple=True,
    metavar="NAME",
    help="Name under which a reverse proxy with HTTPS asks; may be repeated. Other names are refused.",
)
@click.option(
    "--api-keys",
    "keys",
    type=FILE,
    default=None,
    help="File of the keys without which nothing is answered; citescout key makes them.",
)
@click.option(
    "--permalinks",
    type=FOLDER,
    default=None,
    help="Folder for the questions that people ask to be stored; without it none is.",
)
@click.option("--metrics", is_flag=True, help="Show figures for Prometheus at /metrics.")
@click.option(
    "--log",
    "log_form",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json"]),
    help="Form of the log on standard error; json has a line for every request.",
)
@click.option("--log-questions", is_flag=True, help="Let the log hold what people ask.")
def command(
    directory: Path,
    opening: Opening,
    host: str,
    port: int,
    at_once: int,
    queue: int,
    deadline: float,
    trusted_hosts: tuple[str, ...],
    keys: Path | None,
    permalinks: Path | None,
    metrics: bool,
    log_form: str,
    log_questions: bool,
) -> None:
    """Serve the page and the API of an index; changes of the index are served from the next question on.

    A question may name another --system, as far as this server has the cross-encoder and the vectors that it needs.
    """
    from citescout.live import LiveRecommender
    from webui import create_app, logs, serve
    from webui.answers import Limits

    click.echo(f"Opening {directory} ...", err=True)
    logs.configure(log_form, log_questions)  # type: ignore[arg-type]
    app = create_app(
        LiveRecommender.open(directory, **opening),
        limits=Limits(at_once, queue, deadline),
        trusted_hosts=trusted_hosts or None,
        keys=keys,
        permalinks=permalinks,
        show_metrics=metrics,
    )
    serve(app, host, port)
