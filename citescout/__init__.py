"""The library's public face: `from citescout import Recommender, Paper, Query`."""

from citescout.recommendation import Reasons, Recommendation
from citescout.recommender import Recommender
from indexer.paper import Paper
from retrieval.query import Query

__all__ = ["Paper", "Query", "Reasons", "Recommendation", "Recommender"]
