"""Training queries as they are asked, and the labelled candidates that they get."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from citescout.recommender import Recommender
from indexer.catalog import Catalog
from indexer.citations import CitationGraph
from rerank.blend import TRAINING_DEPTH
from retrieval.first_stage import Pool
from retrieval.graph import cited_no_more
from retrieval.query import Query
from training.blend.forms import DRAWN, Form, asked_as
from training.blend.lists import LabelledList
from training.queries import TrainingQuery


@dataclass(frozen=True, slots=True)
class AskedList:
    """A training query's candidates for the order."""

    query: Query
    labelled: LabelledList
    docids: NDArray[np.int32]  # (n,) papers


@dataclass(frozen=True, slots=True)
class QueryLists(AskedList):
    """The same by the order of the pool, and how it was asked."""

    form: Form
    fit: NDArray[np.float64] | None  # `rerank.calibration.fit_features` of its pool


@dataclass(frozen=True, slots=True)
class Asked:
    """A training query as it is asked."""

    form: Form
    example: TrainingQuery
    year: int | None  # in which it was written

    def labelled(
        self,
        recommender: Recommender,
        pool: Pool,
        left_out: NDArray[np.bool_],
        graph: CitationGraph | None = None,
        fit: NDArray[np.float64] | None = None,
    ) -> QueryLists:
        """The candidates of its pool but what is `left_out`, (docids,), by the order of the pool.

        By `graph`, rarely cited papers are worth more (`LabelledList.popular`); `fit` is that of the pool.
        """
        kept = np.flatnonzero(~left_out[pool.docids[:TRAINING_DEPTH]])
        features = recommender.features(pool, replace(self.example.query, year=self.year))[kept]
        docids = pool.docids[kept]
        popular = None if graph is None else cited_no_more(graph, pool.citations[kept])
        labelled = LabelledList(features, np.isin(docids, self.example.gold), popular)
        return QueryLists(self.example.query, labelled, docids, self.form, fit)


def in_two_forms(example: TrainingQuery, catalog: Catalog, generator: np.random.Generator) -> Iterator[Asked]:
    """An example as an abstract, and in a form that is drawn, where it has such a part."""
    forms: list[Form] = ["abstract", DRAWN[int(generator.integers(len(DRAWN)))]]
    for form in forms:
        if asked := asked_as(example, form, catalog, generator):
            yield Asked(form, asked, example.query.year)
