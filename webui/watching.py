"""Watched questions on the page: they are asked again once their index has changed, a few and one at a time."""

import logging
import time
from collections.abc import Mapping

from flask import Blueprint, Response, jsonify, redirect, request, url_for
from flask.typing import ResponseReturnValue

from common.errors import CitescoutError, QueryError
from webui.answers import Answers
from webui.inputs import from_form
from webui.sessions import Question, Sessions
from webui.site import NotThereError, its_session, site
from webui.watched import Watched

blueprint = Blueprint("watching", __name__)

_SECONDS = 3.0  # after which no further question is asked again for one request
_log = logging.getLogger(__name__)


@blueprint.post("/asked/<int(max=2147483647):number>/watch")
def watch(number: int) -> ResponseReturnValue:
    """Watch a question of the session, or with `remove` watch it no more."""
    sessions, session = its_session("there are no watched questions at this address")
    question = sessions.question(session, number)
    if question is None:
        raise NotThereError("there is no question at this address, or it was deleted from the history")
    if request.form.get("remove"):
        sessions.watched.forget(session, number)
    elif number not in sessions.watched.all(session):
        answers = _answers(question)
        sessions.watched.watch(session, number, _served(answers), _papers(answers, question.fields))
    return redirect(url_for("basket.history", _anchor=f"question-{number}"), 303)


@blueprint.post("/watched")
def news() -> Response:
    """Ask one watched question again whose index has changed; how many papers are new in all of them."""
    sessions, session = its_session("there are no watched questions at this address")
    ask_again(sessions, session, 1)
    return jsonify(new=new_papers(sessions, session))


def ask_again(sessions: Sessions, session: str, most: int | None = None) -> None:
    """Ask the watched questions again whose index has changed: at most so many, and for some seconds.

    What cannot be answered now is left for the next time; what the index as it is cannot answer, for its next change.
    """
    end = time.monotonic() + _SECONDS
    for one in outdated(sessions, session)[:most]:
        question = sessions.question(session, one.number)
        if question is None or time.monotonic() > end:
            break
        served = _served(_answers(question))
        try:
            _record(sessions, session, question)
        except QueryError as error:
            _log.info("a watched question is asked again when its index has changed: %s", error)
            sessions.watched.record(session, question.number, served, ())
        except CitescoutError as error:
            _log.info("a watched question is asked again later: %s", error)
            break


def outdated(sessions: Sessions, session: str) -> list[Watched]:
    """The watched questions whose index has changed since they were asked."""
    watched = [(one, site().answers_of(one.index)) for one in sessions.watched.all(session).values()]
    return [one for one, answers in watched if answers and _served(answers) != one.served]


def new_papers(sessions: Sessions, session: str) -> int:
    """How many papers of all watched questions are new."""
    return sum(one.new for one in sessions.watched.all(session).values())


def shown_as_new(sessions: Sessions, session: str, question: Question) -> frozenset[str]:
    """The papers to mark in the list of a question, which is shown now; none where it is not watched.

    Raises:
        CitescoutError: the list cannot be made.
    """
    one = sessions.watched.all(session).get(question.number)
    if one is None:
        return frozenset()
    answers = _answers(question)
    if one.served != _served(answers):
        _record(sessions, session, question)
    new = map(answers.recommender.paper, sessions.watched.show(session, question.number))
    return frozenset(paper.id for paper in new if paper)  # under the ids that they have now


def _record(sessions: Sessions, session: str, question: Question) -> None:
    answers = _answers(question)
    served = _served(answers)  # before it is asked: if it changes meanwhile, it is asked once more
    sessions.watched.record(session, question.number, served, _papers(answers, question.fields))


def _answers(question: Question) -> Answers:
    """Those of its index; raises NotThereError where it is gone."""
    if (answers := site().answers_of(question.index)) is None:
        raise NotThereError("the index of this question is not served any more")
    return answers


def _papers(answers: Answers, fields: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Ids of each paper in the list for a question."""
    recommender = answers.recommender
    asked = from_form(fields, settings_of=recommender.settings_of, is_id=recommender.paper)
    found = answers.answer(asked.query, asked.settings)
    return [recommender.ids_of(entry.paper) for entry in found.recommendations]


def _served(answers: Answers) -> str:
    """Which state of an index answers: another one after each change, also where it was built again."""
    info = answers.recommender.info
    return f"{info.generation} of {info.created}"
