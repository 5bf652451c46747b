"""What the pages and the API of one application share."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from flask import current_app

from common.errors import CitescoutError, QueryError
from webui.answers import Answers, BusyError

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Site:
    """One application."""

    answers: Answers
    demo: bool  # the corpus is the one of the demo, whose abstracts are summaries


def site() -> Site:
    """Of the current application."""
    found: Site = current_app.extensions["citescout"]
    return found


def status_of(error: CitescoutError) -> tuple[int, str]:
    """HTTP status and message for an error; what is wrong with the index is for the log, not for the visitor."""
    if isinstance(error, BusyError):
        return 503, str(error)
    if isinstance(error, QueryError):
        return 400, str(error)
    _log.error("%s", error)
    return 500, "the index cannot answer: its log says why"
