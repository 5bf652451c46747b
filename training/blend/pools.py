"""What the blend learns from: pools that this recommender makes, for queries in the forms that people use.

Small indexes, cut out of a large one, show what lists look like where there are few papers. In a small index
everything is about much the same, so that citations say less of a paper than its text. Trees that were fitted on large
indexes alone do not know that; docs/experiments.md has what it is worth.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from citescout.query_years import in_their_years
from citescout.recommender import Recommender
from common.errors import TrainingError
from common.processes import in_processes
from common.progress import progress
from encoders.static.encoder import NAME as STATIC
from indexer.changes import compact_index, remove_papers
from indexer.citations import CitationGraph
from indexer.generations import open_generation
from indexer.nearness import read_nearness
from rerank.calibration import fit_features
from retrieval.query import Query
from training.blend.asked import Asked, QueryLists, in_two_forms
from training.blend.forms import Form, asked_as
from training.blend.without_citations import BY_TEXT, FoundLists, text_lists
from training.queries import HeldOut, training_queries

# Papers of the two, and of an index that is large enough for them to differ from it.
_MOST_CITED, _LINKED, _LARGE = 400, 1_000, 3_000


def small_indexes(directory: Path, into: Path) -> list[Path]:
    """NAME-cited and NAME-linked in the folder `into`, cut out of an index NAME; none of a small one.

    The first holds the most cited papers, which cite each other little. The second grows from the most cited one by
    the paper that shares most citations, in either direction, with those that it holds. Nothing is encoded again.

    Raises:
        IndexDirectoryError: no index there, or a damaged one.
    """
    with open_generation(directory) as generation:
        if generation.manifest.engine or generation.manifest.papers < _LARGE:
            return []
        graph, present = generation.graph, np.flatnonzero(~generation.removed)
        made = []
        times = np.diff(graph.cited_by.offsets)[present]
        most_cited = present[np.lexsort((present, -times))[:_MOST_CITED]]
        for name, chosen in (("cited", most_cited), ("linked", _linked(graph))):
            ids = generation.catalog.ids(np.setdiff1d(present, chosen))
            target = into / f"{directory.name}-{name}"
            shutil.copytree(directory, target)
            remove_papers(ids, target)
            compact_index(target)
            made.append(target)
        return made


def _linked(graph: CitationGraph) -> NDArray[np.integer]:
    links = np.diff(graph.cited_by.offsets)  # with the papers that are taken; at first, with all
    taken: list[int] = []
    while len(taken) < _LINKED and links.max() > 0:
        paper = int(links.argmax())
        if not taken:
            links = np.zeros_like(links)
        taken.append(paper)
        np.add.at(links, np.concatenate([graph.cites.of(paper), graph.cited_by.of(paper)]), 1)
        links[taken] = 0
    return np.asarray(taken)


# Queries of an index that are put to all others, to learn what a pool looks like where nothing fits.
FOREIGN = 12
FOREIGN_FORMS: tuple[Form, ...] = ("abstract", "title", "three sentences")  # how they are asked
_OLDER = 0.5  # of the queries, which are also asked of an older index
_LISTS_MISSING = 0.5  # of the queries, which are also asked where the newest reference lists are missing
_YEARS_MISSING = (1, 4)  # of reference lists, at least and at most
_AT_ONCE = 150  # queries at least, which one query map serves: to learn it takes as long as to ask them
_OF_SMALL = 3  # of so many queries of an index, one of each small index that is cut out of it


@dataclass(frozen=True, slots=True)
class IndexPools:
    """The labelled pools of one index."""

    name: str
    static: bool  # whether its vectors are those of the static encoder
    lists: Sequence[QueryLists]
    small: Sequence[QueryLists]  # of the small indexes that were cut out of it
    by_text: Sequence[QueryLists]  # as if it held no citation, and of the libraries of one person that are cut out
    # Index whose queries were asked → fit features of each, here and in what is cut out of it
    foreign: Mapping[str, Sequence[NDArray[np.float64]]]
    held_out: HeldOut  # with the counts of this index

    @property
    def family(self) -> str:
        """Indexes that are learned from or left out together, such as cities and cities-small: up to a hyphen."""
        return family_of(self.name)


def family_of(name: str) -> str:
    """What an index of that name is learned from or left out with."""
    return name.partition("-")[0]


def pool_lists(
    recommender: Recommender, directory: Path, queries: int, seed: int, held_out: HeldOut
) -> Iterator[QueryLists]:
    """The labelled pools of an index's training queries, each as an abstract and in one other form.

    Some are also asked of the index as it was years before them (`Form` "older index"), and where it knows no reference
    list of the years before them ("newest lists missing"), as where a library was exported before the databases had
    them. What is held out is neither asked nor a candidate.
    """
    generation = recommender.generation
    left_out = held_out.left_out(generation)
    nearness = read_nearness(generation.folder)
    generator = np.random.default_rng(seed)
    asked: list[Asked] = []
    for example in training_queries(generation, queries, seed, left_out=left_out.queries):
        asked += in_two_forms(example, generation.catalog, generator)
        if generator.random() < _OLDER and (other := asked_as(example, "older index", None, generator)):
            asked.append(Asked("older index", other, example.query.year))
        if generator.random() < _LISTS_MISSING:
            asked.append(Asked("newest lists missing", example, example.query.year))
    as_asked = [one.example.query for one in asked]
    with Recommender.opened(directory, None, vectors=False) as by_words:
        for place, view in progress(in_their_years(recommender, as_asked, _AT_ONCE), directory.name, len(asked)):
            one = asked[place]
            answering = by_words if one.form == "by words" else view
            if one.form == "newest lists missing":
                least, most = _YEARS_MISSING
                answering = view.without_newest_lists(int(generator.integers(least, most + 1)))
            pool = answering.pool(one.example.query)
            if len(pool):
                fit = fit_features(pool, None if one.form == "by words" else nearness)
                yield one.labelled(answering, pool, left_out.candidates, generation.graph, fit)


def pools_of_indexes(
    directories: Sequence[Path], queries: int, seed: int, held_out: HeldOut, jobs: int = 1, small: bool = True
) -> Iterator[IndexPools]:
    """The pools of each index, in their order; if `small` and of several fields, with small indexes cut out of them.

    Raises:
        TrainingError: an index has no paper with enough citations.
    """
    foreign = {directory.name: _foreign_queries(directory, seed, held_out) for directory in directories}
    # What is learned from one index alone is for that index.
    small = small and len(set(map(family_of, foreign))) > 1
    one = partial(_pools_of_index, queries=queries, seed=seed, held_out=held_out, asked=foreign, small=small)
    yield from in_processes(one, directories, jobs)


def _foreign_queries(directory: Path, seed: int, held_out: HeldOut) -> tuple[Query, ...]:
    """Some of an index's papers as people would ask for them, to be asked of other indexes; none that is held out."""
    with open_generation(directory) as generation:
        generator = np.random.default_rng(seed)
        examples = (one for one in training_queries(generation, FOREIGN, seed) if not held_out.leaks(one.query.title))
        asked = (
            asked_as(one, form, None, generator) for one, form in zip(examples, cycle(FOREIGN_FORMS), strict=False)
        )
        # Of another index neither its id nor its year nor what it cites means anything.
        return tuple(Query(one.query.title, one.query.abstract) for one in asked if one)


def _pools_of_index(
    directory: Path, queries: int, seed: int, held_out: HeldOut, asked: Mapping[str, tuple[Query, ...]], small: bool
) -> IndexPools:
    """With `small`, those of small indexes and by text, too."""
    foreign_queries = {name: some for name, some in asked.items() if name != directory.name}
    with open_generation(directory) as generation:
        static = generation.manifest.encoder == STATIC
    found = _asked(directory, queries, seed, held_out, foreign_queries)
    if not found.lists:
        raise TrainingError(
            f"{directory} has no paper with enough citations within the index to learn from ({held_out})"
        )
    if not small:
        return IndexPools(directory.name, static, found.lists, (), (), found.foreign, held_out)
    # Papers of what is cut out of it are counted already.
    text = text_lists(directory, queries, seed, copy(held_out), foreign_queries)
    with TemporaryDirectory() as folder:
        parts = small_indexes(directory, Path(folder))
        cut = [_asked(part, queries // _OF_SMALL, seed, copy(held_out), foreign_queries) for part in parts]
    foreign = {name: [fit for one in (found, text, *cut) for fit in one.foreign[name]] for name in foreign_queries}
    of_small = [one for part in cut for one in part.lists]
    return IndexPools(directory.name, static, found.lists, of_small, text.lists, foreign, held_out)


def _asked(
    directory: Path, queries: int, seed: int, held_out: HeldOut, foreign_queries: Mapping[str, tuple[Query, ...]]
) -> FoundLists:
    with Recommender.open(directory) as recommender:
        found = list(pool_lists(recommender, directory, queries, seed, held_out))
        nearness = read_nearness(recommender.generation.folder)
        fits = {
            name: [fit_features(recommender.pool(query, BY_TEXT), nearness) for query in asked]
            for name, asked in foreign_queries.items()
        }
    return FoundLists(found, {name: [one for one in some if one is not None] for name, some in fits.items()})
