"""Titles that overlap, by the exact join of `indexer.identity.title_overlap` and by MinHash (datasketch).

    python benchmarks/title_overlap.py --training 1000000 --evaluation 50000 --minhash 50000
    python benchmarks/title_overlap.py --papers papers.jsonl.gz --evaluation 20000 --minhash 50000

The titles are synthetic (a Zipfian vocabulary, 3 to 20 words) or those of files of papers. Every fiftieth training
title is one of the evaluation's with up to four of its words dropped, replaced or added: their Jaccard coefficients
are counted directly, so that both methods' recall has a truth of its own. MinHash is slower, so that it may be given
only the first `--minhash` training titles; its candidates are verified by the same count of words. It needs
`pip install datasketch`.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from synthetic_papers import vocabulary

from indexer.identity.title_overlap import LEAKING, TitleOverlaps, jaccard, unigrams
from indexer.readers import read_papers

Pairs = set[tuple[int, int]]  # (training, evaluation)
PLANTED = 50  # every so many training titles one is planted
# Permutations and weights of (false positives, false negatives), from which datasketch chooses bands and rows.
MINHASHES = ((128, (0.5, 0.5)), (128, (0.1, 0.9)), (256, (0.01, 0.99)))


@dataclass(frozen=True, slots=True)
class Titles:
    """Both sides, and what is known of them."""

    training: list[str]
    evaluation: list[str]
    planted: dict[tuple[int, int], float]  # Jaccard coefficients of planted pairs that reach the threshold


def titles(count: int, evaluation: int, source: Sequence[str], seed: int) -> Titles:
    """Training and evaluation titles out of one stock."""
    rng = np.random.default_rng(seed)
    words = vocabulary()
    stock = _of_papers(source) if source else list(_synthetic(count + evaluation, rng))
    if source:
        stock = [stock[place] for place in rng.permutation(len(stock))]
        count = len(stock) - evaluation
    training, tested = stock[evaluation : evaluation + count], stock[:evaluation]
    planted = {}
    for number in range(0, len(training), PLANTED):
        origin = int(rng.integers(evaluation))
        training[number] = _damaged(tested[origin], words, rng)
        likeness = jaccard(training[number], tested[origin])
        if likeness >= LEAKING:
            planted[number, origin] = likeness
    return Titles(training, tested, planted)


def _of_papers(source: Sequence[str]) -> list[str]:
    return [paper.title for paper in read_papers(source) if paper.title]


def _synthetic(count: int, rng: np.random.Generator) -> Iterator[str]:
    words = vocabulary()
    cumulated = np.cumsum(1.0 / np.arange(1, len(words) + 1))
    lengths = np.clip(rng.normal(10, 3.5, count).round(), 3, 20).astype(int)
    drawn = np.searchsorted(cumulated, rng.random(lengths.sum()) * cumulated[-1])
    for part in np.split(drawn, np.cumsum(lengths)[:-1]):
        yield " ".join(words[part])


def _damaged(title: str, words: np.ndarray, rng: np.random.Generator) -> str:
    parts = title.split()
    for _ in range(rng.integers(5)):
        place = int(rng.integers(len(parts) + 1))
        other = [str(words[rng.integers(len(words))])] if rng.random() < 0.67 else []
        parts[place : place + int(rng.random() < 0.67)] = other
        parts = parts or [title]
    return " ".join(parts)


def by_join(given: Titles) -> Pairs:
    """All pairs by the prefix filter."""
    start = perf_counter()
    overlaps = TitleOverlaps(given.evaluation)
    indexed = perf_counter()
    found = {(n, overlap.number) for n, title in enumerate(given.training) for overlap in overlaps.of(title)}
    _tell("join", given, found, len(given.training), indexed - start, perf_counter() - indexed, overlaps.compared)
    return found


def by_minhash(given: Titles, every: Pairs, count: int, permutations: int, weights: tuple[float, float]) -> None:
    """The pairs that bands of MinHashes propose and the words confirm."""
    from datasketch import MinHash, MinHashLSH

    def hashes(texts: Sequence[str]) -> Iterator[MinHash]:
        yield from MinHash.generator(
            ([word.encode() for word in unigrams(text)] for text in texts), num_perm=permutations
        )

    start = perf_counter()
    lsh = MinHashLSH(threshold=LEAKING, num_perm=permutations, weights=weights)
    with lsh.insertion_session() as session:
        for number, one in enumerate(hashes(given.evaluation)):
            session.insert(number, one)
    words = [unigrams(title) for title in given.evaluation]
    indexed = perf_counter()
    found, compared = set(), 0
    for number, one in enumerate(hashes(given.training[:count])):
        own = unigrams(given.training[number])
        for other in lsh.query(one):
            compared += 1
            if own and len(own & words[other]) >= LEAKING * len(own | words[other]):
                found.add((number, other))
    name = f"MinHash {permutations}, {lsh.b} bands of {lsh.r} rows"
    _tell(name, given, found, count, indexed - start, perf_counter() - indexed, compared)
    truth = {pair for pair in every if pair[0] < count}
    at_threshold = 1 - (1 - LEAKING**lsh.r) ** lsh.b
    print(f"    of the join's pairs {len(found & truth):,} of {len(truth):,}, others {len(found - truth)};"
          f" expected of pairs at the threshold {at_threshold:.4f}")  # fmt: skip


def _tell(name: str, given: Titles, found: Pairs, asked: int, index: float, search: float, compared: int) -> None:
    planted = [pair for pair in given.planted if pair[0] < asked]
    print(f"{name}: {len(given.evaluation):,} titles indexed in {index:.1f} s, {asked:,} looked up in {search:.1f} s,"
          f" {compared:,} compared, {len(found):,} pairs; planted found"
          f" {sum(pair in found for pair in planted):,} of {len(planted):,}; peak"
          f" {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB", flush=True)  # fmt: skip


def main() -> None:
    """Print a line a method."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--training", type=int, default=1_000_000)
    parser.add_argument("--evaluation", type=int, default=50_000)
    parser.add_argument("--minhash", type=int, default=0, help="training titles that MinHash is given; 0 leaves it out")
    parser.add_argument("--papers", nargs="*", default=(), help="files whose titles are taken, all of them")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    given = titles(arguments.training, arguments.evaluation, arguments.papers, arguments.seed)
    every = by_join(given)
    for permutations, weights in MINHASHES if arguments.minhash else ():
        by_minhash(given, every, min(arguments.minhash, len(given.training)), permutations, weights)


if __name__ == "__main__":
    main()
