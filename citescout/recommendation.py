"""What a query gets back, with the reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import Field

from indexer.paper import Paper
from rerank.calibration import Fit, Likelihood
from retrieval.query import Query

HowLinked = Literal["cites it", "is cited by it", "is cited with it"]
CITES: HowLinked = "cites it"
CITED_BY: HowLinked = "is cited by it"
CITED_WITH: HowLinked = "is cited with it"

# What of a recommendation is wanted. Beside rank, score and likelihood: the id of every record; or each paper once, in
# its best record; or the paper, why it is recommended, and whether the query's authors know it.
Needs = Literal["ids", "papers", "reasons"]

HowKnown = Literal["yours", "cited"]


@dataclass(frozen=True, slots=True)
class MatchedTerm:
    """A word of the query that the paper shares."""

    term: str  # as written in the query
    weight: Annotated[float, Field(description="Its contribution to the BM25 score.")]


@dataclass(frozen=True, slots=True)
class SourceRank:
    """Where one source of candidates ranked the paper."""

    source: str  # bm25 | dense | graph | fused
    rank: Annotated[int, Field(ge=1)]
    score: float  # BM25 score, cosine, citation votes, reciprocal rank sum


@dataclass(frozen=True, slots=True)
class OwnLink:
    """A paper that the user cites already, or likes, and how it is linked with a recommended one."""

    paper: Paper  # the user's
    how: HowLinked
    together: int  # papers that cite both


@dataclass(frozen=True, slots=True)
class CitedTogether:
    """A paper that is often cited where a recommended one is."""

    paper: Paper
    together: int  # papers that cite both


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature of the blend adds to a paper's score."""

    feature: str  # a name of `rerank.features.FEATURES`, or "reranker"
    value: float


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why a paper is recommended."""

    matched_terms: tuple[MatchedTerm, ...]  # heaviest first; of what BM25 searched for, words that distinguish papers
    sources: tuple[SourceRank, ...]  # only those that found it
    cited_by: tuple[Paper, ...]  # of the best matches, those high in the first-stage list, that cite it: at most three
    reranker_score: float | None  # probability of the cross-encoder; None beyond its depth or without one
    own: tuple[OwnLink, ...] = ()  # the user's papers that it is linked with, at most three
    contributions: tuple[Contribution, ...] = ()  # of the blend's features; empty without the blend
    cited_by_count: int = 0  # of the best matches that cite it
    cites: tuple[Paper, ...] = ()  # of the best matches, those that it cites: at most three
    cited_with: CitedTogether | None = None  # of the best matches, the one that it is cited together with most often
    close_in_meaning: bool = False  # among the nearest by vector, and as near as papers of an index are to each other
    related_in_meaning: bool = False  # found by its vector, in an index that has something on the query
    named: bool = False  # the query's text names it, by its authors or by what its title begins with
    quoted: bool = False  # the query's text repeats a passage of it
    support: str = ""  # of a query with a context: the sentence of the abstract that is nearest to it


NO_REASONS = Reasons((), (), (), None)


@dataclass(frozen=True, slots=True)
class Known:
    """That the authors of the query know the paper, and how."""

    how: HowKnown
    by: Paper | None = None  # in which they cited it, the newest; None for a paper of theirs


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One line of the final list."""

    rank: int  # from 1
    # The chance that the query cites the paper, 0 to 100 per cent, comparable across lists. Where `likelihood` is None,
    # the score of the last stage that ran: higher is better, comparable within one list only.
    score: float
    paper: Paper
    reasons: Reasons = NO_REASONS
    likelihood: Likelihood | None = None  # the chance in a word; None without the blend
    known: Known | None = None  # None where the query's authors are not known to have written or cited it
    # By papers of the index that are older than the query, where it has a year; None where not counted.
    times_cited: int | None = None
    note: str = ""  # of the user's own on the paper, which goes where the paper is exported
    key: str = ""  # under which a text of the user's may cite the paper already, and its entry is exported


@dataclass(frozen=True, slots=True)
class OutsideWork:
    """A work that is not in the index, and that papers near the query cite."""

    paper: Paper  # what is known of it: its id as the papers name it, a DOI or arXiv id in that, seldom a title
    score: float  # votes of those who cite it; comparable within one answer only
    cited_by: tuple[Paper, ...]  # of the neighbours that cite it the best, at most three
    cited_by_count: int  # of the neighbours: best candidates, and what the query cites or likes
    times_cited: int  # by papers of the index that are older than the query, where it has a year


@dataclass(frozen=True, slots=True)
class Answer:
    """The list for one query, at one moment: complete and valid, and perhaps to be refined."""

    query: Query  # as it was answered: with ids of the index for what it cites already
    recommendations: Sequence[Recommendation]  # best first
    fit: Fit | None = None  # whether the index has anything on the query; None where unknown
    unknown: tuple[str, ...] = ()  # what the query cites already, likes or dislikes, and is not in the index
    read: int = 0  # candidates that the cross-encoder has read so far
    to_read: int = 0  # that it was to read; not reached where the budget ends first
    beyond: Sequence[OutsideWork] = ()  # not in the index, best first; as many as the settings ask for
    named_already: Sequence[Recommendation] = ()  # what the context names and the query cites already; not in the list
    did_you_mean: Mapping[str, str] = field(default_factory=dict)  # by word of a short question that no paper has
    same_title: Sequence[Paper] = ()  # with the query's title, so that they are taken for it and are not in the list
    milliseconds: float = field(default=0.0, compare=False)  # until it was there, where that was measured

    def under_keys(self, keys: Mapping[str, str]) -> "Answer":
        """With the `keys`, by ids of the index, under which a manuscript cites what its sentence names."""
        named = tuple(replace(entry, key=keys.get(entry.paper.id, "")) for entry in self.named_already)
        return replace(self, named_already=named)
