"""Check mode: a finished paper's references against what the index would have found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, render_template, request

from citescout.checking import Check, Reference
from citescout.exports.links import safe_link
from citescout.exports.text import one_line
from citescout.exports.words import short_authors
from citescout.reference_lines import entries, readings
from common.errors import CitescoutError, QueryError
from indexer.paper import Paper
from webui.inputs import from_form
from webui.site import site, status_of
from webui.uploads import allow_files, draft_fields, uploaded_references

blueprint = Blueprint("check", __name__)

FIELDS = ("title", "abstract", "year", "gold")
STAGES = {
    "bm25": "BM25",
    "dense": "Meaning",
    "graph": "Citations",
    "fused": "All three, fused",
    "blend": "Learned order",
    "reranker": "Read closely",
}
_MAX_GOLD = 100_000  # characters


@dataclass(frozen=True, slots=True)
class Line:
    """One reference as the page shows it."""

    title: str
    link: str
    byline: str
    rank: int | None  # in the final list; None where it is not in it
    best: str  # which stage has it highest, and where: "Meaning #31"; "" where none has it


@blueprint.route("/check", methods=["GET", "POST"])
def check() -> tuple[str, int]:
    """The form, and the result for what is in it."""
    allow_files()
    fields = {name: request.form.get(name, "") for name in FIELDS}
    if request.method == "GET":
        return _page(fields), 200
    try:
        fields |= draft_fields() or {}
        asked = from_form({name: fields[name] for name in ("title", "abstract", "year")})
        fields |= {"title": asked.query.title, "abstract": asked.query.abstract}
        gold, unknown = _gold(fields["gold"])
        if not gold:
            raise QueryError("none of the references is in this index" if unknown else "paste the reference list")
        found = site().answers.recommender.check(asked.query, gold, asked.settings)
    except CitescoutError as error:
        status, message = status_of(error)
        return _page(fields, error=message), status
    return _page(fields, found, unknown), 200


def _gold(text: str) -> tuple[list[str], list[str]]:
    """Ids of the references that are in the index, pasted or from a file, and the other ones in words."""
    if len(text) > _MAX_GOLD:
        raise QueryError(f"the reference list is longer than {_MAX_GOLD:,} characters")
    known: dict[str, None] = {}
    unknown: list[str] = []
    candidates: list[tuple[str, tuple[Paper, ...]]] = [(entry, readings(entry)) for entry in entries(text)]
    candidates += [(one_line(work.title) or work.id, (work,)) for work in uploaded_references() or []]
    matches = iter(site().answers.recommender.resolve([paper for _, papers in candidates for paper in papers]))
    for words, papers in candidates:
        found = [match.paper for match in [next(matches) for _ in papers] if match.paper]
        if found:
            known[found[0].id] = None
        else:
            unknown.append(words)
    return list(known), unknown


def _page(
    fields: Mapping[str, str], found: Check | None = None, unknown: list[str] | None = None, error: str = ""
) -> str:
    return render_template(
        "check.html",
        fields=fields,
        error=error,
        check=found,
        stages=STAGES,
        found=[_line(one, found) for one in found.found] if found else [],
        missed=[_line(one, found) for one in found.missed] if found else [],
        unknown=unknown or [],
    )


def _line(reference: Reference, found: Check) -> Line:
    paper = reference.paper
    final = found.stages[-1].stage
    best = min(reference.ranks.items(), key=lambda stage: stage[1], default=None)
    byline = (short_authors(paper.authors), one_line(paper.venue), str(paper.year or ""))
    return Line(
        title=one_line(paper.title) or "Untitled",
        link=safe_link(paper),
        byline=" · ".join(filter(None, byline)),
        rank=reference.rank(final),
        best=f"{STAGES[best[0]]} #{best[1]}" if best else "",
    )
