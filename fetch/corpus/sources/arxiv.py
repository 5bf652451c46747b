"""arXiv's API, for preprints: what is behind an arXiv id. It has no citations.

https://info.arxiv.org/help/api/user-manual.html: an Atom feed, one request in three seconds.
"""

from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element, ParseError  # parsing is defusedxml's

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from common.sequences import batches
from fetch.corpus.answers import CachedClient
from fetch.corpus.interface import work_of
from indexer.identity.identifiers import arxiv_key
from indexer.paper import Paper
from indexer.readers.base import RawPaper
from indexer.readers.json_records import Fields

BASE_URL = "https://export.arxiv.org/api"
REQUESTS_PER_SECOND = 1 / 3
_ATOM = "{http://www.w3.org/2005/Atom}"
_OWN = "{http://arxiv.org/schemas/atom}"
_IDS_A_CALL = 100


def preprints(client: CachedClient, ids: Sequence[str]) -> dict[str, Paper]:
    """The preprints of these bare arXiv ids; ids of none are left out.

    Raises:
        FetchError: the API fails.
    """
    found = {}
    for batch in batches(ids, _IDS_A_CALL):
        query = {"id_list": ",".join(batch), "max_results": str(len(batch))}
        for fields in client.ask("query", query, _entries):
            id_ = arxiv_key(str(fields["id"]))
            raw = RawPaper("", url=f"https://arxiv.org/abs/{id_}", arxiv=id_, **{**fields, "id": f"arXiv:{id_}"})
            if id_ in batch and (work := work_of(raw)):
                found[id_] = work.paper
    return found


def _entries(body: bytes) -> list[Fields]:
    """The entries of a feed, as far as a paper has them; one for an error names no paper and is left out."""
    try:
        feed: Any = ElementTree.fromstring(body)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise ValueError(f"the answer of {len(body):,} bytes is no Atom feed ({error})") from None
    if feed.tag != f"{_ATOM}feed":
        raise ValueError(f"the answer of {len(body):,} bytes is no Atom feed")
    return [fields for entry in feed.iterfind(f"{_ATOM}entry") for fields in _fields(entry)]


def _fields(entry: Element) -> Iterator[Fields]:
    address = entry.findtext(f"{_ATOM}id") or ""
    if not arxiv_key(address):  # http://arxiv.org/api/errors#…
        return
    yield {
        "id": address,
        "title": entry.findtext(f"{_ATOM}title"),
        "abstract": entry.findtext(f"{_ATOM}summary"),
        "year": (entry.findtext(f"{_ATOM}published") or "")[:4],
        "authors": [author.findtext(f"{_ATOM}name") for author in entry.iterfind(f"{_ATOM}author")],
        "venue": entry.findtext(f"{_OWN}journal_ref"),
        "doi": entry.findtext(f"{_OWN}doi"),
    }
