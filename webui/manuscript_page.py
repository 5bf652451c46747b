"""The text of a manuscript, sentence by sentence: what each could cite, and the bibliography that it is added to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from citescout.recommendation import Recommendation
from common.errors import CitescoutError, QueryError
from exports.bibliography import Bibliography, taken_keys
from exports.citation_keys import own_key, possible_keys
from exports.in_text import citing
from exports.verdicts import verdict_line
from indexer.paper import Paper
from manuscripts.headings import ANY
from webui.api_types import MAX_ID
from webui.inputs import Asked, text_in, to_form
from webui.kept_baskets import MAX_NOTE, MAX_PICKS
from webui.manuscript_text import block_of, blocks, contents, parts
from webui.opened_manuscript import (
    ADDRESS,
    Cited,
    OpenedManuscript,
    file_name,
    has_words,
    manuscript_session,
    notes_of_basket,
    number_in,
    offered_note,
    opened,
    possible_labels,
    shown_text,
)
from webui.site import NotThereError, attachment, known_papers, site, status_of

blueprint = Blueprint("manuscript", __name__)

_PAPERS = 10  # for a sentence


@dataclass(frozen=True, slots=True)
class Shown:
    """What stands beside the text: papers for a sentence, or a work that it cites."""

    sentence: int  # that it is about; 0 for none
    text: str = ""  # of the sentence
    candidates: Sequence[Recommendation] = ()
    verdict: str = ""  # of them as a whole
    question: Mapping[str, str] | None = None  # the fields of the page's form that ask the same
    work: Cited | None = None
    error: str = ""

    @property
    def note(self) -> str:
        """That is offered on the papers."""
        return offered_note(self.text)


@blueprint.get(ADDRESS)
def show(number: int) -> ResponseReturnValue:
    """The text, and beside it papers for `sentence`, or the work `cited`; with `panel` what is beside it alone."""
    found = opened(number)
    sentence = number_in(request.args, "sentence")
    shown, status = _beside(found, sentence, request.args.get("cited", ""))
    candidates = [one.paper for one in shown.candidates]
    bibliography = _bibliography(found, candidates)
    common = {
        "opened": found,
        "number": number,
        "shown": shown,
        "bibliography": bibliography,
        "citing": _citing(found, candidates, bibliography),
        "notes": notes_of_basket(),
        "written": found.own_notes() | notes_of_basket(),
        "file_name": file_name,
    }
    if request.args.get("panel"):
        return render_template("manuscript_panel.html", **common), status
    return _page(found, sentence, common), status


@blueprint.post(f"{ADDRESS}/pick")
def pick(number: int) -> ResponseReturnValue:
    """Put the paper `paper` into the basket, with its `note`; or with `remove` take it out, with `keep` only note it.

    A note that it has already is replaced only where it was changed on the page, which showed it as it `was`; what
    somebody wrote on it elsewhere meanwhile is kept, too.
    """
    sessions, session = manuscript_session()
    found = opened(number)
    paper, note, was = request.form.get("paper", ""), text_in(request.form, "note"), text_in(request.form, "was")
    if not paper or len(paper) > MAX_ID:
        raise QueryError("paper: the id of a paper of this index")
    if len(note) > MAX_NOTE:
        raise QueryError(f"a note may have {MAX_NOTE:,} characters, not {len(note):,}")
    index, baskets, keeps = site().index, sessions.baskets, request.form.get("keep")
    changed = note != was if "was" in request.form else bool(keeps)
    written = found.own_notes() | notes_of_basket()
    shown = was if "was" in request.form and paper in written else None
    if request.form.get("remove"):
        if changed:
            baskets.note(session, index, paper, note, shown)
        baskets.remove(session, index, [paper])
    else:
        if not keeps:
            baskets.pick(session, index, known_papers([paper]))
        if changed or not (keeps or written.get(paper)):
            baskets.note(session, index, paper, note, shown)
    return _back(number)


def _back(number: int) -> ResponseReturnValue:
    """To where the form was sent from: the review of so many sentences, or the text."""
    sentence = number_in(request.form, "sentence")
    if claims := number_in(request.form, "review"):
        where = f"s{sentence}-{number_in(request.form, 'rank')}"
        return redirect(url_for("review.show", number=number, claims=claims, _anchor=where), 303)
    panel = request.form.get("panel") or None
    place = None if panel else f"s{sentence}" if sentence else "bibliography"
    return redirect(url_for(".show", number=number, sentence=sentence or None, panel=panel, _anchor=place), 303)


@blueprint.post(f"{ADDRESS}/bibliography")
def bibliography_file(number: int) -> ResponseReturnValue:
    """The file `path` of the manuscript's bibliography with the papers `papers` of the basket at its end."""
    found = opened(number)
    bibliography = _bibliography(found)
    path, ids = request.form.get("path", bibliography.paths[0]), request.form.getlist("papers")
    if path not in bibliography.paths:
        raise QueryError("path: one of the manuscript's files of BibTeX")
    if len(ids) > MAX_PICKS:
        raise QueryError(f"papers may hold {MAX_PICKS:,} ids")
    return attachment(bibliography.with_papers(path, ids), "application/x-bibtex", file_name(path))


@blueprint.post(f"{ADDRESS}/delete")
def delete(number: int) -> ResponseReturnValue:
    """Delete the manuscript; the basket stays."""
    sessions, session = manuscript_session()
    sessions.manuscripts.delete(session, number)
    return redirect(url_for("basket.history"), 303)


def _page(found: OpenedManuscript, sentence: int, common: Mapping[str, Any]) -> str:
    every = parts(blocks(found.manuscript, found.cited))
    paragraph = block_of(every, sentence or number_in(request.args, "at"))
    part = paragraph.part if paragraph else min(max(number_in(request.args, "part"), 1), len(every))
    known = sum(one.paper is not None for one in found.cited.values())
    return render_template(
        "manuscript.html",
        **common,
        blocks=every[part - 1],
        part=part,
        parts=len(every),
        contents=contents(every),
        placed=paragraph.place if paragraph and sentence else "",
        has_abstract=any(ANY.fullmatch(one.heading) for one in found.manuscript.sections[:3]),
        known=known,
        whole=to_form(Asked(found.surroundings.query(), site().settings_of(""))) if found.surroundings.is_query else {},
    )


def _beside(found: OpenedManuscript, sentence: int, key: str) -> tuple[Shown, int]:
    if key:
        if key not in found.cited:
            raise NotThereError("the manuscript cites no work of that key")
        return Shown(sentence, work=found.cited[key]), 200
    if not sentence:
        return Shown(0), 200
    if sentence > len(found.sentences):
        raise NotThereError("the manuscript has no such sentence")
    text = found.sentences[sentence - 1]
    marked = shown_text(text)
    if not has_words(text):
        return Shown(sentence, marked, error="this sentence holds no words to search for"), 200
    query = found.asked_for(text)
    settings = replace(site().settings_of(""), k=_PAPERS)
    question = to_form(Asked(query, settings))
    try:
        answer = site().answers.answer(query, settings)
    except CitescoutError as error:
        status, message = status_of(error)
        return Shown(sentence, marked, question=question, error=message), status
    keys = {work.paper.id: key for key, work in found.cited.items() if work.paper}
    return Shown(sentence, marked, answer.recommendations, verdict_line(answer.under_keys(keys)), question), 200


def _bibliography(found: OpenedManuscript, candidates: Sequence[Paper] = ()) -> Bibliography:
    """With the papers of the basket, of whichever index; the ids of those of another index begin with its name."""
    sessions, session = manuscript_session()
    own = site().index
    picked = [(one.index, one.paper) for one in sessions.baskets.picks(session)]
    shown = sorted([*picked, *((own, paper) for paper in candidates)], key=lambda one: not own_key(one[1]))
    keys = sessions.names.names(session, shown, possible_keys, taken_keys(found.manuscript))
    by_id = {id_ if index == own else f"{index}/{id_}": key for (index, id_), key in keys.items()}
    papers = (paper if index == own else replace(paper, id=f"{index}/{paper.id}") for index, paper in picked)
    return Bibliography(found.manuscript, papers, by_id)


def _citing(found: OpenedManuscript, candidates: Sequence[Paper], bibliography: Bibliography) -> dict[str, str]:
    """What cites each of these papers in the manuscript's text, by their ids."""
    if markup := found.manuscript.markup:
        return {paper.id: citing(bibliography.key(paper), markup) for paper in candidates}
    sessions, session = manuscript_session()
    papers = [(site().index, paper) for paper in candidates]
    labels = sessions.names.names(session, papers, possible_labels, found.labels(), label=True)
    return {id_: label for (_, id_), label in labels.items()}
