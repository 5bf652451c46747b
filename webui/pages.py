"""The page, which works without JavaScript: one form, one full answer."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from citescout.distinct import distinct
from citescout.filters import Filters
from citescout.recommendation import Answer
from common.errors import CitescoutError, QueryError
from exports.citation_keys import own_key
from exports.formats.bibtex import BibtexWriter
from exports.private_fields import without_private
from exports.verdicts import verdict_line
from retrieval.query import LONGEST, TEXTS
from webui.asking import noted
from webui.chips import chips, chosen_filters
from webui.citation_map import citation_map
from webui.dropped import from_files
from webui.examples import examples
from webui.inputs import FORM_FIELDS, Asked, from_form, to_form
from webui.permalinks import new_key
from webui.prefixes import session_is_new
from webui.presentation import SORTS, shown_groups
from webui.site import (
    NotThereError,
    address_of,
    its_session,
    known_papers,
    picked_papers,
    session_of_request,
    site,
    status_of,
)
from webui.store_file import FullError
from webui.text_field import beginning, joined, taken_apart
from webui.uploads import allow_files, known_paper, named_paper, named_works, taken_along
from webui.watching import shown_as_new

_log = logging.getLogger(__name__)

blueprint = Blueprint("pages", __name__)

COUNTS = (10, 20, 50, 100)
# Export formats that the page offers, and what their buttons say.
DOWNLOADS = (("bibtex", ".bib"), ("ris", ".ris"), ("csl-json", "CSL-JSON"), ("markdown", "Markdown"), ("csv", ".csv"))
# Whose values open the options, because they change the list.
OPTIONS = tuple(name for name in FORM_FIELDS if name not in {"id", *TEXTS, "k", "liked", "disliked", "system"})

_LAST_NUMBER = 2**31  # of a question
_SHOWN_TITLE = 60  # characters of a question in the title of the page


@dataclass(frozen=True, slots=True)
class Note:
    """What the page did with a file, and the text that it took the place of, so that nothing typed is lost."""

    text: str
    before: str
    address: str = ""  # of the text of a manuscript, where it is kept


@blueprint.route("/", methods=["GET", "POST"])
def index() -> ResponseReturnValue:
    """The empty form; with a question in the form or the address, its answer too.

    A question that is sent within a session gets an address of its own there. One that was `moved` here from the
    index of that name is not asked yet.
    """
    allow_files()
    sort = request.values.get("sort", request.form.get("sorted", ""))
    if key := request.args.get("example"):
        for one in examples(site()):
            if one.key == key:
                return answered({"title": one.title, "abstract": one.abstract, "id": one.id}, sort=sort)
    sent = taken_apart(request.values)
    fields = {name: sent.get(name, "") for name in FORM_FIELDS}
    fields["authors"] = request.form.get("authors", "")  # names are taken from no address, which others may log
    notes: list[Note] = []
    try:
        fields |= _from_elsewhere(fields, notes)
        if (before := request.form.get("moved")) is not None:
            if fields["liked"] or fields["disliked"]:
                notes.append(Note("What you liked and disliked was of the other index, and steers nothing here.", ""))
            return _page(fields | taken_along(fields, before), notes=notes, moved=True), 200
        fields |= named_paper(fields) | named_works(fields)
        if request.method == "POST" and (number := keep(fields)):
            keep_ticked(request.form.getlist("papers"), cited=bool(request.form.get("cite")))
            if not notes and not fields["authors"].strip():  # only this answer shows notes, and names are not kept
                return redirect(url_for("pages.asked", number=number, sort=sort or None), 303)
    except CitescoutError as error:
        status, message = status_of(error)
        return _page(fields, error=message, notes=notes), status
    if request.method == "POST" or any(fields[name].strip() for name in TEXTS):
        return answered(fields, notes, sort)
    return _page(fields), 200


@blueprint.get("/asked/<int:number>")
def asked(number: int) -> ResponseReturnValue:
    """The answer to a question of the session."""
    missing = "there is no question at this address, or it was deleted from the history"
    sessions, session = its_session(missing)
    question = sessions.question(session, min(number, _LAST_NUMBER))
    if question is None:
        raise NotThereError(missing)
    if (index := site().served(question.index)) not in site().indexes:  # renamed, or gone: what was asked stays
        note = Note(f"This was asked of the index {index}, which is not served any more: search to ask this one.", "")
        return _page(question.fields | taken_along(question.fields, index), notes=[note]), 200
    if index != site().index:
        return redirect(address_of(session, index, number), 303)
    try:
        new = shown_as_new(sessions, session, question)
    except CitescoutError:
        new = frozenset()  # the page says what is wrong with it
    return answered(question.fields, sort=request.args.get("sort", ""), new=new)


def question_of(fields: Mapping[str, str]) -> Asked:
    """The question that the fields of the page ask.

    Raises:
        QueryError: as `from_form`; for a text that is too long, the message names its field and says what to do.
    """
    most, length = LONGEST["abstract"], len(fields.get("abstract", "").strip())
    if length > most:
        raise QueryError(
            f"“Your paper” is too long: it has {length:,} characters, and may have {most:,}. Paste the title and the "
            "abstract alone; a whole manuscript can be uploaded as a file."
        )
    return noted(from_form(fields, site().settings_of, site().answers.recommender.paper))


def keep(fields: Mapping[str, str]) -> int | None:
    """The number of a question in the session of the request; None outside of any, and where there is no room for it.

    Names of authors are not kept: they are private.

    Raises:
        QueryError: it cannot be answered as it stands, or is too large.
    """
    if (found := session_of_request()) is None:
        return None
    sessions, session = found
    question_of(fields)
    kept = {name: fields.get(name, "") for name in FORM_FIELDS if name != "authors"}
    try:
        return sessions.ask(session, site().index, {name: value for name, value in kept.items() if value})
    except FullError as error:
        _log.warning("a question is answered without an address: %s", error)
        return None


def keep_ticked(ids: Sequence[str], cited: bool) -> None:
    """Put the ticked papers of the last list into the basket of the session, if the request is of one."""
    if ids and (found := session_of_request()):
        sessions, session = found
        sessions.baskets.pick(session, site().index, known_papers(ids), cited)


def result_list(asked: Asked) -> str:
    """The answer to a question as HTML; the script of the page puts it in place of the last one."""
    return answer_list(asked, site().answers.answer(asked.query, asked.settings))


def answer_list(asked: Asked, answer: Answer, sort: str = "", new: Collection[str] = ()) -> str:
    """An answer as HTML, in its own order, or by "year" or "citations", the most first; `new` papers are marked."""
    # By the ids that they have now their marks are shown, and can be taken back.
    asked = replace(asked, query=replace(asked.query, liked=answer.query.liked))
    picked, writer = picked_papers(), BibtexWriter()
    papers = [without_private(entry.paper) for entry in answer.recommendations]
    for paper in filter(own_key, papers):
        writer.key(paper)
    return render_template(
        "results.html",
        groups=shown_groups(answer.recommendations, sort),
        bibtex={paper.id: writer.entry(paper) for paper in papers},
        answer=answer,
        count=len(answer.recommendations),
        verdict=verdict_line(answer),
        map=citation_map(answer, site().answers.recommender, picked),
        asked=asked,
        hidden=to_form(asked),
        known=len(list(distinct(known_papers(answer.query.already_cited)))),  # however often each is named
        strangers=site().answers.recommender.unknown_authors(asked.query) if asked.query.authors else (),
        seconds=answer.milliseconds / 1000,
        now=datetime.now(UTC),
        no_filters=Filters(),
        downloads=DOWNLOADS,
        sorts=SORTS,
        sort=sort if sort in SORTS else "",
        chips=chips(asked, answer.recommendations),
        picked=picked,
        new=new,
        deletion_key=new_key() if site().permalinks else "",
    )


def answered(
    fields: Mapping[str, str],
    notes: Sequence[Note] = (),
    sort: str = "",
    new: Collection[str] = (),
    asked: Asked | None = None,
) -> tuple[str, int]:
    """The page with the answer to what stands in its fields, or with what is wrong with them; and its status.

    What is `asked` more exactly than in the fields is answered instead.
    """
    try:
        asked = asked or question_of(fields)
        answer = site().answers.answer(asked.query, asked.settings)
        # The title may have been taken from the first line of the abstract.
        understood = {**fields, "title": asked.query.title, "abstract": asked.query.abstract}
        understood["liked"] = _lines(*answer.query.liked)
        return _page(understood, answer_list(asked, answer, sort, new), notes=notes), 200
    except CitescoutError as error:
        status, message = status_of(error)
        return _page(fields, error=message, notes=notes), status


def _from_elsewhere(fields: Mapping[str, str], notes: list[Note]) -> dict[str, str]:
    """The fields that files, a known paper, ticks and marks of the last list give, in place of those of the form.

    What was read from a file stands in `notes`, with what it took the place of.

    Raises:
        QueryError: a file cannot be read, or there is no such paper.
    """
    found: dict[str, str] = {}
    if name := request.values.get("of", "").strip():
        found |= known_paper(name)
    if request.method != "POST":
        return found
    file = from_files()
    cited = _lines(fields["already_cited"].strip(), *(file["ids"] if file else ()))
    if file and file["kind"] == "draft":
        typed = joined(fields["title"], fields["abstract"])
        if file["title"] or file["abstract"]:
            notes.append(Note(f"Read from {file['name']}. Please check it.", typed, file["address"]))
            found |= {"title": file["title"], "abstract": file["abstract"], "id": ""}
        elif typed:
            notes.append(Note(f"{file['name']} has no title and no abstract: yours stay.", "", file["address"]))
        else:
            raise QueryError(f"no title and no abstract found in {file['name']}: enter them, or show its text instead")
    elif file:
        notes.append(Note(f"{file['name']}: {file['summary']}.", ""))
    if request.form.get("cite"):
        cited = _lines(cited, *request.form.getlist("papers"))
    found["already_cited"] = cited
    found |= _marked(fields)
    if request.form.get("forget"):
        found |= {"liked": "", "disliked": ""}
    return found | chosen_filters(request.form)


def _marked(fields: Mapping[str, str]) -> dict[str, str]:
    """Likes and dislikes with those of the last list; a like that was on it and is there no more is taken back."""
    shown = set(request.form.getlist("shown"))
    kept = [paper for paper in fields["liked"].splitlines() if paper not in shown]
    liked = _lines(*kept, *request.form.getlist("like"))
    return {"liked": liked, "disliked": _lines(fields["disliked"].strip(), *request.form.getlist("dislike"))}


def _lines(*entries: str) -> str:
    return "\n".join(filter(None, entries))


def page_title(fields: Mapping[str, str]) -> str:
    """The title of the page for a question of these fields, by which tabs and bookmarks are told apart."""
    asked = beginning(fields, _SHOWN_TITLE)
    return f"{asked} · citescout" if asked else "citescout"


def _page(
    fields: Mapping[str, str], answer: str = "", error: str = "", notes: Sequence[Note] = (), moved: bool = False
) -> str:
    fields = {name: fields.get(name, "") for name in FORM_FIELDS}
    return render_template(
        "index.html",
        page_title=page_title(fields),
        fields=fields,
        text=joined(fields["title"], fields["abstract"]),
        notes=notes,
        moved=moved,
        opened=any(fields[name].strip() not in {"", "0"} for name in OPTIONS),
        liked=len(fields["liked"].splitlines()),
        disliked=len(fields["disliked"].splitlines()),
        answer=answer,
        error=error,
        counts=COUNTS,
        new_session=session_is_new(),
        examples=examples(site()),
        demo=site().demo,
    )
