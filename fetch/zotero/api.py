"""The local API of a running Zotero: https://www.zotero.org/support/dev/web_api/v3/local_api.

It is read only, asks for no key, and answers 403 until it is switched on. The version of an item changes when it is
synced with zotero.org, so what was never synced has version 0 and what was changed since keeps its version: where there
are items of version 0, their dates of change are asked for, too.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import requests

from common.errors import FetchError
from common.sequences import batches
from fetch.zotero.library import Named, Part, chosen, with_subcollections
from indexer.readers.json_records import Fields, mapping, objects, parse_json

ADDRESS = "http://localhost:23119/api"
VERSION = "3"
_PAGE = 500  # items of one answer
_KEYS = 50  # of one request; the API takes no more
_TIMEOUT = 60.0  # seconds; Zotero may still be loading a large library
_SWITCH = 'Settings > Advanced, "Allow other applications on this computer to communicate with Zotero"'


class LocalApi:
    """A part of the library of a running Zotero."""

    def __init__(self, part: Part, address: str = ADDRESS) -> None:
        """Nothing is asked yet."""
        self.part = part
        self._address = address.rstrip("/")
        self._session = session_here({"Zotero-API-Version": VERSION})
        self._paths: list[str] | None = None

    def stamps(self) -> dict[str, str]:
        """Key of every item → its version; where there are items without one, of these the date of their change."""
        versions: dict[str, str] = {}
        for path in self._item_paths():
            found = self._get(f"{path}/top", {"format": "versions"})
            versions |= {key: str(version) for key, version in mapping(found).items()}
        if "0" in versions.values():
            for item in self.items(None):
                if versions.get(key := str(item.get("key"))) == "0":
                    versions[key] = str(item.get("dateModified"))
        return versions

    def items(self, keys: Collection[str] | None) -> Iterator[Fields]:
        """The items of these keys; None for all.

        Many come in pages. One that is on none of them is asked for by its key: where items are deleted meanwhile,
        others move onto pages that were read.
        """
        left = set(keys or ())
        if keys is None or len(left) > _PAGE:
            for path in self._item_paths():
                for item in self._pages(f"{path}/top"):
                    if keys is None or item.get("key") in left:
                        left.discard(str(item.get("key")))
                        yield item
        for batch in batches(sorted(left), _KEYS):
            yield from self._data(f"{self._prefix()}/items", {"itemKey": ",".join(batch)})

    def _pages(self, path: str) -> Iterator[Fields]:
        start = 0
        while True:
            parameters = {"limit": str(_PAGE), "start": str(start), "sort": "dateAdded", "direction": "asc"}
            found = self._data(path, parameters)
            yield from found
            if len(found) < _PAGE:
                return
            start += _PAGE

    def _prefix(self) -> str:
        if not self.part.group:
            return "/users/0"
        groups = objects(self._get("/users/0/groups", {}))
        named = [Named(str(group.get("id")), str(mapping(group.get("data")).get("name"))) for group in groups]
        self.part = replace(self.part, group=chosen(self.part.group, named, "group").key)
        return f"/groups/{self.part.group}"

    def _item_paths(self) -> list[str]:
        """Where the items are: of the library, or of the collection and those within it."""
        if self._paths is None:
            prefix = self._prefix()
            self._paths = [f"{prefix}/items"]
            if self.part.collection:
                named = [
                    Named(str(one.get("key")), str(one.get("name")), str(one.get("parentCollection") or ""))
                    for one in self._data(f"{prefix}/collections", {})
                ]
                top = chosen(self.part.collection, named, "collection")
                self.part = replace(self.part, collection=top.key)
                self._paths = [f"{prefix}/collections/{key}/items" for key in with_subcollections(top, named)]
        return self._paths

    def _data(self, path: str, parameters: dict[str, str]) -> list[Fields]:
        return [mapping(one.get("data")) for one in objects(self._get(path, parameters))]

    def _get(self, path: str, parameters: dict[str, str]) -> Any:
        address = self._address + path
        try:
            response = self._session.get(address, params=parameters, timeout=_TIMEOUT, allow_redirects=False)
        except requests.Timeout:
            raise FetchError(f"Zotero at {address} does not answer: is it busy, or waiting for you?") from None
        except requests.RequestException:
            raise FetchError(
                f"Zotero cannot be reached at {self._address}: start it and switch on {_SWITCH}; "
                "or name its database with --zotero-database"
            ) from None
        if response.status_code == requests.codes.forbidden:
            raise FetchError(
                f"Zotero refuses to be read: switch on {_SWITCH}, or name its database with --zotero-database"
            )
        version = response.headers.get("Zotero-API-Version", VERSION)
        if response.status_code == requests.codes.not_implemented or version != VERSION:
            raise FetchError(f"Zotero uses version {version} of its API, this program version {VERSION}: update one")
        if response.status_code != requests.codes.ok:
            raise FetchError(f"Zotero answers {address} with {said(response)}")
        try:
            return parse_json(response.content)
        except ValueError as error:
            raise FetchError(f"what answers at {address} is not Zotero's API ({error})") from None


def session_here(headers: dict[str, str]) -> requests.Session:
    """A session with a program on this computer, without a proxy on the way."""
    session = requests.Session()
    session.trust_env = False
    session.headers.update(headers)
    return session


def said(response: requests.Response) -> str:
    """What Zotero answers, in some words."""
    text = " ".join(response.text.split())[:200]
    return f"{response.status_code} {text or response.reason}"
