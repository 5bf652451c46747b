"""What CTPE sets; every value is the paper's (section 4.3) unless the comment says otherwise."""

from dataclasses import dataclass
from typing import Literal

from encoders.ctpe.parts import Split
from encoders.word_vectors import DIMENSION, EPOCHS
from training.settings import Precision, Schedule, TrainingSettings

Negatives = Literal["random", "tfidf"]

CORPUS, RANDOM = "corpus", "random"
# `encoder:NAME` takes the input vectors of any transformer.
ENCODER = "encoder:"


@dataclass(frozen=True, slots=True)
class CtpeSettings(TrainingSettings):
    """How a CTPE is made of which words; it is evaluated after every epoch, and 0 epochs leave it untrained."""

    words: str = CORPUS  # word2vec on the texts; or "random", a file of vectors, or `encoder:NAME`
    split: Split = "title"
    negatives: Negatives = "random"
    channels: int = 1024  # filters of each width
    dimension: int = DIMENSION  # of word2vec's vectors
    word_epochs: int = EPOCHS  # of word2vec
    margin: float = 0.1
    epochs: float = 100  # at most; ours
    batch_size: int = 200  # documents
    learning_rate: float = 1e-3
    schedule: Schedule = "constant"
    weight_decay: float = 0.0
    clip: float | None = None
    precision: Precision = "fp32"
    evaluate_start: bool = True
    checkpoint_every: int = 500
