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

    k: Annotated[int, Given("-k")] = Field(default=20, ge=1, le=MOST, description="Recommendations of a query.")
    sources: Annotated[
        Several[Source],
        Given(metavar=",".join(SOURCES), retrieval=True, where=_NOT_ON_PAGE),
    ] = Field(default=SOURCES, min_length=1, description="Sources of candidates, some of these.")
    query_form: Annotated[QueryForm, Given(retrieval=True, where=_NOT_ON_PAGE)] = Field(
        default="title+abstract", description="What of the query BM25 searches for."
    )
    # None for the index's own.
    bm25: Annotated[Bm25Parameters | None, Given(where=())] = None
    bm25_terms: Annotated[int | None, Given(retrieval=True, where=_NOT_ON_PAGE)] = Field(
        default=None,
        ge=1,
        le=1_000_000,
        description="Terms of the query that BM25 searches for in place of all, those that weigh most; fewer are "
        "faster in a large index.",
    )
    depth: Annotated[int | None, Given(retrieval=True, where=_NOT_ON_PAGE)] = Field(
        default=None,
        ge=0,
        le=MOST_CANDIDATES,
        description="Candidates that the cross-encoder reads, 0 for none; as deep as its training found best without.",
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
        Given(off="Order by the cross-encoder (or the fused ranks) alone.", retrieval=True, where=_NOT_ON_PAGE),
    ] = Field(
        default=True, description="Use the learned final order; without it the last stage's own scores order the list."
    )
    filters: Filters = Field(default_factory=Filters)
    hide_known: bool = Field(default=False, description="Leave out what the query's authors wrote or cited before.")
    diversity: float = Field(
        default=0.0, ge=0, le=1, description="How much a paper loses by being like one above it, 0 to 1; 0 for not."
    )
    recency: float = Field(default=0.0, ge=-1, le=1, description="From -1, the oldest first, to 1, the newest first.")
    beyond: Annotated[int, Given(where=_NOT_ON_PAGE)] = Field(
        default=0,
        ge=0,
        le=1000,
        description="Works beside the list that are not in the index and that the papers nearest to the query cite.",
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
