"""What the learned order looks at, one column a feature, all from one query's pool.

No feature knows which corpus it is in: scores are taken relative to the query's best, counts on a log scale, so that
a blend trained on some corpora carries over to others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from encoders.text import Text
from retrieval.first_stage import DIRECTIONS, Pool
from retrieval.graph import VOTERS, Voters

Features = NDArray[np.float32]

FEATURES = (
    "bm25_share",  # BM25 score / best BM25 score
    "bm25_rank",  # log2(rank + 1), rank 3000 where BM25 did not find it
    "cosine",  # with where the index looks for the query's citations
    "cosine_gap",  # best cosine − cosine
    "likeness",  # cosine with the query's own vector
    "dense_rank",
    "fused_rank",  # of BM25 and dense with the graph
    "cited_by_seeds",  # votes, see retrieval.graph
    "cites_seeds",
    "cocited",
    "graph_rank",
    "citations",  # log(1 + how often it is cited)
    "citations_share",  # the same / the largest of the pool
    "year_gap",  # query's year − paper's year
    "citations_a_year",  # log(1 + citations / (year gap + 1))
    "title_in_query",  # share of its title's words that the query contains
    "query_title_overlap",  # Jaccard of its title's words with the query title's
    "evidence",  # of the query: log(1 + all votes cast), how far the graph can be trusted
    "abstract",  # 1 if it has one
    "text_centre",  # cosine with the middle of the 20 best by text
    "pool_centre",  # and of the 20 best with the graph
    "pool_gap",  # paper's year − middle year of the 50 best
    "cited_by_few",  # votes of other seeds
    "cites_few",
    "cocited_with_few",
    "cited_by_many",
    "cocited_with_many",
    "cited_by_near",
    "cites_near",
    "cocited_with_near",
    "cited_by_seeds_rarely",  # votes of the seeds that cite it / √(1 + how often it is cited)
    "cited_by_seeds_only",  # and / (3 + how often it is cited)
)

# Evidence of the text of which more (or less) never speaks against a candidate: without this the trees may order a
# handful of papers, or an index without vectors, against all that the sources say, as they never saw such lists.
RISING = frozenset(("bm25_share", "cosine", "title_in_query", "query_title_overlap"))
FALLING = frozenset(("bm25_rank", "cosine_gap", "dense_rank", "fused_rank", "graph_rank"))

_YEARS_OF = 50  # the best of a pool tell the time that a query is about
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


def words(text: str) -> frozenset[str]:
    """Content words, lower case; a plural s is dropped so that model and models agree."""
    return frozenset(
        word.removesuffix("s") if len(word) > 4 else word for word in _WORD.findall(text.lower()) if word not in _STOP
    )


def feature_matrix(pool: Pool, query: Text, year: int, texts: Sequence[Text]) -> Features:
    """Features of the first candidates of a pool, shape (len(texts), len(FEATURES)); NaN where unknown.

    `year` is the query's, or the newest of the index; `texts` are the candidates' texts in the pool's order.
    """
    size = len(texts)
    best = slice(0, size)
    bm25 = pool.scores.get("bm25", np.full(len(pool), np.nan, np.float32))
    citations = pool.citations[best]
    aims, likeness, text_centre, pool_centre = (pool.cosines[:, direction] for direction in range(len(DIRECTIONS)))
    votes, few, many, near = (_votes(pool, voters)[best] for voters in VOTERS)
    age = np.where(pool.years[best] > 0, year - pool.years[best].astype(np.float64), np.nan)
    query_words, title_words = words(query.joined()), words(query.title)
    candidate_words = [words(text.title) for text in texts]
    columns: dict[str, NDArray[np.floating]] = {
        "bm25_share": bm25[best] / np.nanmax(bm25, initial=1e-9),
        "bm25_rank": _log_rank(pool, "bm25")[best],
        "cosine": aims[best],
        "cosine_gap": np.nanmax(aims, initial=-1.0) - aims[best],
        "likeness": likeness[best],
        "dense_rank": _log_rank(pool, "dense")[best],
        "fused_rank": np.log2(np.arange(size) + 2),
        "cited_by_seeds": votes[:, 0],
        "cites_seeds": votes[:, 1],
        "cocited": votes[:, 2],
        "graph_rank": _log_rank(pool, "graph")[best],
        "citations": np.log1p(citations),
        "citations_share": np.log1p(citations) / max(np.log1p(pool.citations.max(initial=0)), 1e-9),
        "year_gap": age,
        "citations_a_year": np.log1p(citations / (np.maximum(np.nan_to_num(age, nan=10), 0) + 1)),
        "title_in_query": np.asarray([len(w & query_words) / max(len(w), 1) for w in candidate_words]),
        "query_title_overlap": np.asarray([_jaccard(w, title_words) for w in candidate_words]),
        "evidence": np.full(size, np.log1p(_votes(pool, "seeds").sum())),
        "abstract": np.asarray([float(bool(text.abstract.strip())) for text in texts]),
        "text_centre": text_centre[best],
        "pool_centre": pool_centre[best],
        "pool_gap": _year_gap(pool)[best],
        "cited_by_few": few[:, 0],
        "cites_few": few[:, 1],
        "cocited_with_few": few[:, 2],
        "cited_by_many": many[:, 0],
        "cocited_with_many": many[:, 2],
        "cited_by_near": near[:, 0],
        "cites_near": near[:, 1],
        "cocited_with_near": near[:, 2],
        "cited_by_seeds_rarely": votes[:, 0] / np.sqrt(citations + 1),
        "cited_by_seeds_only": votes[:, 0] / (citations + 3),
    }
    return np.stack([columns[name] for name in FEATURES], axis=1).astype(np.float32)


def _votes(pool: Pool, voters: Voters) -> NDArray[np.float32]:
    return pool.votes.get(voters, np.zeros((len(pool), 3), np.float32))


def _year_gap(pool: Pool) -> NDArray[np.floating]:
    years = pool.years.astype(np.float64)
    years[years == 0] = np.nan
    known = years[:_YEARS_OF]
    known = known[~np.isnan(known)]
    return years - (np.median(known) if len(known) else np.nan)


def _log_rank(pool: Pool, source: str) -> NDArray[np.floating]:
    ranks = pool.ranks.get(source, np.zeros(len(pool), np.int32))
    # Not found counts as a rank that no source reaches, the same for pools of any size.
    return np.log2(np.where(ranks > 0, ranks, 3000) + 1.0)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one | other), 1)
