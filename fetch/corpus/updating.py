"""Bringing a corpus up to date."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fetch.corpus.answers import Answers
from fetch.corpus.apis import ApiOptions
from fetch.corpus.bibliography import Bibliography
from fetch.corpus.changes import Changes
from fetch.corpus.recipe import Recipe, recipe_of
from fetch.corpus.resolving import Entry, Found, resolved
from indexer.changes import add_papers, remove_papers
from indexer.generations import open_generation, served_manifest
from indexer.layout import FETCHED
from indexer.paper import Paper


@dataclass(frozen=True, slots=True)
class Updated:
    """What an update did."""

    since: str  # date
    found: tuple[Found, ...]  # entries that are new, or were not found before
    added: int  # papers that were not in the index, under another id neither
    retracted: tuple[Paper, ...] | None  # that were not marked before; None where that was not asked
    has_retractions: bool  # whether the source does
    complete: bool  # False where requests ran out
    requests: int
    papers: int  # in the index


def update_corpus(
    read: Callable[[Recipe], Sequence[Entry]],
    directory: Path,
    api_options: ApiOptions,
    most: int,
    calls: int,
    origins: tuple[str, ...] = (),
) -> Updated:
    """Bring what is new since the last time: new entries with what is around them, what cites the entries; retractions.

    Args:
        read: Gives the entries of the recipe's origins as they are now.
        directory: The index.
        api_options: How the APIs are asked.
        most: Papers to add at most, the most connected first; entries are added in any case.
        calls: Requests that may be made.
        origins: Those of the recipe from now on; the same without.

    Raises:
        FetchError: the index has no recipe, or an API fails.
        CitescoutError: the index cannot be changed.
    """
    recipe = recipe_of(directory)
    recipe = replace(recipe, origins=origins or recipe.origins)
    api_options = replace(api_options, base_urls={**recipe.base_urls, **(api_options.base_urls or {})})
    bibliography = Bibliography(list(read(recipe)), recipe.entries)
    with Answers.kept_in(directory / FETCHED, calls) as answers:
        if recipe.updated > answers.day:  # by a clock that was ahead: when that was nobody knows
            recipe = replace(recipe, updated=min(recipe.built, answers.day))
        source = api_options.source(recipe.source, answers)
        there = _papers_of(directory)
        changes = Changes(source, recipe, there, most)
        has_retractions = changes.look_for_retractions()
        changes.bring_newly_citing()
        # Where requests ran out, the next update asks for the same days again.
        day = answers.day if changes.complete else recipe.updated
        arxiv = api_options.client("arxiv", answers)
        found = changes.as_indexed(resolved(bibliography.not_found(), source, arxiv, lambda: answers.left))
        rewritten = bibliography.rewritten(changes.now, found)
        has_size = changes.bring([*found, *rewritten], lambda: answers.left)
        replaced = bibliography.replaced(found, changes.keyed)
        changes.answer_to(replaced)
        papers = changes.papers
        brought = tuple(dict.fromkeys((*recipe.brought, *(paper.id for paper in papers))))
        known = bibliography.known([*found, *rewritten])
        after = replace(recipe, updated=day, complete=has_size, entries=known, brought=brought)
        after.write(directory / FETCHED)
        if papers:
            add_papers(papers, directory)
        if replaced:
            remove_papers(sorted(replaced), directory)
        total = served_manifest(directory)[1].papers
        after.write(directory)
        answers.done = True
    return Updated(
        recipe.updated,
        tuple(found),
        len({paper.id for paper in papers} - there.keys() - set(replaced.values())),
        None if changes.retracted is None else tuple(changes.retracted),
        has_retractions,
        changes.complete,
        answers.used,
        total,
    )


def _papers_of(directory: Path) -> dict[str, Paper]:
    with open_generation(directory) as generation:
        return {paper.id: paper for paper in generation.catalog.all_papers()}
