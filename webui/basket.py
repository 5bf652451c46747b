"""The basket of a session, or of a browser, and its history: picked papers with notes, and the questions asked."""

from dataclasses import dataclass, replace

from flask import Blueprint, Response, jsonify, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from citescout.recommendation import Recommendation
from common.errors import FetchError, QueryError
from exports import Answer, find_format, written
from exports.citation_keys import own_key, possible_keys
from exports.private_fields import for_others
from retrieval.query import Query
from webui.api_types import MAX_ID
from webui.chips import LIMITS, limits_of
from webui.inputs import text_in
from webui.kept_baskets import MAX_NOTE, MAX_PICKS, Pick
from webui.pages import DOWNLOADS
from webui.prefixes import current_index, root_of
from webui.sessions import Sessions
from webui.site import (
    NotThereError,
    address_of,
    attachment,
    bring_up_to_date,
    gone_papers,
    its_session,
    known_papers,
    site,
)
from webui.text_field import beginning
from webui.watched import MAX_WATCHED
from webui.watching import ask_again, outdated

blueprint = Blueprint("basket", __name__)

_NONE = "there is no basket at this address"
_SHOWN_TITLE = 100  # characters of a question


@dataclass(frozen=True, slots=True)
class PastQuestion:
    """One question of the history as the page shows it."""

    number: int
    title: str
    address: str
    index: str
    limits: str  # what limits its list, in words
    asked: str  # "2026-11-22 15:04 UTC"
    watch: str  # address at which it is watched, or no more
    new: int | None = None  # papers that its list has got since it was shown; None where it is not watched


@blueprint.get("/basket")
def show() -> str:
    """The papers that were picked in this session."""
    return _page("Notes saved." if request.args.get("saved") else "")


def _page(said: str = "") -> str:
    shared = {"downloads": DOWNLOADS, "zotero": site().to_zotero is not None, "said": said}
    if site().browser_storage:
        return render_template("basket.html", picked=[], removal=None, latest=None, **shared)
    sessions, session = its_session(_NONE)
    picked = sessions.baskets.picks(session)
    return render_template(
        "basket.html",
        picked=picked,
        gone=gone_papers(session),
        removal=sessions.baskets.removal(session),
        latest=next(iter(_past(sessions, session)), None),
        **shared,
    )


@blueprint.post("/basket")
def change() -> ResponseReturnValue:
    """Put the papers of the form into the basket, or take them out with `remove`; `cited` marks them as cited."""
    sessions, session = its_session(_NONE)
    ids = request.form.getlist("papers")
    if len(ids) > MAX_PICKS or any(len(paper) > MAX_ID for paper in ids):
        raise QueryError(f"papers may hold {MAX_PICKS:,} ids of {MAX_ID} characters")
    if request.form.get("remove"):
        sessions.baskets.remove(session, site().index, ids)
    else:
        papers = known_papers(ids)
        if ids and not papers:  # the index has changed since the list was shown
            raise NotThereError("the index has no such paper any more: search again")
        sessions.baskets.pick(session, site().index, papers, bool(request.form.get("cited")))
    if request.accept_mimetypes.best_match(["text/html", "application/json"]) == "application/json":
        return jsonify(count=len(sessions.baskets.picked(session)))
    added = [n for n, pick in enumerate(sessions.baskets.picks(session), 1) if pick.paper.id in ids]
    return redirect(url_for("basket.show", _anchor=f"pick-{added[-1]}" if added else None), 303)


@blueprint.post("/basket/edit")
def edit() -> ResponseReturnValue:
    """Keep the notes that were changed; then remove a paper or put it back, empty the basket, or ask again."""
    sessions, session = its_session(_NONE)
    _keep_notes(sessions, session)
    next_one = None  # what takes the place of the paper that is removed, and the focus
    if unwanted := request.form.get("remove"):
        index, paper = _named_now(sessions, session, unwanted)
        sessions.baskets.remove(session, index, [paper])
        if unwanted in (shown := request.form.getlist("pick")):
            next_one = f"pick-{min(shown.index(unwanted) + 1, len(shown) - 1)}" if len(shown) > 1 else "put-back"
    if request.form.get("empty"):
        sessions.baskets.empty(session)
        next_one = "put-back"
    if removed := request.form.get("restore"):
        latest = sessions.baskets.removal(session)
        next_one = f"pick-{latest.place + 1}" if latest else None
        sessions.baskets.put_back(session, removed)
        bring_up_to_date(sessions, session, again=True)
    if request.form.get("cite"):
        return redirect(f"{_cited(sessions, session)}#results", 303)
    return redirect(url_for("basket.show", saved=request.form.get("save"), _anchor=next_one), 303)


@blueprint.post("/basket/export/<format_name>")
def export(format_name: str) -> Response:
    """The basket as a file: of the session, or of the form where the browser keeps it; with the notes of the form."""
    chosen = find_format(format_name)
    no_paper = Query(abstract="basket")  # whose title would be a heading
    text = written(chosen.name, [for_others(Answer(no_paper, _picks()))])
    return attachment(text, chosen.media_type, f"basket.{chosen.ending}")


@blueprint.post("/basket/zotero")
def save_in_zotero() -> ResponseReturnValue:
    """Save the basket in the Zotero of this computer, where the server offers it; with the notes of the form."""
    save = site().to_zotero
    if save is None:
        raise NotThereError("this server saves nothing in Zotero")
    picks = _picks()
    try:
        return _page(save(picks))
    except FetchError as error:
        return _page(str(error)), 502


def _picks() -> list[Recommendation]:
    """The basket: of the session, or of the form where the browser keeps it; with the notes of the form."""
    if site().browser_storage:
        picks, keys = _named_by_form(), {}
    else:
        sessions, session = its_session(_NONE)
        _keep_notes(sessions, session)
        picks = sessions.baskets.picks(session)
        papers = sorted(((pick.index, pick.paper) for pick in picks), key=lambda one: not own_key(one[1]))
        keys = sessions.names.names(session, papers, possible_keys)
    entries: dict[str, Recommendation] = {}
    for rank, pick in enumerate(picks, start=1):
        paper, key = pick.paper, keys.get((pick.index, pick.paper.id), "")
        if paper.id in entries:  # that of a paper of another index
            paper = replace(paper, id=f"{pick.index}/{paper.id}")
        entries[paper.id] = Recommendation(rank, 0.0, paper, note=pick.note, key=key)
    return list(entries.values())


@blueprint.get("/history")
def history() -> str:
    """The questions of this session; watched ones whose index has changed are asked again."""
    if site().browser_storage:
        return render_template("history.html", questions=[], limits=LIMITS)
    sessions, session = its_session(_NONE)
    ask_again(sessions, session)
    questions = _past(sessions, session)
    return render_template(
        "history.html",
        questions=questions,
        checks=sessions.checks.listed(session),
        manuscripts=sessions.manuscripts.listed(session),
        session_days=sessions.days,
        most_watched=MAX_WATCHED if sum(one.new is not None for one in questions) >= MAX_WATCHED else None,
        waiting=len(outdated(sessions, session)),
    )


@blueprint.post("/history/empty")
def forget() -> ResponseReturnValue:
    """Delete the questions and checks of this session; the basket stays."""
    sessions, session = its_session(_NONE)
    sessions.forget_questions(session)
    return redirect(url_for("basket.history"), 303)


@blueprint.post("/session/delete")
def delete() -> ResponseReturnValue:
    """Delete all of this session, and leave it."""
    sessions, session = its_session(_NONE)
    sessions.delete(session)
    return redirect(f"{root_of(None, current_index())}/", 303)


def _keep_notes(sessions: Sessions, session: str) -> None:
    """Keep the notes of the form that differ from what they were when the page was made.

    The others may have been changed in another tab since; of one that was changed in both, both texts are kept.

    Raises:
        QueryError: one is too long.
        FullError: there is no room for them.
    """
    before = _fields("was:")
    for key, note in _fields("note:").items():
        if note != before.get(key):
            sessions.baskets.note(session, *_named_now(sessions, session, key), note, before.get(key))


def _named_by_form() -> list[Pick]:
    """The papers of the form that this server has, with their notes.

    Raises:
        QueryError: there are too many, or one note is too long.
    """
    given = _fields("note:")
    notes = {key: given.get(key, "") for key in request.form.getlist("pick")}
    if len(notes) > MAX_PICKS or any(len(note) > MAX_NOTE for note in notes.values()):
        raise QueryError(f"a basket holds {MAX_PICKS:,} papers with notes of {MAX_NOTE:,} characters")
    found: dict[tuple[str, str], Pick] = {}
    for key, note in notes.items():
        index, paper_id = _parted(key)
        answers, index = site().answers_of(index), site().served(index)
        if paper := answers.recommender.paper(paper_id) if answers else None:
            before = found.get((index, paper.id))  # under a former name of the index, or a former id
            notes_on = dict.fromkeys([before.note, note] if before else [note])
            found[index, paper.id] = Pick(index, paper, "\n\n".join(filter(None, notes_on)), cited=False)
    return list(found.values())


def _fields(kind: str) -> dict[str, str]:
    """The fields of papers whose names begin with `kind`, by the keys of the papers, "INDEX/ID"."""
    form = request.form
    return {name.removeprefix(kind): text_in(form, name) for name in form if name.startswith(kind)}


def _cited(sessions: Sessions, session: str) -> str:
    """The address of the latest question, asked again with the basket as what is cited already.

    Raises:
        QueryError: nothing was asked yet.
    """
    latest = next(iter(sessions.questions(session)), None)
    if latest is None:
        raise QueryError("search first: then the papers of your basket can be marked as cited by that paper")
    index = site().served(latest.index)
    papers = [pick.paper for pick in sessions.baskets.picks(session) if pick.index == index]
    cited = [*latest.fields.get("already_cited", "").splitlines(), *(paper.id for paper in papers)]
    fields = {**latest.fields, "already_cited": "\n".join(dict.fromkeys(filter(None, cited)))}
    sessions.baskets.pick(session, index, papers, cited=True)
    return address_of(session, index, sessions.ask(session, index, fields))


def _past(sessions: Sessions, session: str) -> list[PastQuestion]:
    watched = sessions.watched.all(session)
    return [
        PastQuestion(
            number=question.number,
            title=beginning(question.fields, _SHOWN_TITLE),
            address=address_of(session, question.index, question.number),
            index=question.index,
            limits=limits_of(question.fields),
            asked=f"{question.asked:%Y-%m-%d %H:%M} UTC",
            watch=url_for("watching.watch", number=question.number),
            new=watched[question.number].new if question.number in watched else None,
        )
        for question in sessions.questions(session)
    ]


def _named_now(sessions: Sessions, session: str, key: str) -> tuple[str, str]:
    """Index and id of a paper, which may have got another id since the page was made that names it by this key."""
    index, paper_id = _parted(key)
    for name in (index, site().served(index)):  # where it is kept
        if paper_id in sessions.baskets.picked(session, name):
            return name, paper_id
    answers = site().answers_of(index)
    paper = answers.recommender.paper(paper_id) if answers else None
    return site().served(index), paper.id if paper else paper_id


def _parted(key: str) -> tuple[str, str]:
    index, _, paper = key.partition("/")
    return index, paper
