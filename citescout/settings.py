"""The choices that a caller may make about one answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from citescout.filters import Filters
from common.errors import QueryError
from indexer.bm25_parameters import Bm25Parameters
from retrieval.first_stage import CANDIDATES, SOURCES, Source
from retrieval.forms import QUERY_FORMS, QueryForm

MOST_CANDIDATES = CANDIDATES * len(SOURCES)  # of one query


@dataclass(frozen=True, slots=True)
class Settings:
    """How a query is answered; the defaults are what was measured to be best."""

    k: int = 20  # recommendations
    sources: tuple[Source, ...] = SOURCES
    query_form: QueryForm = "title+abstract"
    bm25: Bm25Parameters | None = None  # None for the index's own, see `indexer.bm25_parameters`
    bm25_terms: int | None = None  # of the query that BM25 searches for, those that weigh most; None for all
    depth: int | None = None  # candidates that the cross-encoder reads, 0 for none; None: `rerank.reranking`
    budget: float | None = (
        None  # seconds after which the cross-encoder begins nothing more; None for as deep as `depth`
    )
    blend: bool = True  # the learned final order; without it the last stage's own scores order the list
    filters: Filters = field(default_factory=Filters)  # what the list may hold
    hide_known: bool = False  # leave out what the query's authors wrote or cited before
    diversity: float = 0.0  # 0–1: how much a paper loses by being like one above it, see `citescout.dials`
    recency: float = 0.0  # from −1, the oldest first, to 1, the newest first

    @property
    def encodes(self) -> bool:
        """Whether the query is encoded, where the index has vectors."""
        return self.blend or "dense" in self.sources

    @property
    def uses_vectors(self) -> bool:
        """Whether vectors are looked at, where the index has any."""
        return self.encodes or self.diversity > 0

    def checked(self) -> Settings:
        """The settings themselves.

        Raises:
            QueryError: a value out of range or unknown.
        """
        if not 1 <= self.k <= 1000:
            raise QueryError(f"k must be from 1 to 1000, not {self.k}")
        if self.depth is not None and not 0 <= self.depth <= MOST_CANDIDATES:
            raise QueryError(f"depth must be from 0 to {MOST_CANDIDATES}, not {self.depth}")
        if self.budget is not None and not 0 < self.budget < float("inf"):
            raise QueryError(f"a budget is a time above 0 seconds, not {self.budget}")
        unknown = [source for source in self.sources if source not in SOURCES]
        if unknown or not self.sources:
            raise QueryError(f"sources must be some of {', '.join(SOURCES)}, not {', '.join(unknown) or 'none'}")
        if self.bm25 and not (self.bm25.k1 >= 0 and 0 <= self.bm25.b <= 1):
            raise QueryError(f"BM25's k1 must not be negative and b must be from 0 to 1, not {self.bm25}")
        if self.bm25_terms is not None and self.bm25_terms < 1:
            raise QueryError(f"BM25 searches for at least 1 term, not {self.bm25_terms}")
        if not 0 <= self.diversity <= 1:
            raise QueryError(f"diversity must be from 0 to 1, not {self.diversity}")
        if not -1 <= self.recency <= 1:
            raise QueryError(f"recency must be from -1 to 1, not {self.recency}")
        self.filters.checked()
        if self.query_form not in QUERY_FORMS:
            raise QueryError(f"query form must be one of {', '.join(QUERY_FORMS)}, not {self.query_form!r}")
        return self
