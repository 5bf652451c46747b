"""Training of a CTPE network on coupled text pairs.

Adam 1e-3 on batches of 200 documents, each with one uncoupled pair that is drawn anew every epoch (CTPE, algorithm 1
and section 4.3). The paper has no held-out data and stops when the loss no longer falls; here the loss of documents
that are held out decides, and the best epoch's network is kept.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from common.errors import TrainingError
from common.progress import counter
from encoders.ctpe.network import TextCnn, encode_runs
from encoders.ctpe.parts import Parts
from training.ctpe.loss import MARGIN, expected_loss, margin_loss
from training.ctpe.negatives import Numbers, Partners, RandomPartners

log = logging.getLogger(__name__)

HELD_OUT_SHARE = 0.05
_HELD_OUT_AT_MOST = 1000
# Fewer have no uncoupled pair on either side.
LEAST_PAIRS = 4


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """The paper's figures, and when to stop."""

    epochs: int = 100  # at most; 0 leaves the network as it starts, the paper's CTPE_0
    patience: int = 5  # epochs without a lower held-out loss
    learning_rate: float = 1e-3
    batch_size: int = 200  # documents
    margin: float = MARGIN
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Course:
    """How training went."""

    best_epoch: int  # 0: none was better than the network it began with
    held_out_losses: tuple[float, ...]  # before training, and after every epoch

    def __str__(self) -> str:
        first, best = self.held_out_losses[0], self.held_out_losses[self.best_epoch]
        epochs = len(self.held_out_losses) - 1
        return f"held-out loss {first:.4f} untrained, {best:.4f} after epoch {self.best_epoch} of {epochs}"


def held_out(pairs: int, seed: int) -> tuple[Numbers, Numbers]:
    """Pairs to train on and pairs to decide by, of `pairs` ≥ 4.

    Raises:
        TrainingError: too few.
    """
    if pairs < LEAST_PAIRS:
        raise TrainingError(
            f"{pairs or 'zero'} training pairs: at least {LEAST_PAIRS} papers must have words in both parts "
            "(for --split title, in title and abstract)"
        )
    order = np.random.default_rng(seed).permutation(pairs)
    count = min(max(2, round(pairs * HELD_OUT_SHARE)), _HELD_OUT_AT_MOST)
    return np.sort(order[count:]), np.sort(order[:count])


def train_network(
    network: TextCnn,
    pairs: Sequence[Parts],
    held_out_pairs: Sequence[Parts],
    settings: TrainingSettings,
    partners: Partners | None = None,
) -> Course:
    """Train `network` in place on coupled `pairs`, whose parts are not empty; it ends as after the best epoch.

    Raises:
        TrainingError: the loss is not a number.
    """
    partners = partners or RandomPartners()
    chance = np.random.default_rng(settings.seed)
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
    losses = [_held_out_loss(network, held_out_pairs, settings.margin)]
    best_epoch, best = 0, deepcopy(network.state_dict())
    with counter("training", settings.epochs) as bar:
        for epoch in range(1, settings.epochs + 1):
            order = chance.permutation(len(pairs))
            steps = np.array_split(order, -(-len(pairs) // settings.batch_size))
            seen = [_step(network, optimizer, pairs, batch, partners.draw(batch, chance), chance, settings.margin)
                    for batch in steps]  # fmt: skip
            losses.append(_held_out_loss(network, held_out_pairs, settings.margin))
            log.info("epoch %d: loss %.5f, held out %.5f", epoch, np.mean(seen), losses[-1])
            bar.set_postfix(loss=f"{losses[-1]:.4f}")
            bar.update(1)
            if losses[-1] < losses[best_epoch]:
                best_epoch, best = epoch, deepcopy(network.state_dict())
            elif epoch - best_epoch >= settings.patience:
                break
    network.load_state_dict(best)
    return Course(best_epoch, tuple(losses))


def _step(
    network: TextCnn, optimizer: torch.optim.Optimizer, pairs: Sequence[Parts], batch: Numbers, partners: Numbers,
    chance: np.random.Generator, margin: float,
) -> float:  # fmt: skip
    lends_back = chance.random(len(batch)) < 0.5  # else its front
    fronts, front_of = np.unique(np.concatenate([batch, np.where(lends_back, batch, partners)]), return_inverse=True)
    backs, back_of = np.unique(np.concatenate([batch, np.where(lends_back, partners, batch)]), return_inverse=True)
    # Every part goes through the network once, however many pairs it is in.
    vectors = functional.normalize(
        network([*(pairs[one].front for one in fronts), *(pairs[one].back for one in backs)])
    )
    cosines = (vectors[front_of] * vectors[len(fronts) + back_of]).sum(1)
    coupled, uncoupled = cosines.chunk(2)
    loss = margin_loss(coupled, uncoupled, margin).mean()
    if not torch.isfinite(loss):
        raise TrainingError("the loss is not a number: lower the learning rate, or look at the word vectors")
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return loss.item()


def _held_out_loss(network: TextCnn, pairs: Sequence[Parts], margin: float) -> float:
    front = torch.from_numpy(encode_runs(network, [pair.front for pair in pairs]))
    back = torch.from_numpy(encode_runs(network, [pair.back for pair in pairs]))
    return expected_loss(front, back, margin)
