"""What every source of works can answer, and the records in which it does."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol

from common.errors import RecordError
from indexer.paper import Paper
from indexer.readers.base import RawPaper
from indexer.readers.fields import clean
from indexer.readers.report import ReadReport


@dataclass(frozen=True, slots=True)
class Work:
    """One work of a source."""

    paper: Paper  # its id is the source's own, and so are those that it cites
    times_cited: int = 0  # as the source counts


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a list of citing works."""

    links: tuple[tuple[str, str], ...]  # ids (citing, cited), one for each of the works asked for that is cited
    works: tuple[Work, ...] = ()  # the citing ones, where the list describes them


@dataclass(frozen=True, slots=True)
class State:
    """What a work has become."""

    id: str  # of now; that of another work where it was merged into that
    is_retracted: bool


class Source(Protocol):
    """One API, or two that go together. Every answer may raise a FetchError, or BudgetSpent."""

    title: str  # in messages
    works_a_call: int  # that `works` gets with one request
    # So long after its publication a work is mostly known, and with it what it cites.
    registered_within: timedelta = timedelta(days=90)

    def has_id(self, id_: str) -> bool:
        """Whether an id has the form of the source's own."""

    def by_doi(self, dois: Sequence[str]) -> dict[str, Work]:
        """The works of these bare DOIs; those that the source lacks are left out."""

    def by_pmid(self, pmids: Sequence[str]) -> dict[str, Work]:
        """The works of these bare PMIDs; those that the source lacks are left out, all where it knows none."""
        return {}

    def by_arxiv(self, ids: Sequence[str]) -> dict[str, Work]:
        """The works of these bare arXiv ids; those that the source lacks are left out, all where it knows none."""
        return {}

    def by_title(self, entry: Paper) -> list[Work]:
        """Works that may have the entry's title, the likeliest first: what a search finds, unchecked."""

    def works(self, ids: Sequence[str]) -> Iterator[list[Work]]:
        """The works of these ids, some for each request; those that are gone are left out."""

    def citing(self, works: Sequence[Work], since: date | None = None) -> list[Iterator[Page]]:
        """Lists of what cites the works, which end by themselves; one request a page.

        Together they cover all works; unless a source joins works, there is one for each. `since`: what was registered
        from that day on or, where that is not known, published from `registered_within` before it on.
        """
        published_from = since - self.registered_within if since else None
        return [self._list(work.paper.id, published_from) for work in works]

    def as_now(self, papers: Sequence[Paper]) -> dict[str, State] | None:
        """What the works of these papers have become, by the papers' ids; those that are gone are left out.

        None where the source has no retractions.
        """
        return None

    def _list(self, id_: str, published_from: date | None) -> Iterator[Page]:
        """What cites one work; of a source that joins works nobody asks for it."""
        return iter(())


class BudgetSpent(Exception):
    """As many requests were made as were allowed."""


def work_of(raw: RawPaper, times_cited: object = 0) -> Work | None:
    """The work that a source describes; None for one without id or text."""
    try:
        paper = clean(raw, ReadReport())
    except RecordError:
        return None
    return Work(paper, times_cited if isinstance(times_cited, int) else 0)
