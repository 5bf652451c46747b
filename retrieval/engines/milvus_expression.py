"""Which papers are allowed, in Milvus' filter language: by year, and by the numbers of the few that are not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexer.engines.milvus_collection import NUMBER, YEAR
from retrieval.hits import Allowed


def expression(allowed: Allowed | None, years: NDArray[np.int16]) -> str | None:
    """An expression that holds for exactly the `allowed` papers; "" for all of them, None for none.

    A mask is usually made of a year and some exceptions, and so is the expression; whatever else it may be, the
    exceptions are named one by one, or those that are left where they are fewer.
    """
    if allowed is None or allowed.all():
        return ""
    if not allowed.any():
        return None
    newest = int(years[allowed].max())
    within = years <= newest
    excluded = np.flatnonzero(within & ~allowed)
    left = np.count_nonzero(allowed)
    if len(excluded) > left:
        return f"{NUMBER} in {np.flatnonzero(allowed).tolist()}"
    parts = [] if within.all() else [f"{YEAR} <= {newest}"]
    if len(excluded):
        parts.append(f"{NUMBER} not in {excluded.tolist()}")
    return " and ".join(parts)
