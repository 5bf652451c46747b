"""Works by their ids → papers: those that an index cites and does not have."""

import re
from collections.abc import Iterable

from fetch.client import Access, Client
from fetch.corpus.interface import work_of
from fetch.openalex import Step, batches, page, seeds
from indexer.identity.identifiers import lone_doi
from indexer.paper import Paper
from indexer.readers.formats.openalex import paper_of_work

_OPENALEX = re.compile(r"W[1-9]\d{3,}")  # shorter ones are rather another corpus'


def can_be_fetched(work: Paper) -> bool:
    """Whether OpenAlex can be asked for a work: by a DOI, an arXiv id or an id of its own."""
    return bool(_doi(work) or _OPENALEX.fullmatch(work.id))


def fetch_named(works: Iterable[Paper], access: Access) -> list[Paper]:
    """The works as OpenAlex has them, in no order; those that it does not have are left out.

    A paper keeps OpenAlex's id; whoever cites it by its DOI finds it by that.

    Raises:
        FetchError: The API fails or refuses.
    """
    client = Client(access)
    wanted = list(works)
    own = dict.fromkeys(work.id for work in wanted if _OPENALEX.fullmatch(work.id))
    dois = dict.fromkeys(doi for work in wanted if work.id not in own and (doi := _doi(work)))
    found, _ = seeds(client, list(dois))
    for some in batches(own):
        found += page(client, Step(f"ids.openalex:{'|'.join(some)}", size=len(some)), "").works
    return [work.paper for record in found if (work := work_of(paper_of_work("", record)))]


def _doi(work: Paper) -> str:
    return lone_doi(work.doi or (f"10.48550/arXiv.{work.arxiv}" if work.arxiv else ""))
