"""OpenAlex: a single work costs nothing, a list of a hundred a ten-thousandth of a dollar, a search ten times that."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from requests import codes

from fetch.client import Client, RefusedError
from fetch.corpus.interface import Page, Source, Work, work_of
from fetch.openalex import (
    FIRST_CURSOR,
    MAX_VALUES,
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
_MOST_CITED_FIRST = "cited_by_count:desc"


class OpenAlex(Source):
    """Works of the API, by their ids W…."""

    name = "openalex"
    title = "OpenAlex"
    works_a_call = PER_PAGE

    def __init__(self, client: Client) -> None:
        """`client` is that of the API."""
        self._client = client
        self._may_ask_for_creation = True
        self._now: dict[str, Record | None] = {}  # None of works that are gone

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
        merged: dict[str, str] = {}  # id of now → id of the work
        if since:
            ids = [work.paper.id for work in works]
            found = self._as_now(ids)
            merged = {now: id_ for id_, record in found.items() if (now := short_id(record["id"])) not in found}
        groups: list[list[str]] = []
        room = 0
        for work in sorted(works, key=lambda work: work.times_cited):
            if not groups or len(groups[-1]) == MAX_VALUES or work.times_cited > room:
                groups.append([])
                room = _MOST_CITING
            groups[-1].append(work.paper.id)
            room -= work.times_cited
        return [self._of_group(group, since, merged) for group in groups]

    def retracted(self, ids: Sequence[str]) -> Collection[str]:
        """Those of the works that are retracted."""
        return {id_ for id_, record in self._as_now(ids).items() if record.get("is_retracted") is True}

    def _as_now(self, ids: Sequence[str]) -> dict[str, Record]:
        """What the works are now, by the ids that are asked for: of merged ones the works that they became."""
        new = [id_ for id_ in ids if id_ not in self._now]
        found: dict[str, Record] = {}
        for batch in batches(new):
            step = Step(f"ids.openalex:{'|'.join(batch)}", size=len(batch), fields="id,is_retracted")
            found.update((short_id(record["id"]), record) for record in page(self._client, step, "").works)
        # Lists have works under the ids of now; asked for one of before, the API redirects.
        self._now |= {id_: found.get(id_) or single(self._client, id_) for id_ in new}
        return {id_: record for id_ in ids if (record := self._now[id_])}

    def _of_group(self, ids: list[str], since: date | None, merged: Mapping[str, str]) -> Iterator[Page]:
        cursor, wanted = FIRST_CURSOR, set(ids)
        now = {id_: id_ for id_ in ids} | {id_: one for one, id_ in merged.items() if id_ in wanted}
        while cursor and not is_beyond_reach(cursor):
            got = self._page(f"cites:{'|'.join(now.values())}", since, cursor)
            works = [_with_ids(work, merged) for record in got.works if (work := _work(record))]
            links = [(work.paper.id, id_) for work in works for id_ in work.paper.citations if id_ in wanted]
            yield Page(tuple(links), tuple(works))
            cursor = got.next_cursor if got.next_cursor != cursor and got.works else ""

    def _page(self, filter_: str, since: date | None, cursor: str) -> ListPage:
        if since and self._may_ask_for_creation:
            try:
                return page(self._client, Step(f"{filter_},from_created_date:{since}", _MOST_CITED_FIRST), cursor)
            except RefusedError as error:
                if error.status not in (codes.bad_request, codes.unauthorized, codes.forbidden):
                    raise
                self._may_ask_for_creation = False
        if since:  # the filter by day of registration needs a paid plan
            filter_ += f",from_publication_date:{since - self.registered_within}"
        return page(self._client, Step(filter_, _MOST_CITED_FIRST), cursor)


def _sought(title: str) -> str:
    """The words of a title that works are searched by; in lower case, since AND, OR and NOT are operators.

    Whether "Alzheimer's" or "3.5" is one word, and how its apostrophe is written, is not known of the search. They are
    left out where enough other words are there.
    """
    words = re.findall(r"\w+(?:['’.,:]\w+)*", title.lower())
    sure = [word for word in words if re.fullmatch(r"\w+", word)]
    return " ".join(sure if len(sure) >= _FEWEST_WORDS else words).replace(",", " ").replace(":", " ")


def _with_ids(work: Work, ids: Mapping[str, str]) -> Work:
    """The work, which cites under other ids what is among `ids`."""
    cited = dict.fromkeys(ids.get(id_, id_) for id_ in work.paper.citations)
    return replace(work, paper=replace(work.paper, citations=tuple(cited)))


def _work(record: Record) -> Work | None:
    return work_of(paper_of_work(record), record.get("cited_by_count"))
