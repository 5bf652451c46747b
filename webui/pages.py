"""The page, which works without JavaScript: one form, one full answer."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Blueprint, render_template, request

from citescout.filters import Filters
from citescout.recommendation import Answer
from common.errors import CitescoutError
from exports.words import verdict_line
from webui.citation_map import citation_map
from webui.examples import Example, examples
from webui.inputs import FORM_FIELDS, Asked, from_form, to_form
from webui.presentation import result_groups
from webui.site import site, status_of
from webui.uploads import allow_files, draft_fields, known_paper, reference_fields

blueprint = Blueprint("pages", __name__)

COUNTS = (10, 20, 50, 100)
# Export formats that the page offers, and what their buttons say.
DOWNLOADS = (
    ("bibtex", "Download .bib"),
    ("ris", ".ris"),
    ("csl-json", "CSL-JSON"),
    ("markdown", "Markdown"),
    ("csv", ".csv"),
)
# Whose values open the options, because they change the list.
OPTIONS = tuple(
    name for name in FORM_FIELDS if name not in {"id", "title", "abstract", "k", "liked", "disliked", "system"}
)


@blueprint.route("/", methods=["GET", "POST"])
def index() -> tuple[str, int]:
    """The empty form; with a question in the form or the address, its answer too."""
    allow_files()
    if chosen := _example(request.args.get("example")):
        return answered({"title": chosen.title, "abstract": chosen.abstract})
    fields = {name: request.values.get(name, "") for name in FORM_FIELDS}
    fields["authors"] = request.form.get("authors", "")  # names are taken from no address, which others may log
    try:
        fields |= _from_elsewhere(fields)
    except CitescoutError as error:
        status, message = status_of(error)
        return _page(fields, error=message), status
    if request.method == "POST" or any(fields[name].strip() for name in ("title", "abstract")):
        return answered(fields)
    return _page(fields), 200


def result_list(asked: Asked) -> str:
    """The answer to a question as HTML; the script of the page puts it in place of the last one."""
    return answer_list(asked, site().answers.answer(asked.query, asked.settings))


def answer_list(asked: Asked, answer: Answer) -> str:
    """An answer as HTML."""
    return render_template(
        "results.html",
        groups=result_groups(answer.recommendations),
        count=len(answer.recommendations),
        verdict=verdict_line(answer.fit),
        fit=answer.fit,
        map=citation_map(answer.recommendations),
        asked=asked,
        hidden=to_form(asked),
        known=len(asked.query.already_cited) - len(answer.unknown),
        unknown=answer.unknown,
        read=answer.read,
        seconds=answer.milliseconds / 1000,
        info=site().answers.recommender.info,
        no_filters=Filters(),
        downloads=DOWNLOADS,
        keeps_links=site().permalinks is not None,
    )


def answered(fields: Mapping[str, str]) -> tuple[str, int]:
    """The page with the answer to what stands in its fields, or with what is wrong with them; and its status."""
    try:
        asked = from_form(fields, settings_of=site().settings_of)
        return _page(_as_understood(fields, asked), answer=result_list(asked)), 200
    except CitescoutError as error:
        status, message = status_of(error)
        return _page(fields, error=message), status


def _as_understood(fields: Mapping[str, str], asked: Asked) -> Mapping[str, str]:
    """The fields with the title where it was taken from the first line of the abstract."""
    return {**fields, "title": asked.query.title, "abstract": asked.query.abstract}


def _from_elsewhere(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields that files, a known paper, ticks and marks of the last list give, in place of those of the form.

    Raises:
        QueryError: a file cannot be read, or there is no such paper.
    """
    found: dict[str, str] = {}
    if name := request.values.get("of", "").strip():
        paper = known_paper(name)
        found |= paper
    if request.method != "POST":
        return found
    cited = fields["already_cited"].strip()
    if draft := draft_fields():
        found |= {"title": draft["title"], "abstract": draft["abstract"], "id": ""}
        cited = _lines(cited, *draft["ids"])
    if works := reference_fields():
        cited = _lines(cited, *works["ids"])
    if request.form.get("cite"):
        cited = _lines(cited, *request.form.getlist("papers"))
    found["already_cited"] = cited
    if request.form.get("steer"):
        found |= _marked(fields)
    if request.form.get("forget"):
        found |= {"liked": "", "disliked": ""}
    return found


def _marked(fields: Mapping[str, str]) -> dict[str, str]:
    """Likes and dislikes with those of the last list; a like that was on it and is there no more is taken back."""
    shown = set(request.form.getlist("shown"))
    kept = [paper for paper in fields["liked"].splitlines() if paper not in shown]
    liked = _lines(*kept, *request.form.getlist("like"))
    return {"liked": liked, "disliked": _lines(fields["disliked"].strip(), *request.form.getlist("dislike"))}


def _lines(*entries: str) -> str:
    return "\n".join(filter(None, entries))


def _example(key: str | None) -> Example | None:
    return next((example for example in examples(site().demo) if example.key == key), None)


def _page(fields: Mapping[str, str], answer: str = "", error: str = "") -> str:
    fields = {name: fields.get(name, "") for name in FORM_FIELDS}
    return render_template(
        "index.html",
        fields=fields,
        opened=any(fields[name].strip() not in {"", "0"} for name in OPTIONS),
        liked=len(fields["liked"].splitlines()),
        disliked=len(fields["disliked"].splitlines()),
        answer=answer,
        error=error,
        counts=COUNTS,
        examples=examples(site().demo),
        demo=site().demo,
        info=site().answers.recommender.info,
    )
