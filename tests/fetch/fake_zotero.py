"""A server that plays a running Zotero: its local API as documented, its connectors' endpoints as Zotero 7 has them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import fake_connector
import local_server


def item(key, title, version=1, **fields):
    """One item as the API describes it."""
    data = {
        "key": key,
        "version": version,
        "itemType": "journalArticle",
        "title": title,
        "creators": [{"creatorType": "author", "firstName": "Jane", "lastName": "Doe"}],
        "date": "2020-05-03",
        "collections": [],
        "dateAdded": "2020-01-01T00:00:00Z",
        "dateModified": "2020-01-01T00:00:00Z",
        **fields,
    }
    return {"key": key, "version": version, "library": {"type": "user", "id": 0}, "meta": {}, "data": data}


@dataclass
class FakeZotero:
    """Libraries by prefix; what was asked is kept."""

    libraries: dict[str, dict[str, dict]] = field(default_factory=lambda: {"users/0": {}})
    collections: dict[str, list[dict]] = field(default_factory=dict)
    groups: list[dict] = field(default_factory=list)
    enabled: bool = True
    api_version: str = "3"
    body: bytes | None = None  # sent instead of what was asked for
    asked: list[str] = field(default_factory=list)
    selected: str = "L1"  # in its window: a library, or C and the number of a collection
    read_only: set[str] = field(default_factory=set)  # libraries, such as L1
    sessions: dict[str, list[str]] = field(default_factory=dict)  # of connectors → keys of what they saved
    imported: list[tuple[str, str]] = field(default_factory=list)  # media type and text
    refused: str = ""  # endpoint of the connectors that does not work

    def put(self, *items, prefix="users/0"):
        """Add items, or replace those of the same keys."""
        self.libraries.setdefault(prefix, {}).update({one["key"]: one for one in items})

    def answer(self, path, query, headers):
        """Status and body, as server_localAPI.js gives them."""
        if not self.enabled:
            return 403, b"Local API is not enabled"
        if headers.get("Zotero-API-Version", "3") != self.api_version:
            return 501, b"API version not implemented: 3"
        if self.body is not None:
            return 200, self.body
        kind, number, *rest = path.removeprefix("/api/").split("/")
        if kind == "users" and number != "0":
            return 400, b"Only data for the logged-in user is available locally -- use userID 0"
        if rest == ["groups"]:
            return 200, json.dumps(self.groups).encode()
        if f"{kind}/{number}" not in self.libraries:
            return 404, b"Not found"
        return self._within(f"{kind}/{number}", rest, query)

    def _within(self, prefix, rest, query):
        if rest == ["collections"]:
            return 200, json.dumps(self.collections.get(prefix, [])).encode()
        found = list(self.libraries[prefix].values())
        if rest[0] == "collections":
            found = [one for one in found if rest[1] in one["data"]["collections"]]
            rest = rest[2:]
        if rest not in (["items"], ["items", "top"]):
            return 404, b"Not found"
        if rest == ["items", "top"]:
            found = [one for one in found if not one["data"].get("parentItem")]
        return self._listed(found, query)

    def _listed(self, found, query):
        if "itemKey" in query:
            keys = query["itemKey"][0].split(",")
            if len(keys) > 50:
                return 400, b"Too many keys"
            found = [one for one in found if one["key"] in keys]
        found.sort(key=lambda one: one["data"][query.get("sort", ["dateModified"])[0]])
        start = int(query.get("start", ["0"])[0])
        found = found[start : start + int(query.get("limit", [len(found)])[0])]
        if query.get("format") == ["versions"]:
            return 200, json.dumps({one["key"]: one["version"] for one in found}, indent=4).encode()
        return 200, json.dumps(found, indent=4).encode()


class Handler(local_server.Handler):
    def do_GET(self) -> None:
        zotero, parts = self.server.played, urlsplit(self.path)
        zotero.asked.append(self.path)
        status, body = zotero.answer(parts.path, parse_qs(parts.query), self.headers)
        self.send(status, body, {"Zotero-API-Version": zotero.api_version})

    def do_POST(self) -> None:
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = fake_connector.answer(self.server.played, parts.path, parse_qs(parts.query), self.headers, body)
        if answer is None:  # the connection ends without a word
            self.close_connection = True
            return
        self.send(*answer, {"X-Zotero-Connector-API-Version": "3"})


@contextmanager
def running(zotero: FakeZotero) -> Iterator[str]:
    """The address of its API."""
    with local_server.serving(Handler, zotero):
        yield f"{zotero.url}/api"
