"""BM25's two parameters, and the values that are used: one place for Lucene, for engines and for the evaluation."""

from typing import Annotated, NamedTuple

from pydantic import Field


class Bm25Parameters(NamedTuple):
    """How soon a repeated word stops to count, and how much a long paper has to make up for."""

    k1: Annotated[float, Field(ge=0)]
    b: Annotated[float, Field(ge=0, le=1)]


# Pyserini's own. The papers' public scripts use 1.2 and 0.75.
PYSERINI = Bm25Parameters(0.9, 0.4)
# For queries of a whole abstract; docs/experiments.md compares them.
ABSTRACTS = Bm25Parameters(2.0, 0.9)
