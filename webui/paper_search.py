"""Papers of the index as one types them, also as JSON for the field that completes; and the neighbours of one paper."""

from typing import Any

from flask import Blueprint, jsonify, render_template, request

from citescout.neighbours import Neighbour
from common.errors import QueryError
from exports.citation import shown_title
from exports.reason_sentences import byline, found_by
from webui.api_types import MAX_ID
from webui.site import picked_papers, site

blueprint = Blueprint("search", __name__)

_COMPLETED = 8  # papers below the field
_LISTED = 20  # on a page
_MOST_PAGES = 100
_NEIGHBOURS = 10


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


@blueprint.get("/similar")
def similar() -> str:
    """The neighbours of the paper `id`; only the list of them with `part=1`."""
    paper_id = request.args.get("id", "")
    recommender = site().answers.recommender
    paper = recommender.find_paper(paper_id)
    if paper is None:
        raise QueryError("there is no such paper in the index")
    found = [(neighbour.paper, _why(neighbour)) for neighbour in recommender.neighbours(paper.id, _NEIGHBOURS)]
    template = "similar_list.html" if request.args.get("part") else "similar.html"
    return render_template(template, neighbours=found, paper=paper, picked=picked_papers())


def _why(neighbour: Neighbour) -> list[str]:
    why = found_by(neighbour.sources)
    if neighbour.cites:
        why.append("cites it")
    if neighbour.cited:
        why.append("is cited by it")
    if neighbour.cited_together:
        times = neighbour.cited_together
        why.append(f"cited together by {times:,} {'papers' if times > 1 else 'paper'}")
    return why
