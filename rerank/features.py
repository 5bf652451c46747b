"""What the learned order looks at, one column a feature, all from one query's pool: the one table of features.

No feature knows which corpus it is in, or which encoder made its vectors, or but for which words are rare how large the
index is: scores and cosines are taken relative to those of the same pool, votes are those of the query's best papers
alone. So trees that were fitted on some corpora carry over to others, and what else is in an index hardly changes what
they say of a paper. How often a paper is cited at all is no feature: it identified the corpus to the trees, and added
nothing (docs/experiments.md).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from sys import intern
from typing import Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from common.text import as_searched, unaccented
from encoders.text import Text
from retrieval.citation_rates import RATES
from retrieval.first_stage import DIRECTIONS, Pool
from retrieval.graph import KINDS, Voters

Features = NDArray[np.float32]
Column = NDArray[np.floating]
Direction = Literal[-1, 0, 1]

# Groups that a reader can distinguish.
WORDS, MEANING, LINKS = "shared words", "meaning", "citation links"
AGE, TOGETHER = "age", "all of the text together"

_COMPARED, _FEWEST = 200, 4  # scores of a pool that another one is compared with
_YEARS_OF = 50  # the best of a pool show the time that a query is about
_NEWEST_OF, _NEWEST = 500, 5  # of the best of a pool the so many'th newest: how new the papers of an index are
_NOT_FOUND = 3000  # a rank that no source reaches, the same for pools of any size
# So many years before the query the middle of a pool's best appeared: 5 to 8 in the usual list of four corpora.
_USUAL_AGE = 6.0
_WORD = re.compile(r"\w{3,}")
_STOP = frozenset(
    word
    for line in (
        "the and for with from that this are was were has have had not but its our their which into using based",
        "between can how what when where who why does new study analysis approach toward towards via over under some",
        "than",
    )
    for word in line.split()
)


class Candidates:
    """One query's pool, and what several features need of it."""

    def __init__(self, pool: Pool, query: Text, year: int, titles: Sequence[frozenset[str]]) -> None:
        """`year` is the query's, or the newest of the index; `titles` the words of candidates in the pool's order."""
        self.pool = pool
        self.titles = titles
        self.query_words, self.query_title = words(query.joined()), words(query.title)
        self.years = years_of(pool)
        self.age = age(self.years, year)
        self.expected = pool.expected.astype(np.float64)

    def scores(self, source: str) -> Column:
        """Scores of a source; NaN where it did not find the paper."""
        found = self.pool.scores.get(source, np.full(len(self.pool), np.nan))
        return np.asarray(found, np.float64)

    def text_rank(self) -> Column:
        """log2(rank + 1) in the list of BM25 and vectors fused, before the graph adds to it."""
        ranks = self.pool.text_ranks
        return np.log2(np.where(ranks > 0, ranks, _NOT_FOUND) + 1.0)

    def cosine(self, direction: str) -> Column:
        """With one of DIRECTIONS, standardised; NaN without vectors."""
        return standardised(self.pool.cosines[:, DIRECTIONS.index(direction)])

    def votes(self, kind: str) -> Column:
        """Votes of one kind; zeros without the graph."""
        return self.pool.votes[:, KINDS.index(kind)]

    def rates(self, voters: Voters, rate: str) -> Column:
        """One of RATES; zeros without the graph."""
        rates = self.pool.rates.get(voters)
        return np.zeros(len(self.pool)) if rates is None else rates[:, RATES.index(rate)]


Pooled = TypeVar("Pooled")  # what features are made of: `Candidates`, or those for a context


@dataclass(frozen=True, slots=True)
class Feature(Generic[Pooled]):
    """One column."""

    name: str
    group: str  # what the page calls what it looks at
    direction: Direction  # 1: more of it never lowers a paper, −1: never raises it, 0: whatever was learned
    values: Callable[[Pooled], Column]  # (candidates,); NaN where unknown


FEATURES: tuple[Feature[Candidates], ...] = (
    Feature("bm25_share", WORDS, 1, lambda c: shares_of_best(c.scores("bm25"))),
    Feature("bm25", WORDS, 1, lambda c: standardised(c.scores("bm25"))),
    Feature("rare_words", WORDS, 1, lambda c: c.pool.rare_words),
    Feature("title_in_query", WORDS, 1, lambda c: shares(c.titles, c.query_words)),
    Feature("title_overlap", WORDS, 1, lambda c: _jaccard(c.titles, c.query_title)),
    # With the query as the index projects it, and with the query's own vector.
    Feature("cosine", MEANING, 1, lambda c: c.cosine("projected")),
    Feature("own_cosine", MEANING, 1, lambda c: c.cosine("query")),
    Feature("text_rank", TOGETHER, -1, lambda c: c.text_rank()),
    Feature("cited_rate", LINKS, 1, lambda c: c.rates("seeds", "cited_rate")),
    Feature("recently_cited_rate", LINKS, 1, lambda c: c.rates("seeds", "recently_cited_rate")),
    Feature("cites_seeds", LINKS, 1, lambda c: c.votes("cites_seeds")),
    Feature("cocited", LINKS, 1, lambda c: c.votes("cocited")),
    Feature("cited_rate_of_many", LINKS, 1, lambda c: c.rates("many", "cited_rate")),
    Feature("recently_cited_rate_of_many", LINKS, 1, lambda c: c.rates("many", "recently_cited_rate")),
    Feature("expected", LINKS, 1, lambda c: standardised(c.expected)),
    Feature("expected_share", LINKS, 1, lambda c: shares_of_best(c.expected)),
    Feature("year_gap", AGE, 0, lambda c: c.age),
    Feature("pool_gap", AGE, 0, lambda c: gap(c.years)),
    Feature("newest_gap", AGE, 0, lambda c: gap_to_newest(c.years, c.pool.cites)),
)
NAMES = tuple(feature.name for feature in FEATURES)
TEXT_NAMES = tuple(feature.name for feature in FEATURES if feature.group != LINKS)  # known without any citation


def words(text: str) -> frozenset[str]:
    """Content words as they are searched, lower case; a plural s is dropped so that model and models agree."""
    return frozenset(
        intern(word.removesuffix("s") if len(word) > 4 else word)
        for word in _WORD.findall(as_searched(text).lower())
        if word not in _STOP
    )


def feature_matrix(pool: Pool, query: Text, year: int, titles: Sequence[frozenset[str]]) -> Features:
    """Features of a pool's candidates, shape (len(pool), len(FEATURES)); NaN where unknown.

    `year` is the query's, or the newest of the index; `titles` the words of candidates in the pool's order.
    """
    return columns_of(FEATURES, Candidates(pool, query, year, titles))


def columns_of(features: Sequence[Feature[Pooled]], candidates: Pooled) -> Features:
    """The columns of these features, shape (candidates, len(features))."""
    return np.stack([feature.values(candidates) for feature in features], axis=1).astype(np.float32)


def shares_of_best(values: Column) -> Column:
    """Of the largest of the pool, from 0 to 1; NaN stays."""
    return np.asarray(values / np.nanmax(values, initial=1e-9), np.float64)


def standardised(values: Column) -> Column:
    """In standard deviations from the mean of the pool's `_COMPARED` largest; NaN where too few are known to say.

    So that it means the same with every encoder, in every field and for queries of every length.
    """
    best = np.sort(np.asarray(values[~np.isnan(values)], np.float64))[-_COMPARED:]
    if len(best) < _FEWEST:
        return np.full(len(values), np.nan)
    return np.asarray((values - best.mean()) / max(float(best.std()), 1e-6), np.float64)


def years_of(pool: Pool) -> Column:
    """When the candidates appeared, (len(pool),); where that is unknown, the middle year of the pool's best.

    The trees have met too few papers of unknown year to know what to make of one. NaN where no year is known.
    """
    years = np.where(pool.years > 0, pool.years, np.nan)
    return np.where(np.isnan(years), _middle(years), years)


def age(years: Column, year: int) -> Column:
    """How many years before `year` the candidates appeared; what is usual where no year is known."""
    return np.asarray(np.nan_to_num(year - years, nan=_USUAL_AGE))


def gap(years: Column) -> Column:
    """Years against the middle year of the pool's best; 0 where no year is known."""
    return np.asarray(np.nan_to_num(years - _middle(years)))


def _middle(years: Column) -> float:
    for some in (years[:_YEARS_OF], years):
        known = some[~np.isnan(some)]
        if len(known):
            return float(np.median(known))
    return np.nan


def gap_to_newest(years: Column, cites: NDArray[np.bool_]) -> Column:
    """Years before the newest of the pool's best, but a few whose years may be wrong; what is usual without years.

    What is newer than all papers that cite something, by `cites`, could not have been cited yet and is as new as any.
    """
    best, known = years[:_NEWEST_OF], cites[:_NEWEST_OF]
    newest = _few_from_newest(best)
    if known.sum() >= _NEWEST:
        newest = np.minimum(newest, _few_from_newest(best[known]) + 1)
    return np.asarray(np.nan_to_num(np.maximum(newest - years, 0), nan=_USUAL_AGE))


def _few_from_newest(years: Column) -> Column:
    return np.sort(years)[-_NEWEST:][:1]  # of an empty pool none


def shares(titles: Sequence[frozenset[str]], query: frozenset[str]) -> Column:
    """What share of each title's words the query has."""
    shared, own = _counts(titles, _as_titles_have(query, titles))
    return np.asarray(shared / np.maximum(own, 1))


def _jaccard(titles: Sequence[frozenset[str]], query: frozenset[str]) -> Column:
    query = _as_titles_have(query, titles)
    shared, own = _counts(titles, query)
    return np.asarray(shared / np.maximum(own + len(query) - shared, 1))


def _as_titles_have(query: frozenset[str], titles: Sequence[frozenset[str]]) -> frozenset[str]:
    """The words, those unaccented that more of the titles have so."""

    def spelling(word: str) -> str:
        plain = unaccented(word)
        return word if plain == word else max(word, plain, key=lambda one: sum(one in title for title in titles))

    return frozenset(map(spelling, query))


def _counts(titles: Sequence[frozenset[str]], query: frozenset[str]) -> tuple[Column, Column]:
    """How many words each title shares with the query, and has; by `map`, which takes half the time of a loop."""
    shared = np.fromiter(map(len, map(query.intersection, titles)), np.float64, len(titles))
    return shared, np.fromiter(map(len, titles), np.float64, len(titles))
