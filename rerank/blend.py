"""The learned final order: gradient-boosted trees over what every stage said of a candidate.

Two models, because the list is shown before the cross-encoder has read it: one over the first stage's features, and
one that also has the cross-encoder's score.
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
from rerank.trees import Trees

DEFAULT = Path(__file__).parent / "weights" / "blend.json"

SECOND_STAGE_FEATURES = (*FEATURES, "reranker")

# Of a pool's candidates, those that the trees learn from. They order all of them, but what is cited and stands further
# down is rare.
TRAINING_DEPTH = 500


class Blend:
    """Scores candidates from their features; higher is better."""

    def __init__(self, first: Trees, second: Trees | None) -> None:
        self.first = first  # over FEATURES
        self.second = second  # over SECOND_STAGE_FEATURES; None where no cross-encoder was at hand in training

    @classmethod
    def load(cls, path: Path = DEFAULT) -> Blend:
        """Read a blend; the default one is read once a process.

        Raises:
            ModelError: the file is missing, damaged, or made for other features.
        """
        return _load(path)

    def first_stage(self, features: Features) -> NDArray[np.float64]:
        """Scores, (n, len(FEATURES)) → (n,)."""
        return self.first.predict(features)

    def second_stage(self, features: Features, relevance: NDArray[np.floating]) -> NDArray[np.float64]:
        """Scores with the cross-encoder's probabilities `relevance`, shape (n,), beside the features."""
        if self.second is None:
            return self.first.predict(features)
        return self.second.predict(with_reranker(features, relevance))

    def save(self, path: Path) -> None:
        """Write the blend as JSON."""
        record = {"first": self.first.to_record(), "second": self.second.to_record() if self.second else None}
        write_atomically(path, orjson.dumps(record))


def with_reranker(features: Features, relevance: NDArray[np.floating]) -> Features:
    """The features of the second model: the cross-encoder's logit, relative to the best of the list, is added."""
    clipped = np.clip(np.asarray(relevance, np.float64), 1e-6, 1 - 1e-6)
    logit = np.log(clipped / (1 - clipped))
    return np.column_stack([features, logit - logit.max(initial=-np.inf)]).astype(np.float32)


@cache
def _load(path: Path) -> Blend:
    try:
        record = orjson.loads(path.read_bytes())
        first = Trees.from_record(record["first"])
        second = Trees.from_record(record["second"]) if record["second"] else None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"the blend {path} is missing or damaged ({error})") from None
    if first.names != FEATURES or (second and second.names != SECOND_STAGE_FEATURES):
        raise ModelError(f"the blend {path} was trained on other features: train it again with `citescout train blend`")
    return Blend(first, second)
