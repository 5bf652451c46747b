"""Papers of the index as one types them: a page of matches, and the same as JSON for the field that completes."""

from typing import Any

from flask import Blueprint, jsonify, render_template, request

from exports.citation import shown_title
from exports.reason_sentences import byline
from webui.api_types import MAX_ID
from webui.site import picked_papers, site

blueprint = Blueprint("search", __name__)

_COMPLETED = 8  # papers below the field
_LISTED = 20  # on the page


@blueprint.get("/api/paper-search")
def complete() -> Any:
    """`papers` that may be meant by `q`: `id`, `title` and `byline` each."""
    return jsonify(papers=_found(request.args.get("q", ""), _COMPLETED))


@blueprint.get("/search")
def search() -> str:
    """The papers that may be meant by `q`, each with a link that asks for papers to cite with its text."""
    text = request.args.get("q", "")[:MAX_ID]
    return render_template("search.html", text=text, papers=_found(text, _LISTED), picked=picked_papers())


def _found(text: str, k: int) -> list[dict[str, str]]:
    text = " ".join(text[:MAX_ID].split())
    papers = site().answers.recommender.search_papers(text, k) if text else []
    return [{"id": paper.id, "title": shown_title(paper), "byline": byline(paper)} for paper in papers]
