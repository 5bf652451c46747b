"""Corpora as large as one likes, as records of citescout's own JSON lines; the same seed gives the same bytes.

`synthetic` papers are out of nothing. Half of a paper's words come from a whole Zipfian vocabulary, half from the 2,000
words of its topic; it cites ten earlier papers, eight of them of its own topic, the older ones more often because they
had more time.

No real query has these words, so that a query's postings would not grow with the corpus. `recombined` papers stand
around real ones, the first of them: a made-up one has the halves of two real titles and the sentences of three real
abstracts in turn, so that words are as frequent as in the real papers. It cites what the first of the three cites, or
made-up papers of that.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from indexer.paper import Paper

VOCABULARY = 200_000
TOPICS = 300
TOPIC_WORDS = 2_000
TITLE_WORDS = 10
CITATIONS = 10
_BATCH = 5_000


def _vocabulary() -> NDArray[np.object_]:
    """Distinct words of two to four syllables, shape (VOCABULARY,)."""
    syllables = np.array([c + v for c in "bcdfghklmnprstvz" for v in "aeiou"], dtype=object)
    words = []
    for number in range(VOCABULARY):
        word, rest = "", number + len(syllables)
        while rest:
            rest, syllable = divmod(rest, len(syllables))
            word += syllables[syllable]
        words.append(word)
    return np.array(words, dtype=object)


def synthetic(count: int, seed: int = 0) -> Iterator[dict[str, object]]:
    """`count` records out of nothing, oldest first."""
    words = _vocabulary()
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


def recombined(real: Sequence[Paper], count: int, seed: int = 0) -> Iterator[dict[str, object]]:
    """`count` records: real papers, then made-up ones whose ids end in a hyphen and the place of their first source."""
    rng = np.random.default_rng(seed)
    places = {paper.id: place for place, paper in enumerate(real)}
    yield from map(asdict, real[:count])
    for first in range(len(real), count, len(real)):
        made = first // len(real)
        others = rng.integers(len(real), size=(len(real), 2))
        rounds = rng.integers(made + 1, size=(len(real), 64))
        for place in range(min(len(real), count - first)):
            sources = [real[place], *(real[other] for other in others[place])]
            cited = (
                _id(rounds[place, number % 64], places[id_], real)
                for number, id_ in enumerate(real[place].citations)
                if id_ in places
            )
            yield asdict(real[place]) | {
                "id": _id(made, place, real),
                "title": f"{_half(sources[0].title, 0)} {_half(sources[1].title, 1)}",
                "abstract": ". ".join(_in_turn([source.abstract for source in sources])),
                "citations": list(cited),
                "doi": "",
                "arxiv": "",
            }


def write(records: Iterable[dict[str, object]], path: Path) -> None:
    """Write JSON lines; where a paper was read from and what it does not have are left out."""
    with path.open("wb") as file:
        for record in records:
            kept = {name: value for name, value in record.items() if value and name not in {"url", "original"}}
            file.write(orjson.dumps(kept) + b"\n")


def _id(made: int, place: int, real: Sequence[Paper]) -> str:
    """Of the paper that was made of `real[place]` in that round; round 0 is the real one."""
    return f"made-up/{made:04}-{place:08}" if made else real[place].id


def _half(title: str, which: int) -> str:
    words = title.split()
    middle = (len(words) + 1) // 2
    return " ".join(words[middle:] if which else words[:middle])


def _in_turn(abstracts: Sequence[str]) -> Iterator[str]:
    """A third of each abstract's sentences: the first of the first, the second of the second, and so on."""
    for number, sentences in enumerate(zip_longest(*(abstract.split(". ") for abstract in abstracts), fillvalue="")):
        if sentence := sentences[number % len(abstracts)]:
            yield sentence
