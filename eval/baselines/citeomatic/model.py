"""Texts as the words that the models know, title and abstract apart; the two networks and their loss.

Sections 3.1 to 3.3 of the paper.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.functional import cosine_similarity, elu, embedding_bag, normalize

from encoders.text import Text
from encoders.words import content_words

MOST_WORDS, LARGEST_SHARE = 200_000, 0.9  # of the vocabulary; of the papers that may hold a word
TITLE_WORDS, ABSTRACT_WORDS = 50, 500  # that are read

Ids = NDArray[np.int64]  # (words,)


@dataclass(frozen=True, slots=True)
class Bags:
    """Words of several texts, one text after the other."""

    words: torch.Tensor  # (words,)
    starts: torch.Tensor  # (texts,): where each begins


@dataclass(frozen=True, slots=True)
class Documents:
    """Words of papers by docid."""

    titles: list[Ids]
    abstracts: list[Ids]

    def words(self, docid: int) -> frozenset[int]:
        """All that a paper holds."""
        return frozenset(self.titles[docid].tolist()) | frozenset(self.abstracts[docid].tolist())

    def bags(self, docids: Iterable[int]) -> tuple[Bags, Bags]:
        """Titles and abstracts of papers."""
        chosen = list(docids)
        return bags([self.titles[docid] for docid in chosen]), bags([self.abstracts[docid] for docid in chosen])


def vocabulary(papers: Sequence[Text]) -> dict[str, int]:
    """The words that are known, most frequent first, but for those of nearly every paper."""
    words = [content_words(paper) for paper in papers]
    times = Counter(word for text in words for word in text)
    holding = Counter(word for text in words for word in set(text))
    known = [word for word in times if holding[word] <= LARGEST_SHARE * len(papers)]
    known.sort(key=lambda word: (-times[word], word))
    return {word: place for place, word in enumerate(known[:MOST_WORDS])}


def documents(texts: Sequence[Text], places: dict[str, int]) -> Documents:
    """Texts by the words of a vocabulary."""
    return Documents(
        [_known(Text(text.title, ""), places)[:TITLE_WORDS] for text in texts],
        [_known(Text("", text.abstract), places)[:ABSTRACT_WORDS] for text in texts],
    )


def bags(texts: Sequence[Ids]) -> Bags:
    """Texts one after the other."""
    starts = np.cumsum([0, *map(len, texts)])[:-1]
    return Bags(torch.from_numpy(np.concatenate([np.zeros(0, np.int64), *texts])), torch.from_numpy(starts))


def _known(text: Text, places: dict[str, int]) -> Ids:
    return np.asarray([places[word] for word in content_words(text) if word in places], np.int64)


DIMENSION = 75
HIDDEN = (20, 20)
LEAST, LARGEST = -0.05, 0.05  # of weights at the start
L1, L2 = 1e-7, 1e-5  # of a word's magnitude, and of the square of its direction

# How far a cited paper's score should be above that of a negative, by where this is from.
MARGINS = {"random": 0.3, "nearest": 0.2, "cited by cited": 0.1}
BOOST, BOOST_SLOPE = 0.02, 0.01  # for often cited papers

Fields = tuple[Bags, Bags]  # titles, abstracts


class WordSum(nn.Module):
    """A text as the sum of its words' directions, each of length 1, times their magnitudes."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.direction = _weights(words, DIMENSION)
        self.magnitude = _weights(words, 1)

    def forward(self, bags: Bags) -> tuple[torch.Tensor, torch.Tensor]:
        """Sums of shape (texts, dimension), and the penalty on the words that were read."""
        words, places = torch.unique(bags.words, return_inverse=True)
        directions, magnitudes = self.direction(words), self.magnitude(words)
        table = normalize(directions, dim=1) * magnitudes
        times = torch.bincount(places, minlength=len(words))
        penalty = L2 * (directions.square().sum(dim=1) * times).sum() + L1 * (magnitudes.abs()[:, 0] * times).sum()
        return embedding_bag(places, table, bags.starts, mode="sum"), penalty


class Selector(nn.Module):
    """NNSelect: a paper's vector is the weighted sum of its title's and its abstract's, at length 1."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.words = WordSum(words)
        self.weights = nn.Parameter(torch.ones(2))

    def forward(self, papers: Fields) -> tuple[torch.Tensor, torch.Tensor]:
        """Vectors of shape (papers, dimension), and the penalty."""
        (titles, one), (abstracts, other) = self.words(papers[0]), self.words(papers[1])
        mixed = self.weights[0] * normalize(titles, dim=1) + self.weights[1] * normalize(abstracts, dim=1)
        return normalize(mixed, dim=1), one + other


class PairRanker(nn.Module):
    """NNRank: how likely a query cites a candidate, from six features through a network of three layers."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.words = WordSum(words)
        self.shared = nn.ModuleList([_weights(words, 1), _weights(words, 1)])  # titles, abstracts
        sizes = (6, *HIDDEN)
        self.hidden = nn.ModuleList([nn.Linear(below, above) for below, above in zip(sizes, HIDDEN, strict=False)])
        self.last = nn.Linear(sizes[-1], 1)
        for layer in (*self.hidden, self.last):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        nn.init.ones_(self.last.weight)

    def features(
        self, queries: Fields, candidates: Fields, shared: Fields, citations: torch.Tensor, selected: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Shape (pairs, 6) and the penalty, of pairs.

        Cosines of titles and of abstracts, weights of the words that both titles and both abstracts have, ln(1 +
        `citations` of the candidate), and `selected`, NNSelect's cosine.
        """
        columns, penalties = [], []
        for query, candidate in zip(queries, candidates, strict=True):
            (one, first), (other, second) = self.words(query), self.words(candidate)
            columns.append(cosine_similarity(one, other, dim=1))
            penalties += [first, second]
        for weights, words in zip(self.shared, shared, strict=True):
            found = weights(words.words)
            places = torch.arange(len(found))
            columns.append(embedding_bag(places, found, words.starts, mode="sum")[:, 0])
            penalties.append(L1 * found.abs().sum())
        columns += [torch.log1p(citations), selected]
        return torch.stack(columns, dim=1), torch.stack(penalties).sum()

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Features (pairs, 6) → scores from 0 to 1, (pairs,)."""
        for layer in self.hidden:
            features = elu(layer(features))
        return torch.sigmoid(self.last(features))[:, 0]


def boost(citations: torch.Tensor) -> torch.Tensor:
    """What a paper that is cited so often gains."""
    return BOOST * torch.sigmoid(BOOST_SLOPE * citations)


def triplet_loss(positive: torch.Tensor, negative: torch.Tensor, margins: torch.Tensor) -> torch.Tensor:
    """Mean of max(margin + score of the negative − score of the cited paper, 0)."""
    return torch.clamp(margins + negative - positive, min=0).mean()


def _weights(words: int, dimension: int) -> nn.Embedding:
    found = nn.Embedding(words, dimension, sparse=True)
    nn.init.uniform_(found.weight, LEAST, LARGEST)
    return found
