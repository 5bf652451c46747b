"""Works by their ids → papers: those that an index cites and does not have."""

from collections.abc import Iterable
from itertools import chain

from fetch.client import Access, Client
from fetch.corpus.sources.openalex import OpenAlex
from indexer.identity.identifiers import is_openalex_id, lone_doi
from indexer.paper import Paper


def can_be_fetched(work: Paper) -> bool:
    """Whether OpenAlex can be asked for a work: by a DOI, an arXiv id or an id of its own."""
    return bool(_doi(work) or is_openalex_id(work.id))


def fetch_named(works: Iterable[Paper], access: Access) -> list[Paper]:
    """The works as OpenAlex has them, in no order; those that it does not have are left out.

    A paper keeps OpenAlex's id; whoever cites it by its DOI finds it by that.

    Raises:
        FetchError: The API fails or refuses.
    """
    source = OpenAlex(Client(access))
    wanted = list(works)
    own = dict.fromkeys(work.id for work in wanted if is_openalex_id(work.id))
    dois = dict.fromkeys(doi for work in wanted if work.id not in own and (doi := _doi(work)))
    found = [*source.by_doi(list(dois)).values(), *chain.from_iterable(source.works(list(own)))]
    return list({work.paper.id: work.paper for work in found}.values())


def _doi(work: Paper) -> str:
    return lone_doi(work.doi or (f"10.48550/arXiv.{work.arxiv}" if work.arxiv else ""))
