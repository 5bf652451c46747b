"""What both recipes for cross-encoders have in common as learners."""

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from common.errors import TrainingError
from training.checkpoints import fingerprint, mark_unfinished, weights_digest
from training.loop import Learner, mixed_precision, run, training_device
from training.losses import list_loss
from training.reranker.lists import Outcome, TrainingList, TrainingLists, f1_at_20, sample_list
from training.reranker.settings import RerankerSettings

S = TypeVar("S", bound=RerankerSettings)


class RerankerLearner(Learner, Generic[S]):
    """A cross-encoder that learns from lists."""

    run = ""  # its fingerprint

    def __init__(self, lists: TrainingLists, validation: Sequence[TrainingList], out: Path, settings: S) -> None:
        if settings.loss == "distillation" and lists[0].teacher is None:
            raise TrainingError("distillation needs a teacher's log-odds for every training list")
        torch.manual_seed(settings.seed)
        self.lists, self.validation, self.out, self.settings = lists, validation, out, settings
        self.device = training_device()
        self.mixed = mixed_precision(settings.precision, self.device)

    @abstractmethod
    def save(self) -> None:
        """Write the network as it is now."""

    def keep(self) -> None:
        """See `Learner`; until its weight is fitted, too, the folder says that it is not finished."""
        mark_unfinished(self.out, self.run)
        self.save()

    @abstractmethod
    def scores(self, one: TrainingList) -> NDArray[np.float32]:
        """Scores of a list's candidates by the network as it would be kept now."""

    def quality(self) -> float | None:
        """F1@20 of the validation lists."""
        return f1_at_20(self.validation, self.scores) if self.validation else None

    def sampled(self, one: TrainingList, generator: np.random.Generator) -> NDArray[np.int64]:
        """Places of the candidates that a loss over the list looks at."""
        own = self.settings
        return sample_list(np.asarray(one.labels, bool), own.size, own.positives, own.hard_depth, generator)

    def loss_of(self, one: TrainingList, places: NDArray[np.int64], scores: Tensor) -> Tensor:
        """The loss of a list of which the candidates at `places` have these scores."""
        cited = torch.from_numpy(np.asarray(one.labels, bool)[places]).to(self.device)
        teacher = None if one.teacher is None else self.column(one.teacher, places)
        return list_loss(self.settings.loss, scores, cited, teacher)

    def column(self, values: Sequence[float], places: NDArray[np.int64]) -> Tensor:
        """Some of a list's values."""
        return torch.tensor(np.asarray(values, np.float32)[places], device=self.device)


def train(learner: RerankerLearner[S], steps: int, base: str, data: Sequence[TrainingLists], resume: bool) -> Outcome:
    """Run it; `data` are the lists that the result depends on. See `training.loop.run` for the errors."""
    start = base, weights_digest(learner.tensors())
    name = fingerprint(learner.settings, learner.mixed, *start, *(one.digest for one in data))
    learner.run = name
    end = run(learner, learner.settings, steps, learner.out, name, resume)
    return Outcome.of(end, learner.validation)
