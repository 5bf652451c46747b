"""What a recommender says of itself."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Self

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
    system: str  # that answers where a query names none
    created: str  # when this generation was written; ISO 8601, UTC

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

    def as_dict(self) -> dict[str, int | str | None]:
        """As JSON has it."""
        return asdict(self)
