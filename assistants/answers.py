"""What the tools answer."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict


class PaperLine(TypedDict):
    """A paper of the index in a few words."""

    id: str
    citation: Annotated[str, Field(description="The paper as one line of a reference list.")]
    retracted: Annotated[bool, Field(description="By its publisher, as far as the index knows.")]


class RecommendedPaper(PaperLine):
    """A paper to cite."""

    score: Annotated[float | None, Field(description="The chance in per cent that it is cited; null where unknown.")]
    why: str


class PaperList(TypedDict):
    """What is recommended."""

    verdict: Annotated[str, Field(description="What to tell the user of the list as a whole; empty where it fits.")]
    papers: list[RecommendedPaper]
    not_in_index: Annotated[
        list[str], Field(description="What is cited already and is not in the index: the first ten.")
    ]
    all_not_in_index: Annotated[int, Field(description="How many works these are in all.")]
    draft_title: Annotated[str, Field(description="Of the draft that was read; if another is meant, name its file.")]
    draft_notes: Annotated[
        list[str],
        Field(description="What of the draft could not be read; papers that it cites may then be among those listed."),
    ]


class FoundPaper(PaperLine):
    """A paper that may be meant."""

    abstract: str
    exact: Annotated[bool, Field(description="The text is its id, DOI, arXiv id or title; others only share words.")]
