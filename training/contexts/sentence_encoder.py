"""The encoder of single sentences, from sentences that cite and an index whose vectors MiniLM made.

    python -m training.contexts.sentence_encoder CORPUS CONTEXTS INDEX --out model.safetensors

The papers' vectors stay as they are. A low-rank addition to MiniLM learns where a sentence and the title of its draft
point: the middle of that and of where MiniLM itself leads, both through the index's query map, is to be nearer to what
the sentence cites than to all other papers that were there to be cited (softmax of cosines × 20). The query map has not
learned from what the papers cite that the sentences are of, as for a paper that is being written.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save
from torch import Tensor
from torch.nn.functional import normalize

from common.arrays import unit_rows
from common.errors import TrainingError
from common.files import write_atomically
from common.progress import progress
from encoders.loading import load_encoder
from encoders.low_rank import add_low_rank
from encoders.pooled import PooledTransformer
from encoders.pretrained import load_pretrained
from encoders.sentences.encoder import sentence_model
from encoders.text import Text
from indexer.generations import OpenGeneration, open_generation
from indexer.query_map import QueryMap, learn_query_map
from training.contexts.sentences import CitingSentence, CitingSentences
from training.encoder.model import TrainableEncoder
from training.loop import Learner, backward, mixed_precision, pass_order, run, step_generator, training_device
from training.losses import list_softmax
from training.settings import TrainingSettings

RANK = 16
SETTINGS = TrainingSettings(epochs=5, batch_size=64, learning_rate=6e-4, warm_up=50, keep_best=False)
_SCALE = 20.0
_ALONE = 0.25  # of the sentences are read without the title of their draft


class Examples(NamedTuple):
    """Sentences in both ways in which they are asked: alone, and with the title."""

    texts: list[Text]  # of sentence i alone: 2 i; with the title: 2 i + 1
    usual: NDArray[np.float32]  # (2 × sentences, dimension): where MiniLM leads
    cited: list[NDArray[np.integer]]  # docids
    years: list[int]  # the newest that could be cited; 0 where unknown
    own: list[int]  # docids of the papers that the sentences are of


class _SentenceLearner(Learner):
    """The addition."""

    def __init__(
        self, examples: Examples, vectors: NDArray[np.float32], years: NDArray[np.int16], query_map: QueryMap | None,
        settings: TrainingSettings, folder: Path,
    ) -> None:  # fmt: skip
        """To point to papers of these unit vectors and years, 0 where unknown; token ids are kept in `folder`."""
        from transformers import AutoModel

        preset = sentence_model(addition=None)
        # Without dropout of attention weights, for which there is no fused kernel.
        tokenizer, model, _ = load_pretrained(preset, AutoModel, attention_probs_dropout_prob=0.0)
        torch.manual_seed(settings.seed)
        self.added = add_low_rank(model, RANK)
        self.device = training_device()
        module = PooledTransformer(model, preset.pooling).to(self.device)
        mixed = mixed_precision(settings.precision, self.device)
        self._encoder = TrainableEncoder(preset, tokenizer, module, preset.max_tokens, self.device, mixed)
        self._table = self._encoder.tokens(examples.texts, folder)
        self._examples, self._settings = examples, settings
        self._vectors = torch.from_numpy(vectors).to(self.device)
        self._years = torch.from_numpy(years.astype(np.int64)).to(self.device)
        matrix = query_map.matrix if query_map else np.eye(vectors.shape[1], dtype=np.float32)
        self._map = torch.from_numpy(matrix).to(self.device)
        self.groups = [{"params": list(self.added.values())}]

    @property
    def steps(self) -> int:
        """As many as are set, or as the epochs take."""
        return self._settings.steps or max(
            round(self._settings.epochs * len(self._examples.cited) / self._settings.batch_size), 1
        )

    def learn(self, step: int) -> float:
        self._encoder.module.train()
        size, count = self._settings.batch_size, len(self._examples.cited)
        places = [divmod(step * size + i, count) for i in range(min(size, count))]
        drawn = np.array([pass_order(count, self._settings.seed, number)[place] for number, place in places])
        alone = step_generator(self._settings.seed, step, beside_passes=True).random(len(drawn)) < _ALONE
        rows = 2 * drawn + ~alone
        read = normalize(self._encoder.vectors(self._table, rows) @ self._map, dim=1)
        usual = torch.from_numpy(self._examples.usual[rows]).to(self.device)
        scores = _SCALE * normalize(read + usual, dim=1) @ self._vectors.T
        cited, no_answer = (torch.zeros_like(scores, dtype=torch.bool) for _ in range(2))
        for row, example in enumerate(drawn):
            cited[row, torch.from_numpy(self._examples.cited[example].astype(np.int64))] = True
            no_answer[row, self._examples.own[example]] = True
            if year := self._examples.years[example]:
                no_answer[row] |= self._years > year
        return backward(list_softmax(scores, cited, no_answer & ~cited) / cited.sum())

    def tensors(self) -> dict[str, Tensor]:
        return dict(self.added)


def examples_of(
    known: CitingSentences, asked: Sequence[CitingSentence], generation: OpenGeneration, query_map: QueryMap | None
) -> Examples:
    """The sentences, and where they lead without the addition."""
    encoder = load_encoder("minilm")
    queries = [(known.query(one, "sentence"), known.query(one, "title")) for one in asked]
    texts, usual = [], np.zeros((2 * len(asked), encoder.dimension), np.float32)
    for place, (alone, titled) in enumerate(progress(queries, "sentences", len(queries))):
        if alone is None or titled is None:
            raise ValueError("every citing paper has a title")
        vectors = encoder.encode_queries([alone.wanted, titled.text])
        led = query_map(vectors) if query_map else vectors
        usual[2 * place], usual[2 * place + 1] = led[0], unit_rows(led.sum(axis=0, keepdims=True))[0]
        texts += [Text(alone.wanted.abstract, ""), Text(alone.wanted.abstract, titled.title)]
    docid = generation.catalog.docids(id_ for one in asked for id_ in (*one.cited, one.citing))
    cited = [np.array([docid[id_] for id_ in sorted(one.cited)]) for one in asked]
    own = [docid[one.citing] for one in asked]
    return Examples(texts, usual, cited, [int(generation.years[one]) for one in own], own)


def train(known: CitingSentences, directory: Path, settings: TrainingSettings = SETTINGS) -> dict[str, Tensor]:
    """The addition by the names of `encoders.low_rank`, in 16 bits, learned from the sentences for training.

    Args:
        known: The corpus and its sentences.
        directory: An index of the corpus without what papers of the parts for validation and testing cite.
        settings: Of the run.

    Raises:
        IndexDirectoryError: the index cannot be read.
        TrainingError: its vectors are not MiniLM's, or there is no sentence to learn from.
    """
    asked = known.of("train")
    if not asked:
        raise TrainingError("no sentence to learn from: the training part of the sentences is empty")
    with open_generation(directory) as generation, TemporaryDirectory() as folder:
        if generation.manifest.encoder != "minilm":
            raise TrainingError(f"the vectors of {directory} are not MiniLM's: index the corpus with --encoder minilm")
        vectors = unit_rows(generation.vectors().astype(np.float32))
        citing = np.fromiter(generation.catalog.docids({one.citing for one in asked}).values(), np.int64)
        query_map = learn_query_map(vectors.__getitem__, generation.graph, generation.years, citing)
        examples = examples_of(known, asked, generation, query_map)
        learner = _SentenceLearner(examples, vectors, generation.years, query_map, settings, Path(folder))
        run(learner, settings, learner.steps)
        return {name: tensor.detach().half().cpu().contiguous() for name, tensor in learner.added.items()}


def main() -> None:
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("corpus", "contexts", "index"):
        parser.add_argument(name, type=Path, metavar=name.upper())
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    found = train(CitingSentences(options.corpus, options.contexts), options.index)
    write_atomically(options.out, save(found))


if __name__ == "__main__":
    main()
