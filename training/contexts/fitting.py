"""Fitting the order for queries with a context: trees on the sentences of one part, chances on those of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from citescout.recommender import Recommender
from common.errors import TrainingError
from common.order import EXACT, best_first
from common.progress import progress
from rerank.blend import Blend
from rerank.context_features import CONTEXT_NAMES
from rerank.trees import Trees
from training.blend.fitting import LabelledList, fit_logistic, train_trees
from training.contexts.sentences import FORMS, CitingSentence, CitingSentences, ContextForm

_SHOWN = 20  # papers of a list, whose chances are to be right


def context_lists(
    recommender: Recommender,
    corpus: CitingSentences,
    sentences: Sequence[CitingSentence],
    forms: Sequence[ContextForm] = FORMS,
) -> Iterator[LabelledList]:
    """The labelled candidates of each sentence in each form that its paper allows."""
    for sentence in progress(sentences, "sentences", len(sentences)):
        gold = [docid for one in sorted(sentence.cited) if (docid := recommender.docid_of(one)) is not None]
        for form in forms:
            query = corpus.query(sentence, form)
            pool = recommender.pool(query) if query else None
            if query and pool:
                yield LabelledList(recommender.features(pool, query), np.isin(pool.docids, gold))


def train_context_blend(train: Sequence[LabelledList], validation: Sequence[LabelledList], seed: int = 0) -> Blend:
    """The order that is learned from `train`, with chances that are right on `validation`.

    What says whether the index is about a query is that of the blend that ships: it looks at no feature.

    Raises:
        TrainingError: no list holds a cited paper.
    """
    trees = train_trees(train, CONTEXT_NAMES, seed)
    shown = [_shown(trees, one) for one in validation]
    if not shown:
        raise TrainingError("no sentence to calibrate chances by: the validation part of the sentences is empty")
    scores, cited = (np.concatenate(parts) for parts in zip(*shown, strict=True))
    shipped = Blend.load()
    return Blend(trees, 0.0, replace(shipped.calibration, cited=fit_logistic(scores[:, None], cited)))


def _shown(trees: Trees, one: LabelledList) -> tuple[np.ndarray, np.ndarray]:
    """Scores of the first papers of a list, and which of them are cited."""
    scores = trees.predict(one.features)
    first = best_first(scores, np.arange(len(scores)), EXACT)[:_SHOWN]
    return scores[first], one.cited[first]
