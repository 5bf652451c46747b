"""`citescout recommend`: a file of queries → a file of recommendations."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from citescout.cli.filters import list_filters
from citescout.cli.options import FILE, index_directory
from citescout.cli.ranking import Opening, list_ranking
from citescout.exports import FORMATS, Answer, write

if TYPE_CHECKING:
    from citescout.filters import Filters
    from citescout.recommender import Recommender
    from retrieval.query import Query


@click.command("recommend")
@click.argument("queries")
@index_directory
@click.option("-k", default=20, show_default=True, type=click.IntRange(1, 1000), help="Recommendations a query.")
@click.option(
    "--format",
    "format_name",
    default="table",
    show_default=True,
    type=click.Choice(list(FORMATS)),
    help="Format of the output.",
)
@click.option("--out", type=FILE, default=None, help="File; else standard output.")
@list_ranking
@list_filters
@click.option(
    "--author",
    "authors",
    multiple=True,
    metavar="NAME",
    help="Who writes it; repeat. What they wrote or cited before is marked, the order stays.",
)
@click.option("--hide-known", is_flag=True, help="Leave out what the authors wrote or cited before.")
@click.option(
    "--cited",
    default=None,
    metavar="FILE",
    help="A bibliography (.bib, .ris, CSL-JSON, ...) of works that every query cites already.",
)
def command(
    queries: str,
    directory: Path,
    k: int,
    format_name: str,
    out: Path | None,
    opening: Opening,
    filters: Filters,
    diversity: float,
    recency: float,
    authors: tuple[str, ...],
    hide_known: bool,
    cited: str | None,
) -> None:
    """Recommend papers to cite for every query in QUERIES.

    QUERIES is a manuscript (.tex, .pdf) or a text, its title on the first line; or JSON lines with "title" and
    "abstract" (one is enough), and optionally "id", "year", "already_cited" (ids, DOIs, arXiv ids, PMIDs or titles),
    "liked" and "disliked" (ids), "authors" (names); or papers in any format that `index` reads. With - a text or JSON
    lines come from standard input. The score is the chance in per cent that the query cites the paper, and compares
    across lists; with --no-blend and in systems without the learned order it is the cross-encoder's probability, or
    without one the first stage's own score, and compares the papers of one list only.
    """
    from citescout.cli.references import with_citations
    from citescout.queries import read_queries
    from citescout.recommender import Recommender
    from common.progress import progress
    from indexer.readers import read_papers

    preferences = {"filters": filters, "hide_known": hide_known, "diversity": diversity, "recency": recency}
    opening["system"] = opening["system"].changed(k=k, **preferences)
    asked = _by(authors, read_queries(queries))
    if hide_known and not any(query.authors for query in asked):
        click.echo("--hide-known hides nothing: no query says who writes it (--author, or authors)", err=True)
    bibliography = list(read_papers([cited])) if cited else []
    recommender = Recommender.open(directory, **opening)
    asked = with_citations(recommender, asked, bibliography)
    read: list[tuple[int, int]] = []
    with _output(out) as stream:
        write(format_name, _answers(recommender, progress(asked, "queries", len(asked)), read), stream)
    budget = opening["system"].settings.budget
    if budget is not None and opening["reranker"] != "none":
        click.echo(f"Within {budget:g} s a query the cross-encoder read {_how_many(read)} candidates.", err=True)


def _by(authors: tuple[str, ...], queries: list[Query]) -> list[Query]:
    """The queries with these authors beside their own."""
    return [replace(query, authors=tuple(dict.fromkeys((*query.authors, *authors)))) for query in queries]


def _answers(recommender: Recommender, queries: Iterable[Query], read: list[tuple[int, int]]) -> Iterator[Answer]:
    """Answers one by one; `read` is told how many candidates of how many the cross-encoder read for each."""
    for query in queries:
        found = recommender.answer(query)
        read.append((found.read, found.to_read))
        yield Answer(query, found.recommendations, found.fit)


def _how_many(read: list[tuple[int, int]]) -> str:
    """Such as "64 of 100", or "32 to 100 of 100" where queries differ."""
    spans = [(min(column), max(column)) for column in zip(*read, strict=True)]
    return " of ".join(str(least) if least == most else f"{least} to {most}" for least, most in spans)


@contextlib.contextmanager
def _output(path: Path | None) -> Iterator[TextIO]:
    """Standard output, or a file that appears under its name only when it is complete."""
    if path is None:
        yield sys.stdout
        return
    from common.errors import SourceError

    partial = path.with_name(path.name + ".partial")
    try:
        stream = partial.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise SourceError(f"cannot write {path}: {error.strerror}") from None
    with stream:
        yield stream
    partial.replace(path)
