"""How much a trained cross-encoder counts, and how deep it reads: fitted on queries that it did not learn from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.query_years import view_for
from citescout.recommender import Recommender
from common.errors import TrainingError
from common.measures import CUT
from common.measures import f1_at_20 as mean_f1_at_20
from common.order import EXACT, SIGNED, best_first
from common.progress import progress
from rerank.blend import Blend, standardized_logits
from rerank.cross_encoder import CrossEncoder
from rerank.reranking import Reranking
from rerank.token_split import TokenSplit
from training.blend.fitting import ReadList, fit_reranker_weight
from training.queries import TrainingSplit

DEPTHS = (10, 20, 32, 50, 100, 200)


@dataclass(frozen=True, slots=True)
class ReadPool:
    """A query's pool in the order of the blend, of which the cross-encoder read the first."""

    scores: NDArray[np.float64]  # (n,) of the blend, descending
    logits: NDArray[np.float32]  # (m,) of the cross-encoder
    cited: NDArray[np.bool_]  # (n,)
    docids: NDArray[np.int32]  # (n,)
    gold: int  # papers that the query cites, in the pool or not

    def order(self, weight: float, depth: int) -> NDArray[np.bool_]:
        """`cited` in the final order, as `citescout.ranking` makes it."""
        head = self.logits[:depth]
        read = self.scores[: len(head)] + weight * standardized_logits(head)
        order = best_first(read, self.docids[: len(head)], SIGNED)
        return np.concatenate([self.cited[order], self.cited[len(head) :]])


@dataclass(frozen=True, slots=True)
class Figures:
    """Of lists, on the validation queries."""

    f1_at_20: float
    mrr: float

    @classmethod
    def of(cls, pools: Sequence[ReadPool], weight: float, depth: int) -> Figures:
        """With a cross-encoder of that weight over so many candidates."""
        orders = [one.order(weight, depth) for one in pools]
        found = [(int(cited[:CUT].sum()), one.gold) for cited, one in zip(orders, pools, strict=True)]
        reciprocal = [1 / (int(cited.argmax()) + 1) if cited.any() else 0.0 for cited in orders]
        return cls(mean_f1_at_20(found), float(np.mean(reciprocal)))

    def __str__(self) -> str:
        return f"F1@20 {self.f1_at_20:.4f}, MRR {self.mrr:.4f}"


def fit_reranking(
    reranker: Path, asked: Iterable[TrainingSplit], split: TokenSplit | None
) -> tuple[Reranking, Figures]:
    """The best weight and depth of the cross-encoder in a folder, and what the lists of who validates are without it.

    For each of `DEPTHS` the weight is fitted (`training.blend.fitting.fit_reranker_weight`); the depth is that of the
    best F1@20, of equal ones that of the best MRR, then the smallest.

    Raises:
        TrainingError: no list that it read holds cited and other papers.
        ModelError: the cross-encoder cannot be loaded.
    """
    pools = [pool for one in asked for pool in _read(reranker, one, split)]
    best: Reranking | None = None
    for depth in DEPTHS:
        read = [
            ReadList(one.scores[: len(head)], standardized_logits(head), one.cited[: len(head)])
            for one in pools
            if len(head := one.logits[:depth])
        ]
        if not any(one.cited.any() and not one.cited.all() for one in read):
            continue
        weight = fit_reranker_weight(read)
        found = Figures.of(pools, weight, depth)
        if best is None or (found.f1_at_20, found.mrr) > (best.f1_at_20, best.mrr):
            best = Reranking(weight, depth, split, len(pools), found.f1_at_20, found.mrr)
    if best is None:
        raise TrainingError("no list that the cross-encoder read holds cited and other papers")
    return best, Figures.of(pools, 0.0, 0)


def _read(reranker: Path, one: TrainingSplit, split: TokenSplit | None) -> Iterator[ReadPool]:
    if not one.validation:
        return
    with closing(Recommender.opened(one.directory, CrossEncoder.load(str(reranker), split))) as recommender:
        masked = view_for(recommender, [example.query for example in one.validation])
        for example in progress(one.validation, "weight of the reranker", len(one.validation)):
            pool = masked.pool(example.query)
            if not len(pool):
                continue
            scores = Blend.load().of(pool).first_stage(masked.features(pool, example.query))
            order = best_first(scores, pool.docids, EXACT)
            order = order[one.searched[pool.docids[order]]]
            docids = pool.docids[order]
            logits = masked.relevance(example.query, docids[: DEPTHS[-1]])
            yield ReadPool(scores[order], logits, np.isin(docids, example.gold), docids, len(example.gold))
