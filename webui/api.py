"""The JSON API, version 1.

Errors are `{"error": "one line", "request_id": …}`. What the views promise beside is in the OpenAPI document, which is
made from their docstrings and records.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from inspect import get_annotations
from typing import Any
from urllib.parse import quote

import orjson
from flask import Blueprint, Response, current_app, jsonify, render_template, request
from werkzeug.routing import PathConverter

from citescout.live import LiveRecommender
from citescout.recommendation import Answer, Recommendation
from citescout.settings import MOST
from common.errors import QueryError
from exports import FORMATS, find_format, written
from exports.private_fields import for_others
from exports.recommendation_json import answer_record, paper_record
from webui import api_types
from webui.asking import answer_batch, asked, read_batch
from webui.inputs import Asked
from webui.openapi import PREFIX, Operation, document
from webui.pages import question_of, result_list
from webui.prefixes import root_of
from webui.site import NotThereError, attachment, known_papers, site

blueprint = Blueprint("api", __name__)

_NAMED = 5  # ids in a message
# Text before JSON: generators of clients parse a file as what is named first.
_MEDIA_TYPES = tuple(
    sorted({export.media_type for export in FORMATS.values()}, key=lambda name: (name[:5] != "text/", name))
)


@blueprint.post(f"{PREFIX}/recommend")
@Operation(api_types.RecommendAnswer, api_types.RecommendRequest)
def recommend() -> Response:
    """The list for one query. With the header Accept: text/html it comes as the page shows it."""
    question = asked()
    if request.accept_mimetypes.best_match(["application/json", "text/html"]) == "text/html":
        response = Response(result_list(question), mimetype="text/html")
    else:
        response = _json(_answer_record(question))
    response.vary.add("Accept")
    return response


@blueprint.post(f"{PREFIX}/batch")
@Operation(api_types.BatchAnswers, api_types.BatchRequest)
def batch() -> Response:
    """The lists for several queries. A query that cannot be answered in time has an error in place of its list."""
    found = answer_batch(site().answers, read_batch())
    records = [{"id": id_, **({"error": one} if isinstance(one, str) else _list_record(one))} for id_, one in found]
    return _json({"answers": records})


@blueprint.post(f"{PREFIX}/export/<format_name>")
@Operation(
    None,
    api_types.ExportRequest,
    media_types=_MEDIA_TYPES,
    parameters={"format_name": {"type": "string", "enum": list(FORMATS)}},
    gives={
        "X-Unknown": {
            "description": "How many of already_cited, liked and disliked are not in the index.",
            "schema": {"type": "integer", "minimum": 0},
        }
    },
)
def export(format_name: str) -> Response:
    """The list for one query as a file. It holds only the papers that the request names, if it names any.

    Of these, those that are not in the index are left out; where none is, that is an error.
    """
    question = asked(api_types.ExportRequest)
    return _file(format_name, question, with_beyond=not question.papers)


@blueprint.post("/export/<format_name>")
def export_from_page(format_name: str) -> Response:
    """The same for the form of the page's list, without what stands below the list."""
    question = replace(question_of(request.form), papers=tuple(request.form.getlist("papers")))
    return _file(format_name, question, with_beyond=False)


def _file(format_name: str, question: Asked, with_beyond: bool) -> Response:
    chosen = find_format(format_name)
    found = site().answers.answer(question.query, question.settings)
    selected = _selected(question, found.recommendations) if question.papers else found.recommendations
    answer = replace(found, query=question.query, recommendations=selected, beyond=found.beyond if with_beyond else ())
    response = attachment(written(chosen.name, [for_others(answer)]), chosen.media_type, f"citescout.{chosen.ending}")
    response.headers["X-Unknown"] = str(len(found.unknown))
    return response


def _selected(question: Asked, shown: Sequence[Recommendation]) -> Sequence[Recommendation]:
    """The papers that are to be exported: what is `shown` of them, further down the list, and last those not in it."""
    left = {paper.id: paper for paper in known_papers(question.papers)}
    if not left:
        raise QueryError(f"papers: the index has none of {', '.join(map(repr, question.papers[:_NAMED]))}")
    selected = [entry for entry in shown if left.pop(entry.paper.id, None)]
    if left:  # beyond `k`, or the index has changed since the list with them was shown
        longest = replace(question.settings, k=MOST)
        listed = site().answers.answer(question.query, longest).recommendations
        known = {entry.paper.id for entry in shown}
        below = [entry for entry in listed if entry.paper.id not in known]  # with diversity `k` changes the order
        ranked = enumerate(below, len(shown) + 1)
        selected += [replace(entry, rank=rank) for rank, entry in ranked if left.pop(entry.paper.id, None)]
        end = len(shown) + len(below)
        selected += [Recommendation(rank, 0.0, paper) for rank, paper in enumerate(left.values(), end + 1)]
    return selected


class _Id(PathConverter):
    """Any id: unlike a path it may begin with a slash."""

    regex, part_isolating = ".+", False


blueprint.record_once(lambda state: state.app.url_map.converters.update(id=_Id))


@blueprint.get(f"{PREFIX}/papers/<id:paper_id>", merge_slashes=False)
@Operation(api_types.PaperRecord, errors=(404,))
def paper(paper_id: str) -> Response:
    """One paper of the index, by its id, DOI, arXiv id, PMID or title, and the line that cites it."""
    found = site().answers.recommender.find_paper(paper_id)
    if found is None:
        raise NotThereError(f"the index has no paper {paper_id!r}")
    return _json(paper_record(found))


@blueprint.get(f"{PREFIX}/indexes")
@Operation(api_types.IndexesAnswer)
def indexes() -> Response:
    """The indexes of this server. The first one answers where an address names none."""
    served = [(name, found.recommender.info) for name in site().indexes if (found := site().indexes.get(name))]
    addresses = {name: f"{quote(root_of(None, name))}{PREFIX}" for name, _ in served}
    records = [{"name": name, "papers": info.papers, "address": addresses[name]} for name, info in served]
    return _json({"indexes": records})


@blueprint.get(f"{PREFIX}/openapi.json")
def openapi() -> Response:
    """This API in the words of OpenAPI 3.1."""
    return _json(_document() | {"servers": [{"url": quote(request.root_path) or "/"}]})  # of the index that is asked


@blueprint.get("/api/docs")
def docs() -> str:
    """The same for people."""
    return render_template("api.html", document=_document(), schemas=_document()["components"]["schemas"])


@blueprint.get("/health")
@Operation(api_types.HealthAnswer)
def health() -> Response:
    """That the server is up, and what it serves."""
    recommender = site().answers.recommender
    old = isinstance(recommender, LiveRecommender) and recommender.is_old()
    return jsonify(api_types.HealthAnswer(**asdict(recommender.info), status="old" if old else "ok"))


@blueprint.get("/metrics")
def metrics() -> Response:
    """Figures for Prometheus, where the server shows them."""
    if not site().show_metrics:
        raise NotThereError("this server shows no figures: it was not started with --metrics")
    figures, answers = site().metrics, site().answers
    figures.running.set(answers.running)
    figures.waiting.set(answers.waiting)
    figures.papers.set(answers.recommender.info.papers)
    return Response(figures.text(), content_type=figures.content_type)


def _answer_record(question: Asked) -> dict[str, Any]:
    understood = {name: getattr(question.query, name) for name in get_annotations(api_types.QueryRecord)}
    return {"query": understood, **_list_record(site().answers.answer(question.query, question.settings))}


def _list_record(answer: Answer) -> dict[str, Any]:
    authors = answer.query.authors  # whose names are not sent back
    strangers = site().answers.recommender.unknown_authors(answer.query) if authors else ()
    return {
        **answer_record(answer),
        "unknown_authors": [place for place, name in enumerate(authors) if name in strangers],
        "timing_ms": round(answer.milliseconds, 1),
    }


def _json(record: object) -> Response:
    return Response(orjson.dumps(record), mimetype="application/json")


def _document() -> dict[str, Any]:
    """Made once an application."""
    made: dict[str, Any] = current_app.extensions.setdefault("citescout.openapi", {})
    if not made:
        made.update(document(current_app, version("citescout")))
    return made
