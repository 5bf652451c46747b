"""The text of a paper as the models see it."""

from typing import NamedTuple

from common.text import encodable, on_the_line


class Text(NamedTuple):
    """Title and abstract; either may be empty, not both for anything that is to be encoded."""

    title: str
    abstract: str

    def joined(self) -> str:
        """Title and abstract as one string, the way BM25 indexes and queries them."""
        return f"{self.title}\n{self.abstract}".strip()

    def parts(self) -> list[str]:
        """What of title and abstract is not blank, on the line, as tokenizers take it, whose core knows UTF-8 only."""
        return [cleaned for part in self if (cleaned := on_the_line(encodable(part)).strip())]
