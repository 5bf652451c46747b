"""The nearest neighbours of one paper: a page of its own, and a part that the script puts below a result."""

from flask import Blueprint, render_template, request

from citescout.neighbours import Neighbour
from common.errors import QueryError
from exports.reason_sentences import found_by
from webui.api_types import MAX_ID
from webui.site import picked_papers, site

blueprint = Blueprint("nearby", __name__)

_SHOWN = 10


@blueprint.get("/similar")
def similar() -> str:
    """The neighbours of the paper `id`; only the list of them with `part=1`."""
    paper_id = request.args.get("id", "")
    recommender = site().answers.recommender
    paper = recommender.find_paper(paper_id) if 0 < len(paper_id) <= MAX_ID else None
    if paper is None:
        raise QueryError("there is no such paper in the index")
    found = [(neighbour.paper, _why(neighbour)) for neighbour in recommender.neighbours(paper.id, _SHOWN)]
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
