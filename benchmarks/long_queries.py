"""BM25 with a whole abstract as the query: time and what is found, by the number of terms asked for, beside Pyserini.

    python benchmarks/long_queries.py --index DIR [--asked INDEX] [--pipeline]

The queries are validation queries (papers of the index `--asked`, the same without it, as if they were being written;
never test papers) of 150 to 300 words, the answers what they cite. Pyserini's LuceneSearcher and every variant search
the same Lucene index with the same parameters for the best 1000, and take turns in going first. A paper that is newer
than the query, and the query itself, are left out: by Pyserini afterwards. With `--pipeline`, what the whole first
stage and the blend make of it is reported as well. Times are of one query at a time.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from measuring import percentiles, timed

from citescout.recommender import Recommender
from citescout.settings import Settings
from eval.experiments.asking import validation_set
from eval.metrics import Scores, score
from indexer.bm25_parameters import ABSTRACTS
from indexer.citations import load_array
from indexer.generations import OpenGeneration, open_generation
from indexer.layout import LAYOUT
from indexer.lucene import clean_text
from retrieval.forms import form_weights
from retrieval.hits import Hits
from retrieval.opening import open_sparse
from retrieval.query import Query

DEPTH = 1000
TERMS = [20, 30, 40, 50, 60, 80, None]
_WORDS = range(150, 301)


@dataclass(slots=True)
class Variant:
    """One way to search."""

    name: str
    seconds: list[float] = field(default_factory=list)
    run: dict[str, list[str]] = field(default_factory=dict)


class Searches:
    """All ways to search one index."""

    def __init__(self, generation: OpenGeneration) -> None:
        self._generation = generation
        self._docids = load_array(generation.folder / LAYOUT.bm25_labels)
        self._bm25 = open_sparse(generation)
        from pyserini.search.lucene import LuceneSearcher  # after our own start of Java

        self._pyserini = LuceneSearcher(str(generation.folder / LAYOUT.bm25))
        self._pyserini.set_bm25(*ABSTRACTS)

    def pyserini(self, query: Query) -> tuple[list[str], float]:
        """Ids and seconds of Pyserini's own searcher."""
        text = clean_text(query.text.joined())
        hits, seconds = timed(lambda: self._pyserini.search(text, k=DEPTH))
        docids = np.asarray([self._docids[int(hit.docid)] for hit in hits])
        return self._generation.catalog.ids(docids[self._allowed(query)[docids]]), seconds

    def ours(self, query: Query, terms: int | None) -> tuple[list[str], float]:
        """The same of a search for so many terms."""
        allowed = self._allowed(query)

        def search() -> Hits:
            weights = form_weights(query.text, "title+abstract", self._bm25)
            return self._bm25.search(self._bm25.heaviest(weights, terms or len(weights)), DEPTH, allowed)

        hits, seconds = timed(search)
        return self._generation.catalog.ids(hits.docids), seconds

    def _allowed(self, query: Query) -> np.ndarray:
        allowed = ~self._generation.removed & (self._generation.years <= (query.year or 9999))
        allowed[list(self._generation.catalog.docids([query.id]).values())] = False
        return allowed


def compare(searches: Searches, queries: Sequence[Query], terms: Sequence[int | None]) -> list[Variant]:
    """All variants on all queries; each answers the first five once before the clock starts."""
    variants = [Variant("Pyserini"), *(Variant(f"{count or 'all'} terms") for count in terms)]
    for number, query in enumerate((*queries[:5], *queries)):
        for turn in range(len(variants)):
            place = (number + turn) % len(variants)
            ids, seconds = searches.pyserini(query) if place == 0 else searches.ours(query, terms[place - 1])
            variants[place].run[query.id] = ids
            if number >= 5:
                variants[place].seconds.append(seconds)
    return variants


def row(variant: Variant, plain: float, scores: Scores, full: Scores) -> str:
    """A line of the table; differences are to all terms."""
    p50, p95 = percentiles(variant.seconds).values()
    recall, f1 = scores.recall_at_1000, scores.f1_at_20
    return (
        f"| {variant.name} | {p50:.1f} | {p95:.1f} | {plain / p50:.1f} | {recall:.4f} | "
        f"{_change(recall, full.recall_at_1000)} | {f1:.4f} | {_change(f1, full.f1_at_20)} |"
    )


def _change(value: float, full: float) -> str:
    return f"{100 * (value / full - 1):+.2f} %"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--asked", type=Path, help="index whose papers are asked; the same without")
    parser.add_argument("--queries", type=int, default=200, help="drawn, of which those of the right length are asked")
    parser.add_argument("--pipeline", action="store_true")
    given = parser.parse_args()
    with open_generation(given.asked or given.index) as asked:
        drawn = validation_set(asked, given.queries, 0)
    queries = [query for query in drawn.queries if len(query.text.joined().split()) in _WORDS]
    if not queries:
        raise SystemExit(f"none of the queries has {_WORDS[0]} to {_WORDS[-1]} words: draw more with --queries")
    qrels = {query.id: drawn.qrels[query.id] for query in queries}
    searches = Searches(open_generation(given.index))
    variants = compare(searches, queries, TERMS)
    plain = percentiles(variants[0].seconds)["p50"]
    full = score(qrels, variants[-1].run)
    print(f"{len(queries)} queries\n")
    print("| BM25 | p50 ms | p95 ms | × Pyserini's | R@1000 | | F1@20 | |\n|---|---|---|---|---|---|---|---|")
    for variant in variants:
        print(row(variant, plain, score(qrels, variant.run), full), flush=True)
    if given.pipeline:
        pipeline(given.index, queries, qrels)


def pipeline(directory: Path, queries: Sequence[Query], qrels: dict[str, frozenset[str]]) -> None:
    """What the order of the first stage and that of the blend lose."""
    recommender = Recommender.open(directory)
    print("\n| sources | terms | F1@20 | | R@1000 | |\n|---|---|---|---|---|---|")
    for name, blend in (("fused with the graph", False), ("blend", True)):
        found: dict[int | None, Scores] = {}
        for terms in reversed(TERMS):
            settings = Settings(depth=0, blend=blend, bm25_terms=terms)
            run = {query.id: recommender.rank(query, settings).ids(DEPTH) for query in queries}
            one, full = found.setdefault(terms, score(qrels, run)), found[None]
            f1 = f"{one.f1_at_20:.4f} | {_change(one.f1_at_20, full.f1_at_20)}"
            recall = f"{one.recall_at_1000:.4f} | {_change(one.recall_at_1000, full.recall_at_1000)}"
            print(f"| {name} | {terms or 'all'} | {f1} | {recall} |", flush=True)


if __name__ == "__main__":
    main()
