"""Training the blend on the pools that this very recommender makes, of queries in the forms in which people ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from citescout.query_years import in_their_years
from citescout.recommender import Recommender
from citescout.settings import Settings
from common.errors import TrainingError
from common.order import EXACT, best_first
from common.processes import in_processes
from common.progress import progress
from indexer.generations import open_generation
from indexer.nearness import read_nearness
from rerank.blend import TRAINING_DEPTH, Blend, Calibration, standardized_logits
from rerank.calibration import FIT_DIRECTIONS, Logistic, fit_features
from rerank.features import NAMES
from rerank.trees import Trees
from retrieval.first_stage import SOURCES
from retrieval.graph import cited_no_more
from retrieval.query import Query
from training.blend.fitting import LabelledList, ReadList, fit_logistic, fit_reranker_weight, train_trees
from training.blend.forms import DRAWN, Form, asked_as
from training.blend.small_indexes import small_indexes
from training.held_out import HeldOut
from training.queries import TrainingQuery, training_queries

# Queries of an index that all others are asked, to learn what it looks like where nothing fits.
FOREIGN = 12
STRANGERS: tuple[Form, ...] = ("abstract", "title", "three sentences")  # how they are asked
_OLDER = 0.5  # of the queries, which are also asked of an older index
_AT_ONCE = 150  # queries at least, which one query map serves: to learn it takes as long as to ask them
_OF_SMALL = 3  # of so many queries of an index, one of each small index that is cut out of it
_SHOWN = 20  # papers of a list, whose chances are to be right
_PARTS = 5  # of the queries, where a single index is learned from


@dataclass(frozen=True, slots=True)
class QueryLists:
    """A training query's candidates for the trees, by the order of the pool."""

    query: Query
    form: Form
    labelled: LabelledList
    docids: NDArray[np.int32]  # (n,) papers
    fit: NDArray[np.float64] | None  # `rerank.calibration.fit_features` of its pool


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one index teaches."""

    name: str
    lists: tuple[QueryLists, ...]
    small: tuple[QueryLists, ...]  # of the small indexes that were cut out of it
    # Index whose queries were asked → fit features of each, here and in the small indexes
    foreign: Mapping[str, tuple[NDArray[np.float64], ...]]
    held_out: HeldOut  # with the counts of this index

    @property
    def family(self) -> str:
        """Indexes that are learned from or left out together, such as cities and cities-small: up to a hyphen."""
        return family_of(self.name)


def family_of(name: str) -> str:
    """What an index of that name is learned from or left out with."""
    return name.partition("-")[0]


@dataclass(frozen=True, slots=True)
class Trained:
    """The blend of all indexes, and for each family of indexes the one that never saw it."""

    blend: Blend
    left_out: Mapping[str, Blend] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Job:
    directory: Path
    queries: int
    seed: int
    held_out: HeldOut
    foreign: Mapping[str, tuple[Query, ...]]
    cut_out: bool  # whether small indexes teach, too


def pool_lists(
    recommender: Recommender, directory: Path, queries: int, seed: int, held_out: HeldOut
) -> Iterator[QueryLists]:
    """The labelled pools of an index's training queries, each as an abstract and in one other form.

    Some are also asked of the index as it was years before them: `Form` "older index". What is held out is neither
    asked nor a candidate.
    """
    generation = recommender.generation
    left_out = held_out.left_out(generation)
    examples = list(training_queries(generation, queries, seed, left_out=left_out.queries))
    nearness = read_nearness(generation.folder)
    generator = np.random.default_rng(seed)
    asked: list[tuple[Form, TrainingQuery, int | None]] = []  # with the year in which it was written
    for example in examples:
        forms: list[Form] = ["abstract", DRAWN[int(generator.integers(len(DRAWN)))]]
        for form in forms:
            if other := asked_as(example, form, generation.catalog, generator):
                asked.append((form, other, example.query.year))
        if generator.random() < _OLDER and (other := asked_as(example, "older index", None, generator)):
            asked.append(("older index", other, example.query.year))
    as_asked = [example.query for _, example, _ in asked]
    with Recommender(open_generation(directory), None, None) as by_words:
        for place, view in progress(in_their_years(recommender, as_asked, _AT_ONCE), directory.name, len(asked)):
            form, example, year = asked[place]
            answering = by_words if form == "by words" else view
            pool = answering.pool(example.query)
            if not len(pool):
                continue
            kept = np.flatnonzero(~left_out.candidates[pool.docids[:TRAINING_DEPTH]])
            features = answering.features(pool, replace(example.query, year=year))[kept]
            docids = pool.docids[kept]
            fit = fit_features(pool, None if form == "by words" else nearness)
            popular = cited_no_more(generation.graph, pool.citations[kept])
            labelled = LabelledList(features, np.isin(docids, example.gold), popular)
            yield QueryLists(example.query, form, labelled, docids, fit)


def lessons(directories: Sequence[Path], queries: int, seed: int, held_out: HeldOut, jobs: int = 1) -> Iterator[Lesson]:
    """What each index teaches, in their order; of several fields, with small indexes that are cut out of them.

    Raises:
        TrainingError: an index has no paper with enough citations.
    """
    foreign = {directory.name: _foreign_queries(directory, seed) for directory in directories}
    # What one index alone teaches is for that index.
    several = len(set(map(family_of, foreign))) > 1
    planned = [
        _Job(directory, queries, seed, held_out, {n: one for n, one in foreign.items() if n != directory.name}, several)
        for directory in directories
    ]
    yield from in_processes(_lesson, planned, jobs)


def train_blend(found: Sequence[Lesson], seed: int, left_out: bool = False) -> Trained:
    """Fit trees and calibration on all lessons, and with `left_out` without each family in turn.

    What an index looks like where nothing fits is taken from the blend that ships, unless there are two corpora to ask
    each other. Calibration looks at scores of trees that did not see the index (of a single one: the queries) that is
    scored.

    Raises:
        TrainingError: there is nothing to distinguish cited papers by.
    """
    families = list(dict.fromkeys(one.family for one in found))
    of_family = {family: [one for one in found if one.family == family] for family in families}
    if len(families) == 1:
        return Trained(_of_one_family(_all_lists(found), seed))
    shipped = Blend.load()
    trees, scored = {}, {}
    for family in progress(families, "left out in turn", len(families)):
        others = [one for one in found if one.family != family]
        trees[family] = train_trees(_all_lists(others), NAMES, seed)
        scored[family] = _scored(trees[family], _all_lists(of_family[family]))

    def calibration(without: str | None) -> Calibration:
        known = [one for one in found if one.family != without]
        return Calibration(
            fit_logistic(*_joined(one for family, one in scored.items() if family != without)),
            _fits(known, without, 4) or shipped.calibration.fits,
            _fits(known, without, 2) or shipped.calibration.fits_by_words,
        )

    blend = Blend(train_trees(_all_lists(found), NAMES, seed), shipped.reranker_weight, calibration(None))
    if not left_out:
        return Trained(blend)
    return Trained(
        blend, {family: Blend(trees[family], shipped.reranker_weight, calibration(family)) for family in families}
    )


def fit_weight(blend: Blend, directories: Sequence[Path], found: Sequence[Lesson], reranker: str, depth: int) -> Blend:
    """The blend with the weight that a cross-encoder deserves which reads the best `depth` of every list.

    Raises:
        TrainingError: no list that it read holds cited and other papers.
        ModelError: the cross-encoder cannot be loaded.
    """
    read = []
    for directory, lesson in zip(directories, found, strict=True):
        with Recommender.open(directory, reranker) as recommender:
            for one in progress(lesson.lists, "cross-encoder", len(lesson.lists)):
                scores = blend.trees.predict(one.labelled.features)
                top = best_first(scores, one.docids, EXACT)[:depth]
                logits = standardized_logits(recommender.relevance(one.query, one.docids[top]))
                read.append(ReadList(scores[top], logits, one.labelled.cited[top]))
    return Blend(blend.trees, fit_reranker_weight(read), blend.calibration)


Scored = tuple[NDArray[np.float64], NDArray[np.bool_]]  # values, (n, features), and what they predict, (n,)


def _of_one_family(lists: Sequence[LabelledList], seed: int) -> Blend:
    """Calibrated on queries left out in turn; what an index looks like where nothing fits is taken from the shipped."""
    shipped = Blend.load()
    scored = []
    for part in range(_PARTS):
        rest = [one for place, one in enumerate(lists) if place % _PARTS != part]
        if any(one.cited.any() for one in rest):
            scored.append(_scored(train_trees(rest, NAMES, seed), lists[part::_PARTS]))
    trees = train_trees(lists, NAMES, seed)
    values, cited = _joined(scored) if scored else (np.zeros((0, 1)), np.zeros(0, np.bool_))
    chances = fit_logistic(values, cited) if 0 < cited.sum() < len(cited) else shipped.calibration.cited
    return Blend(trees, shipped.reranker_weight, replace(shipped.calibration, cited=chances))


def _all_lists(found: Iterable[Lesson]) -> list[LabelledList]:
    return [one.labelled for lesson in found for one in (*lesson.lists, *lesson.small)]


def _scored(trees: Trees, lists: Sequence[LabelledList]) -> Scored:
    """Scores of the first papers of each list: hardly one further down is cited, and they would outweigh the first."""
    values, cited = [], []
    for one in lists:
        scores = trees.predict(one.features)
        first = best_first(scores, np.arange(len(scores)), EXACT)[:_SHOWN]
        values.append(scores[first])
        cited.append(one.cited[first])
    return np.concatenate(values)[:, None], np.concatenate(cited)


def _joined(parts: Iterable[Scored]) -> Scored:
    values, truths = zip(*parts, strict=True)
    return np.concatenate(values), np.concatenate(truths)


def _fits(found: Sequence[Lesson], without: str | None, size: int) -> Logistic | None:
    """What separates queries of an index's own field from others, but `without`'s, by the first `size` `fit_features`.

    None where there are no two fields to separate.
    """
    asked = (one for lesson in found for one in (*lesson.lists, *lesson.small) if one.form in STRANGERS)
    own = [one.fit[:size] for one in asked if one.fit is not None]
    foreign = [
        fit[:size]
        for lesson in found
        for name, fits in lesson.foreign.items()
        if family_of(name) not in {without, lesson.family}
        for fit in fits
    ]
    own, foreign = ([fit for fit in fits if len(fit) == size] for fits in (own, foreign))
    if not own or not foreign:
        return None
    values = np.asarray([*own, *foreign])
    return fit_logistic(values, np.arange(len(values)) < len(own), True, FIT_DIRECTIONS[:size])


def _foreign_queries(directory: Path, seed: int) -> tuple[Query, ...]:
    """Some of an index's papers as people would ask for them, to be asked of other indexes."""
    with open_generation(directory) as generation:
        generator = np.random.default_rng(seed)
        examples = training_queries(generation, FOREIGN, seed)
        asked = (asked_as(one, STRANGERS[n % len(STRANGERS)], None, generator) for n, one in enumerate(examples))
        # Of another index neither its id nor its year nor what it cites means anything.
        return tuple(Query(one.query.title, one.query.abstract) for one in asked if one)


Taught = tuple[tuple[QueryLists, ...], dict[str, tuple[NDArray[np.float64], ...]]]  # as in a Lesson: lists and foreign


def _lesson(job: _Job) -> Lesson:
    found, foreign = _taught(job, job.directory, job.queries, job.held_out)
    if not found:
        raise TrainingError(
            f"{job.directory} has no paper with enough citations within the index to learn from ({job.held_out})"
        )
    small: list[QueryLists] = []
    with TemporaryDirectory() as folder:
        for directory in small_indexes(job.directory, Path(folder)) if job.cut_out else ():
            # Their papers are counted already.
            more, others = _taught(job, directory, job.queries // _OF_SMALL, copy(job.held_out))
            small += more
            foreign = {name: (*fits, *others[name]) for name, fits in foreign.items()}
    return Lesson(job.directory.name, found, tuple(small), foreign, job.held_out)


def _taught(job: _Job, directory: Path, queries: int, held_out: HeldOut) -> Taught:
    with Recommender.open(directory) as recommender:
        found = tuple(pool_lists(recommender, directory, queries, job.seed, held_out))
        nearness = read_nearness(recommender.generation.folder)
        by_text = Settings(sources=tuple(source for source in SOURCES if source != "graph"))
        foreign = {
            name: tuple(
                fit for query in asked if (fit := fit_features(recommender.pool(query, by_text), nearness)) is not None
            )
            for name, asked in job.foreign.items()
        }
    return found, foreign
