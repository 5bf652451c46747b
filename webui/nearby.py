"""The nearest neighbours of one paper: a page of its own, and a part that the script puts below a result."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, render_template, request

from citescout.neighbours import Neighbour
from common.errors import QueryError
from common.text import one_line
from exports.links import safe_link
from exports.reason_sentences import byline, found_by
from webui.api_types import MAX_ID
from webui.site import site

blueprint = Blueprint("nearby", __name__)

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Nearby:
    """One neighbour as the page shows it."""

    id: str
    title: str
    link: str  # http or https, or ""
    byline: str
    why: tuple[str, ...]


@blueprint.get("/similar")
def similar() -> str:
    """The neighbours of the paper `id`; only the list of them with `part=1`."""
    paper_id = request.args.get("id", "")
    recommender = site().answers.recommender
    paper = recommender.find_paper(paper_id) if 0 < len(paper_id) <= MAX_ID else None
    if paper is None:
        raise QueryError("there is no such paper in the index")
    found = [_nearby(neighbour) for neighbour in recommender.neighbours(paper.id, _SHOWN)]
    template = "similar_list.html" if request.args.get("part") else "similar.html"
    title = one_line(paper.title) or "Untitled"
    return render_template(template, neighbours=found, title=title, link=safe_link(paper), id=paper.id)


def _nearby(neighbour: Neighbour) -> Nearby:
    paper = neighbour.paper
    why = found_by(neighbour.sources)
    if neighbour.cites:
        why.append("cites it")
    if neighbour.cited:
        why.append("is cited by it")
    if neighbour.cited_together:
        times = neighbour.cited_together
        why.append(f"cited together by {times:,} {'papers' if times > 1 else 'paper'}")
    return Nearby(
        id=paper.id,
        title=one_line(paper.title) or "Untitled",
        link=safe_link(paper),
        byline=byline(paper),
        why=tuple(why),
    )
