"""What the cross-encoders learn from: lists of retrieved candidates, labelled; how a list is sampled, and validates.

Validation lists say when training should stop, by F1@20 in the order of the scores.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from common.errors import TrainingError
from common.measures import CUT
from common.measures import f1_at_20 as mean_f1_at_20
from common.order import SIGNED, best_first
from encoders.text import Text
from training.checkpoints import Position


@dataclass(frozen=True, slots=True)
class TrainingList:
    """One query with candidates that the first stage retrieved for it, best first."""

    query: Text
    candidates: Sequence[Text]
    labels: Sequence[int]  # 1 where the query cites the candidate, 0 elsewhere
    first_stage: Sequence[float] | None = None  # log-odds by the blend; only the late-join recipe uses them
    teacher: Sequence[float] | None = None  # log-odds by another model, for distillation
    citations: int | None = None  # papers of the index that the query cites; those in the list without

    @property
    def cited(self) -> int:
        """Papers that the query cites, in the list or not."""
        return sum(self.labels) if self.citations is None else self.citations

    def shortened(self, depth: int) -> TrainingList:
        """The list with its best `depth` candidates; what else the query cites still counts as cited."""
        known = [None if column is None else column[:depth] for column in (self.first_stage, self.teacher)]
        return replace(
            self, candidates=self.candidates[:depth], labels=self.labels[:depth], first_stage=known[0],
            teacher=known[1], citations=self.cited,
        )  # fmt: skip


class TrainingLists:
    """Labelled lists that are read one at a time: in memory are only the labels, a byte for a candidate."""

    def __init__(
        self, read: Callable[[int], TrainingList], lengths: NDArray[np.int64], labels: NDArray[np.bool_], digest: str
    ) -> None:
        """Of `read`, which gives a list by its place.

        `lengths` (lists,) are candidates of each, `labels` (all candidates,) those of one list after the other, and
        `digest` changes with whatever the lists depend on.
        """
        self._read, self.lengths, self._labels, self.digest = read, lengths, labels, digest
        self._ends = np.cumsum(lengths)

    @classmethod
    def of(cls, lists: Iterable[TrainingList]) -> TrainingLists:
        """Lists that are in memory.

        Raises:
            TrainingError: a list whose parts differ in length.
        """
        found, digest = list(lists), hashlib.sha256()
        for number, one in enumerate(found):
            known = (one.labels, one.first_stage, one.teacher)
            columns = [None if column is None else list(column) for column in known]
            lengths = {len(column) for column in (one.candidates, *columns) if column is not None}
            if len(lengths) > 1 or not set(one.labels) <= {0, 1}:
                raise TrainingError(
                    f"training list {number}: one label, 0 or 1, for each of its {len(one.candidates)} papers"
                )
            record = (one.query, list(one.candidates), columns, one.citations)
            digest.update(repr(record).encode("utf-8", "replace"))
        labels = np.asarray([label for one in found for label in one.labels], np.bool_)
        return cls(
            found.__getitem__, np.asarray([len(one.labels) for one in found], np.int64), labels, digest.hexdigest()
        )

    def __len__(self) -> int:
        return len(self.lengths)

    def __str__(self) -> str:
        positives = int(self.positives.sum())
        return f"{len(self):,} queries, {positives:,} positives, {self.pairs - positives:,} negatives"

    def __getitem__(self, place: int) -> TrainingList:
        if not 0 <= place < len(self):
            raise IndexError(place)
        return self._read(int(place))

    def labels(self, place: int) -> NDArray[np.bool_]:
        """Which candidates of a list are cited, (its length,)."""
        return self._labels[self._ends[place] - self.lengths[place] : self._ends[place]]

    @property
    def positives(self) -> NDArray[np.int64]:
        """Cited candidates of each list, (lists,)."""
        upto = np.concatenate([np.zeros(1, np.int64), np.cumsum(self._labels, dtype=np.int64)])
        return np.asarray(upto[self._ends] - upto[self._ends - self.lengths])

    def pair(self, number: int) -> tuple[int, int]:
        """(list, place in it) of the candidate of that number among all."""
        row = int(np.searchsorted(self._ends, number, side="right"))
        return row, int(number - (self._ends[row] - self.lengths[row]))

    @property
    def pairs(self) -> int:
        """Candidates of all lists."""
        return len(self._labels)

    def only(self, kept: NDArray[np.bool_]) -> TrainingLists:
        """The lists that `kept` says, (lists,)."""
        places = np.flatnonzero(kept)
        labels = self._labels[np.repeat(kept, self.lengths)]
        digest = hashlib.sha256(self.digest.encode() + np.packbits(kept).tobytes()).hexdigest()
        return TrainingLists(lambda place: self[int(places[place])], self.lengths[places], labels, digest)

    def shortened(self, depth: int) -> TrainingLists:
        """The lists with their best `depth` candidates."""
        lengths = np.minimum(self.lengths, depth)
        parts = np.stack([lengths, self.lengths - lengths], axis=1).reshape(-1)
        labels = self._labels[np.repeat(np.tile(np.asarray([True, False]), len(self)), parts)]
        digest = hashlib.sha256(f"{self.digest} {depth}".encode()).hexdigest()
        return TrainingLists(lambda place: self[place].shortened(depth), lengths, labels, digest)


def checked_lists(lists: TrainingLists | Iterable[TrainingList]) -> TrainingLists:
    """Lists that can be learned from.

    Raises:
        TrainingError: a list whose parts differ in length, no list at all, or none with a cited candidate.
    """
    found = lists if isinstance(lists, TrainingLists) else TrainingLists.of(lists)
    if not len(found):
        raise TrainingError("no training queries: the reranker has nothing to learn from")
    if not found.positives.any():
        raise TrainingError(
            "no training query cites a paper that the first stage retrieved for it (zero positives): "
            "check that the index holds the queries' citations"
        )
    return found


def sample_list(
    labels: NDArray[np.bool_], size: int, positives: int, hard_depth: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Places of `size` candidates of one list: up to `positives` cited, the rest uncited, half of those hard.

    Hard are the uncited among the first `hard_depth` uncited ones: where the first stage errs most. A list with too
    few uncited candidates gives fewer places.
    """
    cited, uncited = np.flatnonzero(labels), np.flatnonzero(~labels)
    chosen = generator.choice(cited, min(positives, len(cited)), replace=False)
    wanted = size - len(chosen)
    hard = generator.choice(uncited[:hard_depth], min(wanted // 2, len(uncited[:hard_depth])), replace=False)
    rest = np.setdiff1d(uncited, hard)
    easy = generator.choice(rest, min(wanted - len(hard), len(rest)), replace=False)
    return np.concatenate([chosen, hard, easy])


# Of the lists that validate: they hold what is reranked, and more or deeper ones would take longer than they are worth.
DEPTH, MOST = 50, 100

Scorer = Callable[[TrainingList], NDArray[np.floating]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    steps: int  # done, those before it was resumed included
    f1: float | None  # F1@20 of the model that is kept, on the validation lists; None without them
    kept_step: int  # after which the model that is kept was as it is
    retrieved_f1: float | None  # F1@20 of the lists as they were retrieved

    @classmethod
    def of(cls, end: Position, validation: Sequence[TrainingList]) -> Outcome:
        """Of a run that ended there."""
        if not validation:
            return cls(end.step, None, end.step, None)
        step, f1 = end.best
        return cls(end.step, f1, step, f1_at_20(validation, as_retrieved))

    def __str__(self) -> str:
        if self.f1 is None:
            return f"{self.steps:,} steps"
        return (
            f"{self.steps:,} steps; kept that of step {self.kept_step:,}: F1@20 {self.f1:.4f} on the validation "
            f"queries, whose lists had {self.retrieved_f1:.4f}"
        )


def kept_back(lists: TrainingLists, share: float, seed: int) -> NDArray[np.bool_]:
    """Which lists are to validate, (lists,): those of a seeded share of the queries, at most `MOST`.

    Queries whose lists hold nothing cited cannot distinguish orders and stay with the training lists.
    """
    usable = np.flatnonzero((lists.positives > 0) & (lists.positives < lists.lengths))
    count = min(round(share * len(lists)), MOST, len(usable))
    chosen = np.zeros(len(lists), np.bool_)
    chosen[np.random.default_rng(seed).permutation(usable)[:count]] = True
    return chosen


def f1_at_20(lists: Sequence[TrainingList], scorer: Scorer) -> float:
    """F1@20 of the lists by score; equal scores as they were retrieved."""
    found = []
    for one in lists:
        best = best_first(scorer(one), np.arange(len(one.labels)), SIGNED)[:CUT]
        found.append((sum(one.labels[place] for place in best), one.cited))
    return mean_f1_at_20(found)


def as_retrieved(one: TrainingList) -> NDArray[np.floating]:
    """The order that the reranker is given, as scores."""
    return -np.arange(len(one.labels), dtype=np.float64)
