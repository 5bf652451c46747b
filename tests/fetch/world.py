"""The papers of the demo as five APIs know them, each by its documented protocol and limits; they fail on demand."""

import hashlib
import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

import local_server

import demo

PAPERS = [json.loads(line) for line in Path(demo.CORPUS).read_text("utf-8").splitlines()]
BY_ID = {paper["id"]: paper for paper in PAPERS}
NUMBER = {paper["id"]: number for number, paper in enumerate(PAPERS, start=1001)}
CITED = {paper["id"]: [id_ for id_ in paper.get("citations", ()) if id_ in BY_ID] for paper in PAPERS}
CITING = {id_: [other for other, cited in CITED.items() if id_ in cited] for id_ in BY_ID}


def doi(id_):
    return f"10.5555/{id_}"


def w(id_):
    return f"W{NUMBER[id_]}"


def pmid(id_):
    return str(20_000_000 + NUMBER[id_])


def sha(id_):
    return hashlib.sha1(id_.encode()).hexdigest()  # noqa: S324 - Semantic Scholar's ids look so


ID_OF = {"openalex": w, "semantic-scholar": sha, "crossref": doi}  # by source


def openalex_works():
    works = []
    for paper in PAPERS:
        index = {}
        for position, word in enumerate(paper.get("abstract", "").split()):
            index.setdefault(word, []).append(position)
        works.append(
            {
                "id": f"https://openalex.org/{w(paper['id'])}",
                "doi": f"https://doi.org/{doi(paper['id'])}",
                "ids": {"pmid": f"https://pubmed.ncbi.nlm.nih.gov/{pmid(paper['id'])}"},
                "title": paper["title"],
                "publication_year": paper["year"],
                "authorships": [{"author": {"display_name": name}} for name in paper["authors"]],
                "primary_location": {"landing_page_url": None, "source": {"display_name": paper.get("venue", "")}},
                "locations": [],
                "abstract_inverted_index": index,
                "referenced_works": [f"https://openalex.org/{w(id_)}" for id_ in CITED[paper["id"]]],
                "type": "article",
                "biblio": {"volume": "7", "issue": None, "first_page": "1", "last_page": "9"},
                "cited_by_count": len(CITING[paper["id"]]),
                "is_retracted": False,
                "created_date": "2024-01-01",
            }
        )
    return works


@dataclass
class Apis:
    """Requests seen, and failures to come: Semantic Scholar, Crossref, OpenCitations and arXiv."""

    faults: dict[int, str] = field(default_factory=dict)  # number of a request, from 1 → "429 Retry-After=1"
    seen: list[tuple[str, dict[str, str], dict[str, str], object]] = field(default_factory=list)
    retracted: set[str] = field(default_factory=set)
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)


class Handler(local_server.Handler):
    def do_POST(self):
        self.respond(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def do_GET(self):
        self.respond(None)

    def respond(self, body):
        split = urlsplit(self.path)
        parameters = {name: values[0] for name, values in parse_qs(split.query).items()}
        apis = self.server.played
        with apis.lock:
            apis.seen.append((split.path, parameters, dict(self.headers), body))
            fault = apis.faults.get(len(apis.seen), "")
        if fault:
            status, *headers = fault.split()
            return self.send(int(status), b'{"message": "too many"}', dict(part.split("=") for part in headers))
        api, _, path = split.path.strip("/").partition("/")
        status, answer = getattr(self, api)(unquote(path), parameters, body)
        data = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        return self.send(status, data)

    # Semantic Scholar: https://api.semanticscholar.org/api-docs/graph
    def s2(self, path, parameters, body):
        if path == "paper/batch":
            if len(body["ids"]) > 500:
                return 400, {"error": "Too many ids"}
            found = [self.s2_paper(id_, parameters["fields"]) for id_ in body["ids"]]
            return (200, found) if any(found) else (400, {"error": "No valid paper ids given"})
        if path == "paper/search/match":
            wanted = parameters["query"].lower().split()
            scored = [(len(set(wanted) & set(paper["title"].lower().split())), paper) for paper in PAPERS]
            score, best = max(scored, key=lambda one: one[0])
            if score < len(wanted) / 2:
                return 404, {"error": "Title match not found"}
            return 200, {"data": [{**self.s2_paper(sha(best["id"]), parameters["fields"]), "matchScore": score}]}
        _, id_, kind = path.split("/")
        offset, limit = int(parameters.get("offset", 0)), int(parameters.get("limit", 100))
        if limit > 1000 or offset + limit >= 10000 or kind != "citations":
            return 400, {"error": "offset and limit"}
        known = next((paper["id"] for paper in PAPERS if sha(paper["id"]) == id_), None)
        if known is None:
            return 404, {"error": f"Paper with id {id_} not found"}
        citing = CITING[known]
        if since := parameters.get("publicationDateOrYear", "").rstrip(":"):
            citing = [other for other in citing if f"{BY_ID[other]['year']}-06-30" >= since]
        answer = {"offset": offset, "data": [{"citingPaper": {"paperId": sha(o)}} for o in citing[offset:][:limit]]}
        return 200, answer | ({"next": offset + limit} if offset + limit < len(citing) else {})

    def s2_paper(self, named, fields):
        kind, _, value = named.rpartition(":")
        for paper in PAPERS:
            ids = {"": sha(paper["id"]), "DOI": doi(paper["id"]), "PMID": pmid(paper["id"])}
            if value == (ids | {"ARXIV": paper.get("arxiv")})[kind]:
                whole = {
                    "title": paper["title"],
                    "abstract": paper.get("abstract"),
                    "year": paper["year"],
                    "authors": [{"authorId": "1", "name": name} for name in paper["authors"]],
                    "venue": "",
                    "journal": {"name": paper.get("venue", ""), "volume": "7"},
                    "externalIds": {"DOI": doi(paper["id"]), "ArXiv": paper.get("arxiv"), "PubMed": pmid(paper["id"])},
                    "url": f"https://www.semanticscholar.org/paper/{sha(paper['id'])}",
                    "citationCount": len(CITING[paper["id"]]),
                    "references.paperId": None,
                }
                found = {name: whole[name] for name in fields.split(",") if "." not in name}
                references = [{"paperId": sha(id_)} for id_ in CITED[paper["id"]]] + [{"paperId": None}]
                return {"paperId": sha(paper["id"]), **found, "references": references}
        return None

    # Crossref: https://api.crossref.org/swagger-ui/index.html
    def crossref(self, path, parameters, _):
        if path.startswith("works/"):
            found = [paper for paper in PAPERS if doi(paper["id"]) == path.removeprefix("works/")]
            return (200, {"status": "ok", "message": self.item(found[0])}) if found else (404, "Resource not found.")
        rows = int(parameters["rows"])
        if rows > 1000:
            return 400, {"status": "failed", "message": "rows"}
        if query := parameters.get("query.bibliographic"):
            words = set(query.lower().split())
            found = sorted(PAPERS, key=lambda paper: -len(words & set(paper["title"].lower().split())))
        else:
            wanted = {part.removeprefix("doi:") for part in parameters["filter"].split(",")}
            found = [paper for paper in PAPERS if doi(paper["id"]) in wanted]
        items = [
            {name: value for name, value in self.item(paper).items() if name in parameters["select"].split(",")}
            for paper in found[:rows]
        ]
        message = {"total-results": len(found), "items": items, "items-per-page": rows}
        return 200, {"status": "ok", "message-type": "work-list", "message": message}

    def item(self, paper):
        names = [name.rsplit(" ", 1) for name in paper["authors"]]
        retraction = {"DOI": "10.5555/notice", "type": "retraction", "source": "retraction-watch"}
        return {
            "DOI": doi(paper["id"]).upper(),
            "title": [paper["title"]],
            "abstract": f"<jats:p>{escape(paper.get('abstract', ''))}</jats:p>",
            "author": [{"given": name[0], "family": name[-1], "sequence": "first"} for name in names],
            "issued": {"date-parts": [[paper["year"], 6]]},
            "container-title": [paper.get("venue", "")],
            "URL": f"https://doi.org/{doi(paper['id'])}",
            "reference": [{"key": id_, "DOI": doi(id_)} for id_ in CITED[paper["id"]]] + [{"unstructured": "A book"}],
            "is-referenced-by-count": len(CITING[paper["id"]]),
            **({"updated-by": [retraction]} if paper["id"] in self.server.played.retracted else {}),
        }

    # OpenCitations: https://api.opencitations.net/index/v2
    def opencitations(self, path, _, __):
        known = path.removeprefix("citations/doi:").removeprefix("10.5555/")
        return 200, [
            {
                "oci": f"0{NUMBER[other]}-0{NUMBER[known]}",
                "citing": f"omid:br/0{NUMBER[other]} doi:{doi(other)} pmid:{NUMBER[other]}",
                "cited": f"omid:br/0{NUMBER[known]} doi:{doi(known)}",
                "creation": f"{BY_ID[other]['year']}-06",
                "timespan": "P1Y",
                "journal_sc": "no",
                "author_sc": "no",
            }
            for other in CITING.get(known, ())
        ]

    # arXiv: https://info.arxiv.org/help/api/user-manual.html
    def arxiv(self, path, parameters, _):
        wanted = parameters["id_list"].split(",")
        found = [paper for paper in PAPERS if paper.get("arxiv") in wanted]
        entries = "".join(
            f"<entry><id>http://arxiv.org/abs/{paper['arxiv']}v2</id><published>{paper['year']}-06-12T00:00:00Z</published>"
            f"<title>{escape(paper['title'])}</title><summary>{escape(paper.get('abstract', ''))}</summary>"
            + "".join(f"<author><name>{escape(name)}</name></author>" for name in paper["authors"])
            + "</entry>"
            for paper in found
        )
        return 200, (
            '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom" '
            'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom">'
            f"<opensearch:totalResults>{len(found)}</opensearch:totalResults>{entries}</feed>"
        )
