"""What the recipes set; every value is the paper's unless the comment says otherwise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from training.settings import Schedule, TrainingSettings

EncoderLoss = Literal["margin", "in-batch"]

BITFIT_LEARNING_RATE = 1e-4


@dataclass(frozen=True, slots=True)
class EncoderSettings(TrainingSettings):
    """How an encoder is trained; a step sees `batch_size` triplets or queries, and the last network is kept."""

    loss: EncoderLoss = "margin"
    margin: float = 1.0  # between the L2 distances
    scale: float = 20.0  # of cosines in the softmax: one over the temperature
    unit: bool = False  # whether vectors get length 1 before the loss
    schedule: Schedule = "slanted-triangular"
    weight_decay: float = 0.0
    epochs: float = 2.0
    chunk: int = 4  # triplets in memory at a time; gradients add up to the whole batch
    bias_only: bool = False  # BitFit
    freeze_embeddings: bool = False
    dropout: float = 0.1  # of hidden states; attention weights have none, see `training.encoder.model`
    max_tokens: int | None = None  # fewer than the encoder reads in use
    checkpoint_every: int = 200
    keep_best: bool = False
    evaluate_start: bool = True

    def with_bitfit(self) -> EncoderSettings:
        """Train biases only, at BitFit's learning rate."""
        return replace(self, bias_only=True, learning_rate=BITFIT_LEARNING_RATE)


SPECTER = EncoderSettings()
SCINCL = EncoderSettings(chunk=8, weight_decay=0.01)
# Ours: see docs/encoders.md.
NEIGHBOURHOOD = EncoderSettings(
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
