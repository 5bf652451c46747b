"""Building a corpus around the entries of a bibliography."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from common.errors import FetchError
from common.words import counted
from fetch.corpus.answers import Answers
from fetch.corpus.apis import ApiOptions
from fetch.corpus.bibliography import known_of
from fetch.corpus.collecting import Collected, collect
from fetch.corpus.recipe import Recipe, check_replaceable
from fetch.corpus.resolving import Entry, Found, found_among, papers_for, resolved, works_of
from fetch.zotero.syncing import follow
from indexer.builds import build_index
from indexer.generations import load_encoder
from indexer.layout import FETCHED
from indexer.manifest import Manifest

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did."""

    found: tuple[Found, ...]  # every entry
    own: int  # papers of entries
    corpus: Collected
    requests: int
    index: Manifest


def build_corpus(
    entries: Sequence[Entry],
    recipe: Recipe,
    directory: Path,
    api_options: ApiOptions,
    restart: bool = False,
    report: Callable[[str], None] = _logger.info,
) -> Built:
    """Look up the entries, bring what is connected with them, and index it all in `directory`.

    What was asked for by a run that was interrupted is not asked for again.

    Args:
        entries: The bibliography.
        recipe: What it was read from, and how the corpus is wanted; dates and entries are filled in.
        directory: For the index, in which the recipe is kept.
        api_options: How the APIs are asked.
        restart: Forget the answers that an interrupted run got.
        report: Gets a line for each stage.

    Raises:
        FetchError: there is no entry, none is found, or an API fails.
        CitescoutError: the index cannot be built.
    """
    if not entries:
        raise FetchError("there is no entry in it: nothing is built")
    check_replaceable(directory)
    if recipe.encoder is not None:
        load_encoder(recipe.encoder)  # before any work: a wrong name should not cost an hour
    with Answers.kept_in(directory / FETCHED, recipe.calls, restart) as answers:
        source = api_options.source(recipe.source, answers)
        report(f"Looking up {counted(len(entries), 'entry', 'entries')} at {source.title}")
        found = resolved(entries, source, api_options.client("arxiv", answers), lambda: answers.left)
        own = works_of(found)
        if not own:
            answers.done = answers.left > 0  # else more requests may find some
            asked = counted(len(found), "entry", "entries")
            raise FetchError(f"{source.title} has nothing of the bibliography ({asked}); nothing is built")
        report(f"Bringing what {counted(len(own), 'work')} of them cite and what cites them")
        unknown = len({one.paper.id for one in found if one.paper}) - len(own)  # that are in the index all the same
        corpus = collect(source, own, recipe.size - unknown, lambda: answers.left)
        found = found_among(corpus.works.values(), found)
        papers = {paper.id: paper for paper in papers_for(found)}
        beside = [work.paper for work in corpus.works.values() if work.paper.id not in papers]
        report(f"Indexing {counted(len(papers) + len(beside), 'paper')}")
        day = answers.day
        brought = (*papers, *(paper.id for paper in beside))
        known = tuple(map(known_of, found))
        recipe = replace(recipe, built=day, updated=day, complete=corpus.complete, entries=known, brought=brought)
        check_replaceable(directory)  # once more: it was an hour, maybe
        recipe.write(directory / FETCHED)
        manifest = build_index([*papers.values(), *beside], directory, recipe.encoder)
        follow(None, directory)
        recipe.write(directory)
        answers.done = True
    return Built(tuple(found), len(papers), corpus, answers.used, manifest)
