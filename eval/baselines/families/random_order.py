"""Papers in random order, the lower bound of every table."""

from collections.abc import Sequence
from zlib import crc32

import numpy as np

from encoders.text import Text
from eval.baselines.base import Baseline, Matrix, ScoreRanker, register


class RandomOrder(ScoreRanker):
    """Uniform scores, drawn again for every text of a query."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._papers = 0

    def fit(self, papers: Sequence[Text]) -> None:
        """See `Ranker.fit`."""
        self._papers = len(papers)

    def scores(self, queries: Sequence[Text]) -> Matrix:
        """See `ScoreRanker.scores`."""
        # Drawn from the text, so that a list does not depend on which queries are asked together.
        seeds = [crc32(query.joined().encode("utf-8", "replace")) for query in queries]
        rows = [np.random.default_rng([self._seed, seed]).random(self._papers, np.float32) for seed in seeds]
        return np.reshape(rows, (len(queries), self._papers)).astype(np.float32)


register(Baseline("random", "random order, seeded", lambda setup: RandomOrder(setup.seed)))
