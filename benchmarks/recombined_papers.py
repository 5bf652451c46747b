"""Real papers and, around them, made-up ones of their sentences: a corpus as large as one likes with words as they are.

    python benchmarks/recombined_papers.py papers.jsonl --index DIR --papers 1000000

The words of `synthetic_papers.py` are none that a real query has, so that a query's postings would not grow with the
corpus. Here a made-up paper has the halves of two real titles and the sentences of three real abstracts in turn: words
are as frequent as they are in the real papers, and a query of a real one meets them in as large a share of the corpus.
It cites what the first of the three cites, or made-up papers of that. The same seed gives the same bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

import numpy as np
import orjson

from indexer.generations import open_generation
from indexer.paper import Paper


def recombined(real: Sequence[Paper], count: int, seed: int = 0) -> Iterator[tuple[int, dict[str, object]]]:
    """`count` records in the format of citescout's own JSON lines, each with the place of its first source in `real`.

    The first of them are the real ones.
    """
    rng = np.random.default_rng(seed)
    places = {paper.id: place for place, paper in enumerate(real)}
    for number in range(min(count, len(real))):
        yield number, _record(real[number])
    for first in range(len(real), count, len(real)):
        made = first // len(real)
        others = rng.integers(len(real), size=(len(real), 2))
        rounds = rng.integers(made + 1, size=(len(real), 64))
        for place in range(min(len(real), count - first)):
            sources = [real[place], *(real[other] for other in others[place])]
            cited = [
                _id(rounds[place, number % 64], places[id_], real)
                for number, id_ in enumerate(real[place].citations)
                if id_ in places
            ]
            yield (
                place,
                _record(real[place])
                | {
                    "id": _id(made, place, real),
                    "title": f"{_half(sources[0].title, 0)} {_half(sources[1].title, 1)}",
                    "abstract": ". ".join(_in_turn([source.abstract for source in sources])),
                    "citations": cited,
                    "doi": "",
                    "arxiv": "",
                },
            )


def _id(made: int, place: int, real: Sequence[Paper]) -> str:
    """Of the paper that was made of `real[place]` in that round; round 0 is the real one."""
    return f"made-up/{made:04}-{place:08}" if made else real[place].id


def _record(paper: Paper) -> dict[str, object]:
    return {
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "year": paper.year,
        "authors": list(paper.authors),
        "venue": paper.venue,
        "doi": paper.doi,
        "arxiv": paper.arxiv,
        "citations": list(paper.citations),
    }


def _half(title: str, which: int) -> str:
    words = title.split()
    middle = (len(words) + 1) // 2
    return " ".join(words[middle:] if which else words[:middle])


def _in_turn(abstracts: Sequence[str]) -> Iterator[str]:
    """A third of each abstract's sentences: the first of the first, the second of the second, and so on."""
    for number, sentences in enumerate(zip_longest(*(abstract.split(". ") for abstract in abstracts), fillvalue="")):
        if sentence := sentences[number % len(abstracts)]:
            yield sentence


def main() -> None:
    """Write a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--index", type=Path, required=True, help="index of the real papers")
    parser.add_argument("--papers", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    generation = open_generation(arguments.index)
    real = list(generation.catalog.all_papers())
    generation.close()
    with arguments.out.open("wb") as file:
        for _, record in recombined(real, arguments.papers, arguments.seed):
            file.write(orjson.dumps(record) + b"\n")


if __name__ == "__main__":
    main()
