"""Which papers of a list cite each other, and what of the question stands around them: a table, and data for a map."""

from collections.abc import Set
from dataclasses import dataclass
from string import ascii_uppercase

import orjson
from flask import Blueprint, Response, jsonify, request

from citescout.recommendation import Answer
from common.errors import QueryError
from common.names import parse_name
from exports.citation import shown_title
from exports.links import safe_link
from exports.reason_sentences import byline, short_reference
from indexer.paper import Paper
from webui.answers import AnyRecommender
from webui.api_types import MAX_ID
from webui.site import picked_papers, site

blueprint = Blueprint("map", __name__)

_FEWEST = 3  # papers with a citation among them that make looking better than reading
_SEEDS = 20  # papers of the question that are shown, the most linked first
_ADDED = 8  # papers that one cites, and that cite it, which are added at once
_MOST = 400  # papers on a map
_NAME_LETTERS = 12


@dataclass(frozen=True, slots=True)
class Node:
    """One paper."""

    id: str
    mark: str  # its rank, or a letter for a paper of the question
    seed: bool  # the question's own paper, or one that is cited already or liked
    label: str  # "Kipf and Welling 2017"
    name: str  # "Kipf": what stands beside it on the map
    title: str
    byline: str
    link: str  # http or https, or ""
    year: int | None
    citations: int  # by papers of the index
    picked: bool  # it is in the basket of the session


@dataclass(frozen=True, slots=True)
class CitationMap:
    """Papers, those of the list first, and the citations among them."""

    nodes: tuple[Node, ...]
    citations: tuple[tuple[int, int], ...]  # places of the citing and the cited

    def data(self) -> str:
        """As JSON, for the script."""
        pairs = [(self.nodes[citing].id, self.nodes[cited].id) for citing, cited in self.citations]
        return orjson.dumps({"papers": self.nodes, "citations": pairs}).decode()

    def cites(self, place: int) -> list[str]:
        """Marks of what a paper cites."""
        return [self.nodes[cited].mark for citing, cited in self.citations if citing == place]

    def cited_by(self, place: int) -> list[str]:
        """Marks of what cites a paper."""
        return [self.nodes[citing].mark for citing, cited in self.citations if cited == place]


@blueprint.post("/api/map")
def add() -> Response:
    """What the paper `id` cites and what cites it, as far as it is not `shown`; and the citations that come with it."""
    paper_id, shown = request.form.get("id", ""), list(dict.fromkeys(request.form.getlist("shown")))
    if len(shown) > _MOST or any(len(one) > MAX_ID for one in (paper_id, *shown)):
        raise QueryError(f"a map holds {_MOST} papers, with ids of {MAX_ID} characters")
    recommender = site().answers.recommender
    new = [paper for paper in recommender.around(paper_id, _ADDED) if paper.id not in shown]
    new = new[: _MOST - len(shown)]
    ids = [*(paper.id for paper in new), *shown]
    among = recommender.citations_among(ids)
    picked = picked_papers()
    nodes = [_node(paper, "", False, count, picked) for paper, count in zip(new, among.times_cited, strict=False)]
    pairs = [(ids[a], ids[b]) for a, b in among.citations if min(a, b) < len(new)]
    return jsonify(papers=nodes, citations=pairs)


def citation_map(answer: Answer, recommender: AnyRecommender, picked: Set[str] = frozenset()) -> CitationMap | None:
    """The map of a list with the papers of its question; None where too few of its papers cite each other."""
    if len(answer.recommendations) < _FEWEST:
        return None
    query = answer.query
    listed = [entry.paper for entry in answer.recommendations]
    ids = list(filter(None, dict.fromkeys((*(one.id for one in listed), query.id, *query.liked, *query.already_cited))))
    seeds = ids[len(listed) :]
    among = recommender.citations_among(ids)
    linked = {place for pair in among.citations if max(pair) < len(listed) for place in pair}
    if len(linked) < _FEWEST:
        return None
    links = [0] * len(ids)
    for a, b in among.citations:
        links[a] += b < len(listed)
        links[b] += a < len(listed)
    outside = [place for place in range(len(listed), len(ids)) if links[place] or ids[place] == query.id]
    shown = sorted(outside, key=lambda place: -links[place])[:_SEEDS]
    papers = dict(enumerate(listed)) | {place: one for place in shown if (one := recommender.paper(ids[place]))}
    marks = [*(str(entry.rank) for entry in answer.recommendations), *ascii_uppercase[:_SEEDS]]
    of_the_question = {*query.liked, *seeds}
    nodes = tuple(
        _node(one, mark, one.id in of_the_question, among.times_cited[place], picked)
        for mark, (place, one) in zip(marks, papers.items(), strict=False)
    )
    where = {place: number for number, place in enumerate(papers)}
    return CitationMap(nodes, tuple((where[a], where[b]) for a, b in among.citations if a in where and b in where))


def _node(paper: Paper, mark: str, seed: bool, citations: int, picked: Set[str]) -> Node:
    return Node(
        id=paper.id,
        mark=mark,
        seed=seed,
        label=short_reference(paper),
        name=_name(paper),
        title=shown_title(paper),
        byline=byline(paper),
        link=safe_link(paper),
        year=paper.year,
        citations=citations,
        picked=paper.id in picked,
    )


def _name(paper: Paper) -> str:
    """The first author's surname, or the beginning of the title."""
    name = parse_name(paper.authors[0]).surname if paper.authors else shown_title(paper)
    return name if len(name) <= _NAME_LETTERS else f"{name[: _NAME_LETTERS - 1]}…"
