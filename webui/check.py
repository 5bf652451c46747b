"""Check mode: a finished paper's references against what the index would have found."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from citescout.checking import Reference
from citescout.manuscript_citations import resolved
from common.errors import CitescoutError, QueryError
from common.text import one_line, unligated
from exports.reason_sentences import ordinal
from manuscripts.manuscript import Entry
from manuscripts.reference_lines import entries, readings
from webui.inputs import Asked, from_form
from webui.kept_checks import Checked
from webui.places import place
from webui.prefixes import root_of
from webui.site import NotThereError, its_session, session_of_request, site, status_of
from webui.store_file import FullError
from webui.text_field import beginning
from webui.uploads import allow_files, named_paper, pasted_works, read_draft, uploaded, works_of

blueprint = Blueprint("check", __name__)

FIELDS = ("title", "abstract", "year", "gold")
STAGES = {
    "bm25": "Words",
    "dense": "Meaning",
    "graph": "Citations",
    "fused": "Combined rank",
    "blend": "Learned order",
    "reranker": "Read closely",
}
_MAX_GOLD = 100_000  # characters
_KEPT_TEXT = 300  # characters of a reference that is not in the index, more than are shown
_SHOWN_TITLE = 100  # characters of a paper in the history
_LAST_NUMBER = 2**31  # of a check
_log = logging.getLogger(__name__)


@blueprint.route("/check", methods=["GET", "POST"])
def check() -> ResponseReturnValue:
    """The form, and the result for what is in it, which has an address of its own within a session."""
    allow_files()
    fields = {name: request.form.get(name, "") for name in FIELDS}
    if request.method == "GET":
        return _page(fields), 200
    cited: list[Entry] = []
    try:
        for name, data in uploaded("draft").items():
            draft = read_draft(data, name)
            fields |= {"title": unligated(draft.title), "abstract": unligated(draft.abstract)}
            cited = [replace(entry, key=one_line(entry.title) or entry.key) for entry in draft.cited]
        fields |= named_paper(fields)
        asked = _asked(fields)
        fields |= {"title": asked.query.title, "abstract": asked.query.abstract}
        candidates, skipped = _candidates(fields["gold"])
        with place():
            gold, unknown = _known(candidates, by_id=True) if candidates else _known(cited, by_id=False)
        if not gold:
            raise QueryError("none of the references is in this index" if unknown else "paste the reference list")
    except CitescoutError as error:
        status, message = status_of(error)
        return _page(fields, error=message), status
    given = Checked(site().index, fields, gold, [text[:_KEPT_TEXT] for text in unknown], skipped)
    number = _keep(given)
    return redirect(url_for("check.checked", number=number), 303) if number else _result(given)


@blueprint.get("/checked/<int:number>")
def checked(number: int) -> ResponseReturnValue:
    """The result of a check of the session."""
    missing = "there is no check at this address, or it was deleted from the history"
    sessions, session = its_session(missing)
    given = sessions.checks.find(session, min(number, _LAST_NUMBER))
    if given is None:
        raise NotThereError(missing)
    if (index := site().served(given.index)) not in site().indexes:  # renamed, or gone: what was checked stays
        gone = f"This was checked in the index {index}, which is not served any more: check it to ask this one."
        return _page(given.fields, error=gone), 200
    if index != site().index:
        return redirect(f"{root_of(session, index)}/checked/{number}", 303)
    return _result(given)


def _asked(fields: Mapping[str, str]) -> Asked:
    return from_form({name: fields[name] for name in ("title", "abstract", "year")}, settings_of=site().settings_of)


def _keep(given: Checked) -> int | None:
    """The number of a check in the session of the request; None outside of any, and where there is no room for it."""
    if (found := session_of_request()) is None:
        return None
    sessions, session = found
    try:
        return sessions.checks.keep(session, beginning(given.fields, _SHOWN_TITLE), given)
    except FullError as error:
        _log.warning("a check is answered without an address: %s", error)
        return None


def _result(given: Checked) -> tuple[str, int]:
    """The page with what the index finds of the references, or with what is wrong; and its status."""
    try:
        asked = _asked(given.fields)
        recommender = site().answers.recommender
        papers = {id_: recommender.paper(id_) for id_ in given.known}  # whose ids may be others by now
        with place():
            found = recommender.check(asked.query, [paper.id for paper in papers.values() if paper], asked.settings)
    except CitescoutError as error:
        status, message = status_of(error)
        return _page(given.fields, error=message), status
    unknown = [*given.unknown, *(id_ for id_, paper in papers.items() if paper is None)]
    return _page(given.fields, check=found, unknown=unknown, skipped=given.skipped), 200


def _candidates(text: str) -> tuple[list[Entry], str]:
    """Every reference, pasted or from a file, in words and as what it may name; and what of the file was skipped.

    Raises:
        QueryError: the list is too long, or the file cannot be read.
    """
    if len(text) > _MAX_GOLD:
        raise QueryError(f"the reference list is longer than {_MAX_GOLD:,} characters")
    files = uploaded("references")
    works, skipped = works_of(files) if files else ([], "")
    text, pasted, skipped_there = pasted_works(text)
    works, skipped = [*pasted, *works], "; ".join(filter(None, (skipped_there, skipped)))
    given = [Entry(entry, readings(entry)) for entry in entries(text)]
    return [*given, *(Entry(one_line(work.title) or work.id, (work,)) for work in works)], skipped


def _known(candidates: Sequence[Entry], by_id: bool) -> tuple[list[str], list[str]]:
    """Ids of the references that are in the index, also by their ids, and the other ones in words."""
    matches = resolved(site().answers.recommender.resolve, candidates, by_id=by_id)
    known = dict.fromkeys(match.paper.id for match in matches if match.paper)
    return list(known), [one.key for one, match in zip(candidates, matches, strict=True) if not match.paper]


def _page(fields: Mapping[str, str], error: str = "", **result: Any) -> str:
    return render_template("check.html", fields=fields, error=error, stages=STAGES, best=_best, **result)


def _best(reference: Reference) -> str:
    """Which stage has it highest, and where: "Meaning (31st)"; "" where none has it."""
    best = min(reference.ranks.items(), key=lambda stage: stage[1], default=None)
    return f"{STAGES[best[0]]} ({ordinal(best[1])})" if best else ""
