"""Training the blend on pools of indexes: its order, chances and fit, for all of them and without one in turn."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.recommender import Recommender
from common.errors import TrainingError
from common.order import EXACT, best_first
from common.progress import progress
from rerank.blend import Blend, WithoutCitations, standardized_logits
from rerank.calibration import BY_WORDS, FIT_DIRECTIONS, UNKNOWN_WORDS, WITH_VECTORS, Calibration, Logistic, size_of
from rerank.features import NAMES, TEXT_NAMES
from rerank.learned_order import LearnedOrder
from training.blend.asked import AskedList
from training.blend.fitting import ReadList, fit_logistic, fit_reranker_weight, train_order
from training.blend.lists import LabelledList
from training.blend.pools import FOREIGN_FORMS, IndexPools, family_of

_SHOWN = 20  # papers of a list, whose chances are to be right
_PARTS = 5  # of the queries, where a single index is learned from
# What words that no paper has weigh at least against an index. By vectors, large indexes teach nothing of them, which
# lack hardly a word; in small ones of titles they tell more than vectors. Chosen on such (docs/experiments.md).
_UNKNOWN = -2.0

_Asked = tuple[str, str]  # index by name, query by id


@dataclass(frozen=True, slots=True)
class Trained:
    """The blend of all indexes, and for each family of indexes the one whose order and fit never saw it.

    What chances its scores mean is learned from lists of the other families, by orders that did see it: only the order
    and the fit are measured on a corpus that they have not met.
    """

    blend: Blend
    left_out: Mapping[str, Blend] = field(default_factory=dict)
    unseen: Mapping[_Asked, LearnedOrder] = field(default_factory=dict)  # of each query, an order that never saw it


def train_blend(found: Sequence[IndexPools], seed: int, left_out: bool = False) -> Trained:
    """Fit orders and calibration on the pools of all indexes, and with `left_out` without each family in turn.

    What an index looks like where nothing fits is taken from the blend that ships, unless there are two corpora to ask
    each other. Calibration looks at scores of an order that saw neither the index that is scored nor, of a single one,
    the queries.

    Raises:
        TrainingError: there is nothing to distinguish cited papers by.
    """
    families = list(dict.fromkeys(one.family for one in found))
    parts, shipped = _parts(found), Blend.load()
    lists = [(parts[index.name, one.query.id], one.labelled) for index in found for one in (*index.lists, *index.small)]
    try:
        orders = _without_each(lists, NAMES, seed)
    except TrainingError:
        if len(families) > 1:
            raise
        # Too few queries to leave out any: they may be enough for an order.
        return Trained(replace(shipped, order=train_order([one for _, one in lists], NAMES, seed)))
    by_text = [(index.family, one.labelled) for index in found for one in index.by_text]
    learnable = {family for family, one in by_text if one.cited.any()} == set(families)
    text_orders = _without_each(by_text, TEXT_NAMES, seed, sized=True) if learnable else {}

    def blend(without: str | None) -> Blend:
        known = [one for one in found if one.family != without]
        order, cited = orders[without]
        calibration = Calibration(
            cited,
            _fits([one for one in known if not one.static], without, WITH_VECTORS) or shipped.calibration.fits,
            _fits(known, without, BY_WORDS) or shipped.calibration.fits_by_words,
            _fits([one for one in known if one.static], without, WITH_VECTORS) or shipped.calibration.fits_static,
        )
        without_citations = WithoutCitations(*text_orders[without]) if text_orders else shipped.without_citations
        return Blend(order, shipped.reranker_weight, calibration, without_citations)

    unseen = {asked: orders[part][0] for asked, part in parts.items()}
    return Trained(blend(None), {family: blend(family) for family in families} if left_out else {}, unseen)


def _parts(found: Sequence[IndexPools]) -> dict[_Asked, str]:
    """With what each query is left out: its family, or where there is one alone, a part of the queries.

    All lists of a query are in the same part: they share most candidates, and what is cited among them.
    """
    asked = [(index, one.query.id) for index in found for one in (*index.lists, *index.small)]
    if len({index.family for index in found}) > 1:
        return {(index.name, query): index.family for index, query in asked}
    places = {query: place for place, query in enumerate(dict.fromkeys(query for _, query in asked))}
    return {(index.name, query): str(places[query] % _PARTS) for index, query in asked}


def _without_each(
    lists: Sequence[tuple[str, LabelledList]], names: Sequence[str], seed: int, sized: bool = False
) -> Mapping[str | None, tuple[LearnedOrder, Logistic]]:
    """Orders over some features, by the part that they never saw, None for none, and what their scores mean.

    `lists`, each behind its part, hold all features. What scores mean is learned from lists of parts that an order
    never saw, and with `sized` from how many candidates these have.
    """
    places = [NAMES.index(name) for name in names]
    chosen = [(part, one.of_columns(places)) for part, one in lists]
    parts = list(dict.fromkeys(part for part, _ in chosen))
    orders: dict[str | None, LearnedOrder] = {}
    found: dict[str, Scored] = {}
    for left_out in progress(parts, "left out in turn", len(parts)):
        orders[left_out] = train_order([one for part, one in chosen if part != left_out], names, seed)
        found[left_out] = scored(orders[left_out], [one for part, one in chosen if part == left_out], sized)
    orders[None] = train_order([one for _, one in chosen], names, seed)
    return {
        without: (order, fit_logistic(*joined(one for part, one in found.items() if part != without)))
        for without, order in orders.items()
    }


def with_static_fit(blend: Blend, found: Sequence[IndexPools]) -> Blend:
    """The blend with what separates fields by static vectors, learned from the indexes with such vectors."""
    fits = _fits([one for one in found if one.static], None, WITH_VECTORS) or blend.calibration.fits_static
    return replace(blend, calibration=replace(blend.calibration, fits_static=fits))


def fit_weight(
    trained: Trained, directories: Sequence[Path], found: Sequence[IndexPools], reranker: str, depth: int
) -> Blend:
    """The blend with the weight that a cross-encoder deserves which reads the best `depth` of every list.

    It is weighed against orders that never saw the query: on what an order has learned from it needs no cross-encoder.

    Raises:
        TrainingError: no list that it read holds cited and other papers.
        ModelError: the cross-encoder cannot be loaded.
    """
    read = []
    for directory, index in zip(directories, found, strict=True):
        with Recommender.open(directory, reranker) as recommender:
            orders = [trained.unseen.get((index.name, one.query.id), trained.blend.order) for one in index.lists]
            read += read_lists(recommender, orders, index.lists, depth, "cross-encoder")
    return replace(trained.blend, reranker_weight=fit_reranker_weight(read))


def read_lists(
    recommender: Recommender, orders: Sequence[LearnedOrder], lists: Sequence[AskedList], depth: int, what: str
) -> list[ReadList]:
    """The best `depth` candidates of each in its order, with what the recommender's cross-encoder says of them.

    Raises:
        ModelError: the cross-encoder cannot be loaded.
    """
    read = []
    for order, one in progress(zip(orders, lists, strict=True), what, len(lists)):
        scores = order.predict(one.labelled.features)
        top = best_first(scores, one.docids, EXACT)[:depth]
        logits = standardized_logits(recommender.relevance(one.query, one.docids[top]))
        read.append(ReadList(scores[top], logits, one.labelled.cited[top]))
    return read


Scored = tuple[NDArray[np.float64], NDArray[np.bool_]]  # values, (n, features), and what they predict, (n,)


def scored(order: LearnedOrder, lists: Sequence[LabelledList], sized: bool) -> Scored:
    """Of the first papers of all lists their scores, and with `sized` the `size_of` their list."""
    found = []
    for one in lists:
        values, cited = first_papers(order.predict(one.features), one.cited)
        size = np.full((len(values), int(sized)), size_of(len(one.cited)))
        found.append((np.concatenate([values, size], axis=1), cited))
    return joined(found)


def first_papers(scores: NDArray[np.float64], cited: NDArray[np.bool_]) -> Scored:
    """Scores of the first papers of a list: hardly one further down is cited, and they would outweigh the first."""
    first = best_first(scores, np.arange(len(scores)), EXACT)[:_SHOWN]
    return scores[first][:, None], cited[first]


def joined(parts: Iterable[Scored]) -> Scored:
    """Several as one."""
    values, truths = zip(*parts, strict=True)
    return np.concatenate(values), np.concatenate(truths)


def _fits(found: Sequence[IndexPools], without: str | None, known: Sequence[int]) -> Logistic | None:
    """What separates queries of an index's own field from others, but `without`'s, by the `known` of `fit_features`.

    None where there are no two fields to separate.
    """
    asked = (
        one for index in found for one in (*index.lists, *index.small, *index.by_text) if one.form in FOREIGN_FORMS
    )
    own = [one.fit for one in asked if one.fit is not None]
    foreign = [
        fit
        for index in found
        for name, fits in index.foreign.items()
        if family_of(name) not in {without, index.family}
        for fit in fits
    ]
    kept = [[fit[list(known)] for fit in fits if not np.isnan(fit[list(known)]).any()] for fits in (own, foreign)]
    if not all(kept):
        return None
    values = np.concatenate(kept)
    directions = [FIT_DIRECTIONS[place] for place in known]
    model = fit_logistic(values, np.arange(len(values)) < len(kept[0]), True, directions)
    weights = list(model.weights)
    weights[known.index(UNKNOWN_WORDS)] = min(weights[known.index(UNKNOWN_WORDS)], _UNKNOWN)
    return replace(model, weights=tuple(weights))
