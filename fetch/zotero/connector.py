"""Papers into a running Zotero, through the endpoints that Zotero's browser connectors use.

They have no documentation but their source: `server_connector.js` and `saveSession.js` of Zotero 7. No key is asked
for, and the setting of the local API does not matter.
"""

import uuid
from dataclasses import dataclass

import requests

from common.errors import FetchError
from common.words import counted
from fetch.zotero.api import ADDRESS, said, session_here
from fetch.zotero.library import Named, Part, chosen
from indexer.readers.json_records import Fields, mapping, objects, parse_json

_VERSION = "3"  # of the connectors' protocol
_TIMEOUT = 60.0  # seconds
_AS_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Target:
    """A library or a collection that papers go into."""

    id: str  # as Zotero calls it: L1 for a library, C12 for a collection
    name: str
    part: Part  # the library, to be read


class Connector:
    """A running Zotero, and where in it papers go."""

    def __init__(self, api_address: str = ADDRESS, wanted: str = "") -> None:
        """Look where papers go.

        Args:
            api_address: Of the local API; the connectors' endpoints are beside it.
            wanted: Name or id (C12) of a collection or library; "" for what is selected in Zotero.

        Raises:
            FetchError: Zotero does not run, has no such collection, or its library cannot be changed.
        """
        self._address = f"{api_address.rstrip('/').removesuffix('/api')}/connector"
        # A name that is no browser's: Zotero lets no web page write into it.
        self._session = session_here({"User-Agent": "citescout", "X-Zotero-Connector-API-Version": _VERSION})
        selected = self._asked()
        self._selected, targets = _targets(selected)
        self.target = self._selected
        if wanted:
            found = [Named(target.id, target.name) for target in targets.values()]
            self.target = targets[chosen(wanted, found, "collection").key]
        elif selected.get("editable") is False:  # Zotero would take one's own library instead
            raise FetchError(
                f"{self._selected.name}, as it is selected in Zotero, is read-only: select a library or collection of "
                "yours there, or name it with --zotero-collection"
            )

    def save(self, text: str, media_type: str) -> int:
        """Save the entries of a bibliography; gives how many Zotero made items of.

        Raises:
            FetchError: Zotero saves none of them, or not where they were to go, or nobody knows.
        """
        session = uuid.uuid4().hex
        response = self._post("import", text.encode("utf-8", "replace"), media_type, {"session": session})
        if response.status_code == requests.codes.internal_server_error and b"libraryEditable" in response.content:
            raise FetchError(f"{self._selected.name} in Zotero is read-only: nothing was saved")
        if response.status_code != requests.codes.created:
            raise FetchError(f"Zotero saves nothing: it answers {said(response)}")
        saved = len(objects(self._json(response)))
        if saved and self.target.id != self._selected.id:
            body = b'{"sessionID": "%s", "target": "%s"}' % (session.encode(), self.target.id.encode())
            response = self._post("updateSession", body, _AS_JSON)
            if response.status_code != requests.codes.ok:
                raise FetchError(
                    f"Zotero saved {counted(saved, 'paper')} in {self._selected.name}, and does not move them to "
                    f"{self.target.name}: it answers {said(response)}"
                )
        return saved

    def _asked(self) -> Fields:
        """What Zotero says of its selection."""
        response = self._post("getSelectedCollection", b"{}", _AS_JSON)
        if response.status_code != requests.codes.ok:
            raise FetchError(f"Zotero does not say what is selected in it: it answers {said(response)}")
        return mapping(self._json(response))

    def _post(
        self, endpoint: str, body: bytes, media_type: str, parameters: dict[str, str] | None = None
    ) -> requests.Response:
        """One request, never repeated: what was saved once would be saved twice."""
        try:
            return self._session.post(
                f"{self._address}/{endpoint}",
                data=body,
                params=parameters,
                headers={"Content-Type": media_type},
                timeout=_TIMEOUT,
                allow_redirects=False,
            )
        except requests.RequestException as error:
            if parameters is not None:
                why = "Zotero did not answer, and may have saved the papers: look there before you send them again"
            elif isinstance(error, requests.Timeout):
                why = f"Zotero at {self._address} does not answer: is it busy, or waiting for you?"
            else:
                why = f"Zotero cannot be reached at {self._address}: start it"
            raise FetchError(why) from None

    def _json(self, response: requests.Response) -> object:
        try:
            return parse_json(response.content)
        except ValueError as error:
            raise FetchError(f"what answers at {self._address} is not Zotero ({error})") from None


def _targets(selected: Fields) -> tuple[Target, dict[str, Target]]:
    """What is selected, and by their ids all libraries that can be changed, and their collections."""
    targets: dict[str, Target] = {}
    part = Part()
    for one in objects(selected.get("targets")):
        id_, name = str(one.get("id")), str(one.get("name"))
        if not one.get("level"):
            part = Part() if one.get("isUserLibrary", id_ == "L1") else Part(name)
        targets[id_] = Target(id_, name, part)
    collection, library = selected.get("id"), selected.get("libraryID")
    id_ = f"C{collection}" if collection else f"L{library}"
    own = Part() if library == 1 else Part(str(selected.get("libraryName")))
    return targets.get(id_) or Target(id_, str(selected.get("name")), own), targets
