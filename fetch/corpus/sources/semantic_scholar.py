"""Semantic Scholar's Academic Graph API: lists of citing works by the thousand, no retractions."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from requests import codes

from common.sequences import batches
from fetch.client import RefusedError, json_list
from fetch.corpus.answers import CachedClient
from fetch.corpus.interface import Page, Source, Work, work_of
from indexer.paper import Paper
from indexer.readers.formats.semantic_scholar import paper_of_record
from indexer.readers.json_records import Fields, mapping, objects

BASE_URL = "https://api.semanticscholar.org/graph/v1"
KEY_HEADER = "x-api-key: {}"
_FIELDS = "title,abstract,year,authors,venue,journal,externalIds,url,citationCount,references.paperId"
_NONE_VALID = "no valid paper ids"  # the refusal where no id at all is known
_LIST_SIZE = 1_000  # the most that a page may have
_LIST_END = 9_999  # no page reaches beyond it


class SemanticScholar(Source):
    """Works of the API, by their SHA ids; it has no retractions."""

    title = "Semantic Scholar"
    works_a_call = 500

    def __init__(self, client: CachedClient) -> None:
        """`client` is that of the API."""
        self._client = client

    def has_id(self, id_: str) -> bool:
        """Whether it is a SHA-1 in hexadecimal."""
        return re.fullmatch("[0-9a-f]{40}", id_) is not None

    def by_doi(self, dois: Sequence[str]) -> dict[str, Work]:
        """The works of these DOIs."""
        return self._named("DOI:", dois)

    def by_pmid(self, pmids: Sequence[str]) -> dict[str, Work]:
        """The works of these PMIDs."""
        return self._named("PMID:", pmids)

    def by_arxiv(self, ids: Sequence[str]) -> dict[str, Work]:
        """The works of these arXiv ids."""
        return self._named("ARXIV:", ids)

    def by_title(self, entry: Paper) -> list[Work]:
        """The one work whose title is the nearest, as the API has it."""
        # Where no title is near it says that there is no such thing.
        answer = self._client.find("paper/search/match", {"query": entry.title, "fields": _FIELDS}) or {}
        return [work for record in objects(answer.get("data")) if (work := _work(record))]

    def works(self, ids: Sequence[str]) -> Iterator[list[Work]]:
        """The works of these ids, five hundred a request."""
        for batch in batches(ids, self.works_a_call):
            yield [work for work in self._batch(batch) if work]

    def _named(self, prefix: str, values: Sequence[str]) -> dict[str, Work]:
        found = {}
        for batch in batches(values, self.works_a_call):
            works = self._batch([prefix + value for value in batch])
            found.update({value: work for value, work in zip(batch, works, strict=False) if work})
        return found

    def _batch(self, ids: Sequence[str]) -> list[Work | None]:
        """A work for each id, None for an unknown one.

        An answer may have 10 MB: of papers with thousands of authors fewer are asked for at once.
        """
        try:
            answer = self._client.ask("paper/batch", {"fields": _FIELDS}, json_list, {"ids": list(ids)})
        except RefusedError as error:
            if error.status == codes.bad_request and _NONE_VALID in str(error).lower():
                return [None] * len(ids)
            if error.status != codes.bad_request or len(ids) == 1:
                raise
            half = len(ids) // 2
            return [*self._batch(ids[:half]), *self._batch(ids[half:])]
        return [_work(record) if isinstance(record, dict) else None for record in answer]

    def _list(self, id_: str, published_from: date | None) -> Iterator[Page]:
        """In the API's order, at most ten thousand."""
        offset = 0
        while offset < _LIST_END:
            limit = min(_LIST_SIZE, _LIST_END - offset)
            parameters = {"fields": "paperId", "offset": str(offset), "limit": str(limit)}
            if published_from:
                parameters["publicationDateOrYear"] = f"{published_from}:"
            answer = self._client.find(f"paper/{id_}/citations", parameters) or {}  # of a work that is gone
            citing = (mapping(entry.get("citingPaper")).get("paperId") for entry in objects(answer.get("data")))
            yield Page(tuple((known, id_) for known in citing if isinstance(known, str) and known))
            following = answer.get("next")
            if not isinstance(following, int) or following <= offset:
                return
            offset = following


def _work(record: Fields) -> Work | None:
    return work_of(paper_of_record(record), record.get("citationCount"))
