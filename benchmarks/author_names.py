"""How far initials can be trusted, and how long it takes to find what somebody wrote.

    python benchmarks/author_names.py FOLDER

FOLDER holds corpora as `citescout eval corpora` reads them, with authors. Names that are given in full are cut down to
initials; of two papers whose authors then have the same family name and initials that do not disagree, are the given
names the same? A line a corpus: that share, by how many other initials stand before the family name. At the end the
papers of all corpora are put into one catalog, and the authors of some are looked up.
"""

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from time import process_time

from measuring import percentiles

from citescout.known_papers import papers_by
from eval.corpora import find_corpora
from indexer.catalog import Catalog
from indexer.catalog_writing import build_catalog
from indexer.identity.authors import author_of, given_agree
from indexer.paper import Paper

MOST_OTHERS = 8  # other initials; more are counted with these
Given = tuple[str, ...]


def main() -> None:
    """Print a line a corpus, and the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lookups", type=int, default=200)
    arguments = parser.parse_args()
    every: list[Paper] = []
    for corpus in find_corpora(arguments.folder):
        papers = list(corpus.papers())
        if pairs := same_of_pairs(papers):
            shares = ", ".join(f"{others}: {same / count:.3f} of {count:,}" for others, (same, count) in pairs.items())
            print(f"{corpus.name}: {shares}")
        every += papers
    time_lookups([paper for paper in every if paper.authors], arguments.lookups)


def same_of_pairs(papers: Sequence[Paper]) -> dict[int, tuple[int, int]]:
    """Other initials of the family name → pairs of papers of one given name, all pairs that share the initials."""
    by_family: dict[tuple[str, ...], dict[str, Counter[Given]]] = defaultdict(lambda: defaultdict(Counter))
    for name, count in Counter(name for paper in papers for name in paper.authors).items():
        author = author_of(name)
        if author.family and author.given:
            by_family[author.family][author.given[0][0]][author.given] += count
    found: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for by_initial in by_family.values():
        for givens in by_initial.values():
            full = {given: count for given, count in givens.items() if len(given[0]) > 1}
            if all(
                given_agree(*pair) for pair in combinations({tuple(word[0] for word in given) for given in full}, 2)
            ):
                counts = found[min(len(by_initial) - 1, MOST_OTHERS)]
                counts[:] = [before + more for before, more in zip(counts, _pairs(full), strict=True)]
    return {others: (same, count) for others, (same, count) in sorted(found.items()) if count}


def time_lookups(papers: Sequence[Paper], lookups: int) -> None:
    """Print how long the papers of all authors of a paper take to be found, in time of the processor."""
    with tempfile.TemporaryDirectory() as folder:
        build_catalog(papers, Path(folder) / "catalog.sqlite")
        catalog = Catalog(Path(folder) / "catalog.sqlite")
        seconds = []
        for paper in Random(0).sample(list(papers), min(lookups, len(papers))):  # noqa: S311
            started = process_time()
            papers_by(catalog, paper.authors)
            seconds.append(process_time() - started)
        catalog.close()
    if seconds:
        p50, p95 = percentiles(seconds).values()
        print(f"{len(papers):,} papers: median {p50} ms, 95 of 100 in {p95} ms, all in {1000 * max(seconds):.0f} ms")


def _pairs(full: Mapping[Given, int]) -> tuple[int, int]:
    same = count = sum(papers * (papers - 1) // 2 for papers in full.values())
    for (one, papers), (other, others) in combinations(full.items(), 2):
        count += papers * others
        same += papers * others if given_agree(one, other) else 0
    return same, count


if __name__ == "__main__":
    main()
