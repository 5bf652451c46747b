"""`citescout review`: what a manuscript cites and does not, and what is wrong with its bibliography."""

from pathlib import Path

import click

from citescout.review import Review, ReviewOptions, review
from citescout.review.review_parts import KINDS
from cli.options import OUTPUT, Number, comma_separated, format_option, index_directory, put
from cli.ranking import Opening, list_ranking
from cli.references import say_what_helps
from cli.setting_options import year_option
from cli.sources import keep_what_is_read, main_file
from common.errors import FindingsError
from common.text import name_of
from exports.reviews import FORMATS, write_review


@click.command("review")
@click.argument("path", callback=main_file)
@index_directory
@format_option(FORMATS, "markdown", "Markdown, a page of HTML that needs nothing else, or JSON.")
@click.option("--out", type=OUTPUT, help="File, else standard output.")
@click.option(
    "--author",
    "authors",
    multiple=True,
    metavar="NAME",
    help="Who writes it, for the share of self-citations; else whom the manuscript names. May be repeated.",
)
@click.option(
    "--cited",
    multiple=True,
    metavar="FILE",
    help="A bibliography (.bib, .ris, CSL-JSON, ...) with entries that it cites, not where the manuscript says. "
    "May be repeated.",
)
@year_option("When it is written: no newer papers, and ages up to then.")
@click.option(
    "--chance",
    type=Number(0, 100),
    default=10.0,
    metavar="PER CENT",
    help="Suggest papers that are cited with at least this chance.",
)
@click.option(
    "--fail-on",
    "fail_on",
    metavar="KIND,...",
    callback=comma_separated,
    help="Exit with 1 if something of these kinds is found: retracted, no-entry, repeated, duplicate, published, "
    "differs, claim, missing, unused.",
)
@list_ranking
def command(
    path: str,
    directory: Path,
    format_name: str,
    out: Path | None,
    authors: tuple[str, ...],
    cited: tuple[str, ...],
    year: int | None,
    chance: float,
    fail_on: tuple[str, ...] | None,
    opening: Opening,
) -> None:
    """Review the manuscript PATH: its folder, main file or zip archive, as `recommend` reads it.

    It reports sentences that may need a citation and have none, with papers to cite there; papers that it does not
    cite; and of the bibliography: keys without entries or with several, entries that are cited nowhere, works with
    several entries, entries that differ from the index, preprints that have been published, and retracted papers.
    """
    from citescout.queries import read_draft
    from citescout.recommender import Recommender
    from manuscripts.bibliographies import with_entries

    if unknown := [kind for kind in fail_on or () if kind not in KINDS]:
        raise click.UsageError(f"--fail-on: there is no kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    manuscript = read_draft(path)
    keep_what_is_read(out, (path, *cited), manuscript)
    for file in cited:
        manuscript = with_entries(manuscript, file)
    if not cited:
        say_what_helps(manuscript, name_of(path))
    with Recommender.open(directory, **opening) as recommender:
        found = review(recommender, manuscript, ReviewOptions(authors, year, chance))
    put(write_review(found, format_name, name_of(path)), out)
    _fail_on(found, fail_on or ())


def _fail_on(found: Review, kinds: tuple[str, ...]) -> None:
    counts = {kind: count for kind, count in found.counts().items() if kind in kinds and count}
    if counts:
        raise FindingsError(f"found: {', '.join(f'{count:,} {kind}' for kind, count in counts.items())} (--fail-on)")
