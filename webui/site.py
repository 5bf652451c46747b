"""What the pages and the API of one application share."""

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from flask import Response, current_app, g

from citescout.index_info import IndexInfo
from citescout.manuscript_citations import Surroundings
from citescout.recommendation import Recommendation
from citescout.review import Unfinished
from citescout.settings import Settings
from common.errors import CitescoutError, QueryError
from common.recent import RecentlyUsed
from indexer.paper import Paper
from webui.answers import Answers, AnyRecommender, BusyError, DeadlineError
from webui.api_keys import ApiKeys
from webui.builds import Builds
from webui.indexes import Indexes
from webui.metrics import Metrics
from webui.permalinks import Permalinks
from webui.prefixes import current_index, current_session, root_of
from webui.sessions import Sessions
from webui.store_file import FullError

ONLY = "main"  # what the only index is called where others may come beside it
_OF_THE_ONLY = ("", ONLY)  # under which a server keeps what is of its only index
_MANUSCRIPTS = 16  # whose citations are known without looking them up again
_SESSIONS = 4_096
_RETRY_AFTER = 5  # seconds: after a stop or a deadline no better estimate is known
_log = logging.getLogger(__name__)


class StoppingError(CitescoutError):
    """The server is about to stop."""


class NotThereError(CitescoutError):
    """What the address names does not exist."""


@dataclass(frozen=True, slots=True)
class Site:
    """One application."""

    indexes: Indexes  # by name; the first answers where an address names none
    demo: bool  # the corpus is the one of the demo, whose abstracts are summaries
    metrics: Metrics = field(default_factory=Metrics)
    show_metrics: bool = False
    keys: ApiKeys | None = None  # None: everybody may ask
    permalinks: Permalinks | None = None  # None: no question is ever stored
    sessions: Sessions | None = None  # None: the server keeps neither history nor basket
    browser_storage: bool = False  # without sessions: the page's scripts keep them in the visitor's browser
    builds: Builds | None = None  # None: visitors cannot have an index built
    to_zotero: Callable[[Sequence[Recommendation]], str] | None = None  # None: baskets are not saved in Zotero
    # What manuscripts cite, by index, its state and the manuscript's digest; see `webui.opened_manuscript`.
    citations: RecentlyUsed[tuple[str, IndexInfo, bytes], tuple[Surroundings, dict[str, Any]]] = field(
        default_factory=lambda: RecentlyUsed(_MANUSCRIPTS)
    )
    # Reviews of manuscripts by the same; see `webui.review_page`.
    reviews: RecentlyUsed[tuple[str, IndexInfo, bytes], Unfinished] = field(
        default_factory=lambda: RecentlyUsed(_MANUSCRIPTS)
    )
    # By session, index and its state: the papers of the basket that are in the index no more.
    gone: RecentlyUsed[tuple[str, str, IndexInfo], frozenset[Paper]] = field(
        default_factory=lambda: RecentlyUsed(_SESSIONS)
    )
    stopping: threading.Event = field(default_factory=threading.Event)  # set: only what was begun is finished

    @property
    def answers(self) -> Answers:
        """Those of the index that the current request asks."""
        return self.indexes[self.index]

    @property
    def index(self) -> str:
        """Name of the index that the current request asks."""
        return current_index() or next(iter(self.indexes))

    def served(self, name: str) -> str:
        """The name that the index of a kept question has now, which may have been the only one, without a name."""
        return next(iter(self.indexes)) if name in _OF_THE_ONLY and name not in self.indexes else name

    def answers_of(self, name: str) -> Answers | None:
        """Those of the index of a kept question; None where it is not served any more."""
        return self.indexes.get(self.served(name))

    def settings_of(self, system: str) -> Settings:
        """Those of the system that a question names, or "" for none; errors as of `Recommender.settings_of`."""
        return self.answers.recommender.settings_of(system)


def site() -> Site:
    """Of the current application."""
    found: Site = current_app.extensions["citescout"]
    return found


def address_of(session: str, index: str, number: int) -> str:
    """Of a question that was asked of an index; there are no addresses of one that is not served any more."""
    served = site().served(index)
    return f"{root_of(session, served if served in site().indexes else None)}/asked/{number}"


def session_of_request() -> tuple[Sessions, str] | None:
    """The store and the session of the current request; None where the server keeps none or the address is of none."""
    sessions, session = site().sessions, current_session()
    if sessions is None or session is None:
        return None
    bring_up_to_date(sessions, session)
    return sessions, session


def bring_up_to_date(sessions: Sessions, session: str, again: bool = False) -> None:
    """Have the basket hold papers as the indexes have them now, in each state of one once: corrected, under new keys.

    What an index has no more stays as it was picked. With `again`, papers have come that may be of an earlier state.
    """
    for name, answers in site().indexes.items():
        try:
            state = (session, name, answers.recommender.info)
            if again or site().gone.get(state) is None:
                _bring_up_to_date(sessions, state, answers.recommender)
        except CitescoutError as error:  # the basket is shown as it was, and the other indexes answer
            _log.warning("the basket is not brought up to date: %s", error)


def _bring_up_to_date(sessions: Sessions, state: tuple[str, str, IndexInfo], recommender: AnyRecommender) -> None:
    served, (session, index, _) = site(), state
    own = [pick for pick in sessions.baskets.picks(session) if served.served(pick.index) == index]
    now = dict(zip([pick.paper for pick in own], recommender.current([pick.paper for pick in own]), strict=True))
    there = {was: found for was, found in now.items() if found}
    formerly = []
    for name in _OF_THE_ONLY:
        theirs = [pick.paper for pick in own if pick.index == name]
        # The only index may have been another one, which has its papers again once it comes first.
        if name != index and served.served(name) == index and (not theirs or not there.keys().isdisjoint(theirs)):
            formerly.append(name)
    if own or formerly:
        with suppress(FullError):
            sessions.baskets.bring_up_to_date(session, index, there, formerly)
    served.gone.put(state, frozenset(now.keys() - there.keys()))


def gone_papers(session: str) -> set[Paper]:
    """The papers of a basket, brought up to date by this request, that their indexes have no more."""
    served = site()
    states = [(session, name, answers.recommender.info) for name, answers in served.indexes.items()]
    return {paper for state in states for paper in served.gone.get(state) or ()}


def its_session(missing: str) -> tuple[Sessions, str]:
    """The same; where there is none, a NotThereError says what is `missing`."""
    if (found := session_of_request()) is None:
        raise NotThereError(missing)
    return found


def picked_papers() -> set[str]:
    """Ids of the papers in the basket of the current request's session that are of the index that it asks.

    None where a full disk lets nothing be read: the list is shown all the same.
    """
    found = session_of_request()
    with suppress(FullError):
        return set(found[0].baskets.picked(found[1], site().index)) if found else set()
    return set()


def known_papers(ids: Sequence[str]) -> list[Paper]:
    """The papers of these ids that the index has."""
    recommender = site().answers.recommender
    return [paper for id_ in dict.fromkeys(ids) if (paper := recommender.paper(id_)) is not None]


def attachment(content: bytes | str, media_type: str, name: str) -> Response:
    """A file to be saved under that name; halves of surrogate pairs in its text become ?."""
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    response = Response(data, mimetype=media_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def status_of(error: CitescoutError) -> tuple[int, str]:
    """HTTP status and message for an error; what is wrong with the index is for the log, not for the visitor.

    The answer to the current request says from then on when to come again, where the error is of a kind that passes.
    """
    if isinstance(error, BusyError):
        site().metrics.refusal("queue")
        g.retry_after = error.retry_after
        return 429, str(error)
    if isinstance(error, QueryError):
        return 400, str(error)
    if isinstance(error, NotThereError):
        return 404, str(error)
    if isinstance(error, FullError):
        _log.warning("%s", error)  # which only whoever runs the server can help
    if isinstance(error, DeadlineError | StoppingError):
        g.retry_after = _RETRY_AFTER
    if isinstance(error, DeadlineError | StoppingError | FullError):
        site().metrics.refusal(type(error).__name__.removesuffix("Error").lower())
        return 503, str(error)
    _log.error("%s", error)
    return 500, "the index cannot answer: its log says why"
