"""Building a corpus around the entries of a bibliography, and bringing it up to date."""

import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from common.errors import FetchError
from common.words import counted
from fetch.corpus.answers import Answers
from fetch.corpus.apis import ApiOptions
from fetch.corpus.changes import Changes
from fetch.corpus.collecting import Collected, collect
from fetch.corpus.interface import Work
from fetch.corpus.recipe import Known, Recipe, check_replaceable, recipe_of
from fetch.corpus.resolving import NOT_ASKED, Entry, Found, How, found_among, papers_for, resolved, works_of
from fetch.zotero.syncing import follow
from indexer.builds import build_index
from indexer.changes import add_papers, remove_papers
from indexer.generations import load_encoder, open_generation, served_manifest
from indexer.identity.agreement import different, unlike
from indexer.layout import FETCHED
from indexer.manifest import Manifest
from indexer.original import Original
from indexer.paper import Paper

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did."""

    found: tuple[Found, ...]  # every entry
    own: int  # papers of entries
    corpus: Collected
    requests: int
    index: Manifest


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
        known = tuple(map(_known, found))
        recipe = replace(recipe, built=day, updated=day, complete=corpus.complete, entries=known, brought=brought)
        check_replaceable(directory)  # once more: it was an hour, maybe
        recipe.write(directory / FETCHED)
        manifest = build_index([*papers.values(), *beside], directory, recipe.encoder)
        follow(None, directory)
        recipe.write(directory)
        answers.done = True
    return Built(tuple(found), len(papers), corpus, answers.used, manifest)


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
    before = {known.identity: known for known in recipe.entries}
    entries = list(read(recipe))
    with Answers.kept_in(directory / FETCHED, calls) as answers:
        source = api_options.source(recipe.source, answers)
        there = _papers_of(directory)
        changes = Changes(source, recipe, there, most)
        known = changes.look_for_retractions()
        changes.bring_newly_citing()
        # Where requests ran out, the next update asks for the same days again.
        day = answers.day if changes.complete else recipe.updated
        # Those that were looked up before come last: most of them are nowhere, and may use up all requests.
        fresh = [entry for entry in entries if entry.identity not in before or not before[entry.identity].id]
        fresh.sort(key=lambda entry: entry.identity in before and not before[entry.identity].why.endswith(NOT_ASKED))
        found = resolved(fresh, source, api_options.client("arxiv", answers), lambda: answers.left)
        theirs = [Work(paper) for id_, paper in there.items() if source.has_id(id_)]
        found = changes.as_indexed(found_among(theirs, found))
        rewritten = _rewritten(entries, before, changes.now, found)
        has_size = changes.bring([*found, *rewritten], lambda: answers.left)
        replaced = _replaced(found, before, {id_: paper for id_, paper in there.items() if not source.has_id(id_)})
        changes.answer_to(replaced)
        papers = changes.papers
        now = {known.identity: known for known in map(_known, (*found, *rewritten))}
        kept = tuple(now.pop(known.identity, known) for known in recipe.entries)
        brought = tuple(dict.fromkeys((*recipe.brought, *(paper.id for paper in papers))))
        after = replace(recipe, updated=day, complete=has_size, entries=(*kept, *now.values()), brought=brought)
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
        known,
        changes.complete,
        answers.used,
        total,
    )


def _rewritten(
    entries: Sequence[Entry], before: Mapping[str, Known], there: Mapping[str, Paper], found: Sequence[Found]
) -> list[Found]:
    """Entries that were found before and are written in another way by now, with another key for instance.

    So are those of works of which an entry was `found` by now: the nearest of all is exported.
    """
    same: dict[str, list[Entry]] = defaultdict(list)  # of one work, by its id
    for entry in entries:
        known = before.get(entry.identity)
        if known and known.id in there and not known.why and any(_written(entry.paper)):
            same[known.id].append(entry)
    anew = {one.paper.id for one in found if one.paper}
    rewritten = []
    for id_, ours in same.items():
        if id_ in anew or _written(there[id_]) not in [_written(entry.paper) for entry in ours]:
            for entry in ours:
                original, key = _written(entry.paper)
                paper = replace(there[id_], original=original).with_key(key)
                rewritten.append(Found(entry, cast("How", before[entry.identity].how), None, paper))
    return rewritten


def _written(paper: Paper) -> tuple[Original | None, str]:
    """What is exported as its owner has it: the entry of a file, the citation key of Zotero."""
    return paper.original, paper.imprint.citation_key if paper.imprint else ""


def _replaced(found: Sequence[Found], before: Mapping[str, Known], keyed: Mapping[str, Paper]) -> dict[str, str]:
    """Ids of papers that are in the index under their entries' keys (`keyed`) → ids by which they go from now on.

    An entry was found by now, or has another key. A key may be that of another work, or go to one.
    """
    now = {one.paper.id: one.paper for one in found if one.paper}
    replaced = {}
    for one in found:
        own, known = one.entry.paper, before.get(one.entry.identity)
        for id_ in {own.id, known.key if known else own.id} & keyed.keys():
            stays = id_ in now and not different(keyed[id_], now[id_])
            if one.paper and one.paper.id != id_ and not stays and not unlike(own, keyed[id_]):
                replaced[id_] = one.paper.id
    return replaced


def _known(one: Found) -> Known:
    id_ = one.paper.id if one.paper and one.how else ""
    return Known(one.entry.key, one.entry.identity, one.entry.paper.title, id_, one.how or "", one.why)


def _papers_of(directory: Path) -> dict[str, Paper]:
    with open_generation(directory) as generation:
        return {paper.id: paper for paper in generation.catalog.all_papers()}
