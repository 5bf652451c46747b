"""The text of a paper as the models see it."""

from __future__ import annotations

from typing import NamedTuple


class Text(NamedTuple):
    """Title and abstract; either may be empty, not both for anything that is to be encoded."""

    title: str
    abstract: str

    def joined(self) -> str:
        """Title and abstract as one string, the way BM25 indexes and queries them."""
        return f"{self.title}\n{self.abstract}".strip()
