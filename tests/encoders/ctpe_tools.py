"""A small corpus and a CTPE of a few filters, for the tests of CTPE."""

import numpy as np
import torch

from encoders.ctpe.network import TextCnn
from encoders.text import Text
from encoders.word_vectors import WordVectors

TOPICS = 12
_WORDS = [
    [f"{name}{letter}" for letter in "abcdefgh"]
    for name in ["astro", "bio", "chem", "geo", "law", "math", "music", "opera", "poly", "quant", "rock", "socio"]
]


def topical_texts(count: int, seed: int = 0) -> list[Text]:
    """Texts whose title and abstract share a topic's words, among words that all topics share."""
    rng = np.random.default_rng(seed)
    shared = [f"common{letter}" for letter in "abcdefghijkl"]

    def words(topic: int, own: int, others: int) -> str:
        return " ".join(rng.permutation([*rng.choice(_WORDS[topic], own), *rng.choice(shared, others)]))

    return [Text(words(number % TOPICS, 2, 2), words(number % TOPICS, 8, 8)) for number in range(count)]


def random_words(texts: list[Text], dimension: int = 12, seed: int = 0) -> WordVectors:
    """A random vector for every word."""
    words = sorted({word for text in texts for word in text.joined().split()})
    matrix = np.random.default_rng(seed).normal(size=(len(words), dimension)).astype(np.float32)
    return WordVectors({word: row for row, word in enumerate(words)}, matrix)


def small_network(words: WordVectors, channels: int = 6, seed: int = 0) -> TextCnn:
    torch.manual_seed(seed)
    return TextCnn(words.matrix, channels)
