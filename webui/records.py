"""Requests and answers of the API as types: what the OpenAPI document is generated from, and what people read there.

Requests are checked by `webui.inputs`, whose messages are those of the command line.
"""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, get_args

from pydantic import ConfigDict, Field, with_config
from pydantic.config import JsonDict
from typing_extensions import TypedDict

from citescout.settings import MOST_CANDIDATES
from citescout.systems import systems
from rerank.calibration import Likelihood, Verdict
from retrieval.first_stage import SOURCES
from retrieval.forms import QUERY_FORMS
from webui.inputs import MAX_ABSTRACT, MAX_ID, MAX_IDS, MAX_NAMES, MAX_TITLE, YEARS

MAX_BATCH = 100  # queries

Identity = Annotated[str, Field(max_length=MAX_ID)]
Identities = Annotated[list[Identity], Field(max_length=MAX_IDS)]
Names = Annotated[list[Identity], Field(max_length=MAX_NAMES)]
Year = Annotated[int, Field(ge=YEARS[0], le=YEARS[-1])]


_SOME_TEXT: JsonDict = {
    "anyOf": [
        {"required": [field], "properties": {field: {"type": "string", "pattern": r"\S"}}}
        for field in ("title", "abstract")
    ]
}
_with_text = with_config(ConfigDict(extra="forbid", json_schema_extra=_SOME_TEXT))


@_with_text
class RecommendRequest(TypedDict, total=False):
    """A paper in progress, and how to answer; a title or an abstract is required, and null is as good as nothing."""

    id: Annotated[
        str | None, Field(max_length=MAX_ID, description="Its own id where it is in the index: it is not recommended.")
    ]
    title: Annotated[str | None, Field(max_length=MAX_TITLE)]
    abstract: Annotated[str | None, Field(max_length=MAX_ABSTRACT)]
    year: Annotated[
        int | None, Field(ge=YEARS[0], le=YEARS[-1], description="Only papers up to this year are recommended.")
    ]
    already_cited: Annotated[
        Identities | None,
        Field(description="Ids, DOIs, arXiv ids, PMIDs or titles: not recommended again, but used as evidence."),
    ]
    liked: Annotated[
        Identities | None, Field(description="Ids of papers to steer towards; they still are recommended.")
    ]
    disliked: Annotated[Identities | None, Field(description="Ids of papers to steer away from, and to leave out.")]
    authors: Annotated[
        Names | None,
        Field(description="Who writes it: what they wrote or cited before is marked. Never stored or logged."),
    ]
    hide_known: Annotated[bool | None, Field(description="Leave out what the authors wrote or cited before.")]
    from_year: Annotated[Year | None, Field(description="Only papers from this year on are recommended.")]
    to_year: Annotated[Year | None, Field(description="Only papers up to this year; newer ones still are evidence.")]
    venues: Annotated[Names | None, Field(description="Only papers whose venue has one of these names in it.")]
    min_citations: Annotated[int | None, Field(ge=0, description="By papers of the index.")]
    not_by: Annotated[Names | None, Field(description="Authors whose papers are left out.")]
    diversity: Annotated[float | None, Field(ge=0, le=1, description="How much the papers are to differ; 0 for not.")]
    recency: Annotated[float | None, Field(ge=-1, le=1, description="1 puts new papers first, -1 old ones.")]
    papers: Annotated[
        Identities | None, Field(description="Ids of the recommendations that are to be exported; none for all.")
    ]
    k: Annotated[int | None, Field(ge=1, le=1000, description="Recommendations; 20 if not given.")]
    system: Annotated[
        str | None,
        Field(
            json_schema_extra={"enum": [*systems(), None]},
            description="How the list is made; as the server does if not given. Other fields change parts. "
            + "; ".join(f"{system.name}: {system.description}" for system in systems().values())
            + ".",
        ),
    ]
    sources: Annotated[
        list[Annotated[str, Field(json_schema_extra={"enum": list(SOURCES)})]] | None,
        Field(min_length=1, description="Sources of candidates; the system's if not given."),
    ]
    depth: Annotated[
        int | None,
        Field(ge=0, le=MOST_CANDIDATES, description="That the cross-encoder reads; 0 for the first list only."),
    ]
    query_form: Annotated[
        str | None,
        Field(json_schema_extra={"enum": [*QUERY_FORMS, None]}, description="What of the query BM25 searches for."),
    ]
    blend: Annotated[
        bool | None, Field(description="Whether the learned order is used; as the system does if not given.")
    ]


@_with_text
class BatchQuery(RecommendRequest, total=False):
    """One query of a batch."""

    id: Annotated[str | None, Field(max_length=MAX_ID, description="Comes back with the answer.")]


@with_config(ConfigDict(extra="forbid"))
class BatchRequest(TypedDict):
    """Several queries."""

    queries: Annotated[list[BatchQuery], Field(min_length=1, max_length=MAX_BATCH)]


@_with_text
class StoredRequest(RecommendRequest, total=False):
    """The question to be stored, which is done without its authors."""


class PaperRecord(TypedDict):
    """A paper of the index."""

    id: str
    title: str
    abstract: str
    year: int | None
    authors: list[str]
    venue: str
    doi: Annotated[str, Field(description="Bare, such as 10.1561/1500000019; may be empty.")]
    arxiv: Annotated[str, Field(description="Bare, such as 1706.03762; may be empty.")]
    url: Annotated[str, Field(description="http or https; may be empty.")]
    citation: Annotated[str, Field(description="The paper as one line of a reference list.")]


class MatchedTermRecord(TypedDict):
    """A word that query and paper share."""

    term: str
    weight: Annotated[float, Field(description="Its contribution to the BM25 score.")]


class SourceRankRecord(TypedDict):
    """Where one source of candidates ranked the paper."""

    source: str
    rank: Annotated[int, Field(ge=1)]
    score: float


class LinkedPaperRecord(TypedDict):
    """A paper that is linked with the recommended one by citations."""

    id: str
    title: str
    year: int | None


class CitedWithRecord(LinkedPaperRecord):
    """The paper high in the first list that it is cited together with most often."""

    together: Annotated[int, Field(ge=1, description="Papers that cite both.")]


class FitRecord(TypedDict):
    """Whether the index has anything on the query."""

    chance: Annotated[float, Field(ge=0, le=1, description="That it does.")]
    verdict: Annotated[str, Field(json_schema_extra={"enum": list(get_args(Verdict))})]


class ReasonsRecord(TypedDict):
    """Why a paper is recommended."""

    why: Annotated[str, Field(description="All of it in words, what speaks most for the paper first; may be empty.")]
    matched_terms: Annotated[
        list[MatchedTermRecord], Field(description="Words of the search that tell papers apart, heaviest first.")
    ]
    sources: list[SourceRankRecord]
    cited_by: Annotated[
        list[LinkedPaperRecord], Field(description="Papers high in the first list that cite it: at most three.")
    ]
    cited_by_count: Annotated[int, Field(ge=0, description="All papers high in the first list that cite it.")]
    cites: Annotated[
        list[LinkedPaperRecord], Field(description="Papers high in the first list that it cites: at most three.")
    ]
    cited_with: CitedWithRecord | None
    reranker_score: Annotated[float | None, Field(ge=0, le=1, description="Probability of the cross-encoder.")]


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
    known: Annotated[KnownRecord | None, Field(description="null where the query has no authors, or they do not.")]


class QueryRecord(TypedDict):
    """The query as it was understood."""

    title: str
    abstract: str
    year: int | None
    already_cited: list[str]


class RecommendAnswer(TypedDict):
    """The list for one query, best first."""

    query: QueryRecord
    fit: Annotated[FitRecord | None, Field(description="null where nothing tells.")]
    recommendations: list[RecommendationRecord]
    unknown: Annotated[list[str], Field(description="What of already_cited is not in the index.")]
    timing_ms: float


class BatchAnswer(TypedDict):
    """The answer to one query of a batch: a list, or why there is none."""

    id: str
    fit: NotRequired[FitRecord | None]
    recommendations: NotRequired[list[RecommendationRecord]]
    unknown: NotRequired[list[str]]
    timing_ms: NotRequired[float]
    error: NotRequired[str]


class BatchAnswers(TypedDict):
    """The answers in the order of the queries."""

    answers: list[BatchAnswer]


class StoredAnswer(TypedDict):
    """Where the stored question is."""

    id: str
    path: Annotated[str, Field(description="Of the page that answers it.")]
    deletion_key: Annotated[str, Field(description="Deletes it; shown this once.")]


class StoredQuestion(TypedDict):
    """A stored question, as it was sent, without its authors."""

    kind: Annotated[str, Field(json_schema_extra={"enum": ["json", "form"]})]
    fields: dict[str, Any]


class HealthAnswer(TypedDict):
    """What is being served."""

    status: str
    papers: int
    citations: int
    removed: int
    encoder: str | None
    generation: str
    reranker: str | None
    system: Annotated[str, Field(description="That answers questions which name none.")]


class ErrorAnswer(TypedDict):
    """What is wrong, in one line."""

    error: str
    request_id: Annotated[str, Field(description="Also in the header X-Request-ID and in the server's log.")]
