"""Crossref for works and what they cite, OpenCitations for what cites them; works go by their DOIs.

Crossref has neither arXiv's DOIs, which DataCite registers, nor DOIs for all references.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import chain
from urllib.parse import quote

from requests import codes

from common.names import shown_names
from common.sequences import batches
from fetch.client import FailedError, RefusedError, json_list
from fetch.corpus.answers import CachedClient
from fetch.corpus.interface import Page, Source, State, Work, work_of
from indexer.identity.identifiers import bare_doi, clean_doi
from indexer.paper import Paper
from indexer.readers.formats.csl_json import beside_fields, is_retracted, paper_of_item
from indexer.readers.json_records import Fields, mapping, objects

BASE_URL = "https://api.crossref.org"
OPENCITATIONS_URL = "https://api.opencitations.net/index/v2"
OPENCITATIONS_KEY_HEADER = "authorization: {}"
_FIELDS = (
    "DOI,title,subtitle,abstract,author,editor,issued,container-title,type,volume,issue,page,publisher,ISBN,URL,"
    "reference,updated-by,is-referenced-by-count"
)
_logger = logging.getLogger(__name__)
_SOUGHT = 10  # works of a title that are looked at


class Crossref(Source):
    """Works of Crossref, cited as OpenCitations has it; without PMIDs, and arXiv's DOIs are not Crossref's."""

    title = "Crossref"
    works_a_call = 50  # DOIs are long, and an address is not to be
    registered_within = timedelta(days=180)  # OpenCitations is brought up to date every few months

    def __init__(self, client: CachedClient, opencitations: CachedClient) -> None:
        """`client` is that of Crossref, `opencitations` that of the Index of OpenCitations."""
        self._client = client
        self._opencitations = opencitations
        self._failed = False  # whether it did at the last DOI

    def has_id(self, id_: str) -> bool:
        """Whether it is a DOI."""
        return bare_doi(id_) == id_ != ""

    def by_doi(self, dois: Sequence[str]) -> dict[str, Work]:
        """The works of these DOIs."""
        return {work.paper.id: work for found in self.works(dois) for work in found}

    def by_title(self, entry: Paper) -> list[Work]:
        """What Crossref finds for title, first author and year together."""
        words = (entry.title, *shown_names(entry.authors[:1]), str(entry.year or ""))
        query = {"query.bibliographic": " ".join(filter(None, words)), "rows": str(_SOUGHT), "select": _FIELDS}
        return [work for record in self._items(query) if (work := _work(record))]

    def works(self, ids: Sequence[str]) -> Iterator[list[Work]]:
        """The works of these DOIs, fifty a request."""
        for records in self._records(ids, _FIELDS):
            yield [work for record in records if (work := _work(record))]

    def as_now(self, papers: Sequence[Paper]) -> dict[str, State]:
        """Which of the works have a retraction at Crossref, Retraction Watch's among them."""
        found = chain.from_iterable(self._records([paper.id for paper in papers], "DOI,updated-by"))
        states = (State(clean_doi(str(record.get("DOI") or "")), is_retracted(record)) for record in found)
        return {state.id: state for state in states}

    def _records(self, dois: Sequence[str], fields: str) -> Iterator[list[Fields]]:
        """What Crossref has of these DOIs, for each request; a DOI with a comma, which would part filters, alone."""
        for batch in batches([doi for doi in dois if "," not in doi], self.works_a_call):
            filters = ",".join(f"doi:{doi}" for doi in batch)
            yield self._items({"filter": filters, "rows": str(len(batch)), "select": fields})
        for doi in (doi for doi in dois if "," in doi):
            answer = self._client.find(f"works/{quote(doi, safe='')}", {}) or {}
            yield [mapping(answer.get("message"))]

    def _items(self, parameters: dict[str, str]) -> list[Fields]:
        return objects(self._client.get("works", parameters, has={"message": dict})["message"].get("items"))

    def _citations(self, doi: str) -> list[object]:
        """What cites it; nothing of one that OpenCitations does not take, or never has an answer for in time."""
        failed, self._failed = self._failed, False
        try:
            return self._opencitations.ask(f"citations/doi:{quote(doi, safe='/:()')}", {}, json_list)
        except RefusedError as error:  # one DOI is not to end the rest
            if error.status != codes.not_found:
                raise
        except FailedError:
            if failed:  # two in a row: it has no answers for anybody now
                raise
            self._failed = True
            _logger.warning("OpenCitations fails at what cites %s, which is left out", doi)
        return []

    def _list(self, id_: str, published_from: date | None) -> Iterator[Page]:
        """All of it on one page."""
        rows = [row for row in self._citations(id_) if isinstance(row, dict)]
        if published_from:
            rows = [row for row in rows if _is_from(str(row.get("creation") or ""), published_from)]
        citing = (_doi_of(row.get("citing")) for row in rows)
        yield Page(tuple((known, id_) for known in dict.fromkeys(citing) if known and known != id_))


def _work(record: Fields) -> Work | None:
    doi = clean_doi(str(record.get("DOI") or ""))
    paper = replace(paper_of_item(record), id=doi, original=None, more=beside_fields(record))
    return work_of(paper, record.get("is-referenced-by-count"))


def _is_from(day: str, since: date) -> bool:
    """Whether a day, a month or a year is not before `since`; "" is."""
    return bool(day) and day >= since.isoformat()[: len(day)]


def _doi_of(identifiers: object) -> str:
    """The DOI among "omid:br/06101801781 doi:10.7717/peerj-cs.421 pmid:33817056"."""
    found = str(identifiers).split() if isinstance(identifiers, str) else []
    return next((clean_doi(one) for one in found if one.startswith("doi:")), "")
