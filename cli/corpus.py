"""`citescout corpus`: the corpus around a bibliography, built and kept up to date."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.corpus_sources import entries_of, whole
from cli.fetch import asking
from cli.groups import Sentences
from cli.options import OUTPUT_FILE, Number, Parsed, TakesMany, encoder_option, index_directory, with_options
from cli.sources import echo_first, keep_drafts, report_problems
from cli.zotero_source import address_option, database_option
from common.errors import SourceError
from common.words import counted

if TYPE_CHECKING:
    from fetch.corpus.apis import ApiOptions
    from fetch.corpus.resolving import Found

_SHOWN = 20  # entries that were not found
# As in `fetch.corpus.apis`, which loads requests.
_TITLES = {"openalex": "OpenAlex", "semantic-scholar": "Semantic Scholar", "crossref": "Crossref"}


@click.group("corpus", cls=Sentences)
def command() -> None:
    """Build an index of your field around a bibliography, and keep it up to date."""


_calls = click.option(
    "--calls", default=500, type=click.IntRange(1), help="Requests that may be made, beside free ones."
)
_report = click.option(
    "--report", "report_path", type=OUTPUT_FILE, help="File for what became of each entry, as JSON lines."
)


_asking = with_options(
    asking(
        "Sent to the APIs, so that they can reach you; Crossref answers faster then. Or set OPENALEX_EMAIL.",
        Number(0, 1000),
        0.0,
        "Requests a second, instead of the pace that each API asks for.",
    ),
    click.option(
        "--base-url",
        "base_urls",
        type=Parsed("API=URL", lambda text: tuple(text.partition("=")[::2])),
        multiple=True,
        hidden=True,
        envvar="CITESCOUT_APIS",
        help="Other servers.",
    ),
)


def _asks(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say how APIs are asked, handed on as `api_options`."""

    def with_api_options(*, base_urls: tuple[tuple[str, str], ...], **others: Any) -> None:
        from fetch.corpus.apis import APIS, ApiOptions

        keys = {name: os.environ.get(api.key_variable, "") for name, api in APIS.items() if api.key_variable}
        asked = {name: others.pop(name) for name in ("email", "requests_per_second", "tries", "timeout", "backoff")}
        command(api_options=ApiOptions(keys, base_urls=dict(base_urls), **asked), **others)

    with_api_options.__doc__ = command.__doc__
    return _asking(with_api_options)


@command.command("build", cls=TakesMany)
@click.option(
    "--from",
    "origins",
    multiple=True,
    required=True,
    metavar="SOURCE...",
    help="A bibliography in any format that index reads, a manuscript or its folder, zotero, a DOI, or a file of DOIs.",
)
@index_directory
@click.option("--size", default=5_000, type=click.IntRange(1), help="Papers that are wanted.")
@_calls
@click.option(
    "--source",
    default="openalex",
    type=click.Choice(list(_TITLES)),
    help="Where works are looked up; crossref goes with OpenCitations.",
)
@encoder_option("As of `index`.", none=True)
@_report
@click.option("--stages", is_flag=True, hidden=True, help="Say on standard output what is being done.")
@click.option("--restart", is_flag=True, help="Start over: forget the answers that an interrupted run got.")
@database_option
@address_option
@_asks
def build(
    origins: tuple[str, ...],
    directory: Path,
    size: int,
    calls: int,
    source: str,
    encoder: str | None,
    report_path: Path | None,
    stages: bool,
    restart: bool,
    zotero_database: str,
    zotero_url: str,
    api_options: ApiOptions,
) -> None:
    """Index the works of a bibliography, what they cite and what cites them, the most connected first.

    Entries are looked up by DOI, PMID or arXiv id, else by title, first author and year; those that are not found are
    named, and are in the index as the bibliography has them. Keys of APIs come from the environment: OPENALEX_API_KEY,
    SEMANTIC_SCHOLAR_API_KEY, OPENCITATIONS_TOKEN. When it is interrupted, or an API's daily limit is reached, the same
    command continues it. `citescout corpus update` brings what is new later.
    """
    from fetch.corpus.building import build_corpus
    from fetch.corpus.recipe import Recipe
    from fetch.corpus.resolving import summary
    from indexer.readers import ReadReport

    kept = tuple(dict.fromkeys(map(whole, origins)))
    keep_drafts(report_path, kept)
    report = ReadReport()
    entries = entries_of(kept, zotero_database, zotero_url, report)
    recipe = Recipe(
        kept,
        source,
        dict(api_options.base_urls or {}),
        size,
        calls,
        encoder,
        built="",
        updated="",
        zotero_database=zotero_database,
        zotero_url=zotero_url,
    )
    reporting = {"report": click.echo} if stages else {}
    built = build_corpus(entries, recipe, directory, api_options, restart, **reporting)
    click.echo(summary(built.found, _TITLES[source]))
    _report_missing(built.found)
    corpus, index = built.corpus, built.index
    brought = f"{built.own:,} of the bibliography, {corpus.cited:,} that they cite, {corpus.citing:,} that cite them"
    click.echo(
        f"Indexed {counted(index.papers, 'paper')} with {counted(index.citations, 'citation')} among them in "
        f"{directory}: {brought}; {counted(built.requests, 'request')}"
    )
    if not corpus.complete:
        used = counted(calls, "request was", "requests were")
        message = f"The {used} used up before there were {size:,} papers (--calls): `citescout corpus update` goes on"
        click.echo(message, err=True)
    _write_report(report_path, built.found)
    report_problems(report)


@command.command("update", cls=TakesMany)
@index_directory
@click.option(
    "--from",
    "origins",
    multiple=True,
    metavar="SOURCE...",
    help="Where the entries are from now on, as for build: a file that was moved, a collection that was renamed.",
)
@click.option("--new", "most", default=500, type=click.IntRange(0), help="Papers to add beside entries, at most.")
@_calls
@_report
@_asks
def update(
    directory: Path,
    origins: tuple[str, ...],
    most: int,
    calls: int,
    report_path: Path | None,
    api_options: ApiOptions,
) -> None:
    """Bring an index that `corpus build` made up to date, by the recipe that it keeps.

    New entries of the bibliography come in with what they cite and what cites them, entries that were not found are
    looked up again, what cites the entries since the last time is added, the most connected first, and papers that were
    retracted since are marked.
    """
    from fetch.corpus.recipe import Recipe, recipe_of
    from fetch.corpus.resolving import Entry, summary
    from fetch.corpus.updating import update_corpus
    from indexer.readers import ReadReport

    report = ReadReport()

    def read(recipe: Recipe) -> Sequence[Entry]:
        for origin in map(Path, recipe.origins):
            if origin.is_absolute() and not origin.exists():
                raise SourceError(f"{origin}: no such file or folder; if it was moved, name all sources with --from")
        return entries_of(recipe.origins, recipe.zotero_database, recipe.zotero_url, report)

    before = recipe_of(directory)
    title = _TITLES[before.source]
    kept = tuple(dict.fromkeys(map(whole, origins))) or before.origins
    keep_drafts(report_path, kept)
    updated = update_corpus(read, directory, api_options, most, calls, kept)
    if updated.found:
        click.echo(summary(updated.found, title) + ", new or not found before")
        _report_missing(updated.found)
    click.echo(
        f"Since {updated.since}: {counted(updated.added, 'paper')} added to {directory}"
        + ("" if updated.retracted is None else f", {len(updated.retracted):,} retracted")
        + f"; it now holds {updated.papers:,}; {counted(updated.requests, 'request')}"
    )
    for paper in (updated.retracted or ())[:_SHOWN]:
        click.echo(f"  retracted: {paper.title or paper.id}", err=True)
    if not updated.has_retractions:
        click.echo(f"{title} has no retractions", err=True)
    if not updated.complete:
        used = counted(calls, "request was", "requests were")
        click.echo(f"The {used} used up: the next update goes on with what is left", err=True)
    _write_report(report_path, updated.found)
    report_problems(report)


def _report_missing(found: Sequence[Found]) -> None:
    """Name the entries that were not found, or are in doubt, and why."""
    from fetch.corpus.resolving import reason_line

    missing = [one for one in found if not one.how or one.why]
    echo_first(list(map(reason_line, missing)), _SHOWN, "; --report FILE names all")


def _write_report(path: Path | None, found: Sequence[Found]) -> None:
    """A line for each entry: key, title, how it was found, id, why not."""
    if path is None:
        return
    import orjson

    from common.files import write_output

    records = (
        {
            "key": one.entry.key,
            "title": one.entry.paper.title,
            "found": one.how,
            "id": one.paper.id if one.how and one.paper else None,
            "why": one.why or None,
        }
        for one in found
    )
    write_output(path, b"".join(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE) for record in records))
