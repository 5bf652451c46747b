"""The table of the encoder `static`, from MiniLM and from indexes whose vectors MiniLM made.

    python -m training.static_table INDEX... --out model.safetensors

Each token of MiniLM's vocabulary goes alone through the network (model2vec, Tulkens and van Dongen 2024). These vectors
are whitened to 256 dimensions and weighted by inverse document frequency. Then vectors and weights are fitted: in a
batch of papers of one index, each paper's softmax over the others is to be MiniLM's (cosines × 20, Kullback-Leibler),
and what it cites is to be nearest.
"""

import argparse
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save
from torch.nn import functional

from common.arrays import unit_rows
from common.files import write_atomically
from common.progress import progress
from encoders.pooled import Pooled, load_pooled
from encoders.pretrained import find_model
from encoders.words import counted
from indexer.generations import open_generation

DIMENSION = 256
_LEAST_WEIGHT = 0.02  # of a token that most papers have
_CITING, _OTHERS = 160, 192  # papers of a batch, beside those that are cited
_SCALE, _CITED_SHARE = 20.0, 0.5
_RATE, _RATE_OF_WEIGHTS, _WARM_UP = 4e-3, 8e-2, 30


class Corpus(NamedTuple):
    """What a batch is drawn from."""

    tokens: Any  # how often each stands in each paper: a sparse matrix of shape (papers, vocabulary)
    minilm: NDArray[np.float32]  # (papers, 384), of length 1
    citing: NDArray[np.integer]  # (citations,)
    cited: NDArray[np.integer]


def read(directory: Path) -> Corpus:
    """A corpus out of an index.

    Raises:
        IndexDirectoryError: no index there, a damaged one, or one without vectors.
    """
    with open_generation(directory) as generation:
        texts = [text for _, text in generation.catalog.all_texts()]
        live = np.flatnonzero(~generation.removed)
        vectors = generation.vectors()[live].astype(np.float32)
        places = np.full(len(generation.removed), -1)
        places[live] = np.arange(len(live))
        citing, cited = generation.graph.cites.of_all(live)
    joined = [". ".join(text.parts()) for text in texts]
    ids = minilm().tokenizer(joined, add_special_tokens=False)["input_ids"]
    return Corpus(counted(ids, len(_vocabulary())), unit_rows(vectors), places[citing], places[cited])


@cache
def minilm() -> Pooled:
    """The model, whose vectors keep the lengths that it gives them."""
    return load_pooled(find_model("minilm"), unit=False)


@cache
def _vocabulary() -> dict[str, int]:
    found: dict[str, int] = json.loads(minilm().tokenizer.core)["model"]["vocab"]
    return found


def token_vectors() -> NDArray[np.float32]:
    """What MiniLM makes of each token alone, shape (vocabulary, 384)."""
    first, last = minilm().tokenizer.cls_token_id, minilm().tokenizer.sep_token_id
    found = []
    with torch.inference_mode():
        for start in range(0, len(_vocabulary()), 256):
            batch = torch.arange(start, min(start + 256, len(_vocabulary())))
            ids = torch.stack([torch.full_like(batch, first), batch, torch.full_like(batch, last)], dim=1)
            found.append(minilm().module(ids, torch.ones_like(ids), torch.zeros_like(ids)))
    return torch.cat(found).numpy()


def whitened(vectors: NDArray[np.float32], dimension: int = DIMENSION) -> NDArray[np.float32]:
    """The first principal components of vectors, shape (n, dimension), each of variance 1 / dimension."""
    centred = vectors - vectors.mean(0)
    variances, components = np.linalg.eigh(centred.T @ centred / len(centred))
    chosen = slice(None, -dimension - 1, -1)
    return np.asarray(centred @ components[:, chosen] / np.sqrt(dimension * variances[chosen]), np.float32)


class Table(torch.nn.Module):
    """What is fitted: a vector and the logarithm of a weight for each token."""

    def __init__(self, vectors: NDArray[np.float32], weights: NDArray[np.float32]) -> None:
        """From vectors, shape (vocabulary, dimension), and weights, (vocabulary,)."""
        super().__init__()
        self.vectors = torch.nn.Parameter(torch.from_numpy(vectors))
        self.logarithms = torch.nn.Parameter(torch.from_numpy(np.log(weights)))

    def forward(self, counts: Any) -> torch.Tensor:
        """Sums of length 1 for rows of token counts, a sparse matrix of shape (n, vocabulary) → (n, dimension)."""
        tokens = torch.from_numpy(counts.indices.astype(np.int64))
        weights = torch.from_numpy(counts.data) * self.logarithms[tokens].exp()
        starts = torch.from_numpy(counts.indptr[:-1].astype(np.int64))
        bags = functional.embedding_bag(
            tokens, self.vectors, starts, mode="sum", per_sample_weights=weights, sparse=True
        )
        return functional.normalize(bags, dim=1)


def fitted(corpora: Sequence[Corpus], steps: int, seed: int = 0) -> NDArray[np.float32]:
    """The weighted vectors after all steps, shape (vocabulary, dimension).

    How often a corpus is drawn from goes by the root of its number of citations.
    """
    rng = np.random.default_rng(seed)
    holding = sum(np.asarray((one.tokens > 0).sum(axis=0)).ravel() for one in corpora)
    papers = sum(one.tokens.shape[0] for one in corpora)
    rarity = np.maximum(np.log((papers + 1) / (holding + 1)), _LEAST_WEIGHT)
    table = Table(whitened(token_vectors()), rarity.astype(np.float32))
    optimisers = {
        torch.optim.SparseAdam([table.vectors], lr=_RATE): _RATE,
        torch.optim.Adam([table.logarithms], lr=_RATE_OF_WEIGHTS): _RATE_OF_WEIGHTS,
    }
    shares = np.sqrt([len(one.citing) for one in corpora])
    for step in progress(range(steps), "static table", steps):
        corpus = corpora[rng.choice(len(corpora), p=shares / shares.sum())]
        for optimiser, rate in optimisers.items():
            optimiser.param_groups[0]["lr"] = rate * min(1, (step + 1) / _WARM_UP) * (1 - step / steps)
            optimiser.zero_grad()
        _loss(table, corpus, rng).backward()  # type: ignore[no-untyped-call]
        for optimiser in optimisers:
            optimiser.step()
    return (table.logarithms.exp()[:, None] * table.vectors).detach().numpy()


def _loss(table: Table, corpus: Corpus, rng: np.random.Generator) -> torch.Tensor:
    links = rng.integers(0, len(corpus.citing), _CITING)
    others = rng.integers(0, len(corpus.minilm), _OTHERS)
    drawn = np.concatenate([corpus.citing[links], corpus.cited[links], others])
    papers, places = np.unique(drawn, return_inverse=True)
    vectors, minilm = table(corpus.tokens[papers]), torch.from_numpy(corpus.minilm[papers])
    itself = torch.eye(len(papers), dtype=torch.bool)
    ours, theirs = (_SCALE * (one @ one.T).masked_fill(itself, -1e3) for one in (vectors, minilm))
    alike = functional.kl_div(ours.log_softmax(1), theirs.softmax(1), reduction="batchmean")
    citing, cited = torch.from_numpy(places[: 2 * _CITING].reshape(2, _CITING))
    return alike + _CITED_SHARE * functional.cross_entropy(ours[citing], cited)


def packed(vectors: NDArray[np.float32]) -> bytes:
    """The file of a table: 8 bits a coordinate, and a weight for each token; special tokens have none."""
    vectors[[one["id"] for one in json.loads(minilm().tokenizer.core)["added_tokens"]]] = 0
    weights = np.abs(vectors).max(axis=1) / 127
    codes = np.rint(vectors / np.maximum(weights, 1e-30)[:, None]).astype(np.int8)
    return save({"vectors": codes, "weights": weights.astype(np.float32)})


def main() -> None:
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("indexes", nargs="+", type=Path, metavar="INDEX")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=450)
    options = parser.parse_args()
    torch.manual_seed(0)
    write_atomically(options.out, packed(fitted([read(one) for one in options.indexes], options.steps)))


if __name__ == "__main__":
    main()
