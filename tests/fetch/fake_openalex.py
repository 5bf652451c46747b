"""A server that plays the documented API on a few hundred made-up works, and fails on demand."""

import base64
import json
import re
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote, urlsplit

import local_server

WORKS = 437
TOPICS = {
    "T10001": "Information Retrieval",
    "T10002": "Graph Neural Networks",
    "T10003": "Information Retrieval Ethics",
}
SOURCES = {"S20001": "Journal of Ranking", "S20002": "Journal of Graphs"}
MERGED = "10.48550/arxiv.1"  # a DOI whose work is listed under the one of work 7


def doi_of(number):
    return f"10.1234/w{number}" if number % 10 else f"10.1234/(w,{number})"  # every tenth has a comma


def made_up_work(number):
    # Long enough that a page is no single network packet.
    words = f"Paper {number} about {'ranking' if number % 2 else 'graphs'} and neural café {'word ' * 60}".split()
    index = {}
    for position, word in enumerate(words):
        index.setdefault(word, []).append(position)
    return {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/{doi_of(number)}",
        "title": f"Paper {number} about {'ranking' if number % 2 else 'graphs'}",
        "publication_year": 1990 + number % 30,
        "authorships": [{"author": {"display_name": f"Author {number % 17}"}, "institutions": [{"id": "I1"}]}],
        "primary_location": {
            "landing_page_url": f"https://example.org/{number}",
            "source": {"id": f"https://openalex.org/S2000{1 + number % 2}", "display_name": "Journal"},
        },
        "locations": [],
        "abstract_inverted_index": index,
        "referenced_works": [
            f"https://openalex.org/W{cited}" for cited in {number // 2, number // 3, number - 1} if cited > 0
        ],
        "topics": [{"id": f"https://openalex.org/T1000{1 + number % 3}"}],
        "type": "article",
        "biblio": {"volume": "7", "issue": None, "first_page": "1", "last_page": "9"},
        "cited_by_count": WORKS - number,
        "is_retracted": number % 50 == 49,
    }


def short(address):
    return address.rsplit("/", 1)[-1]


CORPUS = [made_up_work(number) for number in range(1, WORKS + 1)]


def words_of(text):
    """As the standard tokenizer of Elasticsearch parts it, which splits neither "don't" nor "3.5"."""
    return re.findall(r"\w+(?:['’.]\w+)*", text)


MATCHES = {  # filter → whether a work matches any of these values, or their text
    "title_and_abstract.search": lambda work, _, text: all(
        word.lower() in work["title"].lower().split() for word in text.split()
    ),
    "title.search": lambda work, _, text: set(words_of(text)) <= set(words_of(work["title"].lower())),
    "topics.id": lambda work, values, _: any(short(topic["id"]) in values for topic in work["topics"]),
    "primary_location.source.id": lambda work, values, _: short(work["primary_location"]["source"]["id"]) in values,
    "from_publication_date": lambda work, _, text: f"{work['publication_year']}-06-15" >= text,
    "to_publication_date": lambda work, _, text: f"{work['publication_year']}-06-15" <= text,
    "from_created_date": lambda work, _, text: work["created_date"] >= text,
    "is_retracted": lambda work, _, text: work["is_retracted"] is (text == "true"),
    "doi": lambda work, values, _: work["doi"].removeprefix("https://doi.org/") in values,
    "ids.openalex": lambda work, values, _: short(work["id"]) in values,
    "cites": lambda work, values, _: not {short(cited) for cited in work["referenced_works"]}.isdisjoint(values),
}


def matches(work, name, value):
    values = value.split("|")
    assert len(values) <= 100, "the API takes 100 values"
    return MATCHES[name](work, values, value)


def selected(filters, corpus=None):
    parts = [part.split(":", 1) for part in filters.split(",")] if filters else []
    return [work for work in corpus or CORPUS if all(matches(work, name, value) for name, value in parts)]


@dataclass
class FakeOpenAlex:
    """Requests seen, and failures to come."""

    faults: dict[int, str] = field(default_factory=dict)  # number of a request, from 1 → what goes wrong with it
    seen: list[tuple[str, dict[str, str], dict[str, str]]] = field(default_factory=list)  # path, parameters, headers
    corpus: list[dict] = field(default_factory=lambda: CORPUS)
    merged: dict[str, str] = field(default_factory=dict)  # id → id of the work that it was merged into
    plan: bool = True  # without one, nobody may ask for what was created since a day
    delay: float = 0.0  # seconds before every answer
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    reached: threading.Condition = field(default_factory=threading.Condition)

    def filters(self):
        return [parameters["filter"] for path, parameters, _ in self.seen if path == "/works"]

    def wait_for(self, requests, seconds=20):
        with self.reached:
            assert self.reached.wait_for(lambda: len(self.seen) >= requests, seconds)


class Handler(local_server.Handler):
    @property
    def fake(self):
        return self.server.played

    def do_GET(self):
        split = urlsplit(self.path)
        parameters = {
            name: values[0] for name, values in parse_qs(split.query, strict_parsing=bool(split.query)).items()
        }
        with self.fake.lock:
            self.fake.seen.append((split.path, parameters, dict(self.headers)))
            number = len(self.fake.seen)
        with self.fake.reached:
            self.fake.reached.notify_all()
        time.sleep(self.fake.delay)
        kind = self.fake.faults.get(number, self.fake.faults.get(0, ""))
        if kind:
            return self.fail(kind, split.path, parameters)
        if now := self.fake.merged.get(split.path.removeprefix("/works/")):
            return self.answer(301, {}, {"Location": f"{self.fake.url}/works/{now}?{split.query}"})
        if len(self.path) > 4094:
            return self.answer(400, {"error": "Request URL too long", "message": "over the 4094-byte limit"})
        return self.answer(*self.result(split.path, parameters))

    def fail(self, kind, path, parameters):
        status, *rest = kind.split()
        if status == "silent":  # until the client has given up
            self.connection.recv(1)
            self.close_connection = True
            return None
        if status == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
            return None
        elif status == "half":  # fewer bytes than were announced
            self.answer(*self.result(path, parameters), part=0.5)
            self.close_connection = True
            return None
        elif status == "torn":  # all bytes that were announced, but half a JSON object
            body = json.dumps(self.result(path, parameters)[1]).encode()
            return self.send(200, body[: len(body) // 2])
        elif status == "html":
            return self.send(200, b"<html>maintenance</html>")
        elif status.isdigit():
            headers = dict(part.split("=") for part in rest)
            return self.answer(int(status), {"error": "Trouble", "message": f"made-up\ntrouble {status}"}, headers)
        return self.answer(*self.result(path, parameters))

    def result(self, path, parameters):
        if path == "/works":
            return self.works(parameters)
        if path in ("/topics", "/sources"):
            known = TOPICS if path == "/topics" else SOURCES
            found = [
                {"id": f"https://openalex.org/{identifier}", "display_name": name}
                for identifier, name in known.items()
                if all(word in name.lower().split() for word in parameters["search"].lower().split())
            ]
            return 200, {"meta": {"count": len(found)}, "results": found}
        if path.startswith("/works/pmid:"):
            address = f"https://pubmed.ncbi.nlm.nih.gov/{path.removeprefix('/works/pmid:')}"
            found = [work for work in self.fake.corpus if work.get("ids", {}).get("pmid") == address]
            return (200, found[0]) if found else (404, {"error": "Not found", "message": f"{path} not found"})
        if found := [work for work in self.fake.corpus if path == f"/works/{short(work['id'])}"]:
            return 200, found[0]
        if path.startswith("/works/doi:"):
            doi = unquote(path).removeprefix("/works/doi:")
            found = [work for work in self.fake.corpus if work["doi"].endswith("/" + doi)]
            if doi == MERGED:
                found = [CORPUS[6]]
            return (200, found[0]) if found else (404, {"error": "Not found", "message": f"{doi} not found"})
        return 404, {"error": "Not found", "message": path}

    def works(self, parameters):
        unknown = set(parameters) - {"filter", "select", "per_page", "sort", "cursor", "page"}
        size = int(parameters.get("per_page", 25))
        if unknown or size > 100:
            return 400, {"error": "Invalid parameter", "message": f"{unknown} per_page {size}"}
        if parameters.get("cursor", "*") != "*" and "Authorization" not in self.headers:
            return 401, {"error": "API key required", "message": "Cursors need an API key"}
        if "from_created_date" in parameters["filter"] and not self.fake.plan:
            return 403, {"error": "Plan required", "message": "from_created_date needs a paid plan"}
        try:
            found = selected(parameters["filter"], self.fake.corpus)
        except KeyError as error:
            return 400, {"error": "Invalid filter", "message": f"Unknown filter field: {error}"}
        if parameters.get("sort") == "cited_by_count:desc":
            found.sort(key=lambda work: -work["cited_by_count"])
        cursor = parameters.get("cursor", "*")
        start = 0 if cursor == "*" else int(base64.urlsafe_b64decode(cursor).split(b"+")[1])
        start = (int(parameters["page"]) - 1) * size if "page" in parameters else start
        chosen = [
            {name: work[name] for name in parameters["select"].split(",")} for work in found[start : start + size]
        ]
        following = base64.urlsafe_b64encode(b"after+%d" % (start + size)).decode() if chosen else None
        meta = {"count": len(found), "per_page": size, "next_cursor": following if "cursor" in parameters else None}
        return 200, {"meta": meta, "results": chosen}

    def answer(self, status, value, headers=None, part=1.0):
        self.send(status, json.dumps(value).encode(), {"Content-Type": "application/json", **(headers or {})}, part)
