"""Requests and answers of the API as types: what requests are checked by, and what the OpenAPI document is made from.

The fields of a request are those of `Query` and `Settings`, as they are declared there; what is said here is how much
of them one request may hold.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from annotated_types import Len
from pydantic import BaseModel, ConfigDict, Field, Strict, create_model
from pydantic.config import JsonDict
from typing_extensions import TypedDict

from citescout.index_info import IndexInfo
from citescout.recommendation import MatchedTerm, SourceRank
from citescout.settings import Settings
from citescout.systems import SYSTEMS
from common.schema import RULES, fields_of, type_of
from rerank.calibration import Likelihood, Verdict
from retrieval.query import LONGEST, TEXTS, Query

MAX_BATCH = 100  # queries
MAX_ID = 500  # characters, of any text that is not in `LONGEST`
MOST_IDS, _MOST_NAMES = 2_000, 50
_MOST = dict.fromkeys(("already_cited", "liked", "disliked"), MOST_IDS)  # entries; of other lists fewer


def _with_text(schema: JsonDict) -> None:
    """The rule of `Query` in the words of JSON schema; and what is not given has no value.

    Not as `anyOf`: generators of clients make a type of each of its parts, without the other fields.
    """
    no_text: JsonDict = {"not": {"type": "string", "pattern": r"\S"}}
    schema["not"] = {"properties": dict.fromkeys(TEXTS, no_text)}
    for described in schema["properties"].values():  # type: ignore[union-attr]
        described.pop("default")  # type: ignore[union-attr, arg-type]


class Request(BaseModel):
    """What a request has beside the fields of `Query` and `Settings`."""

    model_config = ConfigDict(**{**RULES, "json_schema_extra": _with_text})

    system: Annotated[str, Field(json_schema_extra={"enum": list(SYSTEMS)})] | None = Field(
        None,
        description="How the list is made; as the server does if not given. Other fields change parts. "
        + "; ".join(f"{system.name}: {system.description}" for system in SYSTEMS.values())
        + ".",
    )


def request_of(
    name: str, description: str, records: Sequence[type] = (Query, Settings), **values: Any
) -> type[Request]:
    """The requests that have the fields of these records, each of which may be left out; `values` are further ones."""
    fields: dict[str, Any] = dict(_fields(*records))
    return create_model(name, __base__=Request, __doc__=description, **{**fields, **values})


def _fields(*records: type) -> Iterator[tuple[str, tuple[Any, Any]]]:
    for name, field in fields_of(*records, where="api"):
        taken = type_of(field)
        if taken == tuple[str, ...]:
            entry = Annotated[str, Len(0, LONGEST.get(name, MAX_ID))]
            taken = Annotated[tuple[entry, ...], Len(0, _MOST.get(name, _MOST_NAMES))]
        elif taken is str:
            taken = Annotated[str, Len(0, LONGEST.get(name, MAX_ID))]
        if field.metadata:
            taken = Annotated[(taken, *field.metadata)]
        yield name, (taken | None, Field(None, description=field.description))


RecommendRequest = request_of(
    "RecommendRequest",
    "A paper in progress, and how to answer; a title, an abstract or a context is required; null is like nothing.",
)
ExportRequest = request_of(
    "ExportRequest",
    "What is recommended by it is written to a file.",
    papers=(
        Annotated[tuple[Annotated[str, Len(0, MAX_ID)], ...], Strict(False), Len(0, MOST_IDS)] | None,
        Field(None, description="Ids of the recommendations that are to be exported; none for all."),
    ),
)
BatchQuery = request_of(
    "BatchQuery",
    "One query of a batch.",
    id=(Annotated[str, Len(0, MAX_ID)] | None, Field(None, description="Comes back with the answer.")),
)
StoredRequest = request_of("StoredRequest", "The question to be stored, without its authors.")


class BatchRequest(BaseModel):
    """Several queries."""

    model_config = RULES

    queries: list[BatchQuery] = Field(min_length=1, max_length=MAX_BATCH)  # type: ignore[valid-type]


class PaperRecord(TypedDict):
    """A paper of the index."""

    id: str
    title: str
    abstract: str
    year: int | None
    authors: Annotated[list[str], Field(description='As people read them; "et al." last where there are more.')]
    venue: str
    doi: Annotated[str, Field(description="Bare, such as 10.1561/1500000019; may be empty.")]
    arxiv: Annotated[str, Field(description="Bare, such as 1706.03762; may be empty.")]
    url: Annotated[str, Field(description="http or https; may be empty.")]
    retracted: Annotated[bool, Field(description="By its publisher, as far as the index knows.")]
    citation: Annotated[str, Field(description="The paper as one line of a reference list.")]


class LinkedPaperRecord(TypedDict):
    """A paper that is linked with the recommended one by citations."""

    id: str
    title: str
    year: int | None


Papers = list[LinkedPaperRecord]


class CitedWithRecord(LinkedPaperRecord):
    """The paper high in the first list that it is cited together with most often."""

    together: Annotated[int, Field(ge=1, description="Papers that cite both.")]


class FitRecord(TypedDict):
    """Whether the index has anything on the query."""

    chance: Annotated[float, Field(ge=0, le=1, description="That it does.")]
    verdict: Annotated[str, Field(json_schema_extra={"enum": list(get_args(Verdict))})]
    unknown_words: Annotated[float, Field(ge=0, le=1, description="Share of the query's words that no paper holds.")]


class ReasonsRecord(TypedDict):
    """Why a paper is recommended."""

    why: Annotated[str, Field(description="All of it in words, the strongest reason first; may be empty.")]
    matched_terms: Annotated[list[MatchedTerm], Field(description="Words that distinguish papers, heaviest first.")]
    sources: list[SourceRank]
    cited_by: Annotated[Papers, Field(description="Papers high in the first list that cite it: at most three.")]
    cited_by_count: Annotated[int, Field(ge=0, description="All papers high in the first list that cite it.")]
    cites: Annotated[Papers, Field(description="Papers high in the first list that it cites: at most three.")]
    cited_with: CitedWithRecord | None
    reranker_score: Annotated[float | None, Field(ge=0, le=1, description="Probability of the cross-encoder.")]
    support: Annotated[str, Field(description="The sentence of its abstract nearest to the context; may be empty.")]


class KnownRecord(TypedDict):
    """That the query's authors know a paper: they wrote it, or cited it before."""

    how: Annotated[str, Field(json_schema_extra={"enum": ["yours", "cited"]})]
    by: Annotated[LinkedPaperRecord | None, Field(description="The newest paper of theirs that cites it.")]
    words: Annotated[str, Field(description="The same as a phrase.")]


class RecommendationRecord(PaperRecord):
    """One line of a list."""

    rank: Annotated[int, Field(ge=1)]
    score: Annotated[
        float,
        Field(
            description="The chance in per cent that the query cites the paper, comparable across lists. Where "
            "likelihood is null, the probability of the cross-encoder, 0 to 1, or without one the first stage's own "
            "score, both comparable within one list only."
        ),
    ]
    likelihood: Annotated[
        str | None,
        Field(
            json_schema_extra={"enum": [*get_args(Likelihood), None]},
            description="The chance in a word; null without the learned order.",
        ),
    ]
    reasons: ReasonsRecord
    known: Annotated[KnownRecord | None, Field(description="null without authors, or where they do not know it.")]


class OutsideWorkRecord(TypedDict):
    """A work that is not in the index, and that papers near the query cite."""

    id: Annotated[str, Field(description="As the papers name it, such as a DOI; empty where it is only described.")]
    doi: str
    arxiv: str
    title: Annotated[str, Field(description="Empty where no reference has it.")]
    author: Annotated[str, Field(description="The first one, where a reference has it.")]
    year: int | None
    url: Annotated[str, Field(description="http or https; may be empty.")]
    score: Annotated[float, Field(description="Votes of those who cite it; comparable within one answer only.")]
    cited_by: Annotated[Papers, Field(description="Of the nearest papers that cite it at most three.")]
    cited_by_count: Annotated[int, Field(ge=0, description="All of the nearest papers that cite it.")]
    times_cited: Annotated[int, Field(ge=0, description="By papers of the index.")]
    why: Annotated[str, Field(description="Who cites it, in words.")]


class QueryRecord(TypedDict):
    """The query as it was understood."""

    title: str
    abstract: str
    context: Annotated[str, Field(description="Empty for a whole paper.")]
    year: int | None
    already_cited: list[str]


class ListAnswer(TypedDict):
    """A list, best first, and what is to be said of it."""

    fit: Annotated[FitRecord | None, Field(description="null where unknown.")]
    recommendations: list[RecommendationRecord]
    unknown: Annotated[list[str], Field(description="What of already_cited, liked and disliked is not in the index.")]
    unknown_authors: Annotated[list[int], Field(description="Of authors, from 0 without blanks: those with no paper.")]
    named_already: Annotated[list[str], Field(description="What of already_cited the context names.")]
    did_you_mean: Annotated[dict[str, str], Field(description="By word that no paper has, one that may be meant.")]
    same_title: Annotated[list[str], Field(description="Papers with the query's title: taken for it, not listed.")]
    beyond: Annotated[list[OutsideWorkRecord], Field(description="Works outside the index, as many as asked for.")]
    timing_ms: float


class RecommendAnswer(ListAnswer):
    """The list for one query."""

    query: QueryRecord


class BatchAnswer(ListAnswer):
    """The list for one query of a batch."""

    id: str


class BatchError(TypedDict):
    """Why one query of a batch has no list."""

    id: str
    error: str


class BatchAnswers(TypedDict):
    """The answers in the order of the queries."""

    answers: list[BatchAnswer | BatchError]


class StoredAnswer(TypedDict):
    """Where the stored question is."""

    id: str
    path: Annotated[str, Field(description="Of the page that answers it.")]
    deletion_key: Annotated[str, Field(description="Deletes it; shown this once.")]


class StoredQuestion(TypedDict):
    """A stored question, as `recommend` takes it, without its authors."""

    fields: dict[str, Any]


@dataclass(frozen=True)
class HealthAnswer(IndexInfo):
    """What is being served."""

    status: Annotated[Literal["ok", "old"], Field(description="old: the index as it is now cannot be opened.")] = "ok"


class IndexRecord(TypedDict):
    """One index of the server."""

    name: Annotated[str, Field(description="Empty for the only one.")]
    papers: int
    address: Annotated[str, Field(description="That its addresses begin with, such as /i/NAME/api/v1.")]


class IndexesAnswer(TypedDict):
    """The indexes of the server."""

    indexes: list[IndexRecord]


class ErrorAnswer(TypedDict):
    """What is wrong, in one line."""

    error: str
    request_id: Annotated[str, Field(description="Also in the header X-Request-ID and in the server's log.")]
