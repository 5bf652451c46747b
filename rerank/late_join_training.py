"""The recipe that made the default reranker; `rerank.training` tells it in words."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from common.errors import TrainingError
from common.progress import counter
from encoders.batching import length_sorted_batches
from encoders.minilm import minilm_folder
from rerank.late_join import LateJoin, LateJoinShape
from rerank.late_join_files import BASE_PARTS, LateJoinConfig, save_late_join, start_from_base
from rerank.late_join_scorer import side_token_ids
from rerank.pairs import TokenSplit
from rerank.training import Trainer, shuffled, training_device
from rerank.training_lists import TrainingList, checked_lists, sample_list

_ENOUGH_TO_KEEP_BACK = 20  # lists; with fewer the calibration uses those it trained on


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
    seed: int = 0


def train_late_join(lists: Iterable[TrainingList], out: Path, settings: LateJoinSettings | None = None) -> None:
    """Train the late-join network and save it in `out`; every tenth list is kept back for the calibration.

    Raises:
        TrainingError: no lists, zero positives, a loss that is not a number.
        ModelError: the base encoder is not installed.
    """
    from transformers import AutoTokenizer

    settings = settings or LateJoinSettings()
    found = checked_lists(lists)
    enough = len(found) >= _ENOUGH_TO_KEEP_BACK
    kept_back = found[::10] if enough else found
    usable = [one for place, one in enumerate(found) if any(one.labels) and (place % 10 or not enough)]
    if not usable:
        raise TrainingError("zero positives among the training lists that are not kept back for calibration")
    torch.manual_seed(settings.seed)
    generator = np.random.default_rng(settings.seed)
    device = training_device()
    tokenizer = AutoTokenizer.from_pretrained(str(minilm_folder()))
    model = start_from_base(settings.shape).to(device).train()
    for name, parameter in model.named_parameters():
        parameter.requires_grad = not name.startswith(BASE_PARTS)
    balance = nn.Parameter(torch.tensor([1.0, 0.3], device=device))  # weights of the first stage and of the network
    trainer = Trainer(_late_join_groups(model, balance, settings), settings.steps, betas=(0.9, 0.98))
    average = copy.deepcopy(model)
    order = shuffled(len(usable), min(settings.lists, len(usable)), settings.seed)
    with counter("training", settings.steps) as bar:
        for step in range(settings.steps):
            losses = []
            for chosen in next(order):
                one = usable[chosen]
                labels = np.asarray(one.labels, bool)
                places = sample_list(labels, settings.size, settings.positives, settings.hard_depth, generator)
                scores = late_join_scores(model, tokenizer, one, places, settings.split, device) * balance[1]
                if one.first_stage is not None and generator.random() < settings.first_stage_share:
                    known = torch.tensor(np.asarray(one.first_stage, np.float32)[places], device=device)
                    scores = scores + balance[0] * known
                losses.append(list_loss(scores, torch.from_numpy(labels[places]).to(device)))
            loss = torch.stack(losses).mean()
            loss.backward()  # type: ignore[no-untyped-call]
            trainer.step(step, settings.warm_up * settings.steps, loss.item())
            _move_average(average, model, step)
            bar.update(1)
    scale, shift = _calibration(average.eval(), tokenizer, kept_back, settings, device)
    save_late_join(out, average.cpu(), LateJoinConfig(settings.shape, settings.score_split, scale, shift))


def late_join_scores(
    model: LateJoin, tokenizer: Any, one: TrainingList, places: Sequence[int] | Any, split: TokenSplit,
    device: torch.device,
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
    with torch.autocast(device.type, torch.bfloat16):
        with torch.no_grad():
            lower, query_lower = model.lower_states(ids, mask), model.lower_states(query_ids, query_mask)
        states = model.query_states(query_lower, query_mask)
        pooled = model.pooled(states, lower, mask)
    with torch.autocast(device.type, enabled=False):
        scores = model.score(states, pooled)
    return scores[torch.from_numpy(np.argsort(batch.rows)).to(device)]


def list_loss(scores: Tensor, cited: Tensor) -> Tensor:
    """Mean over the cited of -log softmax of one cited among all the uncited; 0 where either is missing."""
    if not cited.any() or cited.all():
        return scores.sum() * 0
    against = torch.logsumexp(scores[~cited], 0)
    return functional.softplus(against - scores[cited]).mean()


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


@torch.no_grad()
def _move_average(average: LateJoin, model: LateJoin, step: int) -> None:
    keep = min(0.998, 1 - 1 / (step * 0.1 + 1))
    for slow, fast in zip(average.parameters(), model.parameters(), strict=True):
        if fast.requires_grad:
            slow.lerp_(fast, 1 - keep)


@torch.no_grad()
def _calibration(
    model: LateJoin, tokenizer: Any, lists: list[TrainingList], settings: LateJoinSettings, device: torch.device
) -> tuple[float, float]:  # fmt: skip
    """(scale, shift) of the logistic curve through the scores of whole lists."""
    scores = [late_join_scores(model, tokenizer, one, range(len(one.labels)), settings.split, device) for one in lists]
    cited = torch.tensor([label for one in lists for label in one.labels], dtype=torch.float32)
    return fit_logistic(torch.cat(scores).float().cpu(), cited)


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
