"""Which papers are cited where texts are like the query's: kernel ridge regression from texts to citations.

The papers of the pool that cite something are the examples. By how alike texts are, the regression says how much of
each of their reference lists to expect of the query. Votes count copies of one piece of evidence as often as they come;
here copies share their weight. The regression is that of Saunders, Gammerman and Vovk (ICML 1998). Without vectors
nothing says which examples are alike, and each counts by its BM25 score. docs/experiments.md has what this is worth.
"""

import numpy as np
from numpy.typing import NDArray

from common.arrays import unit_rows
from common.stages import stage
from indexer.citations import CitationGraph
from retrieval.dense import Dense
from retrieval.graph import cited_among
from retrieval.hits import Docids

# The best of a pool that are examples.
EXAMPLES = 500
# The kernel is exp(−_STEEPNESS × distance / mean distance of the examples): the same with every encoder.
_STEEPNESS = 6.0
_RIDGE = 1.0
FEWEST = 5  # examples that say anything

_STEPS, _EXACT = 200, 1e-10  # of the solver: the most that it takes, and the error (of the right side) that ends it


def examples_of(cites: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Positions in a pool, shape (examples,), of the papers to learn from, by which of it cite something."""
    return np.flatnonzero(cites[:EXAMPLES])


def example_weights(vectors: NDArray[np.float32], cosines: NDArray[np.float32]) -> NDArray[np.float64]:
    """How much each example's reference list is to be expected of the query, shape (examples,), from 0.

    Where the regression would count a list against its papers, it counts nothing: a citation never lowers a paper.

    Args:
        vectors: Of the examples, (examples, dimension).
        cosines: Of the query with each of them, (examples,).
    """
    units = unit_rows(vectors)
    distances = 1 - units @ units.T
    scale = -_STEEPNESS / max(float(distances.mean()), 1e-6)
    kernel = np.exp(scale * distances).astype(np.float64)
    kernel[np.diag_indices_from(kernel)] += _RIDGE
    asked = np.maximum(1 - cosines.astype(np.float64), 0)  # codes of 8 bits may give cosines above 1
    return np.maximum(_solved(kernel, np.exp(scale * asked)), 0)


def weights_by_words(scores: NDArray[np.float32]) -> NDArray[np.float64]:
    """The same where there are no vectors: BM25 scores, (examples,), NaN for none, as shares of their best, squared."""
    known = np.nan_to_num(scores.astype(np.float64))
    return np.asarray((known / max(float(known.max()), 1e-9)) ** 2)


def expected_citations(
    graph: CitationGraph, examples: Docids, weights: NDArray[np.float64], docids: Docids
) -> NDArray[np.float32]:
    """The sum of the weights of the examples that cite each of `docids`, in the shape of these."""
    by_example, places = cited_among(graph, examples, docids)
    return np.bincount(places, weights[by_example], minlength=len(docids)).astype(np.float32)


def expected_of_pool(
    graph: CitationGraph,
    dense: Dense | None,
    docids: Docids,
    cites: NDArray[np.bool_],
    cosines: NDArray[np.float32],
    words: NDArray[np.float32] | None,
) -> NDArray[np.float32]:
    """The same for the papers of a pool, by those of it that cite something; NaN where nothing says what these weigh.

    Args:
        graph: Of the index.
        dense: Where the vectors of papers are, if there are any.
        docids: The pool, (n,).
        cites: Which of it cite something that may be evidence, (n,).
        cosines: With the query's vector, (n,), NaN without.
        words: Scores by BM25, (n,); None where it was not asked.
    """
    with stage("regression"):
        places = examples_of(cites)
        examples, alike = docids[places], cosines[places]
        if len(places) >= FEWEST and dense and not np.isnan(alike).any():
            return expected_citations(graph, examples, example_weights(dense.documents(examples), alike), docids)
        if len(places) >= FEWEST and words is not None:
            return expected_citations(graph, examples, weights_by_words(words[places]), docids)
    return np.full(len(docids), np.nan, np.float32)


def _solved(matrix: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """The solution of matrix · x = right, of a positive definite matrix, by conjugate gradients.

    They are those of Hestenes and Stiefel (1952). Some twenty steps are enough, as the ridge bounds the eigenvalues.
    `numpy.linalg.solve` is OpenBLAS's parallel factorisation, which ends the process where a Java machine runs in its
    main thread; SciPy takes .3 s to import.
    """
    found, rest = np.zeros_like(right), right.copy()
    direction, square = rest, float(rest @ rest)
    enough = _EXACT**2 * square
    for _ in range(_STEPS):
        if square <= enough:
            break
        moved = matrix @ direction
        step = square / float(direction @ moved)
        found, rest = found + step * direction, rest - step * moved
        before, square = square, float(rest @ rest)
        direction = rest + square / before * direction
    return found
