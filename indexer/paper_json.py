"""Papers as JSON and back, for databases that keep them for a while."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from indexer.paper import Paper

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def paper_json(paper: Paper) -> bytes:
    """Every field of the paper."""
    return _papers().dump_json(paper)


def paper_of_json(text: bytes | str) -> Paper:
    """What `paper_json` made a text of; fields that it does not name are empty."""
    return _papers().validate_json(text)


@cache
def _papers() -> TypeAdapter[Paper]:
    # Imported late: whoever reads a manuscript or a bibliography starts a process for it, which never gets here.
    from pydantic import TypeAdapter

    return TypeAdapter(Paper)
