"""The learned final order, over what the first stage said of a candidate.

Where the cross-encoder has read a candidate, its standardized logits are added with a weight of their own: trees that
are given them as one more feature trust them as much as they deserve on the corpora that they learn from, and too much
elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray
from pydantic import TypeAdapter

from common.errors import ModelError, brief
from common.files import write_atomically
from rerank.calibration import Calibration, Logistic, size_of
from rerank.context_features import CONTEXT_NAMES
from rerank.features import NAMES, Features
from rerank.learned_order import LearnedOrder
from rerank.trees import Contributions
from retrieval.citation_regression import FEWEST, examples_of
from retrieval.first_stage import Pool

DEFAULT = Path(__file__).parent / "weights" / "blend.json"
CONTEXT = Path(__file__).parent / "weights" / "context.json"  # of queries with a context

RERANKER = "reranker"  # beside the features: what the cross-encoder adds to a score

# Of a pool's candidates, those that the trees learn from. They order all of them, but what is cited and stands further
# down is rare.
TRAINING_DEPTH = 500


@dataclass(frozen=True, slots=True)
class WithoutCitations:
    """What orders pools of indexes that hardly know a citation."""

    order: LearnedOrder  # over some of TEXT_NAMES, or of queries with a context of TEXT_CONTEXT_NAMES
    cited: Logistic  # of its score and `size_of` the pool: that the query cites the paper

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> WithoutCitations:
        """Out of JSON; a KeyError, TypeError or ValueError where `record` is something else."""
        return cls(LearnedOrder.from_record(record), TypeAdapter(Logistic).validate_python(record["cited"]))

    def to_record(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {**self.order.to_record(), "cited": asdict(self.cited)}


@dataclass(frozen=True, eq=False, slots=True)
class Blend:
    """Scores candidates from their features; higher is better."""

    order: LearnedOrder  # over some of FEATURES, or of queries with a context of CONTEXT_FEATURES
    reranker_weight: float  # of `standardized_logits`, see `rerank.reranking`
    calibration: Calibration
    without_citations: WithoutCitations

    @classmethod
    def load(cls, path: str | Path | None = None) -> Blend:
        """Read the blend of a file, or the one that ships; once for each state of the file.

        Raises:
            ModelError: the file is missing, damaged, or asks for features that there are not.
        """
        file = Path(path or DEFAULT).resolve()
        try:
            state = file.stat()
        except OSError as error:
            raise ModelError(f"the blend {file} is missing or damaged ({error})") from None
        return _load(file, state.st_mtime_ns, state.st_size)

    @property
    def orders_contexts(self) -> bool:
        """Whether it is for queries with a context."""
        return not set(self.order.names) <= set(NAMES)

    def of(self, pool: Pool) -> Blend:
        """What orders a pool: where fewer than FEWEST reference lists are known, the order for no citations at all."""
        other = self.without_citations
        if len(examples_of(pool.cites)) >= FEWEST:
            return self
        cited = other.cited.where(size_of(len(pool)))
        return replace(self, order=other.order, calibration=replace(self.calibration, cited=cited))

    def first_stage(self, features: Features) -> NDArray[np.float64]:
        """Scores, (n, len(FEATURES)) or (n, len(CONTEXT_FEATURES)) → (n,)."""
        return self.order.predict(self._known(features))

    def second_stage(self, scores: NDArray[np.floating], logits: NDArray[np.floating]) -> NDArray[np.float64]:
        """Scores of a list from the first stage's and the cross-encoder's `logits`, all (n,)."""
        return scores + self.reranker_weight * standardized_logits(logits)

    def contributions(self, features: Features, logits: NDArray[np.floating] | None = None) -> Contributions:
        """What each of FEATURES adds to the scores of some candidates, against the mean of what they add to all.

        With the cross-encoder's standardized `logits`, shape (n,), also what these add, as RERANKER.
        """
        contributions = self.order.contributions(self._known(features))
        if logits is None:
            return contributions
        values = np.column_stack([contributions.values, self.reranker_weight * logits])
        return Contributions((*contributions.names, RERANKER), contributions.base, values)

    def save(self, path: Path) -> None:
        """Write the blend as JSON."""
        write_atomically(path, self._written())

    @property
    def digest(self) -> str:
        """SHA-256 of all that it says."""
        return hashlib.sha256(self._written()).hexdigest()

    def _known(self, features: Features) -> Features:
        """The columns that it was trained on: a feature that came later is none of its own."""
        names = CONTEXT_NAMES if self.orders_contexts else NAMES
        if self.order.names == names:
            return features
        return features[:, [names.index(name) for name in self.order.names]]

    def _written(self) -> bytes:
        record = {
            **self.order.to_record(),
            "reranker_weight": self.reranker_weight,
            "calibration": asdict(self.calibration),
            "without_citations": self.without_citations.to_record(),
        }
        return orjson.dumps(record)


def check_orders(path: Path | None, with_context: Collection[bool]) -> None:
    """Refuse a file whose blend would order none of the lists that are wanted; None is the one that ships.

    Args:
        path: Of the file.
        with_context: Of every query, whether it has a context.

    Raises:
        ModelError: all queries are of the other kind; or see `Blend.load`.
    """
    if path is None:
        return
    orders = Blend.load(path).orders_contexts
    if with_context and orders not in with_context:
        kinds, asked = ("whole papers", "sentences"), not orders
        command = "contexts" if asked else "blend"
        raise ModelError(
            f"the blend {path} orders lists for {kinds[orders]}, and {kinds[asked]} are asked: "
            f"name one that `citescout train {command}` wrote"
        )


def check_replaced(path: Path) -> None:
    """Refuse to write a blend over what is none; over one of other features it may be written.

    Raises:
        ModelError: another file is there.
    """
    try:
        content = path.read_bytes() if path.exists() else b""
        record = orjson.loads(content) if content else {"trees": None}
    except (OSError, ValueError):
        record = None
    if not isinstance(record, dict) or "trees" not in record:
        raise ModelError(
            f"{path} is another file, and no blend that could be replaced: give another name, or delete it"
        )


def standardized_logits(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    """A cross-encoder's logits of one list with mean 0 and deviation 1, (n,) → (n,).

    Their deviation depends on how it was trained, and says nothing of how good it is.
    """
    odds = np.asarray(logits, np.float64)
    spread = odds.std() if len(odds) else 0.0
    return (odds - odds.mean()) / spread if spread > 1e-9 else np.zeros(len(odds))


@lru_cache(maxsize=16)
def _load(path: Path, _changed: int, _size: int) -> Blend:
    try:
        record = orjson.loads(path.read_bytes())
        blend = Blend(
            LearnedOrder.from_record(record),
            float(record["reranker_weight"]),
            TypeAdapter(Calibration).validate_python(record["calibration"]),
            WithoutCitations.from_record(record["without_citations"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"the blend {path} is missing or damaged ({brief(error)})") from None
    known = CONTEXT_NAMES if blend.orders_contexts else NAMES
    if unknown := {*blend.order.names, *blend.without_citations.order.names}.difference(known):
        raise ModelError(
            f"the blend {path} was trained on features that are not known here ({', '.join(sorted(unknown)[:3])}): "
            "train it again with `citescout train blend`"
        )
    return blend
