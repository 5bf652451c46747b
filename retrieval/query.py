"""The query, and what it may not get back."""

from __future__ import annotations

from dataclasses import dataclass, field

from common.errors import QueryError
from encoders.text import Text


@dataclass(frozen=True, slots=True)
class Query:
    """A paper in progress, for which papers to cite are wanted."""

    title: str = ""
    abstract: str = ""
    id: str = ""  # of a paper of the corpus: then it is no candidate, and its own citations are no evidence
    year: int | None = None  # only papers up to this year are recommended
    already_cited: tuple[str, ...] = ()  # ids of papers of the corpus: never recommended
    liked: tuple[str, ...] = ()  # ids of papers of the corpus that more like them are wanted of
    disliked: tuple[str, ...] = ()  # and fewer; these are not recommended themselves
    # Ids of papers of the corpus that are other records of this one: no candidates either, and no evidence.
    copies: tuple[str, ...] = ()
    # Who writes it: what they wrote or cited before is marked, and the order is the same. Names of people stay out of
    # messages and logs, where a query may be printed.
    authors: tuple[str, ...] = field(default=(), repr=False)

    @property
    def text(self) -> Text:
        """Title and abstract as the models read them."""
        return Text(self.title, self.abstract)

    def checked(self) -> Query:
        """The query itself.

        Raises:
            QueryError: neither title nor abstract holds any text.
        """
        if not self.title.strip() and not self.abstract.strip():
            raise QueryError(f"query {self.id!r} has neither a title nor an abstract" if self.id else "empty query")
        return self
