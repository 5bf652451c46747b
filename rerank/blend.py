"""The learned final order: gradient-boosted trees over what the first stage said of a candidate.

Where the cross-encoder has read a candidate, its opinion is added with a weight of its own: trees that are given it
as one more feature trust it as much as it deserves on the corpora that they learn from, and too much elsewhere.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from common.errors import ModelError
from common.files import write_atomically
from rerank.features import FEATURES, Features
from rerank.trees import Contributions, Trees

DEFAULT = Path(__file__).parent / "weights" / "blend.json"

# What a score is the sum of, once the cross-encoder has read.
TERMS = (*FEATURES, "reranker")

# Of a pool's candidates, those that the trees learn from. They order all of them, but what is cited and stands further
# down is rare.
TRAINING_DEPTH = 500


class Blend:
    """Scores candidates from their features; higher is better."""

    def __init__(self, trees: Trees, reranker_weight: float) -> None:
        self.trees = trees  # over FEATURES
        self.reranker_weight = reranker_weight  # of `opinions`

    @classmethod
    def load(cls, path: str | Path | None = None) -> Blend:
        """Read the blend of a file, or the one that ships; once a process.

        Raises:
            ModelError: the file is missing, damaged, or made for other features.
        """
        return _load(Path(path or DEFAULT))

    def first_stage(self, features: Features) -> NDArray[np.float64]:
        """Scores, (n, len(FEATURES)) → (n,)."""
        return self.trees.predict(features)

    def second_stage(self, scores: NDArray[np.floating], relevance: NDArray[np.floating]) -> NDArray[np.float64]:
        """Scores of a list from the first stage's and the cross-encoder's probabilities `relevance`, all (n,)."""
        return scores + self.reranker_weight * opinions(relevance)

    def contributions(self, features: Features, opinion: NDArray[np.floating] | None = None) -> Contributions:
        """What each of FEATURES adds to the scores of some candidates, against the mean of what the trees say of them.

        With the cross-encoder's `opinion` of each, shape (n,), what each of TERMS adds.
        """
        told = self.trees.contributions(features)
        if opinion is None:
            return told
        values = np.column_stack([told.values, self.reranker_weight * opinion])
        return Contributions(TERMS, told.base, values)

    def save(self, path: Path) -> None:
        """Write the blend as JSON."""
        record = {"trees": self.trees.to_record(), "reranker_weight": self.reranker_weight}
        write_atomically(path, orjson.dumps(record))


def opinions(relevance: NDArray[np.floating]) -> NDArray[np.float64]:
    """What a cross-encoder thinks of the candidates of a list against each other, from its probabilities, (n,) → (n,).

    Log-odds with mean 0 and deviation 1: how sure of itself a network is says nothing of how good it is.
    """
    clipped = np.clip(np.asarray(relevance, np.float64), 1e-6, 1 - 1e-6)
    odds = np.log(clipped / (1 - clipped))
    spread = odds.std() if len(odds) else 0.0
    return (odds - odds.mean()) / spread if spread > 1e-9 else np.zeros(len(odds))


@cache
def _load(path: Path) -> Blend:
    try:
        record = orjson.loads(path.read_bytes())
        blend = Blend(Trees.from_record(record["trees"]), float(record["reranker_weight"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"the blend {path} is missing or damaged ({error})") from None
    if blend.trees.names != FEATURES:
        raise ModelError(f"the blend {path} was trained on other features: train it again with `citescout train blend`")
    return blend
