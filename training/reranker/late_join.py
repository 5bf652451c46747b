"""The recipe that made the default reranker; described in `training.reranker.trainer`."""

import copy
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from common.errors import TrainingError
from encoders.batching import model_batches
from rerank.late_join import LateJoin
from rerank.late_join_config import LateJoinConfig
from rerank.late_join_files import (
    BASE_PARTS,
    base_tokenizer,
    load_late_join,
    save_late_join,
    start_from_base,
    trained_tensors,
)
from rerank.late_join_scorer import side_token_ids
from training.blend.fitting import fit_logistic
from training.loop import ShuffledGroups, backward, step_generator
from training.reranker.learner import RerankerLearner, train
from training.reranker.lists import Outcome, TrainingList, TrainingLists, checked_lists
from training.reranker.settings import LateJoinSettings

# Lists; with fewer the calibration uses those it trained on.
_ENOUGH_TO_KEEP_BACK, _MOST_KEPT_BACK = 20, 1000


def train_late_join(
    lists: TrainingLists | Iterable[TrainingList], out: Path, settings: LateJoinSettings,
    resume: bool = False, validation: Sequence[TrainingList] = (),
) -> Outcome:  # fmt: skip
    """Train the late-join network and save it in `out`, the best by the `validation` lists, or else the last.

    The validation lists also calibrate it; without any, every tenth list, 1,000 at most, is kept back for that. Where
    what is to calibrate holds no cited paper, or nothing else, all lists do.

    Raises:
        TrainingError: no lists, zero positives, or nothing else, no teacher where one is needed, a loss that is not a
            number, a checkpoint that does not fit.
        ModelError: the base encoder is not installed.
    """
    found = checked_lists(lists).shortened(settings.depth)
    learned, calibration = np.ones(len(found), np.bool_), TrainingLists.of(validation)
    if not validation:
        tenth = np.arange(len(found)) % 10 == 0
        tenth &= np.arange(len(found)) < 10 * _MOST_KEPT_BACK
        enough = len(found) >= _ENOUGH_TO_KEEP_BACK
        calibration = found.only(tenth) if enough else found
        learned = ~tenth if enough else learned
    if not 0 < calibration.positives.sum() < calibration.pairs:
        calibration = found
    if found.positives.sum() == found.pairs:
        raise TrainingError("the training queries cite all papers of their lists: there is nothing to tell these from")
    usable = found.only(learned & (found.positives > 0))
    if not len(usable):
        raise TrainingError("zero positives among the training lists that are not kept back for calibration")
    learner = _LateJoinLearner(usable, calibration, validation, out, settings)
    return train(learner, settings.steps, "late-join", [usable, calibration], resume)


class _LateJoinLearner(RerankerLearner[LateJoinSettings]):
    """What is kept is a moving average of the weights."""

    def __init__(
        self, lists: TrainingLists, calibration: TrainingLists, validation: Sequence[TrainingList], out: Path,
        settings: LateJoinSettings,
    ) -> None:  # fmt: skip
        super().__init__(lists, validation, out, settings)
        self._calibration = calibration
        self._tokenizer = base_tokenizer()
        start = start_from_base(settings.shape) if settings.start is None else load_late_join(settings.start)[0]
        self._model = start.to(self.device).train()
        for name, parameter in self._model.named_parameters():
            parameter.requires_grad = not name.startswith(BASE_PARTS)
        # Weights of the first stage and of the network.
        self._balance = nn.Parameter(torch.tensor([1.0, 0.3], device=self.device))
        self._average = copy.deepcopy(self._model).eval()
        self.groups = _late_join_groups(self._model, self._balance, settings)
        self._order = ShuffledGroups(len(lists), min(settings.lists, len(lists)), settings.seed)

    def learn(self, step: int) -> float:
        generator = step_generator(self.settings.seed, step)
        return backward(torch.stack([self._loss(self.lists[one], generator) for one in self._order.of(step)]).mean())

    @torch.no_grad()
    def stepped(self, step: int) -> None:
        keep = min(0.998, 1 - 1 / (step * 0.1 + 1))
        for slow, fast in zip(self._average.parameters(), self._model.parameters(), strict=True):
            if fast.requires_grad:
                slow.lerp_(fast, 1 - keep)

    @torch.no_grad()
    def scores(self, one: TrainingList) -> NDArray[np.float32]:
        return self._scores(self._average, one, range(len(one.labels))).float().cpu().numpy()

    def tensors(self) -> dict[str, Tensor]:
        kinds = {"model": self._model, "average": self._average}
        found = {f"{kind}.{name}": one for kind, model in kinds.items() for name, one in trained_tensors(model).items()}
        return {**found, "balance": self._balance}

    def save(self) -> None:
        lists = [self._calibration[place] for place in range(len(self._calibration))]
        scores = np.concatenate([self.scores(one) for one in lists]).astype(np.float64)
        cited = np.asarray([label for one in lists for label in one.labels], np.bool_)
        found = fit_logistic(scores[:, None], cited, directions=(1,))
        kept = copy.deepcopy(self._average).cpu()
        save_late_join(
            self.out, kept, LateJoinConfig(kept.shape, self.settings.score_split, found.weights[0], found.bias)
        )

    def _loss(self, one: TrainingList, generator: np.random.Generator) -> Tensor:
        places = self.sampled(one, generator)
        scores = self._scores(self._model, one, places) * self._balance[1]
        if one.first_stage is not None and generator.random() < self.settings.first_stage_share:
            scores = scores + self._balance[0] * self.column(one.first_stage, places)
        return self.loss_of(one, places, scores)

    def _scores(self, model: LateJoin, one: TrainingList, places: Sequence[int] | NDArray[np.int64]) -> Tensor:
        """Uncalibrated, of the candidates at `places` of one list, (len(places),)."""
        split = self.settings.split
        texts = side_token_ids(self._tokenizer, [one.candidates[place] for place in places], split.candidate)
        asked = side_token_ids(self._tokenizer, [one.query], split.query)
        batch, query = (next(model_batches(self._tokenizer, rows, len(rows))) for rows in (texts, asked))
        ids, mask, query_ids, query_mask = (
            torch.from_numpy(side.inputs[name]).to(self.device)
            for side in (batch, query)
            for name in ("input_ids", "attention_mask")
        )
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.mixed):
            with torch.no_grad():
                lower, query_lower = model.lower_states(ids, mask), model.lower_states(query_ids, query_mask)
            states = model.query_states(query_lower, query_mask)
            pooled = model.pooled(states, lower, mask)
        with torch.autocast(self.device.type, enabled=False):
            scores = model.score(states, pooled)
        return scores[torch.from_numpy(np.argsort(batch.rows)).to(self.device)]


def _late_join_groups(model: LateJoin, balance: nn.Parameter, settings: LateJoinSettings) -> list[dict[str, Any]]:
    trained = [(name, one) for name, one in model.named_parameters() if one.requires_grad]
    layers = [one for name, one in trained if name.startswith("upper.") and not name.endswith(".gate")]
    single = [model.cosine_weight, balance]
    known = {id(one) for one in (*layers, *single)}
    head = [one for _, one in trained if id(one) not in known]
    return [
        {"params": layers, "lr": settings.learning_rate},
        {"params": head, "lr": settings.head_learning_rate},
        {"params": single, "lr": settings.head_learning_rate * 5},
    ]
