"""Texts as the words that the models know, title and abstract apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

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
