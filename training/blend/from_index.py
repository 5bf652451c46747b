"""Training the blend on pools of indexes: its order, chances and fit, for all of them and without one in turn."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.recommender import Recommender
from common.order import EXACT, best_first
from common.progress import progress
from rerank.blend import Blend, Calibration, WithoutCitations, standardized_logits
from rerank.calibration import BY_WORDS, FIT_DIRECTIONS, UNKNOWN_WORDS, WITH_VECTORS, Logistic, size_of
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


@dataclass(frozen=True, slots=True)
class Trained:
    """The blend of all indexes, and for each family of indexes the one that never saw it."""

    blend: Blend
    left_out: Mapping[str, Blend] = field(default_factory=dict)


def train_blend(found: Sequence[IndexPools], seed: int, left_out: bool = False) -> Trained:
    """Fit orders and calibration on the pools of all indexes, and with `left_out` without each family in turn.

    What an index looks like where nothing fits is taken from the blend that ships, unless there are two corpora to ask
    each other. Calibration looks at scores of an order that saw neither the index that is scored nor, of a single one,
    the queries.

    Raises:
        TrainingError: there is nothing to distinguish cited papers by.
    """
    families = list(dict.fromkeys(one.family for one in found))
    if len(families) == 1:
        return Trained(_of_one_family(_all_lists(found), seed))
    shipped = Blend.load()
    of_family = {family: [one for one in found if one.family == family] for family in families}
    lists = {family: _all_lists(some) for family, some in of_family.items()}
    orders = _without_each(lists, NAMES, seed)
    by_text = {family: [one.labelled for index in some for one in index.by_text] for family, some in of_family.items()}
    learnable = all(any(one.cited.any() for one in some) for some in by_text.values())
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

    return Trained(blend(None), {family: blend(family) for family in families} if left_out else {})


def _without_each(
    lists: Mapping[str, Sequence[LabelledList]], names: Sequence[str], seed: int, sized: bool = False
) -> Mapping[str | None, tuple[LearnedOrder, Logistic]]:
    """Orders over some features, by the family that they never saw, None for none, and what their scores mean.

    `lists`, by family, hold all features. What scores mean is learned from lists of families that an order never saw,
    and with `sized` from how many candidates these have.
    """
    places = [NAMES.index(name) for name in names]
    chosen = {family: [one.of_columns(places) for one in some] for family, some in lists.items()}
    orders: dict[str | None, LearnedOrder] = {}
    found: dict[str, Scored] = {}
    for family in progress(chosen, "left out in turn", len(chosen)):
        others = [one for other, some in chosen.items() if other != family for one in some]
        orders[family] = train_order(others, names, seed)
        found[family] = scored(orders[family], chosen[family], sized)
    orders[None] = train_order([one for some in chosen.values() for one in some], names, seed)
    return {
        without: (order, fit_logistic(*joined(one for family, one in found.items() if family != without)))
        for without, order in orders.items()
    }


def with_static_fit(blend: Blend, found: Sequence[IndexPools]) -> Blend:
    """The blend with what separates fields by static vectors, learned from the indexes with such vectors."""
    fits = _fits([one for one in found if one.static], None, WITH_VECTORS) or blend.calibration.fits_static
    return replace(blend, calibration=replace(blend.calibration, fits_static=fits))


def fit_weight(
    blend: Blend, directories: Sequence[Path], found: Sequence[IndexPools], reranker: str, depth: int
) -> Blend:
    """The blend with the weight that a cross-encoder deserves which reads the best `depth` of every list.

    Raises:
        TrainingError: no list that it read holds cited and other papers.
        ModelError: the cross-encoder cannot be loaded.
    """
    read = []
    for directory, index in zip(directories, found, strict=True):
        with Recommender.open(directory, reranker) as recommender:
            read += read_lists(recommender, blend.order, index.lists, depth, "cross-encoder")
    return replace(blend, reranker_weight=fit_reranker_weight(read))


def read_lists(
    recommender: Recommender, order: LearnedOrder, lists: Sequence[AskedList], depth: int, what: str
) -> list[ReadList]:
    """The best `depth` candidates of each in an order, with what the recommender's cross-encoder says of them.

    Raises:
        ModelError: the cross-encoder cannot be loaded.
    """
    read = []
    for one in progress(lists, what, len(lists)):
        scores = order.predict(one.labelled.features)
        top = best_first(scores, one.docids, EXACT)[:depth]
        logits = standardized_logits(recommender.relevance(one.query, one.docids[top]))
        read.append(ReadList(scores[top], logits, one.labelled.cited[top]))
    return read


Scored = tuple[NDArray[np.float64], NDArray[np.bool_]]  # values, (n, features), and what they predict, (n,)


def _of_one_family(lists: Sequence[LabelledList], seed: int) -> Blend:
    """Calibrated on queries left out in turn; what an index looks like where nothing fits is taken from the shipped."""
    shipped = Blend.load()
    found = []
    for part in range(_PARTS):
        rest = [one for place, one in enumerate(lists) if place % _PARTS != part]
        if any(one.cited.any() for one in rest):
            found.append(scored(train_order(rest, NAMES, seed), lists[part::_PARTS]))
    order = train_order(lists, NAMES, seed)
    values, cited = joined(found) if found else (np.zeros((0, 1)), np.zeros(0, np.bool_))
    chances = fit_logistic(values, cited) if 0 < cited.sum() < len(cited) else shipped.calibration.cited
    return replace(shipped, order=order, calibration=replace(shipped.calibration, cited=chances))


def _all_lists(found: Iterable[IndexPools]) -> list[LabelledList]:
    return [one.labelled for index in found for one in (*index.lists, *index.small)]


def scored(order: LearnedOrder, lists: Sequence[LabelledList], sized: bool = False) -> Scored:
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
