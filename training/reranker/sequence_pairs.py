"""The recipe of BIR 2020 for any Hugging Face encoder; `training.reranker.trainer` tells it in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from common.errors import TrainingError
from common.recent import RecentlyUsed
from encoders.pretrained import load_pretrained
from encoders.text import Text
from rerank.sequence_pairs import PairClassifier, PairInput, PairTemplate, check_split, pair_batches
from rerank.token_split import TokenIds, TokenSplit, candidate_token_ids
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
from training.reranker.losses import LossName, cross_entropy, list_loss

_TOKENISED = 20_000  # texts whose tokens are kept in memory, about 4 kB each with the text


@dataclass(frozen=True, slots=True)
class SequencePairSettings:
    """The paper's figures, and what it does not have: losses over lists, validation."""

    steps: int = 300_000
    warm_up: int = 10_000  # steps
    learning_rate: float = 3e-6
    batch_size: int = 128  # pairs a step
    chunk: int = 16  # pairs in memory at a time; gradients add up to the whole batch
    depth: int = 10  # candidates of each list, from the top
    split: TokenSplit = field(default_factory=TokenSplit)
    dropout: float = 0.1
    attention_dropout: float = 0.1  # on a CPU 0 trains 2.8 times as fast: it keeps the fused attention kernel
    loss: LossName = "cross-entropy"
    size: int = 12  # candidates of a list that a loss over lists looks at, at most
    positives: int = 4  # cited ones among them, at most
    hard_depth: int = 30
    precision: Precision = "auto"
    stops: Stops = field(default_factory=Stops)
    seed: int = 0


def train_sequence_pairs(
    base: str, lists: TrainingLists | Iterable[TrainingList], out: Path, settings: SequencePairSettings | None = None,
    resume: bool = False, validation: Sequence[TrainingList] = (),
) -> Outcome:  # fmt: skip
    """Fine-tune `base` (a name of `encoders.models`, a hub id or a folder) and save it, tokenizer included, in `out`.

    What is kept is the best by the `validation` lists, or else the last.

    Raises:
        TrainingError: no lists, zero positives, no teacher where one is needed, a loss that is not a number, a
            checkpoint that does not fit.
        ModelError: `base` cannot be loaded or has too few positions for the split.
    """
    settings = settings or SequencePairSettings()
    found = checked_lists(lists).shortened(settings.depth)
    if not found.positives.any():
        raise TrainingError(f"zero positives in the top {settings.depth} of all {len(found)} training queries")
    if settings.loss == "distillation" and found[0].teacher is None:
        raise TrainingError("distillation needs a teacher's log-odds for every training list")
    torch.manual_seed(settings.seed)
    learner = _PairLearner(base, found, out, settings)
    trainer = Trainer(learner.groups, settings.steps)
    return run(
        learner, trainer, out,
        fingerprint((settings, learner.mixed), base, [found, TrainingLists.of(validation)]),
        settings.steps, settings.warm_up, settings.seed, validation, settings.stops, resume,
    )  # fmt: skip


def check_base(base: str, split: TokenSplit) -> None:
    """Load a base once.

    Raises:
        ModelError: it cannot be loaded, or has too few positions for the split.
    """
    from transformers import AutoModel

    check_split(load_pretrained(base, AutoModel)[1].config, split)


class _PairLearner:
    """See `training.reranker.loop.Learner`."""

    def __init__(self, base: str, lists: TrainingLists, out: Path, settings: SequencePairSettings) -> None:
        from transformers import AutoModelForSequenceClassification

        self._tokenizer, self._model = load_pretrained(
            base, AutoModelForSequenceClassification, num_labels=2,
            hidden_dropout_prob=settings.dropout, attention_probs_dropout_prob=settings.attention_dropout,
        )  # fmt: skip
        check_split(self._model.config, settings.split)
        self._lists, self._out, self._settings = lists, out, settings
        self._template = PairTemplate.of(self._tokenizer)
        self._tokens: RecentlyUsed[Text, TokenIds] = RecentlyUsed(_TOKENISED)
        self.device = training_device()
        self.mixed = mixed_precision(settings.precision, self.device)
        self._model.to(self.device).train()
        self._classifier = PairClassifier(self._model)
        self.groups = [{"params": list(self._model.parameters()), "lr": settings.learning_rate}]
        self._batches: Iterator[list[int]] | None = None
        self._next = -1  # the step that `_batches` gives next

    def learn(self, step: int) -> float:
        if self._settings.loss == "cross-entropy":
            chosen = self._chosen(step, self._lists.pairs, self._settings.batch_size)
            return self._learn_pairs([self._lists.pair(one) for one in chosen])
        lists = max(1, self._settings.batch_size // self._settings.size)
        return self._learn_lists(self._chosen(step, len(self._lists), lists), step_generator(self._settings.seed, step))

    def stepped(self, step: int) -> None:
        """Nothing: the network that is kept is the one that learns."""

    @torch.no_grad()
    def scores(self, one: TrainingList) -> NDArray[np.float32]:
        self._model.eval()
        pairs = self._pairs([(one, place) for place in range(len(one.labels))])
        found = np.zeros(len(pairs), np.float32)
        for rows, logits in self._logits(pairs):
            found[rows] = logits.cpu().numpy()
        self._model.train()
        return found

    def tensors(self) -> dict[str, Tensor]:
        return dict(self._model.named_parameters())

    def save(self) -> None:
        self._model.save_pretrained(self._out, safe_serialization=True)
        self._tokenizer.save_pretrained(self._out)

    def _chosen(self, step: int, count: int, size: int) -> list[int]:
        if self._batches is None or step != self._next:
            self._batches = shuffled(count, size, self._settings.seed, start=step)
        self._next = step + 1
        return next(self._batches)

    def _learn_pairs(self, chosen: list[tuple[int, int]]) -> float:
        pairs = self._pairs([(self._lists[row], place) for row, place in chosen])
        cited = torch.tensor([bool(self._lists.labels(row)[place]) for row, place in chosen], device=self.device)
        total = 0.0
        for rows, logits in self._logits(pairs):
            # Of two logits, cross-entropy is the binary cross-entropy of their difference.
            loss = cross_entropy(logits, cited[torch.from_numpy(rows).to(self.device)]) / len(chosen)
            loss.backward()  # type: ignore[no-untyped-call]
            total += loss.item()
        return total

    def _learn_lists(self, chosen: list[int], generator: np.random.Generator) -> float:
        settings, total = self._settings, 0.0
        for one in (self._lists[row] for row in chosen):
            labels = np.asarray(one.labels, bool)
            places = sample_list(labels, settings.size, settings.positives, settings.hard_depth, generator)
            pairs = self._pairs([(one, int(place)) for place in places])
            scores = torch.zeros(len(pairs), device=self.device)
            for rows, logits in self._logits(pairs):
                scores = scores.index_put((torch.from_numpy(rows).to(self.device),), logits)
            teacher = None if one.teacher is None else torch.tensor(np.asarray(one.teacher, np.float32)[places])
            loss = list_loss(
                settings.loss, scores, torch.from_numpy(labels[places]).to(self.device),
                None if teacher is None else teacher.to(self.device),
            ) / len(chosen)  # fmt: skip
            loss.backward()  # type: ignore[no-untyped-call]
            total += loss.item()
        return total

    def _logits(self, pairs: list[PairInput]) -> Iterator[tuple[NDArray[np.int64], Tensor]]:
        """Log-odds in fp32 of batch after batch, with the places of its pairs."""
        for batch in pair_batches(pairs, self._settings.chunk, self._tokenizer):
            inputs = {name: torch.from_numpy(array).to(self.device) for name, array in batch.inputs.items()}
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.mixed):
                logits = self._classifier(**inputs)
            yield batch.rows, logits.float()

    def _pairs(self, wanted: list[tuple[TrainingList, int]]) -> list[PairInput]:
        texts = [(one.query, one.candidates[place]) for one, place in wanted]
        found = {text: ids for pair in texts for text in pair if (ids := self._tokens.get(text)) is not None}
        missing = list(dict.fromkeys(text for pair in texts for text in pair if text not in found))
        longest = TokenSplit(
            self._settings.split.query, max(self._settings.split.query, self._settings.split.candidate)
        )
        for text, ids in zip(missing, candidate_token_ids(self._tokenizer, missing, longest), strict=True):
            found[text] = ids
            self._tokens.put(text, ids)
        return [self._template.join(found[q], found[d], self._settings.split) for q, d in texts]
