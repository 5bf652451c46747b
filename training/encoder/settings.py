"""What the recipes set; every value is the paper's unless the comment says otherwise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Loss = Literal["margin", "in-batch"]
Schedule = Literal["slanted-triangular", "warm-up"]
Precision = Literal["bf16", "fp32"]

BITFIT_LEARNING_RATE = 1e-4


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How an encoder is trained."""

    loss: Loss = "margin"
    margin: float = 1.0  # between the L2 distances
    scale: float = 20.0  # of cosines in the softmax: one over the temperature
    unit: bool = False  # whether vectors get length 1 before the loss
    learning_rate: float = 2e-5
    schedule: Schedule = "slanted-triangular"
    warm_up: float = 0.1  # share of the steps below 1, otherwise steps
    weight_decay: float = 0.0
    betas: tuple[float, float] = (0.9, 0.999)
    clip: float = 1.0  # norm of the gradients; no paper names one
    epochs: float = 2.0
    steps: int | None = None  # instead of epochs
    batch_size: int = 32  # triplets or queries a step
    chunk: int = 4  # triplets in memory at a time; gradients add up to the whole batch
    bias_only: bool = False  # BitFit
    freeze_embeddings: bool = False
    dropout: float = 0.1  # of hidden states; attention weights have none, see `training.model`
    max_tokens: int | None = None  # fewer than the encoder reads in use
    precision: Precision = "bf16"
    checkpoint_every: int = 200  # steps
    seed: int = 0

    def with_bitfit(self) -> TrainingSettings:
        """Train biases only, at BitFit's learning rate."""
        return replace(self, bias_only=True, learning_rate=BITFIT_LEARNING_RATE)


SPECTER = TrainingSettings()
SCINCL = TrainingSettings(chunk=8, weight_decay=0.01)
# Ours: see docs/encoders.md.
NEIGHBOURHOOD = TrainingSettings(
    loss="in-batch",
    unit=True,
    learning_rate=4e-5,
    schedule="warm-up",
    warm_up=60,
    weight_decay=0.01,
    betas=(0.9, 0.98),
    steps=2000,
    batch_size=24,
    chunk=24,
    freeze_embeddings=True,
    dropout=0.0,
    max_tokens=128,
)
