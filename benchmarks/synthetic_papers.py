"""Papers out of nothing, as many as one likes: a Zipfian vocabulary, topics, and citations that prefer both.

    python benchmarks/synthetic_papers.py papers.jsonl --papers 1000000

Half of a paper's words come from the whole vocabulary, half from the 2,000 words of its topic, both by Zipf's law; it
cites ten earlier papers, eight of them of its own topic, the older ones more often because they had more time. The
same seed gives the same bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

VOCABULARY = 200_000
TOPICS = 300
TOPIC_WORDS = 2_000
TITLE_WORDS = 10
CITATIONS = 10
_BATCH = 5_000


def vocabulary(size: int = VOCABULARY) -> NDArray[np.object_]:
    """Distinct words of two to four syllables, shape (size,)."""
    syllables = np.array([c + v for c in "bcdfghklmnprstvz" for v in "aeiou"], dtype=object)
    words = []
    for number in range(size):
        word, rest = "", number + len(syllables)
        while rest:
            rest, syllable = divmod(rest, len(syllables))
            word += syllables[syllable]
        words.append(word)
    return np.array(words, dtype=object)


def papers(count: int, seed: int = 0) -> Iterator[dict[str, object]]:
    """`count` records in the format of citescout's own JSON lines, oldest first."""
    words = vocabulary()
    rng = np.random.default_rng(seed)
    topic_words = np.stack([rng.choice(len(words), TOPIC_WORDS, replace=False) for _ in range(TOPICS)])
    common, special = _zipf(len(words)), _zipf(TOPIC_WORDS)
    for first in range(0, count, _BATCH):
        numbers = np.arange(first, min(first + _BATCH, count))
        topics = numbers % TOPICS
        lengths = np.clip(rng.normal(140, 40, len(numbers)), 30, 400).astype(int) + TITLE_WORDS
        drawn = _drawn(rng, common, lengths.sum())
        of_topic = np.repeat(topics, lengths)
        theirs = topic_words[of_topic, _drawn(rng, special, lengths.sum())]
        texts = np.split(words[np.where(rng.random(len(drawn)) < 0.5, drawn, theirs)], np.cumsum(lengths)[:-1])
        cited = _cited(rng, numbers)
        for number, text, references in zip(numbers.tolist(), texts, cited, strict=True):
            yield {
                "id": f"p{number:08}",
                "title": " ".join(text[:TITLE_WORDS]).capitalize(),
                "abstract": " ".join(text[TITLE_WORDS:]).capitalize() + ".",
                "year": 1980 + number * 45 // count,
                "authors": [f"{word.capitalize()} {text[0].capitalize()}" for word in text[1:4]],
                "venue": f"Journal of {words[topic_words[number % TOPICS, 0]]}",
                "citations": [f"p{reference:08}" for reference in references],
            }


def _zipf(size: int) -> NDArray[np.float64]:
    """Cumulated probabilities of ranks 1…size, shape (size,)."""
    weights = np.cumsum(1.0 / np.arange(1, size + 1))
    return weights / weights[-1]


def _drawn(rng: np.random.Generator, cumulated: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    return np.searchsorted(cumulated, rng.random(count))


def _cited(rng: np.random.Generator, numbers: NDArray[np.int64]) -> list[list[int]]:
    """Earlier papers that each cites, ascending, ten where there are so many."""
    earlier = (rng.random((len(numbers), 3 * CITATIONS)) * numbers[:, None]).astype(np.int64)
    same_topic = earlier - earlier % TOPICS + numbers[:, None] % TOPICS
    own = rng.random(earlier.shape) < 0.8
    chosen = np.where(own & (same_topic < numbers[:, None]), same_topic, earlier)
    return [
        sorted(list(dict.fromkeys(row))[:CITATIONS]) if number else []
        for number, row in zip(numbers.tolist(), chosen.tolist(), strict=True)
    ]


def main() -> None:
    """Write a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--papers", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with arguments.out.open("wb") as file:
        for record in papers(arguments.papers, arguments.seed):
            file.write(orjson.dumps(record) + b"\n")


if __name__ == "__main__":
    main()
