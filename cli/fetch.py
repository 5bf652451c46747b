"""`citescout fetch`: works from a scholarly API → a file that `citescout index` reads."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from cli.groups import Sentences
from cli.options import FILE, OUTPUT_FILE, Decorator, Number, with_options
from cli.sources import keep_what_is_read

_YEAR = click.IntRange(1000, 2100)


def asking(help_: str, rate: Number, each: float, about: str) -> Decorator:
    """Who asks an API and how patiently: fields of `fetch.client.Access` and of `fetch.corpus.apis.ApiOptions`.

    Args:
        help_: Of --email.
        rate: Values of --rate.
        each: Its default, which is shown unless it is 0.
        about: Help of --rate.
    """
    return with_options(
        click.option(
            "--email", default="", show_default=False, envvar="OPENALEX_EMAIL", callback=_email_of, help=help_
        ),
        click.option("--rate", "requests_per_second", default=each, show_default=each > 0, type=rate, help=about),
        click.option("--tries", default=8, type=click.IntRange(1, 100), help="Tries of a request."),
        click.option("--timeout", default=30.0, type=Number(0, min_open=True), hidden=True, help="Seconds."),
        click.option("--backoff", default=1.0, type=Number(0), hidden=True, help="Seconds."),
    )


def _email_of(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if value and not re.fullmatch(r"[\x21-\x7e]+@[\x21-\x7e]+", value):
        raise click.BadParameter(f"{value!r} is not an e-mail address")
    return value


@click.group("fetch", cls=Sentences)
def command() -> None:
    """Fetch a corpus for your field from a scholarly API."""


@command.command("openalex")
@click.option(
    "--search", default="", show_default=False, metavar="WORDS", help="Works with these words in title or abstract."
)
@click.option("--topic", "topics", multiple=True, metavar="ID|NAME", help="Works on this topic (repeatable: or).")
@click.option("--venue", "venues", multiple=True, metavar="ID|NAME", help="Works of this venue (repeatable: or).")
@click.option("--around", multiple=True, metavar="DOI", help="This work, what it cites and who cites it (repeatable).")
@click.option(
    "--around-file",
    type=FILE,
    help="The same for a file: one DOI a line, or a bibliography in any format that index reads.",
)
@click.option("--from-year", type=_YEAR, help="First year of publication.")
@click.option("--to-year", type=_YEAR, help="Last year of publication.")
@click.option("--limit", type=click.IntRange(1), help="Works at most: the most relevant or most cited first.")
@click.option(
    "--out",
    type=OUTPUT_FILE,
    required=True,
    help="File for the works, compressed if it ends in .gz; it appears when it is complete.",
)
@click.option("--restart", is_flag=True, help="Start over: forget an interrupted run, replace a file that is there.")
@click.option(
    "--api-key",
    default="",
    show_default=False,
    envvar="OPENALEX_API_KEY",
    help="Key of the API (free at openalex.org/settings/api); or set OPENALEX_API_KEY.",
)
@asking(
    "Sent to OpenAlex, so that it can reach you; or set OPENALEX_EMAIL.",
    Number(0, 100, min_open=True),
    5.0,
    "Requests a second.",
)
@click.option("--base-url", envvar="CITESCOUT_OPENALEX_URL", hidden=True, help="Another server with the same API.")
def openalex(
    around: tuple[str, ...], around_file: Path | None, out: Path, restart: bool, base_url: str | None, **others: Any
) -> None:
    """Fetch works from OpenAlex, as JSON lines that `citescout index` reads.

    A work has to fit all options that are given. With --around they choose among what the DOIs cite and who cites
    them. When the download is interrupted or fails, the same command continues it.
    """
    from fetch.client import Access
    from fetch.download import download
    from fetch.openalex import BASE_URL
    from fetch.selection import Selection, checked_dois, read_dois

    keep_what_is_read(out, [around_file])
    dois = dict.fromkeys((*checked_dois(around), *(read_dois(around_file) if around_file else ())))
    selected = {field.name: others.pop(field.name) for field in fields(Selection) if field.name in others}
    selection = Selection(around=tuple(dois), **selected)
    fetched = download(selection, out, Access(base_url or BASE_URL, **others), restart=restart)
    earlier = f" ({fetched.resumed:,} of them by an earlier run)" if fetched.resumed else ""
    click.echo(f"Fetched {fetched.works:,} works{earlier} into {out}")
