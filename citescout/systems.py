"""Named ways to answer a query: what `--system` chooses, and the rows of the tables of the evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from citescout.settings import Settings
from common.errors import QueryError
from common.schema import changed
from indexer.bm25_parameters import PYSERINI
from retrieval.first_stage import CANDIDATES


@dataclass(frozen=True, slots=True)
class System:
    """One of them: how lists are made unless a query says otherwise."""

    name: str  # for `--system`, the API and the tables
    description: str  # one line
    settings: Settings
    cross_encoder: bool = False  # it cannot do without; others use one that is given where their depth is not 0
    vectors: bool = False  # it cannot do without

    @property
    def reads(self) -> bool:
        """Whether a cross-encoder reads candidates, where there is one."""
        return self.settings.depth != 0

    def changed(self, **values: Any) -> System:
        """The system with other values of some settings, those of filters among them.

        Raises:
            QueryError: a value out of range or unknown.
        """
        settings = changed(self.settings, values)
        return replace(
            self,
            settings=settings,
            cross_encoder=self.cross_encoder and settings.depth != 0,
            vectors=self.vectors and "dense" in settings.sources,
        )

    def read_to(self, depth: int | None) -> System:
        """The system with another depth, if one is given and a cross-encoder reads its candidates; else itself."""
        return self.changed(depth=depth) if depth is not None and self.reads else self

    def require(self, cross_encoder: bool, vectors: bool) -> None:
        """Nothing, where what it cannot do without is there.

        Raises:
            QueryError: it is not.
        """
        if self.cross_encoder and not cross_encoder:
            raise QueryError(f"the system {self.name} needs a cross-encoder, and none was loaded (--reranker)")
        if self.vectors and not vectors:
            raise QueryError(
                f"the system {self.name} needs vectors: where the index has none, `citescout re-encode` adds them"
            )

    def reranker(self, given: str | Path | None) -> str:
        """The cross-encoder to load, for `rerank.load_reranker`: the `given` one, else the one that ships if needed.

        Raises:
            QueryError: it needs one, and "none" is given.
        """
        if given is None:
            return "default" if self.cross_encoder else "none"
        if given == "none" and self.cross_encoder:
            raise QueryError(
                f"the system {self.name} needs a cross-encoder: --reranker default, or a folder or hub id in its place"
            )
        return str(given)


def _bm25(**values: Any) -> Settings:
    """BM25 alone with the parameters that others have it with."""
    return Settings(sources=("bm25",), bm25=PYSERINI, blend=False, **values)


# In the order of the tables.
SYSTEMS: Mapping[str, System] = {
    one.name: one
    for one in (
        System("BM25", "title and abstract as one bag of words, k1 .9 and b .4", _bm25(depth=0)),
        System("BM25 by title", "the same of the title alone", _bm25(depth=0, query_form="title")),
        System("BM25 by key terms", "the same of the most distinctive terms", _bm25(depth=0, query_form="key-terms")),
        System(
            "BM25, k1 2, b .9",
            "BM25 with the index's own parameters, k1 2 and b .9 unless it was built with others",
            Settings(sources=("bm25",), blend=False, depth=0),
        ),
        System("dense", "vectors alone", Settings(sources=("dense",), blend=False, depth=0), vectors=True),
        System("fused", "BM25 and vectors", Settings(sources=("bm25", "dense"), blend=False, depth=0), vectors=True),
        System("+ graph", "BM25, vectors and the citation graph", Settings(blend=False, depth=0)),
        System("+ blend", "the same in the learned order, which no cross-encoder changes", Settings(depth=0)),
        System(
            "default", "the learned order, and what a cross-encoder says of its best papers if there is one", Settings()
        ),
        System(
            "ordered",
            "BM25 and vectors merged, all of it ordered by the cross-encoder alone",
            Settings(sources=("bm25", "dense"), blend=False, depth=2 * CANDIDATES),
            cross_encoder=True,
            vectors=True,
        ),
        System(
            "nogueira",  # Nogueira et al., BIR 2020, sections 3 and 4.3
            "BM25's best 1,000, ordered by the cross-encoder alone",
            _bm25(depth=CANDIDATES),
            cross_encoder=True,
        ),
    )
}


def find_system(name: str | System) -> System:
    """The system of that name; one that is given stays.

    Raises:
        QueryError: there is none.
    """
    if isinstance(name, System):
        return name
    if name not in SYSTEMS:
        raise QueryError(f"no system {name!r}: there are {'; '.join(SYSTEMS)}")
    return SYSTEMS[name]


DEFAULT = find_system("default")
