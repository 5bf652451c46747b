"""Words of a question that few papers have: what was asked for, whatever else is near in meaning or cited."""

from collections.abc import Mapping
from heapq import nlargest

import numpy as np
from numpy.typing import NDArray

from retrieval.hits import Docids
from retrieval.interface import SparseRetriever

# Compared on questions of one to four words of titles; see docs/experiments.md.
SHORT = 8  # words of a question for papers: each of more says too little
_PAPERS, _SHARE = 30, 0.01  # that have a rare word, at most
_LOOKED_UP = 30  # words of a text: each is a search


def shares_of_rare_words(idf: Mapping[str, float], bm25: SparseRetriever, docids: Docids) -> NDArray[np.float32]:
    """How much of a question each paper has by rare words, shape (len(docids),), from 0 to 1.

    A term counts by the square of its inverse document frequency. `idf` has that of each term of the question, 0 where
    no other paper has it: such a term is as heavy as one that hardly a paper holds.
    """
    found = np.zeros(len(docids), np.float32)
    most = min(_PAPERS, _SHARE * bm25.documents)
    least = np.log1p((bm25.documents - most + 0.5) / (most + 0.5))  # idf of a term that so many papers have
    whole = sum((weight or float(np.log1p(bm25.documents))) ** 2 for weight in idf.values())
    for term in nlargest(_LOOKED_UP, idf, key=idf.__getitem__):
        if idf[term] >= least:
            found[np.isin(docids, bm25.search({term: 1.0}, _PAPERS).docids)] += idf[term] ** 2 / whole
    return found
