"""The library's public face: `from citescout import Recommender, Paper, Query, Settings`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from citescout.own_packages import check_own_packages

if TYPE_CHECKING:
    from citescout.recommendation import Reasons, Recommendation
    from citescout.recommender import Recommender
    from citescout.settings import Settings
    from indexer.paper import Paper
    from retrieval.query import Query

__all__ = ["Paper", "Query", "Reasons", "Recommendation", "Recommender", "Settings"]

_HOMES = {
    "Paper": "indexer.paper",
    "Query": "retrieval.query",
    "Reasons": "citescout.recommendation",
    "Recommendation": "citescout.recommendation",
    "Recommender": "citescout.recommender",
    "Settings": "citescout.settings",
}

check_own_packages()


def __getattr__(name: str) -> Any:
    # Loaded at first use: `citescout --help` should not wait for torch.
    if name not in _HOMES:
        raise AttributeError(f"module 'citescout' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
