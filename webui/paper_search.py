"""Papers of the index as one types them: a page of matches, and the same as JSON for the field that completes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, jsonify, render_template, request

from common.text import one_line
from exports.reason_sentences import byline
from indexer.paper import Paper
from webui.api_types import MAX_ID
from webui.site import site

blueprint = Blueprint("search", __name__)

_COMPLETED = 8  # papers below the field
_LISTED = 20  # on the page


@dataclass(frozen=True, slots=True)
class Found:
    """One paper that may be meant."""

    id: str
    title: str
    byline: str


@blueprint.get("/api/paper-search")
def complete() -> Any:
    """`papers` that may be meant by `q`: `id`, `title` and `byline` each."""
    return jsonify(papers=_found(request.args.get("q", ""), _COMPLETED))


@blueprint.get("/search")
def search() -> str:
    """The papers that may be meant by `q`, each with a link that asks for papers to cite with its text."""
    text = request.args.get("q", "")[:MAX_ID]
    return render_template("search.html", text=text, papers=_found(text, _LISTED))


def _found(text: str, k: int) -> list[Found]:
    text = " ".join(text[:MAX_ID].split())
    return [_shown(paper) for paper in site().answers.recommender.search_papers(text, k)] if text else []


def _shown(paper: Paper) -> Found:
    return Found(paper.id, one_line(paper.title) or "Untitled", byline(paper))
