"""`citescout serve`: the web page and the JSON API on one index."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from cli.options import FILE, FOLDER, NAMED_INDEX, Number, Parsed, by_name, host, port
from cli.picks import Zotero
from cli.ranking import Opening, list_ranking
from cli.zotero_source import address_option
from common.processes import module_path

_GRACE = 5.0  # seconds between SIGTERM and SIGKILL


def _host_name(value: str) -> str:
    from werkzeug.sansio.utils import host_is_trusted

    from webui.listening import host_name

    name = host_name(value)
    if not host_is_trusted(name.removeprefix("."), [name]):
        raise ValueError(f"{value!r} is not the name of a host, such as cite.example.org or [2001:db8::1]")
    return name


def _path_prefix(value: str) -> str:
    if not re.fullmatch(r"(/[\w.-]+)*/?", value, re.ASCII):
        raise ValueError(f"{value!r} is not a path such as /cite")
    return value


@click.command("serve")
@click.option(
    "--index",
    "indexes",
    type=NAMED_INDEX,
    multiple=True,
    required=True,
    help="The index directory; several have names, between which the page offers a choice: --index NAME=DIR ...",
)
@partial(list_ranking, all_of_it=False)
@host
@port
@click.option(
    "--at-once", default=2, type=click.IntRange(1, 64), help="Questions answered together; each uses several cores."
)
@click.option(
    "--queue",
    default=8,
    type=click.IntRange(0, 1000),
    help="Further questions that wait; beyond them the answer is 429 at once.",
)
@click.option(
    "--deadline",
    default=30.0,
    type=Number(0.1, 3600),
    help="Seconds until a question is answered or given up.",
)
@click.option(
    "--trusted-host",
    "trusted_hosts",
    multiple=True,
    type=Parsed("NAME", _host_name),
    help="Name under which a reverse proxy with HTTPS asks; may be repeated. Other names are refused.",
)
@click.option(
    "--prefix",
    default="",
    show_default=False,
    type=Parsed("PATH", _path_prefix),
    help="Path below which a reverse proxy has the page, such as /cite; the proxy may take it off or leave it.",
)
@click.option(
    "--api-keys",
    "keys",
    type=FILE,
    help="File of the keys without which nothing is answered; citescout key makes them.",
)
@click.option(
    "--permalinks", type=FOLDER, help="Folder for the questions that people ask to be stored; without it none is."
)
@click.option(
    "--sessions",
    type=FOLDER,
    help="Folder for the history and the basket of the page's visitors, each under an address that cannot be guessed; "
    "without it a folder of your own.",
)
@click.option(
    "--build-to",
    type=FOLDER,
    help="Let visitors have indexes built around their bibliographies, in this folder, whose indexes are served too; "
    "works are looked up at OpenAlex, with the key in OPENALEX_API_KEY.",
)
@click.option(
    "--zotero",
    is_flag=True,
    help="Let the page's baskets be saved in the Zotero of this computer; not with --host or --trusted-host, under "
    "which others could save in it.",
)
@address_option
@click.option(
    "--sessions-days",
    "session_days",
    default=90,
    type=click.IntRange(1, 3650),
    help="Days without a use until a session is deleted.",
)
@click.option(
    "--no-sessions",
    is_flag=True,
    help="Keep no history and no basket on this server; the page's scripts keep them in the visitor's own browser.",
)
@click.option(
    "--no-storage",
    is_flag=True,
    help="Keep no history and no basket anywhere, neither here nor in browsers, as a public server may want.",
)
@click.option("--metrics", "show_metrics", is_flag=True, help="Show figures for Prometheus at /metrics.")
@click.option(
    "--log",
    "log_form",
    default="text",
    type=click.Choice(["text", "json"]),
    help="Form of the log on standard error; json has a line for every request.",
)
@click.option("--log-questions", is_flag=True, help="Let the log hold what people ask.")
def command(
    indexes: tuple[tuple[str, Path], ...],
    opening: Opening,
    host: str,
    port: int,
    at_once: int,
    queue: int,
    deadline: float,
    trusted_hosts: tuple[str, ...],
    prefix: str,
    sessions: Path | None,
    no_sessions: bool,
    build_to: Path | None,
    zotero: bool,
    zotero_url: str,
    no_storage: bool,
    log_form: str,
    log_questions: bool,
    **shown: Any,
) -> None:
    """Serve the page and the API of an index; changes of the index are served from the next question on.

    A question may name another --system, as far as this server has the cross-encoder and the vectors that it needs.
    """
    from citescout.live import LiveRecommender
    from common.cache import user_data
    from webui import create_app, logs, serve
    from webui.answers import Limits
    from webui.builds import Builds
    from webui.listening import LOOPBACK, check_address

    if sessions and (no_sessions or no_storage):
        raise click.UsageError(f"--sessions and --no-{'sessions' if no_sessions else 'storage'} exclude each other")
    if zotero and (trusted_hosts or host not in LOOPBACK):
        raise click.UsageError("--zotero goes with a page for this computer alone, without --host and --trusted-host")
    named = by_name(indexes)
    kept_in = None if no_sessions or no_storage else sessions or user_data() / "sessions"
    check_address(host, port)
    _check_files(kept_in, **shown)
    builds = Builds(build_to, begin, lambda folder: LiveRecommender.open(folder, **opening)) if build_to else None
    logs.configure(log_form, log_questions)  # type: ignore[arg-type]
    recommenders = {}
    for name, directory in named.items():
        logs.announce(f"Opening {directory} ...\n")
        recommenders[name] = LiveRecommender.open(directory, **opening)
    app = create_app(
        recommenders,
        limits=Limits(at_once, queue, deadline),
        trusted_hosts=trusted_hosts or None,
        sessions=kept_in,
        browser_storage=not no_storage,
        builds=builds,
        to_zotero=(lambda entries: Zotero(zotero_url).save(entries)) if zotero else None,
        **shown,
    )
    try:
        serve(app, host, port, prefix)
    finally:
        if builds:
            builds.stop()


def _check_files(sessions: Path | None, keys: Path | None, permalinks: Path | None, **_others: Any) -> None:
    """Open each once: what is wrong with one should be said before the indexes are opened, which takes seconds."""
    from webui.api_keys import ApiKeys
    from webui.permalinks import Permalinks
    from webui.sessions import Sessions

    for kind, path in ((ApiKeys, keys), (Permalinks, permalinks), (Sessions, sessions)):
        if path is not None:
            kind(path)


class CorpusProcess(subprocess.Popen[bytes]):
    """`citescout corpus build` as a process of its own: fixed arguments, no shell, no input."""

    def __init__(self, command: Sequence[str], output: Path) -> None:
        """Begin; what it says goes to `output`."""
        with output.open("ab") as file:
            file.truncate(0)  # behind which a build goes on that outlived its server
            super().__init__(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                umask=0o077,  # what a visitor gave is for this user alone
                env={**os.environ, "PYTHONPATH": module_path()},
            )

    def stop(self) -> None:
        """End it."""
        self.terminate()
        try:
            self.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self.kill()


def corpus_command(origins: Sequence[str], directory: Path, size: int) -> list[str]:
    """Builds an index around a bibliography, and says how far it is on standard output."""
    command = [sys.executable, "-P", "-m", "citescout", "-q", "corpus", "build", "--stages", "--size", str(size)]
    return [*command, "--index", str(directory), "--from", *origins]


def begin(origins: Sequence[str], directory: Path, size: int, output: Path) -> CorpusProcess:
    """That command, begun.

    Raises:
        OSError: `output` cannot be written.
    """
    return CorpusProcess(corpus_command(origins, directory, size), output)
