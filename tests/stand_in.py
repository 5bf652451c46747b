"""Recommenders that tests put in the place of a real one."""

from typing import Any

from citescout.recommender import Recommender


class StandIn:
    """Answers in a way of its own, which a test gives it; all else is that of a real recommender."""

    def __init__(self, recommender: Recommender) -> None:
        self._recommender = recommender

    def __getattr__(self, name: str) -> Any:
        return getattr(self._recommender, name)
