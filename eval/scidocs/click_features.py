"""What the recommender of SciDocs sees of a query and a candidate (SPECTER paper, section 3.4).

Ten features: the cosine of the two vectors, and nine from titles, authors, citations and years, as in the published
code. That code splits titles into tokens with spaCy; here words and punctuation marks are tokens.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.scidocs.embeddings import Embeddings

FEATURES = (
    "cosine",
    "title overlap",
    "author overlap",
    "overlap of who cites them",
    "overlap of references",
    "candidate cites query",
    "query cites candidate",
    "age",
    "age relative to query",
    "citations",
)
# As in the published code: ages count from 2020 and saturate at 20 years.
_NOW = 2020.0
_LONG = 20.0
_TOKEN = re.compile(r"\w+|[^\w\s]")

Metadata = Mapping[str, Mapping[str, Any]]


def features(pairs: Sequence[tuple[str, str]], metadata: Metadata, embeddings: Embeddings) -> NDArray[np.float32]:
    """Shape (len(pairs), len(FEATURES)) for (query, candidate) pairs; what is not known of a paper is 0."""
    described = [_described(metadata.get(query), metadata.get(paper), query, paper) for query, paper in pairs]
    return np.column_stack([_cosines(pairs, embeddings), np.array(described)]).astype(np.float32)


def _cosines(pairs: Sequence[tuple[str, str]], embeddings: Embeddings) -> NDArray[np.float64]:
    cosines = np.zeros(len(pairs))
    for start in range(0, len(pairs), 4096):
        queries = embeddings.find([query for query, _ in pairs[start : start + 4096]])
        papers = embeddings.find([paper for _, paper in pairs[start : start + 4096]])
        lengths = np.linalg.norm(queries, axis=1) * np.linalg.norm(papers, axis=1)
        cosines[start : start + 4096] = (queries * papers).sum(1) / np.maximum(lengths, 1e-8)
    return cosines


def _described(
    query: Mapping[str, Any] | None, paper: Mapping[str, Any] | None, query_id: str, paper_id: str
) -> list[float]:
    own, other = query or {}, paper or {}
    cites_query = paper_id in _list(own, "cited_by") or query_id in _list(other, "references")
    query_cites = query_id in _list(other, "cited_by") or paper_id in _list(own, "references")
    asked, published = _year(own), _year(other)
    return [
        _jaccard(_TOKEN.findall(_title(own)), _TOKEN.findall(_title(other))),
        _jaccard(_list(own, "authors"), _list(other, "authors")),
        _jaccard(_list(own, "cited_by"), _list(other, "cited_by")),
        _jaccard(_list(own, "references"), _list(other, "references")),
        float(cites_query),
        float(query_cites),
        _saturated(_NOW - published) if published is not None else 0.0,
        _saturated(asked - published) if asked is not None and published is not None else 0.0,
        math.log(len(set(_list(other, "cited_by"))) + 1) / 10,
    ]


def _jaccard(first: Collection[str], second: Collection[str]) -> float:
    one, other = set(first), set(second)
    return len(one & other) / len(one | other) if one | other else 0.0


def _saturated(years: float) -> float:
    return max(-1.0, min(1.0, years / _LONG))


def _year(fields: Mapping[str, Any]) -> float | None:
    try:
        return float(fields["year"])
    except (KeyError, TypeError, ValueError):
        return None


def _title(fields: Mapping[str, Any]) -> str:
    title = fields.get("title")
    return title if isinstance(title, str) else ""


def _list(fields: Mapping[str, Any], name: str) -> Collection[str]:
    """The ids of a field; none where it is missing or no list."""
    found = fields.get(name)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else ()
