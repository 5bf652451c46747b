"""Papers of the index as one types them: a page of matches, and the same as JSON for the field that completes."""

from typing import Any

from flask import Blueprint, jsonify, render_template, request

from exports.citation import shown_title
from exports.reason_sentences import byline
from webui.api_types import MAX_ID
from webui.site import picked_papers, site

blueprint = Blueprint("search", __name__)

_COMPLETED = 8  # papers below the field
_LISTED = 20  # on a page
_MOST_PAGES = 100


@blueprint.get("/api/paper-search")
def complete() -> Any:
    """`papers` that may be meant by `q`: `id`, `title` and `byline` each."""
    return jsonify(papers=_found(request.args.get("q", ""), _COMPLETED))


@blueprint.get("/search")
def search() -> str:
    """The papers that may be meant by `q`, each with a link that asks for papers to cite with its text."""
    text = request.args.get("q", "")[:MAX_ID]
    page = min(max(request.args.get("page", 1, int), 1), _MOST_PAGES)
    found = _found(text, _LISTED + 1, (page - 1) * _LISTED)  # the last one only says whether there is another page
    return render_template(
        "search.html",
        text=text,
        papers=found[:_LISTED],
        page=page,
        first=(page - 1) * _LISTED + 1,
        more=len(found) > _LISTED,
        last_page=_MOST_PAGES,
        picked=picked_papers(),
    )


def _found(text: str, k: int, skip: int = 0) -> list[dict[str, str]]:
    text = " ".join(text[:MAX_ID].split())
    papers = site().answers.recommender.search_papers(text, k, skip) if text else []
    return [{"id": paper.id, "title": shown_title(paper), "byline": byline(paper)} for paper in papers]
