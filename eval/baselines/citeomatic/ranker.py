"""Citeomatic's two stages: the nearest papers by NNSelect and what these cite, in the order of NNRank."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from common.errors import SourceError
from common.order import SIGNED, best_first
from common.progress import counter
from common.sequences import batches
from encoders.text import Text
from eval.baselines.base import AllowedMatrix, Citations, Matrix, Ranker
from eval.baselines.citeomatic.examples import Examples, Triplets
from eval.baselines.citeomatic.model import (
    DIMENSION,
    Documents,
    PairRanker,
    Selector,
    bags,
    documents,
    triplet_loss,
    vocabulary,
)
from retrieval.hits import Hits

RATE, BATCH = 1e-4, 512  # of lazy Adam; examples, two a triplet
EPOCHS, SAMPLES = 5, 1_000_000  # the vectors that near negatives are taken by are made again in each; examples in one
NEAREST = 100  # candidates by NNSelect
_BLOCK = 4096  # papers, or pairs, at a time


class Citeomatic(Ranker):
    """Trained on the citations of the corpus; what NNSelect does not lead to is in no list."""

    def __init__(self, seed: int, epochs: int = EPOCHS, samples: int = SAMPLES, rate: float = RATE) -> None:
        self._seed, self._epochs, self._samples, self._rate = seed, epochs, samples, rate
        self._citations: Citations | None = None

    def see(self, citations: Citations) -> None:
        """See `Ranker.see`."""
        self._citations = citations

    def fit(self, papers: Sequence[Text]) -> None:
        """See `Ranker.fit`.

        Raises:
            SourceError: too few papers cite others of the corpus.
        """
        self.prepare(papers)
        if not len(self._examples.askers):
            raise SourceError("citeomatic learns from citations: no paper here cites two others of the corpus")
        self.train_selector()
        self.train_ranker()

    def prepare(self, papers: Sequence[Text]) -> None:
        """Both networks as they are before any training."""
        self._places = vocabulary(papers)
        if not self._places:
            raise SourceError("the corpus has no words to learn from")
        self._papers = documents(papers, self._places)
        self._cites = list(self._citations or [np.zeros(0, np.int64)] * len(papers))
        cited = np.concatenate([np.zeros(0, np.int64), *self._cites])
        self._times = np.bincount(cited, minlength=len(papers)).astype(np.int64)
        self._examples = Examples(self._papers, self._cites, self._times, self._seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self._seed)
            self._selector: Selector = Selector(len(self._places))
            self._ranker: PairRanker = PairRanker(len(self._places))
        self._vectors = self._vectors_of(self._papers)

    def train_selector(self) -> None:
        """NNSelect; near negatives are those of the epoch before, and there are none in the first."""
        step = _Steps(self._selector, self._rate)
        for epoch in range(self._epochs):
            for batch in self._batches("NNSelect", self._vectors if epoch else None):
                rows = np.concatenate([batch.queries, batch.cited, batch.others])
                docids, places = np.unique(rows, return_inverse=True)
                vectors, penalty = self._selector(self._papers.bags(docids))
                queries, cited, others = vectors[places].reshape(3, len(batch.queries), -1)
                positive, negative = (queries * cited).sum(dim=1), (queries * others).sum(dim=1)
                step(triplet_loss(positive, negative, _tensor(batch.margins)) + penalty)
            self._vectors = self._vectors_of(self._papers)

    def train_ranker(self) -> None:
        """NNRank, with near negatives by the trained NNSelect."""
        step = _Steps(self._ranker, self._rate)
        for _ in range(self._epochs):
            for batch in self._batches("NNRank", self._vectors):
                scores, penalties = [], []
                for candidates in (batch.cited, batch.others):
                    cosines = np.einsum("nd,nd->n", self._vectors[batch.queries], self._vectors[candidates])
                    features, penalty = self._features(self._papers, batch.queries, candidates, cosines)
                    scores.append(self._ranker(features))
                    penalties.append(penalty)
                step(triplet_loss(scores[0], scores[1], _tensor(batch.margins)) + penalties[0] + penalties[1])

    def rank(self, queries: Sequence[Text], allowed: AllowedMatrix, depth: int) -> list[Hits]:
        """See `Ranker.rank`."""
        asked = documents(queries, self._places)
        vectors = self._vectors_of(asked)
        return [self._rank_one(asked, row, vectors[row], may, depth) for row, may in enumerate(allowed)]

    def candidates(self, vector: Matrix, may: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The nearest allowed papers of a query's vector, and the allowed papers that they cite, ascending."""
        docids = np.flatnonzero(may & self._vectors.any(axis=1))
        if not vector.any():
            return docids[:0]
        scores = np.einsum("nd,d->n", self._vectors[docids], vector)
        nearest = docids[best_first(scores, docids, SIGNED)[:NEAREST]]
        cited = [np.asarray(self._cites[docid], np.int64) for docid in nearest]
        found = np.unique(np.concatenate([nearest, *cited]))
        return np.asarray(found[may[found]], np.int64)

    def _rank_one(self, asked: Documents, row: int, vector: Matrix, may: NDArray[np.bool_], depth: int) -> Hits:
        found = self.candidates(vector, may)
        scores = [np.zeros(0, np.float32)]
        with torch.no_grad():
            for start in range(0, len(found), _BLOCK):
                block = found[start : start + _BLOCK]
                cosines = np.einsum("nd,d->n", self._vectors[block], vector)
                features, _ = self._features(asked, np.full(len(block), row), block, cosines)
                scores.append(self._ranker(features).numpy())
        return Hits.best(found, np.concatenate(scores), depth, SIGNED)

    def _batches(self, name: str, vectors: Matrix | None) -> Iterator[Triplets]:
        with counter(name, self._samples) as bar:
            for batch in self._examples.batches(BATCH, self._samples, vectors):
                yield batch
                bar.update(2 * len(batch.queries))

    def _features(
        self, asked: Documents, queries: NDArray[np.integer], candidates: NDArray[np.integer], cosines: Matrix
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """What NNRank reads of pairs: numbers of `asked`, and of papers."""
        fields = ((asked.titles, self._papers.titles), (asked.abstracts, self._papers.abstracts))
        shared = [
            bags([np.intersect1d(of[q], also[c]) for q, c in zip(queries, candidates, strict=True)])
            for of, also in fields
        ]
        times = _tensor(self._times[candidates].astype(np.float32))
        return self._ranker.features(
            asked.bags(queries), self._papers.bags(candidates), (shared[0], shared[1]), times, _tensor(cosines)
        )

    def _vectors_of(self, texts: Documents) -> Matrix:
        docids = range(len(texts.titles))
        with torch.no_grad():
            blocks = [self._selector(texts.bags(block))[0].numpy() for block in batches(docids, _BLOCK)]
        return np.concatenate([np.zeros((0, DIMENSION), np.float32), *blocks])


class _Steps:
    """Adam, of words only for those that were read (lazy), at one rate."""

    def __init__(self, model: torch.nn.Module, rate: float) -> None:
        words = [part.weight for part in model.modules() if isinstance(part, torch.nn.Embedding)]
        others = [one for one in model.parameters() if not any(one is word for word in words)]
        self._optimisers = [torch.optim.SparseAdam(words, rate), torch.optim.Adam(others, rate)]

    def __call__(self, loss: torch.Tensor) -> None:
        for optimiser in self._optimisers:
            optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for optimiser in self._optimisers:
            optimiser.step()


def _tensor(values: Matrix) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(values, np.float32))
