"""OpenAlex: a single work costs nothing, a list of a hundred a ten-thousandth of a dollar, a search ten times that."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from operator import attrgetter

from requests import codes

from common.sequences import batches_within
from fetch.client import Client, RefusedError
from fetch.corpus.interface import Page, Source, State, Work, work_of
from fetch.openalex import (
    FIRST_CURSOR,
    MAX_VALUES,
    MOST_CITED_FIRST,
    PER_PAGE,
    Step,
    batches,
    is_beyond_reach,
    page,
    short_id,
    single,
    works_by_doi,
)
from fetch.openalex import Page as ListPage
from fetch.openalex import Work as Record
from indexer.paper import Paper
from indexer.readers.formats.openalex import paper_of_work

_SOUGHT = 10  # works of a title that are looked at
_LONGEST_TITLE = 300  # characters that are searched for
_FEWEST_WORDS = 3
_ARXIV_DOI = "10.48550/arxiv."
_MOST_CITING = 1_000  # of the works that share a list: a much cited one has its own, and leaves the others their turn


class OpenAlex(Source):
    """Works of the API, by their ids W…."""

    title = "OpenAlex"
    works_a_call = PER_PAGE

    def __init__(self, client: Client) -> None:
        """`client` is that of the API."""
        self._client = client
        self._may_ask_for_creation = True
        self._now: dict[str, State | None] = {}  # by the id of before; None of works that are gone

    def has_id(self, id_: str) -> bool:
        """Whether it is W and a number."""
        return re.fullmatch(r"W\d+", id_) is not None

    def by_doi(self, dois: Sequence[str]) -> dict[str, Work]:
        """The works of these DOIs."""
        found = works_by_doi(self._client, dois)
        return {doi: work for doi, record in found.items() if (work := _work(record))}

    def by_pmid(self, pmids: Sequence[str]) -> dict[str, Work]:
        """The works of these PMIDs, asked singly: that costs nothing, and lists by PMID are reported to be refused."""
        found = ((pmid, single(self._client, f"pmid:{pmid}")) for pmid in pmids)
        return {pmid: work for pmid, record in found if record and (work := _work(record))}

    def by_arxiv(self, ids: Sequence[str]) -> dict[str, Work]:
        """The works of these arXiv ids, by the DOIs that arXiv gives them."""
        found = self.by_doi([_ARXIV_DOI + id_.lower() for id_ in ids])
        return {id_: found[doi] for id_ in ids if (doi := _ARXIV_DOI + id_.lower()) in found}

    def by_title(self, entry: Paper) -> list[Work]:
        """Works with all words of the title in theirs, the most relevant first."""
        words = f"{_sought(entry.title)} "[: _LONGEST_TITLE + 1].rpartition(" ")[0]
        if not words:
            return []
        found = page(self._client, Step(f"title.search:{words}", size=_SOUGHT), "").works
        return [work for record in found if (work := _work(record))]

    def works(self, ids: Sequence[str]) -> Iterator[list[Work]]:
        """The works of these ids, a hundred a request."""
        for batch in batches(ids):
            records = page(self._client, Step(f"ids.openalex:{'|'.join(batch)}", size=len(batch)), "").works
            yield [work for record in records if (work := _work(record))]

    def citing(self, works: Sequence[Work], since: date | None = None) -> list[Iterator[Page]]:
        """What cites the works, the most cited first; works that are seldom cited share a list.

        With `since`, works that were merged into others are cited by what cites these.
        """
        now = self.as_now([work.paper for work in works]) if since else {}
        times_cited = attrgetter("times_cited")
        groups = batches_within(sorted(works, key=times_cited), times_cited, _MOST_CITING, MAX_VALUES)
        listed = ([work.paper.id for work in group] for group in groups)
        return [self._of_group({now[id_].id if id_ in now else id_: id_ for id_ in ids}, since) for ids in listed]

    def as_now(self, papers: Sequence[Paper]) -> dict[str, State]:
        """What the works are now; of merged ones the works that they became."""
        new = [paper for paper in papers if paper.id not in self._now]
        found: dict[str, Record] = {}
        for batch in batches(paper.id for paper in new):
            step = Step(f"ids.openalex:{'|'.join(batch)}", size=len(batch), fields="id,is_retracted")
            found.update((short_id(record["id"]), record) for record in page(self._client, step, "").works)
        self._now |= {paper.id: _state(found.get(paper.id) or self._elsewhere(paper)) for paper in new}
        return {paper.id: state for paper in papers if (state := self._now[paper.id])}

    def _elsewhere(self, paper: Paper) -> Record | None:
        """The work of a paper that lists do not have under its id: it was merged, or such works come on demand alone.

        Some ids of before lead to the work of now; where the API has forgotten one, the DOI does.
        """
        return single(self._client, paper.id) or (single(self._client, f"doi:{paper.doi}") if paper.doi else None)

    def _of_group(self, names: Mapping[str, str], since: date | None) -> Iterator[Page]:
        """What cites the works of these ids of now, each with the id under which it is known here."""
        cursor = FIRST_CURSOR
        while cursor and not is_beyond_reach(cursor):
            got = self._page(f"cites:{'|'.join(names)}", since, cursor)
            works = [work for record in got.works if (work := _work(record))]
            links = [(work.paper.id, names[id_]) for work in works for id_ in work.paper.citations if id_ in names]
            yield Page(tuple(links), tuple(works))
            cursor = got.next_cursor if got.next_cursor != cursor and got.works else ""

    def _page(self, filter_: str, since: date | None, cursor: str) -> ListPage:
        if since and self._may_ask_for_creation:
            try:
                return page(self._client, Step(f"{filter_},from_created_date:{since}", MOST_CITED_FIRST), cursor)
            except RefusedError as error:
                if error.status not in (codes.bad_request, codes.unauthorized, codes.forbidden):
                    raise
                self._may_ask_for_creation = False
        if since:  # the filter by day of registration needs a paid plan
            filter_ += f",from_publication_date:{since - self.registered_within}"
        return page(self._client, Step(filter_, MOST_CITED_FIRST), cursor)


def _sought(title: str) -> str:
    """The words of a title that works are searched by; in lower case, since AND, OR and NOT are operators.

    Whether "Alzheimer's" or "3.5" is one word, and how its apostrophe is written, is not known of the search. They are
    left out where enough other words are there.
    """
    words = re.findall(r"\w+(?:['’.,:]\w+)*", title.lower())
    sure = [word for word in words if re.fullmatch(r"\w+", word)]
    return " ".join(sure if len(sure) >= _FEWEST_WORDS else words).replace(",", " ").replace(":", " ")


def _state(record: Record | None) -> State | None:
    return State(short_id(record["id"]), record.get("is_retracted") is True) if record else None


def _work(record: Record) -> Work | None:
    return work_of(paper_of_work(record), record.get("cited_by_count"))
