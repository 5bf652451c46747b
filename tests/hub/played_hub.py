"""A server that plays the model hub's documented API: commits, listings, files by HEAD and GET, errors by their code.

Large files are redirected to another host, as the hub does, and named by their SHA-256; small ones by git's hash.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

LARGE = (".safetensors", ".bin")


@dataclass
class Repository:
    files: dict[str, bytes]
    commit: str
    gated: bool = False
    spoiled: frozenset[str] = frozenset()  # files that arrive with a byte changed

    def etag(self, name: str) -> str:
        data = self.files[name]
        if name.endswith(LARGE):
            return hashlib.sha256(data).hexdigest()
        return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()  # noqa: S324 - what git does


@dataclass
class PlayedHub:
    url: str = ""
    repositories: dict[str, Repository] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)  # "HEAD /path"

    def add(self, name: str, folder: Path, commit: str | None = None, **options) -> Repository:
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        commit = commit or hashlib.sha1(name.encode()).hexdigest()  # noqa: S324 - a name, no secret
        self.repositories[name] = Repository(files, commit, **options)
        return self.repositories[name]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self._answer(body=False)

    def do_GET(self):
        self._answer(body=True)

    def _answer(self, body):
        hub = self.server.hub
        path = unquote(urlsplit(self.path).path)
        hub.asked.append(f"{self.command} {path}")
        if path.startswith("/cdn/"):
            name, file = path.removeprefix("/cdn/").split("/resolve/")
            repository = hub.repositories[name]
            data = repository.files[file]
            if file in repository.spoiled:
                data = data[:-1] + bytes([data[-1] ^ 1])
            return self._send(200, data, body)
        if path.startswith("/api/models/"):
            return self._information(path.removeprefix("/api/models/"), body)
        name, _, rest = path.lstrip("/").partition("/resolve/")
        return self._file(name, *rest.split("/", 1), body) if rest else self._fail(404, "RepoNotFound", body)

    def _information(self, rest, body):
        name, _, revision = rest.partition("/revision/")
        repository = self._repository(name, revision or "main", body)
        if repository is None:
            return
        listing = [{"rfilename": file} for file in sorted(repository.files)]
        record = {"_id": "0", "id": name, "modelId": name, "sha": repository.commit, "siblings": listing, "tags": [],
                  "private": False, "gated": repository.gated, "downloads": 0, "likes": 0}  # fmt: skip
        self._send(200, json.dumps(record).encode(), body, {"Content-Type": "application/json"})

    def _file(self, name, revision, file, body):
        repository = self._repository(name, revision, body)
        if repository is None:
            return
        if repository.gated:
            return self._fail(403, "GatedRepo", body)
        if file not in repository.files:
            return self._fail(404, "EntryNotFound", body, {"X-Repo-Commit": repository.commit})
        etag, data = repository.etag(file), repository.files[file]
        headers = {"X-Repo-Commit": repository.commit, "ETag": f'"{etag}"'}
        if not file.endswith(LARGE):
            return self._send(200, data, body, headers)
        headers |= {"X-Linked-Etag": f'"{etag}"', "X-Linked-Size": str(len(data))}
        # Another host: its client follows no further than its own before it asks for the file itself.
        elsewhere = self.server.hub.url.replace("127.0.0.1", "localhost")
        self._send(302, b"", body, headers | {"Location": f"{elsewhere}/cdn/{name}/resolve/{file}"})

    def _repository(self, name, revision, body):
        repository = self.server.hub.repositories.get(name)
        if repository is None:
            return self._fail(404, "RepoNotFound", body)
        if revision not in ("main", repository.commit):
            return self._fail(404, "RevisionNotFound", body)
        return repository

    def _fail(self, status, code, body, headers=None):
        self._send(status, b"{}", body, {"X-Error-Code": code, "X-Error-Message": code, **(headers or {})})

    def _send(self, status, data, body, headers=None):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(data)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, hub):
        super().__init__(("127.0.0.1", 0), Handler)
        self.hub = hub
        hub.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_):
        """A client that gives up is part of the tests."""


@contextmanager
def playing() -> Iterator[PlayedHub]:
    hub = PlayedHub()
    server = Server(hub)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield hub
    server.shutdown()
    server.server_close()
