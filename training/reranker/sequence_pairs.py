"""The recipe of BIR 2020 for any Hugging Face encoder; described in `training.reranker.trainer`."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from common.errors import TrainingError
from common.recent import RecentlyUsed
from encoders.pretrained import load_pretrained
from encoders.runtimes.torch_runtime import outputs_of
from encoders.text import Text
from rerank.sequence_pairs import PairClassifier, PairInput, PairTemplate, check_split, pair_batches
from rerank.token_split import TokenIds, TokenSplit, candidate_token_ids
from training.checkpoints import save_weights, written_into
from training.loop import ShuffledGroups, backward, step_generator
from training.losses import cross_entropy
from training.reranker.learner import RerankerLearner, train
from training.reranker.lists import Outcome, TrainingList, TrainingLists, checked_lists
from training.reranker.settings import SequencePairSettings

_TOKENISED = 20_000  # texts whose tokens are kept in memory, about 4 kB each with the text


def train_sequence_pairs(
    base: str, lists: TrainingLists | Iterable[TrainingList], out: Path, settings: SequencePairSettings,
    resume: bool = False, validation: Sequence[TrainingList] = (),
) -> Outcome:  # fmt: skip
    """Fine-tune `base` (a name of `encoders.models`, a hub id or a folder) and save it, tokenizer included, in `out`.

    What is kept is the best by the `validation` lists, or else the last.

    Raises:
        TrainingError: no lists, zero positives, no teacher where one is needed, a loss that is not a number, a
            checkpoint that does not fit.
        ModelError: `base` cannot be loaded or has too few positions for the split.
    """
    found = checked_lists(lists).shortened(settings.depth)
    if not found.positives.any():
        raise TrainingError(f"zero positives in the top {settings.depth} of all {len(found)} training queries")
    learner = _PairLearner(base, found, validation, out, settings)
    return train(learner, settings.steps, base, [found, TrainingLists.of(validation)], resume)


def check_base(base: str, split: TokenSplit) -> None:
    """Load a base once.

    Raises:
        ModelError: it cannot be loaded, or has too few positions for the split.
    """
    from transformers import AutoModel

    check_split(load_pretrained(base, AutoModel)[1].config, split)


class _PairLearner(RerankerLearner[SequencePairSettings]):
    def __init__(
        self, base: str, lists: TrainingLists, validation: Sequence[TrainingList], out: Path,
        settings: SequencePairSettings,
    ) -> None:  # fmt: skip
        from transformers import AutoModelForSequenceClassification

        super().__init__(lists, validation, out, settings)
        self._tokenizer, self._model, _ = load_pretrained(
            base, AutoModelForSequenceClassification, num_labels=2,
            hidden_dropout_prob=settings.dropout, attention_probs_dropout_prob=settings.attention_dropout,
        )  # fmt: skip
        check_split(self._model.config, settings.split)
        self._template = PairTemplate.of(self._tokenizer)
        self._tokens: RecentlyUsed[Text, TokenIds] = RecentlyUsed(_TOKENISED)
        self._model.to(self.device).train()
        self._classifier = PairClassifier(self._model)
        self.groups = [{"params": list(self._model.parameters())}]
        self._by_pairs = settings.loss == "cross-entropy"
        count, size = (lists.pairs, settings.batch_size) if self._by_pairs else (len(lists), settings.lists)
        self._order = ShuffledGroups(count, size, settings.seed)

    def learn(self, step: int) -> float:
        chosen = self._order.of(step)
        if self._by_pairs:
            return self._learn_pairs([self.lists.pair(one) for one in chosen])
        return self._learn_lists(chosen, step_generator(self.settings.seed, step))

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
        with written_into(self.out):
            save_weights(self._model, self.out)
            self._tokenizer.save_pretrained(self.out)

    def _learn_pairs(self, chosen: list[tuple[int, int]]) -> float:
        pairs = self._pairs([(self.lists[row], place) for row, place in chosen])
        cited = torch.tensor([bool(self.lists.labels(row)[place]) for row, place in chosen], device=self.device)
        total = 0.0
        for rows, logits in self._logits(pairs):
            # Of two logits, cross-entropy is the binary cross-entropy of their difference.
            total += backward(cross_entropy(logits, cited[torch.from_numpy(rows).to(self.device)]) / len(chosen))
        return total

    def _learn_lists(self, chosen: list[int], generator: np.random.Generator) -> float:
        total = 0.0
        for one in (self.lists[row] for row in chosen):
            places = self.sampled(one, generator)
            pairs = self._pairs([(one, int(place)) for place in places])
            scores = torch.zeros(len(pairs), device=self.device)
            for rows, logits in self._logits(pairs):
                scores = scores.index_put((torch.from_numpy(rows).to(self.device),), logits)
            total += backward(self.loss_of(one, places, scores) / len(chosen))
        return total

    def _logits(self, pairs: list[PairInput]) -> Iterator[tuple[NDArray[np.int64], Tensor]]:
        """Log-odds in fp32 of batch after batch, with the places of its pairs."""
        for batch in pair_batches(pairs, self.settings.chunk, self._tokenizer):
            yield batch.rows, outputs_of(self._classifier, batch, self.device, self.mixed)

    def _pairs(self, wanted: list[tuple[TrainingList, int]]) -> list[PairInput]:
        texts = [text for one, place in wanted for text in (one.query, one.candidates[place])]
        longest = TokenSplit(self.settings.split.query, max(self.settings.split.query, self.settings.split.candidate))
        ids = self._tokens.all_of(texts, lambda missing: candidate_token_ids(self._tokenizer, missing, longest))
        return [self._template.join(*pair, self.settings.split) for pair in zip(ids[::2], ids[1::2], strict=True)]
