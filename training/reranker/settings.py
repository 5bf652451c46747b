"""What the recipes for cross-encoders set; every value is the paper's, or the default reranker's, unless said."""

from dataclasses import dataclass, field
from pathlib import Path

from rerank.late_join_config import LateJoinShape
from rerank.token_split import TokenSplit
from training.settings import ListLoss, TrainingSettings


@dataclass(frozen=True, slots=True)
class RerankerSettings(TrainingSettings):
    """How a cross-encoder is trained."""

    loss: ListLoss = "softmax"
    depth: int = 130  # candidates of each list, from the top
    split: TokenSplit = field(default_factory=TokenSplit)
    size: int = 12  # candidates of a list that a loss over lists looks at, at most
    positives: int = 4  # cited ones among them, at most
    hard_depth: int = 30
    evaluate_every: int = 500  # no paper validates
    checkpoint_every: int = 500

    @property
    def lists(self) -> int:
        """Lists of a step, for a loss over lists."""
        return max(1, self.batch_size // self.size)


@dataclass(frozen=True, slots=True)
class SequencePairSettings(RerankerSettings):
    """The paper's figures (BIR 2020, section 2), and what it does not have: losses over lists, validation."""

    steps: int = 300_000
    warm_up: float = 10_000  # steps
    learning_rate: float = 3e-6
    batch_size: int = 128  # pairs
    loss: ListLoss = "cross-entropy"
    depth: int = 10
    chunk: int = 16  # pairs in memory at a time; gradients add up to the whole batch
    dropout: float = 0.1
    attention_dropout: float = 0.1  # on a CPU 0 trains 2.8 times as fast: it keeps the fused attention kernel


@dataclass(frozen=True, slots=True)
class LateJoinSettings(RerankerSettings):
    """What made the default reranker."""

    steps: int = 3_000
    warm_up: float = 0.06  # share of the steps
    learning_rate: float = 1.5e-4  # the upper layers
    head_learning_rate: float = 5e-4
    betas: tuple[float, float] = (0.9, 0.98)
    batch_size: int = 60  # candidates
    first_stage_share: float = 0.6  # lists to whose scores the first stage's log-odds are added
    shape: LateJoinShape = field(default_factory=LateJoinShape)
    start: Path | None = None  # a late-join reranker that goes on learning, instead of the base; its shape counts
    split: TokenSplit = field(default_factory=lambda: TokenSplit(128, 96))
    score_split: TokenSplit = field(default_factory=lambda: TokenSplit(128, 128))  # what inference reads
