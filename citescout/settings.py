"""The choices that a caller may make about one answer.

A new setting is one field: the command line, the API and its document have it from here.
"""

from typing import Annotated

from pydantic import Field

from citescout.filters import Filters
from common.schema import Given, Place, Several, record
from indexer.bm25_parameters import Bm25Parameters
from retrieval.first_stage import CANDIDATES, SOURCES, FirstStageOptions, Source
from retrieval.forms import QueryForm

MOST = 1_000  # recommendations of a query
MOST_CANDIDATES = CANDIDATES * len(SOURCES)  # of one query
_NOT_ON_PAGE: tuple[Place, ...] = ("command line", "api")


@record
class Settings:
    """How a query is answered; the defaults are what was measured to be best.

    Raises:
        QueryError: a value out of range or unknown.
    """

    k: Annotated[int, Given("-k")] = Field(default=20, ge=1, le=MOST, description="Papers recommended for each query.")
    sources: Annotated[
        Several[Source],
        Given(metavar=",".join(SOURCES), retrieval=True, where=_NOT_ON_PAGE),
    ] = Field(default=SOURCES, min_length=1, description="Where candidates come from: one or more of these.")
    query_form: Annotated[QueryForm, Given(retrieval=True, where=_NOT_ON_PAGE)] = Field(
        default="title+abstract", description="Which part of the query BM25 searches for."
    )
    # None for the index's own.
    bm25: Annotated[Bm25Parameters | None, Given(where=())] = None
    bm25_terms: Annotated[int | None, Given(retrieval=True, where=_NOT_ON_PAGE)] = Field(
        default=None,
        ge=1,
        le=1_000_000,
        description="How many terms of the query BM25 searches for, those that weigh most; all by default. Fewer "
        "are faster in a large index.",
    )
    depth: Annotated[int | None, Given(retrieval=True, where=_NOT_ON_PAGE)] = Field(
        default=None,
        ge=0,
        le=MOST_CANDIDATES,
        description="How many candidates the cross-encoder reads, 0 for none; by default as many as its training "
        "found best.",
    )
    budget: Annotated[float | None, Given(metavar="TIME", seconds=True, retrieval=True, where=("command line",))] = (
        Field(
            default=None,
            gt=0,
            allow_inf_nan=False,
            description="Time for a query, such as 1.5s: the cross-encoder reads the best candidates first, as many "
            "as it allows.",
        )
    )
    blend: Annotated[
        bool,
        Given(
            off="Do without the learned order: the cross-encoder alone orders the list, or without one the fused "
            "ranks.",
            retrieval=True,
            where=_NOT_ON_PAGE,
        ),
    ] = Field(default=True, description="Use the learned order; without it the last stage's own scores order the list.")
    filters: Filters = Field(default_factory=Filters)
    hide_known: bool = Field(default=False, description="Leave out what the query's authors wrote or cited before.")
    diversity: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="How much it counts against a paper to be like one above it, from 0 (not at all) to 1.",
    )
    recency: float = Field(
        default=0.0,
        ge=-1,
        le=1,
        description="Prefer older papers (down to -1) or newer ones (up to 1); 0 prefers none.",
    )
    beyond: Annotated[int, Given(where=_NOT_ON_PAGE)] = Field(
        default=0,
        ge=0,
        le=1000,
        description="Also name up to so many works that are not in the index and that the papers nearest to the "
        "query cite.",
    )

    @property
    def encodes(self) -> bool:
        """Whether the query is encoded, where the index has vectors."""
        return self.blend or "dense" in self.sources

    @property
    def uses_vectors(self) -> bool:
        """Whether vectors are looked at, where the index has any."""
        return self.encodes or self.diversity > 0

    @property
    def first_stage(self) -> FirstStageOptions:
        """What of it the first stage goes by."""
        return FirstStageOptions(
            sources=self.sources,
            query_form=self.query_form,
            bm25=self.bm25,
            bm25_terms=self.bm25_terms,
            encodes=self.encodes,
            names=self.blend,
        )
