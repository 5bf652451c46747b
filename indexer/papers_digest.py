"""What an index was built from, in one number: so that it is not taken for the index of other papers or citations."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from operator import attrgetter

import orjson

from indexer.paper import Paper, check_types

# How the entry was written or the paper printed changes nothing that is found, nor does a retraction; of merged records
# it is what is left.
_LEFT_OUT = {"original", "retracted", "other_ids", "imprint"}
_values = attrgetter(*(field.name for field in fields(Paper) if field.name not in _LEFT_OUT))


class PapersDigest:
    """SHA-256 of papers with all fields by which they are found, citations too, in the order in which they come."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def passing(self, papers: Iterable[Paper]) -> Iterator[Paper]:
        """Hand on the papers; each is added on its way."""
        for paper in papers:
            self._digest.update(_written(paper))
            yield paper

    def hexdigest(self) -> str:
        """Of the papers so far."""
        return self._digest.hexdigest()


def _written(paper: Paper) -> bytes:
    values = _values(paper)
    try:
        return orjson.dumps(values) + b"\n"
    except orjson.JSONEncodeError:  # half of a surrogate pair has no bytes, but a spelling in ASCII
        check_types(paper)
        return json.dumps(values).encode("ascii") + b"\n"


def papers_digest(papers: Iterable[Paper]) -> str:
    """The digest of all of these papers; reads them to their end."""
    digest = PapersDigest()
    for _ in digest.passing(papers):
        pass
    return digest.hexdigest()
