"""BM25 by Lucene: bag-of-words queries of any length.

The query text is analysed once; a word that occurs twice becomes one clause of weight two, which scores the same as
two clauses and never meets Lucene's limit on their number.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from weakref import proxy

import numpy as np
import orjson
from numpy.typing import NDArray
from whoosh.lang.porter import stem

from common.errors import closed_index
from indexer.bm25_parameters import ABSTRACTS, Bm25Parameters
from indexer.jvm import autoclass
from indexer.lucene import FIELD, clean_text, open_reader, terms_like
from retrieval.hits import Allowed, Hits, best_hits
from retrieval.interface import SparseRetriever
from retrieval.lucene_search import LuceneSearch
from retrieval.spelling import ACCENTED, Spelling

# A query of more distinct words than this is cut to those that weigh most. Abstracts have 60 to 150.
MAX_TERMS = 2048

# Terms whose counts are kept, since to ask Java or a database for them takes longer than to use them.
KNOWN_TERMS = 50_000
# Texts whose analysis is kept: a query asks word by word how it is written, and lists show many papers again.
_WORD, _KNOWN_TEXTS = 40, 1_000  # the characters of a text up to which it counts as a word


class Bm25(SparseRetriever):
    """Search in one BM25 index; safe to share between threads."""

    parameters = ABSTRACTS
    adjustable = True

    def __init__(self, folder: Path, docids: NDArray[np.int32]) -> None:
        """Open the Lucene index in `folder`; `docids` maps its documents to papers.

        Raises:
            IndexDirectoryError: the index is missing or damaged.
            JavaError: Java cannot be started.
        """
        self._reader = open_reader(folder)
        self._closed = False
        self._docids = docids
        self._searches: dict[Bm25Parameters, LuceneSearch] = {}
        # The limit guards against clauses made by wildcards; ours come from the query text and are bounded above.
        autoclass("org.apache.lucene.search.IndexSearcher").setMaxClauseCount(2 * MAX_TERMS)
        self._analyzer = autoclass("io.anserini.analysis.DefaultEnglishAnalyzer").newStemmingInstance("porter")
        self._analyze = autoclass("io.anserini.analysis.AnalyzerUtils").analyze
        self._json = autoclass("com.fasterxml.jackson.databind.ObjectMapper")()
        self._term = autoclass("org.apache.lucene.index.Term")
        self._counted = int(self._reader.getDocCount(FIELD))  # as Lucene counts: papers without a word do not
        me = proxy(self)  # else they would refer to each other, and stay with their files until garbage is looked for
        self._spelling = Spelling(
            lambda text: me._analysed(text), stem, lambda term: me.holding(term), lambda: me._accented()
        )
        self._word = lru_cache(KNOWN_TERMS)(lambda text: me._spelling.terms(text))
        self._text = lru_cache(_KNOWN_TEXTS)(lambda text: me._spelling.terms(text))
        self._papers = lru_cache(KNOWN_TERMS)(lambda term: int(me._count("docFreq", term)))
        self._times = lru_cache(KNOWN_TERMS)(lambda term: int(me._count("totalTermFreq", term)))

    def terms(self, text: str) -> list[str]:
        """The analysed words of `text` with accents as the index has them, in order, repeats included."""
        return list(self._word(text) if len(text) <= _WORD else self._text(text))

    @property
    def documents(self) -> int:
        """Papers in the index."""
        return int(self._reader.numDocs())

    @property
    def collection_length(self) -> int:
        """Words of all papers together."""
        with self._open():
            return int(self._reader.getSumTotalTermFreq(FIELD))

    def holding(self, term: str) -> int:
        """Papers that hold an analysed term."""
        return self._papers(term)

    def collection_frequency(self, term: str) -> int:
        """How often an analysed term stands in all papers together."""
        return self._times(term)

    def search(
        self,
        weights: Mapping[str, float],
        k: int,
        allowed: Allowed | None = None,
        parameters: Bm25Parameters | None = None,
    ) -> Hits:
        """The `k` best papers for analysed terms and their weights; only `allowed` ones.

        Weights are how often a term stands in the query (Lucene's boosts). `parameters` may be any.
        """
        parameters = parameters or self.parameters
        if not weights or k <= 0:
            return Hits.none()
        weights = self.heaviest(weights, MAX_TERMS, parameters)
        documents = None if allowed is None or allowed.all() else allowed[self._docids]
        # Lucene cuts the last papers of equal score by its own document order, which differs from build to build.
        return best_hits(k, sys.maxsize, lambda asked: self._top(weights, asked, documents, parameters))

    def close(self) -> None:
        """Let the files go; no search may follow."""
        self._closed = True
        self._reader.close()

    @contextmanager
    def _open(self) -> Iterator[None]:
        """For what is asked of Java's reader.

        Raises:
            ValueError: it has been closed.
        """
        try:
            yield
        except Exception:
            if self._closed:
                raise closed_index() from None
            raise

    def _accented(self) -> list[str]:
        with self._open():
            return list(terms_like(self._reader, f".*{ACCENTED}.*"))

    def _analysed(self, text: str) -> list[str]:
        words = self._analyze(self._analyzer, clean_text(text))
        # One string for all: a word that Java hands over by itself takes as long as its analysis.
        record = self._json.writeValueAsString(words)
        return [sys.intern(term) for term in orjson.loads(record) if term]

    def _count(self, question: str, term: str) -> Any:
        of_field = self._term(FIELD, term)
        with self._open():
            return getattr(self._reader, question)(of_field)

    def _top(
        self, weights: Mapping[str, float], k: int, allowed: NDArray[np.bool_] | None, parameters: Bm25Parameters
    ) -> Hits:
        with self._open():
            documents, scores = self._search(parameters).top(weights, k, allowed)
        return Hits.best(self._docids[documents], scores, k)

    def _search(self, parameters: Bm25Parameters) -> LuceneSearch:
        search = self._searches.get(parameters)
        if search is None:
            search = self._searches[parameters] = LuceneSearch(self._reader, *parameters)
        return search  # two threads may both make one: either serves
