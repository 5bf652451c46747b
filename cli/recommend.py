"""`citescout recommend`: a file of queries → a file of recommendations."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce, wraps
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citescout.filters import Filters
from cli.options import OUTPUT, format_option, index_directory, with_options
from cli.picks import picks_options, takers_of
from cli.ranking import Opening, list_ranking
from cli.references import WholePaper, report_strangers, with_citations
from cli.setting_options import option_of
from cli.sources import files_of, keep_what_is_read, main_file
from common.errors import FetchError
from common.progress import progress
from common.schema import fields_of
from common.text import name_of
from common.words import counted
from exports import FORMATS, Answer, write
from retrieval.query import Query

if TYPE_CHECKING:
    from citescout.recommendation import OutsideWork
    from citescout.recommender import Recommender
    from indexer.paper import Paper

_TRIES = 3  # of a request to OpenAlex: somebody waits
_FEW = 1000  # queries, after which Java's better compiler has paid

_options = with_options(
    index_directory,
    format_option(FORMATS),
    click.option(
        "--out", type=OUTPUT, help="File, else standard output; the same command continues one that was interrupted."
    ),
    list_ranking,
    option_of("authors", dict(fields_of(Query, where="command line"))["authors"]),
    click.option(
        "--cited",
        multiple=True,
        metavar="FILE",
        help="A bibliography (.bib, .ris, CSL-JSON, ...), or a manuscript with one, of works that every query cites "
        "already. May be repeated.",
    ),
    click.option(
        "--expand",
        is_flag=True,
        help="Fetch the works of --beyond from OpenAlex, add them to the index, and answer with them in it. "
        "OPENALEX_API_KEY and OPENALEX_EMAIL are sent along where they are set.",
    ),
    picks_options,
)


def answers_queries(command: Callable[..., list[Query] | WholePaper]) -> Callable[..., None]:
    """Add the options of a command that answers queries; the command gives the queries by its own arguments."""

    @wraps(command)
    def answering(
        *,
        directory: Path,
        format_name: str,
        out: Path | None,
        opening: Opening,
        authors: tuple[str, ...] | None,
        cited: tuple[str, ...],
        expand: bool,
        **others: Any,
    ) -> None:
        from citescout.queries import read_works
        from citescout.recommender import Recommender
        from indexer import jvm
        from rerank.blend import check_orders

        settings = opening["system"].settings
        _check_beyond(format_name, settings.beyond, expand)
        takers = takers_of(others, out)
        given = command(**others)
        manuscript, each = (given.manuscript, [given]) if isinstance(given, WholePaper) else (None, given)
        contexts = {bool(one.context.strip()) for one in each}
        check_orders(opening["blend"], contexts)
        _report_unread(opening, contexts)
        advice = ", or add to it with --append-to" if out and out.suffix == ".bib" else ""
        keep_what_is_read(out, (*cited, *others.values()), manuscript, advice)
        named = authors or ()
        authors = _who_writes(given, named) if settings.hide_known else named
        if isinstance(given, WholePaper):
            given, cited = _with_own_bibliographies(given, cited, others.values())
        bibliography = list(read_works(cited))
        if len(each) < _FEW:
            jvm.ends_soon()
        recommender = Recommender.open(directory, **opening)
        found, keys, left_out = with_citations(recommender, given, bibliography)
        report_strangers(recommender, found[0], named)
        asked = [replace(one, authors=tuple(dict.fromkeys((*one.authors, *authors)))) for one in found]
        if expand and _expanded(directory, (work for one in recommender.answers(asked) for work in one.beyond)):
            recommender.close()
            recommender = Recommender.open(directory, **opening)
        asking = _Asking(recommender, asked, format_name, keys, left_out)
        recommended: dict[str, Paper] = {}
        if out is None:
            answers = asking.answers(asked, recommended if takers else None)
            bar = not sys.stdout.isatty()  # where a list would begin in the bar's line, and itself tells how far it is
            write(format_name, progress(answers, "queries", len(asked)) if bar else answers, sys.stdout)
        else:
            asking.write_file(out)
        for take in takers:
            sys.stdout.flush()
            click.echo(take(recommended.values()), err=True)
        asking.report_short()
        if opening["reranker"] != "none":
            asking.report_budget()

    return _options(answering)


@click.command("recommend")
@click.argument("queries", callback=main_file)
@answers_queries
def command(queries: str) -> list[Query] | WholePaper:
    """Recommend papers to cite for every query in QUERIES.

    QUERIES is a manuscript: its folder, a .zip archive of it, a .tex, .typ, .md, .qmd, .docx, .odt or .pdf file; what
    it cites is evidence and not recommended again. Or a text, its title on the first line; or JSON lines with "title"
    and "abstract" (one is enough), and optionally "id", "year", "already_cited", "liked" and "disliked" (ids, DOIs,
    arXiv ids, PMIDs, titles or printed references), "authors" (names), and "context", the sentence of the paper to
    cite for (which is enough, too; see `cite`); or papers in any format that `index` reads. With - a text or JSON
    lines come from standard input. The score is the chance in per cent that the query cites the paper, and compares
    across lists; with --no-blend and in systems without the learned order it is the cross-encoder's probability, or
    without one the first stage's own score, and compares the papers of one list only.
    """
    from citescout.queries import read_asked

    given = read_asked(queries)
    return given if isinstance(given, list) else WholePaper(given, name_of(queries))


def _with_own_bibliographies(
    paper: WholePaper, cited: tuple[str, ...], sources: Iterable[object]
) -> tuple[WholePaper, tuple[str, ...]]:
    """The paper, at one of the sources, with those of the files that it names and that were not found.

    Besides the others, of which all is cited: neither these nor files outside of its folder that were read.
    """
    from manuscripts.bibliographies import with_entries, without_note_on

    draft = paper.manuscript
    named = [file for file in cited if without_note_on(draft, file) != draft]
    folders = [Path(one) for one in sources if isinstance(one, str) and os.access(one, os.F_OK)] if cited else []
    read = {realpath(file) for file in files_of(draft, folders, outside=True)}
    others = tuple(file for file in cited if not (file in named or realpath(file) in read))
    return replace(paper, manuscript=reduce(with_entries, named, draft)), others


def _who_writes(given: list[Query] | WholePaper, named: tuple[str, ...]) -> tuple[str, ...]:
    """The authors by whom `--hide-known` goes, beside those of single queries; says so where there are none at all."""
    authors = named or (() if isinstance(given, list) else given.manuscript.authors)
    if not authors and not (isinstance(given, list) and any(query.authors for query in given)):
        click.echo("--hide-known hides nothing: no query says who writes it (--author, or authors)", err=True)
    return authors


def _report_unread(opening: Opening, contexts: set[bool]) -> None:
    """Say which options change nothing where no cross-encoder reads; lists for sentences have one of their own."""
    settings = opening["system"].settings
    given = [f"--{name}" for name, value in (("depth", settings.depth), ("budget", settings.budget)) if value]
    if given and opening["reranker"] == "none" and contexts == {False}:
        click.echo(f"No cross-encoder reads without --reranker, whatever is given as {' and '.join(given)}", err=True)


def _check_beyond(format_name: str, beyond: int, expand: bool) -> None:
    if expand and not beyond:
        raise click.UsageError("--expand goes with --beyond N, the most works to fetch for a query")
    if beyond and not expand and not FORMATS[format_name].outside:
        fitting = ", ".join(name for name, one in FORMATS.items() if one.outside)
        raise click.UsageError(f"--beyond goes with --format {fitting}, not with {format_name}")


def _expanded(directory: Path, works: Iterable[OutsideWork]) -> bool:
    """Fetch the works from OpenAlex and add them; whether there is anything new, which is reported on standard error.

    Without a connection nothing is added, and that is reported too.

    Raises:
        IndexDirectoryError, IndexLockedError, EngineError: see `indexer.changes.add_papers`.
    """
    from fetch.client import Access
    from fetch.named import can_be_fetched, fetch_named
    from fetch.openalex import BASE_URL
    from indexer.changes import add_papers

    named = list({work.paper.doi or work.paper.id or work.paper.title: work.paper for work in works}.values())
    if not named:
        click.echo("Nothing was fetched: the papers of the index cite no further work", err=True)
        return False
    wanted = [paper for paper in named if can_be_fetched(paper)]
    if not wanted:
        without = counted(len(named), "work has none of them", "works have none of them")
        click.echo(f"Nothing was fetched: OpenAlex is asked by DOI, arXiv id or its own id, and {without}", err=True)
        return False
    try:
        access = Access(
            os.environ.get("CITESCOUT_OPENALEX_URL") or BASE_URL,
            api_key=os.environ.get("OPENALEX_API_KEY", ""),
            key_source="OPENALEX_API_KEY",
            email=os.environ.get("OPENALEX_EMAIL", ""),
            tries=_TRIES,
        )
        found = fetch_named(wanted, access)
    except FetchError as error:
        click.echo(f"Nothing was fetched, and the index stays as it is: {error}", err=True)
        return False
    if not found:
        click.echo(f"OpenAlex has nothing of what is not in the index ({counted(len(named), 'work')})", err=True)
        return False
    change = add_papers(found, directory)
    added = change.papers.added
    click.echo(f"Added {added:,} of {counted(len(named), 'work')} that were not in {directory} to it", err=True)
    return added > 0


@dataclass(frozen=True, slots=True)
class _Asking:
    """Queries, and how they are answered."""

    recommender: Recommender
    queries: Sequence[Query]
    format_name: str
    keys: Mapping[str, str]  # by id, how what is cited already is called
    left_out: Mapping[str, Sequence[str]]  # by query, what it cites that the index lacks
    # Of each answer that was given, how many candidates of how many the cross-encoder read.
    read: list[tuple[int, int]] = field(default_factory=list)
    lengths: dict[str, int] = field(default_factory=dict)  # by query, of the lists that were given

    def answers(self, queries: Sequence[Query], papers: dict[str, Paper] | None = None) -> Iterator[Answer]:
        """Answers to these one by one; `papers` gets what is recommended, by id."""
        needs = FORMATS[self.format_name].needs
        needs = "papers" if papers is not None and needs == "ids" else needs
        for found in self.recommender.answers(queries, needs=needs):
            self.read.append((found.read, found.to_read))
            self.lengths[found.query.id] = len(found.recommendations)
            if papers is not None:
                papers |= {entry.paper.id: entry.paper for entry in found.recommendations}
            unknown = (*self.left_out.get(found.query.id, ()), *found.unknown)
            yield replace(found.under_keys(self.keys), unknown=unknown)

    def report_short(self) -> None:
        """Say which queries a TREC run lacks, as it has no line of an empty list; and what conditions left short."""
        settings = self.recommender.settings
        if self.format_name == "trec" and (empty := [id_ for id_, length in self.lengths.items() if not length]):
            without = counted(len(empty), "query has no list and is", "queries have no list and are")
            click.echo(f"{without} not in the run, such as {empty[0]}", err=True)
        short = sum(length < settings.k for length in self.lengths.values())
        if short and (settings.filters != Filters() or settings.hide_known):
            lists = (
                f"{counted(short, 'list')} {'has' if short == 1 else 'have'} fewer than {counted(settings.k, 'paper')}"
            )
            click.echo(f"{lists}: no more of the papers that are found meet all conditions", err=True)

    def report_budget(self) -> None:
        """Say how many candidates were read within it, such as "64 of 100"; "32 to 100 of 100" where queries differ."""
        budget = self.recommender.settings.budget
        if budget is not None and self.read:
            spans = [(min(column), max(column)) for column in zip(*self.read, strict=True)]
            read = " of ".join(str(least) if least == most else f"{least} to {most}" for least, most in spans)
            click.echo(f"Within {budget:g} s a query the cross-encoder read {read} candidates.", err=True)

    def write_file(self, out: Path) -> None:
        """The same into a file, which appears under its name when it is complete; what was interrupted goes on."""
        from exports.resuming import AnswerFile

        recommender, queries = self.recommender, self.queries
        beside = [query.authors for query in queries], self.left_out  # which a query does not show
        asked = f"{recommender.identity} {self.format_name} {recommender.settings!r} {queries!r} {beside!r}"
        file = AnswerFile(out, asked)
        if file.answered:
            click.echo(
                f"{out}.partial has the answers to {file.answered} of {len(queries)} queries: going on", err=True
            )
        elif file.started_over:
            click.echo(f"{out}.partial is not of these queries, settings and index: starting over", err=True)
        left = queries[file.answered :]
        answers = progress(self.answers(left), "queries", len(left))
        file.write(FORMATS[self.format_name], queries, answers, recommender.papers)
