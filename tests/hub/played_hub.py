"""A server that plays the model hub's documented API: commits, listings, files by HEAD and GET, errors by their code.

Large files are redirected to another host, as the hub does, and named by their SHA-256; small ones by git's hash.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

import local_server

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


class Handler(local_server.Handler):
    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        hub = self.server.played
        path = unquote(urlsplit(self.path).path)
        hub.asked.append(f"{self.command} {path}")
        if path.startswith("/cdn/"):
            name, file = path.removeprefix("/cdn/").split("/resolve/")
            repository = hub.repositories[name]
            data = repository.files[file]
            if file in repository.spoiled:
                data = data[:-1] + bytes([data[-1] ^ 1])
            return self.send(200, data)
        if path.startswith("/api/models/"):
            return self._information(path.removeprefix("/api/models/"))
        name, _, rest = path.lstrip("/").partition("/resolve/")
        return self._file(name, *rest.split("/", 1)) if rest else self._fail(404, "RepoNotFound")

    def _information(self, rest):
        name, _, revision = rest.partition("/revision/")
        repository = self._repository(name, revision or "main")
        if repository is None:
            return
        listing = [{"rfilename": file} for file in sorted(repository.files)]
        record = {"_id": "0", "id": name, "modelId": name, "sha": repository.commit, "siblings": listing, "tags": [],
                  "private": False, "gated": repository.gated, "downloads": 0, "likes": 0}  # fmt: skip
        self.send(200, json.dumps(record).encode(), {"Content-Type": "application/json"})

    def _file(self, name, revision, file):
        repository = self._repository(name, revision)
        if repository is None:
            return
        if repository.gated:
            return self._fail(403, "GatedRepo")
        if file not in repository.files:
            return self._fail(404, "EntryNotFound", {"X-Repo-Commit": repository.commit})
        etag, data = repository.etag(file), repository.files[file]
        headers = {"X-Repo-Commit": repository.commit, "ETag": f'"{etag}"'}
        if not file.endswith(LARGE):
            return self.send(200, data, headers)
        headers |= {"X-Linked-Etag": f'"{etag}"', "X-Linked-Size": str(len(data))}
        # Another host: its client follows no further than its own before it asks for the file itself.
        elsewhere = self.server.played.url.replace("127.0.0.1", "localhost")
        self.send(302, b"", headers | {"Location": f"{elsewhere}/cdn/{name}/resolve/{file}"})

    def _repository(self, name, revision):
        repository = self.server.played.repositories.get(name)
        if repository is None:
            return self._fail(404, "RepoNotFound")
        if revision not in ("main", repository.commit):
            return self._fail(404, "RevisionNotFound")
        return repository

    def _fail(self, status, code, headers=None):
        self.send(status, b"{}", {"X-Error-Code": code, "X-Error-Message": code, **(headers or {})})


@contextmanager
def playing() -> Iterator[PlayedHub]:
    hub = PlayedHub()
    with local_server.serving(Handler, hub):
        yield hub
