"""The recipe that made the default reranker; `training.reranker.trainer` tells it in words."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from common.errors import TrainingError
from encoders.batching import length_sorted_batches
from encoders.minilm import minilm_folder
from rerank.late_join import LateJoin
from rerank.late_join_config import LateJoinConfig, LateJoinShape
from rerank.late_join_files import BASE_PARTS, save_late_join, start_from_base, trained_tensors
from rerank.late_join_scorer import side_token_ids
from rerank.token_split import TokenSplit
from training.reranker.checkpoints import fingerprint
from training.reranker.lists import TrainingList, TrainingLists, checked_lists, sample_list
from training.reranker.loop import (
    Outcome,
    Precision,
    Stops,
    Trainer,
    mixed_precision,
    run,
    shuffled,
    step_generator,
    training_device,
)
from training.reranker.losses import LossName, list_loss

# Lists; with fewer the calibration uses those it trained on.
_ENOUGH_TO_KEEP_BACK, _MOST_KEPT_BACK = 20, 1000


@dataclass(frozen=True, slots=True)
class LateJoinSettings:
    """What made the default reranker."""

    steps: int = 3_000
    warm_up: float = 0.06  # share of the steps
    learning_rate: float = 1.5e-4  # the upper layers
    head_learning_rate: float = 5e-4
    lists: int = 5  # a step
    size: int = 12  # candidates of a list
    positives: int = 4  # at most
    hard_depth: int = 30
    first_stage_share: float = 0.6  # lists to whose scores the first stage's log-odds are added
    shape: LateJoinShape = field(default_factory=LateJoinShape)
    split: TokenSplit = field(default_factory=lambda: TokenSplit(128, 96))
    score_split: TokenSplit = field(default_factory=lambda: TokenSplit(128, 128))  # what inference reads
    loss: LossName = "softmax"
    precision: Precision = "auto"
    stops: Stops = field(default_factory=Stops)
    seed: int = 0


def train_late_join(
    lists: TrainingLists | Iterable[TrainingList], out: Path, settings: LateJoinSettings | None = None,
    resume: bool = False, validation: Sequence[TrainingList] = (),
) -> Outcome:  # fmt: skip
    """Train the late-join network and save it in `out`, the best by the `validation` lists, or else the last.

    The validation lists also calibrate it; without any, every tenth list, 1,000 at most, is kept back for that.

    Raises:
        TrainingError: no lists, zero positives, no teacher where one is needed, a loss that is not a number, a
            checkpoint that does not fit.
        ModelError: the base encoder is not installed.
    """
    settings = settings or LateJoinSettings()
    found = checked_lists(lists)
    learned, calibration = np.ones(len(found), np.bool_), TrainingLists.of(validation)
    if not validation:
        tenth = np.arange(len(found)) % 10 == 0
        tenth &= np.arange(len(found)) < 10 * _MOST_KEPT_BACK
        enough = len(found) >= _ENOUGH_TO_KEEP_BACK
        calibration = found.only(tenth) if enough else found
        learned = ~tenth if enough else learned
    usable = found.only(learned & (found.positives > 0))
    if not len(usable):
        raise TrainingError("zero positives among the training lists that are not kept back for calibration")
    if settings.loss == "distillation" and usable[0].teacher is None:
        raise TrainingError("distillation needs a teacher's log-odds for every training list")
    torch.manual_seed(settings.seed)
    learner = _LateJoinLearner(usable, calibration, out, settings)
    trainer = Trainer(learner.groups, settings.steps, betas=(0.9, 0.98))
    return run(
        learner, trainer, out, fingerprint((settings, learner.mixed), "late-join", [usable, calibration]),
        settings.steps, settings.warm_up * settings.steps, settings.seed, validation, settings.stops, resume,
    )  # fmt: skip


class _LateJoinLearner:
    """See `training.reranker.loop.Learner`; what is kept is a moving average of the weights."""

    def __init__(self, lists: TrainingLists, calibration: TrainingLists, out: Path, settings: LateJoinSettings) -> None:
        from transformers import AutoTokenizer

        self._lists, self._calibration, self._out, self._settings = lists, calibration, out, settings
        self._tokenizer = AutoTokenizer.from_pretrained(str(minilm_folder()))
        self.device = training_device()
        self.mixed = mixed_precision(settings.precision, self.device)
        self._model = start_from_base(settings.shape).to(self.device).train()
        for name, parameter in self._model.named_parameters():
            parameter.requires_grad = not name.startswith(BASE_PARTS)
        # Weights of the first stage and of the network.
        self._balance = nn.Parameter(torch.tensor([1.0, 0.3], device=self.device))
        self._average = copy.deepcopy(self._model).eval()
        self.groups = _late_join_groups(self._model, self._balance, settings)
        self._order: Iterator[list[int]] | None = None
        self._next = -1  # the step that `_order` gives next

    def learn(self, step: int) -> float:
        settings = self._settings
        if self._order is None or step != self._next:
            self._order = shuffled(len(self._lists), min(settings.lists, len(self._lists)), settings.seed, start=step)
        self._next = step + 1
        generator = step_generator(settings.seed, step)
        loss = torch.stack([self._loss(self._lists[one], generator) for one in next(self._order)]).mean()
        loss.backward()  # type: ignore[no-untyped-call]
        return float(loss.item())

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
        scores = torch.from_numpy(np.concatenate([self.scores(one) for one in lists]))
        cited = torch.tensor([label for one in lists for label in one.labels], dtype=torch.float32)
        scale, shift = fit_logistic(scores, cited)
        kept = copy.deepcopy(self._average).cpu()
        save_late_join(self._out, kept, LateJoinConfig(self._settings.shape, self._settings.score_split, scale, shift))

    def _loss(self, one: TrainingList, generator: np.random.Generator) -> Tensor:
        settings = self._settings
        labels = np.asarray(one.labels, bool)
        places = sample_list(labels, settings.size, settings.positives, settings.hard_depth, generator)
        scores = self._scores(self._model, one, places) * self._balance[1]
        if one.first_stage is not None and generator.random() < settings.first_stage_share:
            scores = scores + self._balance[0] * self._known(one.first_stage, places)
        teacher = None if one.teacher is None else self._known(one.teacher, places)
        return list_loss(settings.loss, scores, torch.from_numpy(labels[places]).to(self.device), teacher)

    def _known(self, column: Sequence[float], places: NDArray[np.int64]) -> Tensor:
        return torch.tensor(np.asarray(column, np.float32)[places], device=self.device)

    def _scores(self, model: LateJoin, one: TrainingList, places: Sequence[int] | NDArray[np.int64]) -> Tensor:
        return late_join_scores(model, self._tokenizer, one, places, self._settings.split, self.device, self.mixed)


def late_join_scores(
    model: LateJoin, tokenizer: Any, one: TrainingList, places: Sequence[int] | Any, split: TokenSplit,
    device: torch.device, mixed: bool = True,
) -> Tensor:  # fmt: skip
    """Uncalibrated scores of the candidates at `places` of one list, (len(places),)."""
    texts = side_token_ids(tokenizer, [one.candidates[place] for place in places], split.candidate)
    asked = side_token_ids(tokenizer, [one.query], split.query)
    pad = int(tokenizer.pad_token_id)
    batch, query = (next(length_sorted_batches(rows, len(rows), pad)) for rows in (texts, asked))
    ids, mask, query_ids, query_mask = (
        torch.from_numpy(side.inputs[name]).to(device)
        for side in (batch, query)
        for name in ("input_ids", "attention_mask")
    )
    with torch.autocast(device.type, torch.bfloat16, enabled=mixed):
        with torch.no_grad():
            lower, query_lower = model.lower_states(ids, mask), model.lower_states(query_ids, query_mask)
        states = model.query_states(query_lower, query_mask)
        pooled = model.pooled(states, lower, mask)
    with torch.autocast(device.type, enabled=False):
        scores = model.score(states, pooled)
    return scores[torch.from_numpy(np.argsort(batch.rows)).to(device)]


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


def fit_logistic(scores: Tensor, cited: Tensor) -> tuple[float, float]:
    """Scale and shift of p = sigmoid(scale · score + shift) by maximum likelihood, the scale kept positive."""
    mean, spread = scores.mean(), scores.std().clamp(min=1e-6)
    line = torch.zeros(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([line], max_iter=100, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        with torch.enable_grad():
            logits = line[0].exp() * (scores - mean) / spread + line[1]
            loss = functional.binary_cross_entropy_with_logits(logits, cited)
            loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    scale = float(line[0].detach().exp() / spread)
    return scale, float(line[1].detach()) - scale * float(mean)
