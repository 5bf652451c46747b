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
from citescout.cli.options import FILE, Seconds, TermCount, blend, comma_separated, index_directory, reranker, tokens
from citescout.exports import FORMATS, Answer, write

if TYPE_CHECKING:
    from citescout.filters import Filters
    from citescout.recommender import Recommender
    from citescout.settings import Settings
    from rerank.token_split import TokenSplit
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
@click.option(
    "--sources", default="bm25,dense,graph", show_default=True, callback=comma_separated, help="Sources of candidates."
)
@reranker
@click.option("--depth", default=None, type=click.IntRange(0, 1000), help="Candidates that the cross-encoder reads.")
@click.option(
    "--budget",
    type=Seconds(),
    default=None,
    metavar="TIME",
    help="Time for a query, such as 1.5s: the cross-encoder reads the best candidates first, as many as it allows.",
)
@tokens
@blend
@click.option("--no-blend", is_flag=True, help="Order by the cross-encoder (or the fused ranks) alone.")
@click.option(
    "--query-form",
    default="title+abstract",
    show_default=True,
    type=click.Choice(["title+abstract", "title", "key-terms"]),
    help="What of the query BM25 searches for.",
)
@click.option(
    "--bm25-terms",
    type=TermCount(),
    default="all",
    show_default=True,
    metavar="N|all",
    help="Terms of the query that BM25 searches for, those that weigh most; fewer are faster in a large index.",
)
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
    sources: tuple[str, ...],
    reranker: str,
    depth: int | None,
    budget: float | None,
    tokens: TokenSplit | None,
    blend: Path | None,
    no_blend: bool,
    query_form: str,
    bm25_terms: int | None,
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
    across lists; with --no-blend it is the last stage's own, and compares the papers of one list only.
    """
    from citescout.cli.references import with_citations
    from citescout.queries import read_queries
    from citescout.recommender import Recommender
    from citescout.settings import Settings
    from common.progress import progress
    from indexer.readers import read_papers

    chosen = Settings(
        k=k,
        sources=sources,  # type: ignore[arg-type]
        query_form=query_form,  # type: ignore[arg-type]
        bm25_terms=bm25_terms,
        depth=Settings().depth if depth is None else depth,
        budget=budget,
        blend=not no_blend,
        filters=filters,
        hide_known=hide_known,
        diversity=diversity,
        recency=recency,
    ).checked()
    asked = _by(authors, read_queries(queries))
    if hide_known and not any(query.authors for query in asked):
        click.echo("--hide-known hides nothing: no query says who writes it (--author, or authors)", err=True)
    bibliography = list(read_papers([cited])) if cited else []
    recommender = Recommender.open(directory, reranker, tokens, blend)
    asked = with_citations(recommender, asked, bibliography)
    read: list[tuple[int, int]] = []
    with _output(out) as stream:
        write(format_name, _answers(recommender, progress(asked, "queries", len(asked)), chosen, read), stream)
    if budget is not None and reranker != "none":
        click.echo(f"Within {budget:g} s a query the cross-encoder read {_how_many(read)} candidates.", err=True)


def _by(authors: tuple[str, ...], queries: list[Query]) -> list[Query]:
    """The queries with these authors beside their own."""
    return [replace(query, authors=tuple(dict.fromkeys((*query.authors, *authors)))) for query in queries]


def _answers(
    recommender: Recommender, queries: Iterable[Query], settings: Settings, read: list[tuple[int, int]]
) -> Iterator[Answer]:
    """Answers one by one; `read` is told how many candidates of how many the cross-encoder read for each."""
    for query in queries:
        found = recommender.answer(query, settings)
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
