"""What the commands report about references that are, or are not, in the index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from cli.sources import echo_first
from common.words import counted
from indexer.identity.keys import is_only_identifier, text_naming
from indexer.identity.titles import is_distinctive, title_key

if TYPE_CHECKING:
    from citescout.recommender import Recommender
    from indexer.paper import Paper
    from manuscripts import Manuscript
    from manuscripts.manuscript import Entry
    from retrieval.query import Query
    from retrieval.resolver import Match


@dataclass(frozen=True, slots=True)
class WholePaper:
    """A manuscript that is one query."""

    manuscript: Manuscript
    name: str
    context: str = ""  # the sentence of it that is asked for
    year: int | None = None


def with_citations(
    recommender: Recommender, given: Sequence[Query] | WholePaper, bibliography: Sequence[Entry]
) -> tuple[list[Query], dict[str, str], dict[str, tuple[str, ...]]]:
    """The queries with ids of the index for what they cite already, the works of the bibliography among them.

    Then of a manuscript the keys by which it cites papers of the index, by their ids; and by queries' ids what they
    cite and the index lacks. Queries that ask for works beyond the index keep that, for it is not wanted; others do
    without, or it would be looked for again. It is reported on standard error, as is what could not be read.
    """
    if isinstance(given, WholePaper):
        return _of_paper(recommender, given, bibliography)
    found, left_out = _of_queries(recommender, given, bibliography)
    return found, {}, left_out


def _of_queries(
    recommender: Recommender, queries: Sequence[Query], bibliography: Sequence[Entry]
) -> tuple[list[Query], dict[str, tuple[str, ...]]]:
    beyond = recommender.settings.beyond > 0
    common: tuple[str, ...] = ()
    if bibliography:
        from citescout.manuscript_citations import resolved
        from retrieval.resolver import summary

        matches = resolved(recommender.resolve, bibliography, by_id=True)
        common = _names(matches, beyond)
        click.echo(f"Cited already: {summary(matches)}", err=True)
        list_missing(one_line(match.reference) for match in matches if not match.paper)
    answered: list[Query] = []
    left_out: dict[str, tuple[str, ...]] = {}
    unknown: list[str] = []
    unrated: list[str] = []
    given = 0
    for query in queries:
        known, missing = recommender.resolved(query)
        given += len(query.already_cited)
        unknown.extend(missing)
        unrated.extend(recommender.lacking(known))
        rest, left_out[query.id] = (missing, ()) if beyond else ((), missing)
        answered.append(replace(known, already_cited=(*known.already_cited, *common, *rest)))
    if unknown:
        were = "was" if len(unknown) == 1 else "were"
        entries = f"{len(unknown):,} of {counted(given, 'entry', 'entries')} of already_cited"
        click.echo(f"{entries} {were} not found in the index", err=True)
        list_missing(map(_with_advice, unknown))
    if unrated:
        entries = counted(len(unrated), "entry of liked and disliked was", "entries of liked and disliked were")
        click.echo(f"{entries} not found in the index", err=True)
        list_missing(unrated)
    return answered, left_out


def _with_advice(name: str) -> str:
    """What was not found, and what to do where it is a title that could be that of several papers."""
    short = " " in name and not is_only_identifier(name) and not is_distinctive(title_key(name))
    return f"{name} (several papers may have so short a title: give an id or a DOI)" if short else name


def _names(matches: Iterable[Match], beyond: bool) -> tuple[str, ...]:
    """Ids of what was found, and with `beyond` DOIs, other identifiers or titles of what was not."""
    named = (match.paper.id if match.paper else text_naming(match.reference) if beyond else "" for match in matches)
    return tuple(filter(None, named))


def _of_paper(
    recommender: Recommender, paper: WholePaper, bibliography: Sequence[Entry]
) -> tuple[list[Query], dict[str, str], dict[str, tuple[str, ...]]]:
    from citescout.manuscript_citations import own_keys, surroundings_of
    from retrieval.resolver import summary

    manuscript, name = paper.manuscript, paper.name
    for note in manuscript.notes:
        if note.kind != "added to":  # `--append-to` reads its file itself
            click.echo(f"{name}: {note.text}", err=True)
    if not bibliography:
        say_what_helps(manuscript, name)
    surroundings, matches = surroundings_of(recommender.resolve, manuscript)
    query = replace(surroundings, year=paper.year).query(name, paper.context)
    if matches:
        click.echo(f"Cited in {name}: {summary(matches)}", err=True)
        list_missing(one_line(match.reference) for match in matches if not match.paper)
    elif manuscript.keys:
        click.echo(f"Cited in {name}: nothing that could be read", err=True)
    else:
        click.echo(f"{name}: no citation was found in it", err=True)
    (query,), _ = _of_queries(recommender, [query], bibliography)
    missing = _names((match for match in matches if not match.paper), True)
    if recommender.settings.beyond:
        query, missing = replace(query, already_cited=(*query.already_cited, *missing)), ()
    return [query], own_keys(matches), {query.id: missing}


def say_what_helps(manuscript: Manuscript, name: str) -> None:
    """Say how a manuscript gets its bibliography, which is not where it names it, or of which a part says nothing."""
    if manuscript.missing_bibliographies and (manuscript.keys_without_entry or not manuscript.entries):
        click.echo(f"{name}: --cited FILE gives it a bibliography that was not read", err=True)
    elif manuscript.lacks_bibliography:
        click.echo(
            f"{name}: no bibliography was found: give the main file that it is part of, or --cited FILE", err=True
        )


def report_strangers(recommender: Recommender, query: Query, authors: tuple[str, ...]) -> None:
    """Say which people that options name wrote no paper of the index, so that to name them changes nothing."""
    said = "no paper of the index is recognised as one by"
    if strangers := recommender.unknown_authors(replace(query, authors=authors)):
        click.echo(f"--author: {said} {' or '.join(strangers)}; give full names", err=True)
    if strangers := recommender.settings.filters.strangers(recommender.generation.catalog):
        click.echo(f"--not-by leaves nothing out: {said} {' or '.join(strangers)}", err=True)


def list_missing(lines: Iterable[str]) -> None:
    """Name what was not found on standard error."""
    echo_first([f"not found: {line}" for line in lines])


def one_line(reference: Paper) -> str:
    """Id and title, and the year if it is known."""
    year = f" ({reference.year})" if reference.year else ""
    return f"{reference.id}: {reference.title}{year}" if reference.title else reference.id
