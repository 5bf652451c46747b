"""Fitting the order for queries with a context: trees on some sentences for validation, chances on the others.

The encoder of sentences has learned from those for training, so that these would be taught to trust it too much.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from citescout.recommender import Recommender
from citescout.settings import Settings
from common.errors import TrainingError
from common.order import EXACT, best_first
from common.processes import in_processes
from common.progress import progress
from rerank.blend import TRAINING_DEPTH, Blend
from rerank.context_features import CONTEXT_NAMES
from rerank.trees import Trees
from retrieval.first_stage import SOURCES, Pool
from retrieval.query import Query
from training.blend.fitting import LabelledList, fit_logistic, train_trees
from training.contexts.sentences import CitingSentence, CitingSentences, ContextForm

_SHOWN = 20  # papers of a list, whose chances are to be right
_FOLDS = 3  # of citing papers; the sentences of the last one calibrate
_BY_WORDS = Settings(sources=tuple(source for source in SOURCES if source != "dense"), blend=False)
_ALWAYS: tuple[ContextForm, ...] = ("sentence", "title", "citations")
_FIRST_ORDER = CONTEXT_NAMES.index("all_places")


@dataclass(frozen=True, slots=True)
class _Job:
    """The sentences for validation whose citing papers are of one fold."""

    directory: Path
    corpus: Path
    contexts: Path
    every: int
    fold: int

    def lists(self) -> list[LabelledList]:
        """See `context_lists`."""
        known = CitingSentences(self.corpus, self.contexts)
        asked = [one for one in known.of("validation")[:: self.every] if _fold(one.citing) == self.fold]
        with Recommender.open(self.directory) as recommender:
            return list(context_lists(recommender, known, asked))


def labelled_lists(
    directory: Path, corpus: Path, contexts: Path, every: int = 1, jobs: int = 1
) -> tuple[list[LabelledList], list[LabelledList]]:
    """Lists to train on, and lists to calibrate on, of every so many'th sentence for validation.

    Args:
        directory: An index of the corpus without what papers of the parts for validation and testing cite.
        corpus: Of papers.
        contexts: Sentences, see `training.contexts.sentences`.
        every: Ask every so many'th sentence.
        jobs: Processes.

    Raises:
        SourceError: see `CitingSentences`.
        IndexDirectoryError: the index cannot be read.
    """
    asked = [_Job(directory, corpus, contexts, every, fold) for fold in range(_FOLDS)]
    found = list(in_processes(_Job.lists, asked, jobs))
    return [one for lists in found[:-1] for one in lists], found[-1]


def context_lists(
    recommender: Recommender, corpus: CitingSentences, sentences: Sequence[CitingSentence]
) -> Iterator[LabelledList]:
    """The best candidates of each sentence, by reciprocal ranks, and those cited.

    Each is asked in every one of `_ALWAYS`, and in one other way in turn, if its paper allows: in another form, or of
    an index without vectors, without a query map or whose encoder has none for sentences, so that the order does not
    rely on these.
    """
    unmapped = recommender.without_query_map()
    usual = recommender.settings
    other_ways = [
        _Way("title, no year", recommender, usual),
        _Way("title", unmapped, usual),
        _Way("citations", recommender, usual, learned=False),
        _Way("citations, no year", recommender, usual),
        _Way("abstract", recommender, usual),
        _Way("title", recommender, _BY_WORDS),
        _Way("sentence", unmapped, usual, learned=False),
        _Way("citations", unmapped, usual),
        _Way("title", recommender, usual, learned=False),
        _Way("citations", recommender, _BY_WORDS),
    ]
    for place, sentence in enumerate(progress(sentences, "sentences", len(sentences))):
        gold = [docid for one in sorted(sentence.cited) if (docid := recommender.docid_of(one)) is not None]
        for way in (*(_Way(form, recommender, usual) for form in _ALWAYS), other_ways[place % len(other_ways)]):
            query = corpus.query(sentence, way.form)
            if query:
                pool = way.pool(query)
                features = way.recommender.features(pool, query)
                cited = np.isin(pool.docids, gold)
                first = np.argsort(-np.nan_to_num(features[:, _FIRST_ORDER]), kind="stable")
                kept = first[(np.arange(len(first)) < TRAINING_DEPTH) | cited[first]]
                yield LabelledList(features[kept], cited[kept])


@dataclass(frozen=True, slots=True)
class _Way:
    """In which form a sentence is asked, and of which index."""

    form: ContextForm
    recommender: Recommender
    settings: Settings
    learned: bool = True  # whether its vectors are those that the encoder of sentences knows

    def pool(self, query: Query) -> Pool:
        """The candidates."""
        pool = self.recommender.pool(query, self.settings)
        if self.learned or pool.context is None:
            return pool
        return replace(pool, context={**pool.context, "learned": np.full(len(pool.docids), np.nan, np.float32)})


def train_context_blend(train: Sequence[LabelledList], validation: Sequence[LabelledList], seed: int = 0) -> Blend:
    """The order that is learned from `train`, with chances that are right on `validation`.

    What says whether the index is about a query is that of the blend that ships: it looks at no feature.

    Raises:
        TrainingError: no list holds a cited paper.
    """
    trees = train_trees(train, CONTEXT_NAMES, seed)
    shown = [_shown(trees, one) for one in validation]
    if not shown:
        raise TrainingError("no sentence to calibrate chances by: there are too few for validation")
    scores, cited = (np.concatenate(parts) for parts in zip(*shown, strict=True))
    shipped = Blend.load()
    return Blend(trees, 0.0, replace(shipped.calibration, cited=fit_logistic(scores[:, None], cited)))


def _fold(paper_id: str) -> int:
    """Of a citing paper, independent of its part."""
    return int(hashlib.sha256(f"fold {paper_id}".encode()).hexdigest()[:8], 16) % _FOLDS


def _shown(trees: Trees, one: LabelledList) -> tuple[np.ndarray, np.ndarray]:
    """Scores of the first papers of a list, and which of them are cited."""
    scores = trees.predict(one.features)
    first = best_first(scores, np.arange(len(scores)), EXACT)[:_SHOWN]
    return scores[first], one.cited[first]
