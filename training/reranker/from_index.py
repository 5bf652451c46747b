"""Training lists for the cross-encoders out of indexes: what this recommender retrieves for the indexes' own papers."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.query_years import view_for
from citescout.recommender import Recommender
from citescout.settings import Settings
from common.errors import TrainingError
from common.progress import progress
from common.sequences import batches
from indexer.bm25_parameters import PYSERINI
from indexer.generations import CatalogTexts, OpenGeneration, open_generation, served_manifest
from indexer.identity.title_overlap import copies_by_title
from rerank import load_reranker
from rerank.blend import Blend
from rerank.cross_encoder import CrossEncoder
from training.queries import Asking, HeldOut, TrainingQuery, TrainingSplit, drawn_queries, examples
from training.reranker.lists import DEPTH, MOST, TrainingList, TrainingLists, checked_lists
from training.reranker.stored_lists import ListFile, Record

_COMMITTED_TOGETHER = 64  # lists; what a kill loses


@dataclass(frozen=True, slots=True)
class ListRecipe:
    """What one list holds."""

    settings: Settings
    depth: int  # candidates of a list
    log_odds: bool  # whether the blend's scores go along, for the late-join recipe
    teacher: str | None = None  # whose log-odds go along: "blend" for the first stage's own, or a reranker by name

    def loaded_teacher(self) -> CrossEncoder | None:
        """The cross-encoder that teaches, if one does.

        Raises:
            ModelError: it cannot be loaded.
        """
        return load_reranker(self.teacher) if self.teacher not in {None, "blend"} else None


# The top 10 of each training query by Anserini's BM25, classes as they fall (BIR 2020, section 4.2).
PAPER = ListRecipe(Settings(sources=("bm25",), bm25=PYSERINI, blend=False), depth=10, log_odds=False)
# The fused pool with the votes of the citation graph: what the default reranker meets in use.
POOL = ListRecipe(Settings(), depth=130, log_odds=True)


@dataclass(frozen=True, slots=True)
class StoredLists:
    """Lists with what they are of; their texts are read from the indexes, which are open until `close`."""

    lists: TrainingLists
    queries: NDArray[np.int64]  # (lists, 2) index, by its place among those asked, and number of the query there
    file: ListFile
    generations: Sequence[OpenGeneration]

    def close(self) -> None:
        """Close the indexes; no text of a list can be read any more."""
        for generation in self.generations:
            generation.close()


def asked_of_index(directory: Path, queries: int, seed: int, held_out: HeldOut) -> TrainingSplit:
    """So many of an index's newest papers, without what is held out, which `held_out` counts."""
    with open_generation(directory) as generation:
        left_out = held_out.left_out(generation)
        docids = drawn_queries(generation, queries, seed, left_out=left_out.queries)
        return TrainingSplit(directory, docids, ~left_out.candidates, Asking())


def asked_of_split(split: TrainingSplit, held_out: HeldOut) -> TrainingSplit:
    """All papers that a protocol learns from, but those with held-out titles, which `held_out` counts."""
    with open_generation(split.directory) as generation:
        possible = np.zeros(len(split.searched), np.bool_)
        possible[split.queries] = True
        leaking = held_out.left_out(generation, possible, copies=False).candidates
    return replace(split, queries=split.queries[~leaking[split.queries]], searched=split.searched & ~leaking)


def reranker_lists(asked: Sequence[TrainingSplit], recipe: ListRecipe, folder: Path) -> StoredLists:
    """The labelled lists of all queries, in a file in `folder`; one that a killed process began is gone on with.

    Raises:
        TrainingError: the file cannot be written, no query has a list or no list a paper that is cited, or the blend is
            to teach lists that it did not order.
        ModelError: the teacher cannot be loaded.
    """
    if recipe.teacher == "blend" and not recipe.log_odds:
        raise TrainingError("the blend teaches lists of the fused pool only: add --candidates pool")
    digest = _digest(asked, recipe)
    file = ListFile(folder / f"lists-{digest[:12]}.sqlite", digest)
    try:
        for some in batches(_records(asked, recipe, file.done), _COMMITTED_TOGETHER):
            file.append(some)
        generations = [open_generation(one.directory) for one in asked]
        lists = checked_lists(file.lists(list(map(CatalogTexts, generations))))
    except BaseException:
        if not file.done:
            file.delete()
        raise
    return StoredLists(lists, file.asked(), file, generations)


def validation_lists(split: TrainingSplit, recipe: ListRecipe) -> tuple[list[TrainingQuery], list[TrainingList]]:
    """Development queries, `MOST` at most, with their lists of `DEPTH` candidates that hold cited and others."""
    chosen: list[TrainingQuery] = []
    found: list[TrainingList] = []
    with Recommender.opened(split.directory, None, vectors=recipe.settings.uses_vectors) as whole:
        answering = view_for(whole, [one.query for one in split.validation])
        lister = _Lister(answering, replace(recipe, depth=DEPTH), split)
        for example in progress(split.validation, "validation", len(split.validation)):
            if len(found) == MOST:
                break
            one = lister.record(example)
            if 0 < one.labels.sum() < len(one.labels):
                chosen.append(example)
                found.append(lister.with_texts(example, one))
    return chosen, found


class _Lister:
    """Makes lists out of one index."""

    def __init__(self, answering: Recommender, recipe: ListRecipe, split: TrainingSplit) -> None:
        """Of a view of the index that has learnt nothing from what the queries cite."""
        self.generation = answering.generation
        self._answering, self._searched = answering, split.searched
        self._recipe = recipe
        self._settings = recipe.settings
        text_alone = "graph" not in recipe.settings.sources and not recipe.settings.blend
        self._finds_copies = split.asking.copies and text_alone
        if self.generation.manifest.texts_elsewhere:  # an engine scores with the parameters it was given
            self._settings = replace(self._settings, bm25=None)
        self._teacher = recipe.loaded_teacher()

    def record(self, example: TrainingQuery, place: int = 0, corpus: int = 0, docid: int = 0) -> Record:
        """The list of one query, of papers that may be found."""
        query = replace(example.query, copies=()) if self._finds_copies else example.query
        pool = self._answering.pool(query, self._settings)
        places = np.flatnonzero(self._searched[pool.docids])[: self._recipe.depth]
        docids = pool.docids[places]
        known = teacher = None
        if self._recipe.log_odds:
            features = self._answering.features(pool, example.query)[places]
            known = Blend.load().of(pool).first_stage(features).astype(np.float32)
        if self._teacher:
            texts = self._teacher.token_ids(self.generation.catalog.texts(docids))
            teacher = self._teacher.reader(example.query.text).logits(texts)
        elif self._recipe.teacher:
            teacher = known
        return Record(place, corpus, docid, len(example.gold), docids, np.isin(docids, example.gold), known, teacher)

    def with_texts(self, example: TrainingQuery, one: Record) -> TrainingList:
        """A list with its texts in memory."""
        known, teacher = (None if column is None else column.tolist() for column in (one.first_stage, one.teacher))
        candidates = self.generation.catalog.texts(one.candidates)
        return TrainingList(
            example.query.text, candidates, one.labels.astype(int).tolist(), known, teacher, one.citations
        )  # fmt: skip


def _unknowing(whole: Recommender, docids: NDArray[np.int64]) -> Recommender:
    """As `view_for`, for papers of the index, which may be too many to be in memory as queries."""
    catalog = whole.generation.catalog
    found = copies_by_title([text.title for text in catalog.texts(docids)], catalog.all_titles())
    return whole.without_citations_of(catalog.ids(docids), copies={id_ for some in found for id_ in catalog.ids(some)})


def _records(asked: Sequence[TrainingSplit], recipe: ListRecipe, done: int) -> Iterator[Record]:
    """The lists of all queries but the first `done`."""
    first = 0  # place of an index's first query among all
    for corpus, one in enumerate(asked):
        todo = one.queries[max(0, done - first) :]
        first += len(one.queries)
        if not len(todo):
            continue
        with Recommender.opened(one.directory, None, vectors=recipe.settings.uses_vectors) as whole:
            # Of all queries, whether they are done or not: what an interrupted run goes on with must not depend on it.
            answering = _unknowing(whole, one.queries) if recipe.settings.uses_vectors else whole
            lister = _Lister(answering, recipe, one)
            found = progress(examples(lister.generation, todo, one.asking), one.directory.name, len(todo))
            for place, (docid, example) in enumerate(zip(todo.tolist(), found, strict=True), start=first - len(todo)):
                if example is not None:
                    yield lister.record(example, place, corpus, docid)


def _digest(asked: Sequence[TrainingSplit], recipe: ListRecipe) -> str:
    digest = hashlib.sha256(repr(recipe).encode())
    # What is under a name may have been trained again, and another release may bring another blend.
    teacher = recipe.loaded_teacher()
    digest.update(f"{teacher and teacher.identity} {recipe.log_odds and Blend.load().digest}".encode())
    for one in asked:
        served = served_manifest(one.directory)
        digest.update(f"{served[0]} {served[1].created} {one.asking} {len(one.queries)}".encode())
        digest.update(one.queries.astype(np.int64).tobytes() + np.packbits(one.searched).tobytes())
    return digest.hexdigest()
