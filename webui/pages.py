"""The page, which works without JavaScript: one form, one full answer."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Blueprint, render_template, request

from common.errors import CitescoutError
from webui.answers import Answer
from webui.examples import Example, examples
from webui.inputs import Asked, from_form
from webui.presentation import results
from webui.site import site, status_of

blueprint = Blueprint("pages", __name__)

COUNTS = (10, 20, 50, 100)
FIELDS = ("title", "abstract", "year", "already_cited", "k")


@blueprint.route("/", methods=["GET", "POST"])
def index() -> tuple[str, int]:
    """The empty form; with a question in the form or the address, its answer too."""
    if chosen := _example(request.args.get("example")):
        return _answered({"title": chosen.title, "abstract": chosen.abstract})
    fields = {name: request.values.get(name, "") for name in FIELDS}
    if request.method == "POST" and request.form.get("cite"):
        fields["already_cited"] = _with_selected(fields["already_cited"], request.form.getlist("papers"))
    if request.method == "POST" or any(fields[name].strip() for name in ("title", "abstract")):
        return _answered(fields)
    return _page(fields), 200


def result_list(asked: Asked) -> str:
    """The answer to a question as HTML; the script of the page puts it in place of the last one."""
    return answer_list(asked, site().answers.answer(asked.query, asked.settings))


def answer_list(asked: Asked, answer: Answer, read: int | None = None) -> str:
    """An answer as HTML; `read` is how many candidates the cross-encoder has read, if it is still reading."""
    return render_template(
        "results.html",
        results=results(answer.recommendations, blended=asked.settings.blend),
        asked=asked,
        already_cited="\n".join(asked.query.already_cited),
        known=len(asked.query.already_cited) - len(answer.unknown),
        unknown=answer.unknown,
        read=asked.settings.depth if read is None else read,
        seconds=answer.milliseconds / 1000,
        info=site().answers.recommender.info,
    )


def _answered(fields: Mapping[str, str]) -> tuple[str, int]:
    try:
        asked = from_form(fields)
        return _page(_as_understood(fields, asked), answer=result_list(asked)), 200
    except CitescoutError as error:
        status, message = status_of(error)
        return _page(fields, error=message), status


def _as_understood(fields: Mapping[str, str], asked: Asked) -> Mapping[str, str]:
    """The fields with the title where it was taken from the first line of the abstract."""
    return {**fields, "title": asked.query.title, "abstract": asked.query.abstract}


def _with_selected(already_cited: str, papers: list[str]) -> str:
    return "\n".join(filter(None, [already_cited.strip(), *papers]))


def _example(key: str | None) -> Example | None:
    return next((example for example in examples(site().demo) if example.key == key), None)


def _page(fields: Mapping[str, str], answer: str = "", error: str = "") -> str:
    return render_template(
        "index.html",
        fields=fields,
        answer=answer,
        error=error,
        counts=COUNTS,
        examples=examples(site().demo),
        demo=site().demo,
        info=site().answers.recommender.info,
    )
