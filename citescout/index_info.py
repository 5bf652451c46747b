"""What a recommender says of itself."""

from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import Field

from indexer.generations import OpenGeneration


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What is being served."""

    papers: int
    citations: int
    removed: int
    encoder: str | None
    generation: str
    reranker: str | None
    system: Annotated[str, Field(description="That answers questions which name none.")]
    created: Annotated[str, Field(description="When what is served was written, in UTC.")]

    @classmethod
    def of(cls, generation: OpenGeneration, reranker: str | None, system: str) -> Self:
        """Of an open generation, with the names of what answers from it."""
        served = generation.manifest
        return cls(
            papers=served.papers,
            citations=served.citations,
            removed=served.removed,
            encoder=served.encoder,
            generation=generation.name,
            reranker=reranker,
            system=system,
            created=served.created,
        )
