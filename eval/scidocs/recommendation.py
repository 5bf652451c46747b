"""Clicked papers among similar ones: a small ranker on ten features (SPECTER paper, sections 3.4 and 4).

The published code trains it with AllenNLP; this is the same ranker in torch: one hidden layer of 50, ReLU, dropout 0.4,
a sigmoid at the end, margin 0.1 between the clicked paper and each other one, Adadelta, gradients clipped at 5, batches
of 128 triplets, 5 epochs, the epoch with the least validation loss. Two traits of that code are left out because they
change nothing: a feature that is always 0, and propensities in the loss, which it looks up at the same place for all.

The features are the cosine of the two vectors, and nine from titles, authors, citations and years. That code splits
titles into tokens with spaCy; here words and punctuation marks are tokens.
"""

import copy
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.errors import SourceError
from common.progress import progress
from eval.scidocs.embeddings import Embeddings
from eval.scidocs.layout import Click

FEATURES = (
    "cosine",
    "title overlap",
    "author overlap",
    "overlap of who cites them",
    "overlap of references",
    "candidate cites query",
    "query cites candidate",
    "age",
    "age relative to query",
    "citations",
)
# As in the published code: ages count from 2020 and saturate at 20 years.
_NOW = 2020.0
_LONG = 20.0
_TOKEN = re.compile(r"\w+|[^\w\s]")

Metadata = Mapping[str, Mapping[str, Any]]


def features(pairs: Sequence[tuple[str, str]], metadata: Metadata, embeddings: Embeddings) -> NDArray[np.float32]:
    """Shape (len(pairs), len(FEATURES)) for (query, candidate) pairs; what is not known of a paper is 0."""
    described = [_described(query, paper, metadata) for query, paper in pairs]
    return np.column_stack([_cosines(pairs, embeddings), np.array(described)]).astype(np.float32)


def _cosines(pairs: Sequence[tuple[str, str]], embeddings: Embeddings) -> NDArray[np.float64]:
    cosines = np.zeros(len(pairs))
    for start in range(0, len(pairs), 4096):
        queries, papers = map(embeddings.find, zip(*pairs[start : start + 4096], strict=True))
        lengths = np.linalg.norm(queries, axis=1) * np.linalg.norm(papers, axis=1)
        cosines[start : start + 4096] = (queries * papers).sum(1) / np.maximum(lengths, 1e-8)
    return cosines


def _described(query: str, paper: str, metadata: Metadata) -> list[float]:
    own, other = metadata.get(query, {}), metadata.get(paper, {})
    cites_query = paper in _list(own, "cited_by") or query in _list(other, "references")
    query_cites = query in _list(other, "cited_by") or paper in _list(own, "references")
    asked, published = _year(own), _year(other)
    return [
        _jaccard(_TOKEN.findall(_title(own)), _TOKEN.findall(_title(other))),
        _jaccard(_list(own, "authors"), _list(other, "authors")),
        _jaccard(_list(own, "cited_by"), _list(other, "cited_by")),
        _jaccard(_list(own, "references"), _list(other, "references")),
        float(cites_query),
        float(query_cites),
        _saturated(_NOW - published) if published is not None else 0.0,
        _saturated(asked - published) if asked is not None and published is not None else 0.0,
        math.log(len(set(_list(other, "cited_by"))) + 1) / 10,
    ]


def _jaccard(first: Collection[str], second: Collection[str]) -> float:
    one, other = set(first), set(second)
    return len(one & other) / len(one | other) if one | other else 0.0


def _saturated(years: float) -> float:
    return max(-1.0, min(1.0, years / _LONG))


def _year(fields: Mapping[str, Any]) -> float | None:
    try:
        return float(fields["year"])
    except (KeyError, TypeError, ValueError):
        return None


def _title(fields: Mapping[str, Any]) -> str:
    title = fields.get("title")
    return title if isinstance(title, str) else ""


def _list(fields: Mapping[str, Any], name: str) -> Collection[str]:
    """The ids of a field; none where it is missing or no list."""
    found = fields.get(name)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else ()


_HIDDEN = 50
_DROPOUT = 0.4
_MARGIN = 0.1
_CLIP = 5.0
_BATCH = 128
_EPOCHS = 5
_TRIPLETS = 10  # a click at most
_SEED = 7

Triplets = tuple[NDArray[np.float32], NDArray[np.float32]]  # features of clicked and of other papers, row by row


@dataclass(frozen=True, slots=True)
class Recommended:
    """How high the clicked papers are ranked; both weigh a click by 1 / the propensity of its place."""

    precision_at_1: float  # 0 to 1
    ndcg: float  # 0 to 1


def recommend(
    train: Sequence[Click],
    validation: Sequence[Click],
    test: Sequence[Click],
    metadata: Metadata,
    embeddings: Embeddings,
    propensities: NDArray[np.float64],
) -> Recommended:
    """Train the ranker and rank the test clicks; without validation clicks the last epoch counts.

    Raises:
        SourceError: no click has a list of two papers to learn from, or a list is longer than the propensities.
    """
    ranker = train_ranker(
        triplets(train, metadata, embeddings), triplets(validation, metadata, embeddings) if validation else None
    )
    scores = [ranker(features([(c.query, p) for p in c.shown], metadata, embeddings)) for c in progress(test, "clicks")]
    return adjusted(test, scores, propensities)


def triplets(clicks: Sequence[Click], metadata: Metadata, embeddings: Embeddings) -> Triplets:
    """Each click against the first ten other papers of its list."""
    pairs = []
    for click in clicks:
        others = [paper for paper in click.shown if paper != click.clicked][:_TRIPLETS]
        pairs += [((click.query, click.clicked), (click.query, paper)) for paper in others]
    if not pairs:
        raise SourceError("no click has a list of two papers: there is nothing to learn from")
    clicked, other = zip(*pairs, strict=True)
    return features(clicked, metadata, embeddings), features(other, metadata, embeddings)


def train_ranker(train: Triplets, validation: Triplets | None) -> Any:
    """A function from features, shape (papers, features), to scores in 0 to 1, shape (papers,)."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_SEED)
        network = torch.nn.Sequential(
            torch.nn.Linear(len(FEATURES), _HIDDEN),
            torch.nn.ReLU(),
            torch.nn.Dropout(_DROPOUT),
            torch.nn.Linear(_HIDDEN, 1),
            torch.nn.Sigmoid(),
        )
        optimiser = torch.optim.Adadelta(network.parameters(), rho=0.95)
        clicked, other = (torch.from_numpy(part) for part in train)
        best, least = network.state_dict(), float("inf")
        for _ in progress(range(_EPOCHS), "training the ranker", _EPOCHS):
            network.train()
            for rows in torch.split(torch.randperm(len(clicked)), _BATCH):
                optimiser.zero_grad()
                _loss(network, clicked[rows], other[rows]).backward()
                torch.nn.utils.clip_grad_value_(network.parameters(), _CLIP)
                optimiser.step()
            network.eval()
            if validation is None:
                continue
            with torch.inference_mode():
                loss = float(_loss(network, *(torch.from_numpy(part) for part in validation)))
            if loss < least:
                best, least = copy.deepcopy(network.state_dict()), loss
        network.load_state_dict(best)

    def ranker(rows: NDArray[np.float32]) -> NDArray[np.float32]:
        with torch.inference_mode():
            scores: NDArray[np.float32] = network(torch.from_numpy(rows)).squeeze(1).numpy()
        return scores

    return ranker


def adjusted(
    clicks: Sequence[Click], scores: Sequence[NDArray[np.float32]], propensities: NDArray[np.float64]
) -> Recommended:
    """Both measures of scored lists; half of the papers that tie with the clicked one stand above it.

    Raises:
        SourceError: a paper was clicked on a place without a propensity.
    """
    precision = ndcg = weights = 0.0
    for click, scored in zip(clicks, scores, strict=True):
        if click.place >= len(propensities):
            raise SourceError(
                f"query {click.query} has its click on place {click.place + 1}, "
                f"but there are propensities for {len(propensities)} places"
            )
        own = scored[click.place]
        others = scored[[paper != click.clicked for paper in click.shown]]
        above = float((others > own).sum()) + 0.5 * float((others == own).sum())
        weight = 1 / propensities[click.place]
        precision += weight * (above == 0)
        ndcg += weight / np.log2(2 + above)
        weights += weight
    return Recommended(float(precision / weights), float(ndcg / weights))


def _loss(network: Any, clicked: Any, other: Any) -> Any:
    from torch.nn.functional import margin_ranking_loss

    positive, negative = network(clicked), network(other)
    return margin_ranking_loss(positive, negative, positive.new_ones(positive.shape), margin=_MARGIN)
