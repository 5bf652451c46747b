"""The pool of a query; where few of its papers meet the conditions of the list, with more that do."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from citescout.filters import Filters
from citescout.settings import Settings
from retrieval.context_pool import pool_of
from retrieval.first_stage import FirstStage, Pool
from retrieval.query import Query


def filtered_pool(
    first: FirstStage,
    query: Query,
    settings: Settings,
    copies: Sequence[int],
    vector: NDArray[np.float32] | None,
) -> Pool:
    """Arguments as for `pool_of`. The list may still end before `settings.k`: too few meet the conditions at all."""
    pool = pool_of(first, query, settings.first_stage, copies, vector)
    filters, generation = settings.filters, first.generation
    if filters == Filters() or filters.kept(pool, generation.catalog).sum() >= settings.k:
        return pool
    wanted = filters.possible(generation)
    wanted[pool.docids] = False
    if not wanted.any():
        return pool
    return pool_of(first, query, replace(settings.first_stage, wanted=wanted), copies, vector)
