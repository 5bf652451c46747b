"""arXiv's API, for preprints: what is behind an arXiv id. It has no citations.

https://info.arxiv.org/help/api/user-manual.html: an Atom feed, one request in three seconds.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from xml.etree.ElementTree import ParseError  # parsing is defusedxml's

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from common.sequences import batches
from fetch.corpus.answers import CachedClient
from fetch.corpus.interface import work_of
from indexer.identity.identifiers import arxiv_key
from indexer.paper import Paper
from indexer.readers.base import RawPaper, papers_of
from indexer.readers.formats.arxiv import paper_of_entry
from indexer.readers.json_records import Fields

BASE_URL = "https://export.arxiv.org/api"
REQUESTS_PER_SECOND = 1 / 3
_ATOM = "{http://www.w3.org/2005/Atom}"
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
            raw = RawPaper(**{"where": "", **fields, "id": f"arXiv:{id_}"})
            if id_ in batch and (work := work_of(raw)):
                found[id_] = work.paper
    return found


def _entries(body: bytes) -> list[Fields]:
    """The preprints of a feed, as its reader finds them; an entry for an error is none."""
    try:
        feed: Any = ElementTree.fromstring(body)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise ValueError(f"the answer of {len(body):,} bytes is no Atom feed ({error})") from None
    if feed.tag != f"{_ATOM}feed":
        raise ValueError(f"the answer of {len(body):,} bytes is no Atom feed")
    for element in feed.iter():
        element.tag = element.tag.rpartition("}")[2]
    found = papers_of((("", entry) for entry in feed.iterfind("entry")), paper_of_entry)
    return [asdict(paper) for paper in found if isinstance(paper, RawPaper)]
