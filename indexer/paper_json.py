"""Papers as JSON and back, for databases that keep them for a while."""

from pydantic import TypeAdapter

from indexer.paper import Paper

_PAPERS = TypeAdapter(Paper)


def paper_json(paper: Paper) -> bytes:
    """Every field of the paper."""
    return _PAPERS.dump_json(paper)


def paper_of_json(text: bytes | str) -> Paper:
    """What `paper_json` made a text of; fields that it does not name are empty."""
    return _PAPERS.validate_json(text)
