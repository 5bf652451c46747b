"""Training of the cross-encoders.

Two recipes, both fed with the same records, lists of *retrieved* candidates. Cited papers that the first stage did not
find must not be added: networks then learn that little overlap means cited, and collapse (BIR 2020, section 4).

`train_sequence_pairs`, the paper's: any Hugging Face encoder over `[CLS]` query `[SEP]` candidate `[SEP]`, 256 + 256
tokens, the BM25 top 10 of each training query with its classes left unbalanced, cross-entropy, Adam 3e-6 (0.9, 0.999),
weight decay 0.01, linear warm-up over 10k steps and linear decay, dropout 0.1, batches of 128, 300k steps.

`rerank.late_join_training.train_late_join`, the default reranker's: the late-join network from all-MiniLM-L6-v2, the
layers below the join frozen, on the fused pool with citation-graph votes. A list is up to 4 cited and at least 8
uncited candidates, half of the latter from the best ranked; every cited one is held against all uncited ones (softmax
cross-entropy). In a share of the lists the first stage's own log-odds are added to the scores, so that the network
learns what the first stage lacks. What is kept is a moving average of the weights, and a calibration turns its scores
into probabilities.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from common.errors import TrainingError
from common.progress import counter
from encoders.pretrained import load_pretrained
from rerank.pairs import PairInput, PairTemplate, TokenSplit, text_token_ids
from rerank.sequence_pairs import PairClassifier, check_split, pair_batches
from rerank.training_lists import TrainingList, checked_lists

log = logging.getLogger(__name__)

_LOG_EVERY = 100


@dataclass(frozen=True, slots=True)
class SequencePairSettings:
    """The paper's figures."""

    steps: int = 300_000
    warm_up: int = 10_000  # steps
    learning_rate: float = 3e-6
    batch_size: int = 128  # pairs a step
    chunk: int = 16  # pairs in memory at a time; gradients add up to the whole batch
    depth: int = 10  # candidates of each list, from the top
    split: TokenSplit = field(default_factory=TokenSplit)
    dropout: float = 0.1
    seed: int = 0


def train_sequence_pairs(
    base: str, lists: Iterable[TrainingList], out: Path, settings: SequencePairSettings | None = None
) -> None:
    """Fine-tune `base` (hub id or folder) as the paper does and save it, tokenizer included, in `out`.

    Raises:
        TrainingError: no lists, zero positives, a loss that is not a number.
        ModelError: `base` cannot be loaded or has too few positions for the split.
    """
    from transformers import AutoModelForSequenceClassification

    settings = settings or SequencePairSettings()
    found = checked_lists(lists)
    torch.manual_seed(settings.seed)
    # Dropout of attention weights would lose the fused attention kernel, which trains 2.8 times as fast on a CPU.
    tokenizer, model = load_pretrained(
        base, AutoModelForSequenceClassification, num_labels=2,
        hidden_dropout_prob=settings.dropout, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    check_split(model.config, settings.split)
    pairs, labels = _pairs(tokenizer, found, settings)
    if not any(labels):
        raise TrainingError(f"zero positives in the top {settings.depth} of all {len(found)} training queries")
    device = training_device()
    model.to(device).train()
    trainer = Trainer([{"params": list(model.parameters()), "lr": settings.learning_rate}], settings.steps)
    order = shuffled(len(pairs), settings.batch_size, settings.seed)
    classifier = PairClassifier(model)
    with counter("training", settings.steps) as bar:
        for step in range(settings.steps):
            chosen = next(order)
            total = 0.0
            batches = pair_batches([pairs[one] for one in chosen], settings.chunk, tokenizer)
            for batch in batches:
                inputs = {name: torch.from_numpy(array).to(device) for name, array in batch.inputs.items()}
                if "token_type_ids" not in tokenizer.model_input_names:
                    del inputs["token_type_ids"]
                target = torch.tensor([float(labels[chosen[row]]) for row in batch.rows], device=device)
                with torch.autocast(device.type, torch.bfloat16):
                    logits = classifier(**inputs)
                # Of two logits, cross-entropy is the binary cross-entropy of their difference.
                loss = functional.binary_cross_entropy_with_logits(logits.float(), target, reduction="sum")
                (loss / len(chosen)).backward()  # type: ignore[no-untyped-call]
                total += loss.item() / len(chosen)
            trainer.step(step, settings.warm_up, total)
            bar.update(1)
    model.eval().cpu().save_pretrained(out, safe_serialization=True)
    tokenizer.save_pretrained(out)


class Trainer:
    """AdamW with warm-up, linear decay and clipped gradients."""

    def __init__(self, groups: list[dict[str, Any]], steps: int, betas: tuple[float, float] = (0.9, 0.999)) -> None:
        self._optimizer = torch.optim.AdamW(groups, betas=betas, weight_decay=0.01)
        self._rates = [group["lr"] for group in groups]
        self._parameters = [parameter for group in groups for parameter in group["params"]]
        self._steps = steps

    def step(self, number: int, warm_up: float, loss: float) -> None:
        """Apply the gradients; the loss is only looked at."""
        if not np.isfinite(loss):
            raise TrainingError(f"the loss is not a number after {number} steps: lower the learning rate")
        share = min((number + 1) / max(warm_up, 1), 1.0, (self._steps - number) / max(self._steps - warm_up, 1))
        for group, rate in zip(self._optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate * share
        nn.utils.clip_grad_norm_(self._parameters, 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad()
        if number % _LOG_EVERY == 0:
            log.info("step %d of %d: loss %.4f", number, self._steps, loss)


def training_device() -> torch.device:
    """CUDA where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _pairs(
    tokenizer: Any, lists: list[TrainingList], settings: SequencePairSettings
) -> tuple[list[PairInput], list[int]]:  # fmt: skip
    template = PairTemplate.of(tokenizer)
    pairs: list[PairInput] = []
    labels: list[int] = []
    for one in lists:
        asked = text_token_ids(tokenizer, [one.query])[0]
        texts = text_token_ids(tokenizer, one.candidates[: settings.depth])
        pairs += [template.join(asked, text, settings.split) for text in texts]
        labels += one.labels[: settings.depth]
    return pairs, labels


def shuffled(count: int, size: int, seed: int) -> Iterator[list[int]]:
    """Groups of `size` row numbers, every row once a pass, for ever."""
    generator = np.random.default_rng(seed)
    while True:
        order = generator.permutation(count).tolist()
        for start in range(0, max(count - size, 0) + 1, size):
            yield order[start : start + size]
