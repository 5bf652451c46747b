"""The library's public face: `from citescout import Recommender, Paper, Query, Settings`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from citescout.own_packages import check_own_packages

if TYPE_CHECKING:
    from citescout.filters import Filters as Filters
    from citescout.live import LiveRecommender as LiveRecommender
    from citescout.recommendation import Answer as Answer
    from citescout.recommendation import Reasons as Reasons
    from citescout.recommendation import Recommendation as Recommendation
    from citescout.recommender import Recommender as Recommender
    from citescout.settings import Settings as Settings
    from common.errors import CitescoutError as CitescoutError
    from common.errors import QueryError as QueryError
    from indexer.paper import Paper as Paper
    from retrieval.query import Query as Query

_HOMES = {
    "Answer": "citescout.recommendation",
    "CitescoutError": "common.errors",
    "Filters": "citescout.filters",
    "LiveRecommender": "citescout.live",
    "Paper": "indexer.paper",
    "Query": "retrieval.query",
    "QueryError": "common.errors",
    "Reasons": "citescout.recommendation",
    "Recommendation": "citescout.recommendation",
    "Recommender": "citescout.recommender",
    "Settings": "citescout.settings",
}
__all__ = list(_HOMES)

check_own_packages()


def __getattr__(name: str) -> Any:
    # Loaded at first use: `citescout --help` should not wait for torch.
    if name not in _HOMES:
        raise AttributeError(f"module 'citescout' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    # Names that tab completion offers, before they are loaded, too.
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
