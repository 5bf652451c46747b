"""The endpoints of Zotero's browser connectors, as `server_connector.js`, `saveSession.js` and `server.js` answer."""

import json
import re

import fake_zotero


def answer(zotero, path, query, headers, body):
    """Status and body; None where the connection is closed without an answer."""
    zotero.asked.append(path)
    version = headers.get("X-Zotero-Connector-API-Version")
    if (headers.get("User-Agent", "").startswith("Mozilla/") or "Origin" in headers) and not version:
        return None
    endpoint = path.removeprefix("/connector/")
    if endpoint == zotero.refused:
        return None if endpoint == "import" else (500, b"")
    if endpoint == "import":
        return imported(zotero, query, headers.get("Content-Type", ""), body.decode("utf-8"))
    if endpoint not in ("getSelectedCollection", "updateSession"):
        return 404, b"No endpoint found\n"
    if headers.get("Content-Type") != "application/json":
        return 400, b"Endpoint does not support content-type\n"
    return (selected if endpoint == "getSelectedCollection" else updated)(zotero, json.loads(body))


def tree(zotero):
    """Ids of the libraries and collections as they stand in the window → prefix, key of the collection, name, level."""
    names = {"users/0": "My Library"} | {f"groups/{one['id']}": one["data"]["name"] for one in zotero.groups}
    found, number = {}, 0
    for library, prefix in enumerate(names, 1):
        found[f"L{library}"] = (prefix, "", names[prefix], 0)
        for one in zotero.collections.get(prefix, []):
            number += 1
            found[f"C{number}"] = (prefix, one["key"], one["data"]["name"], 1)
    return found


def library_of(zotero, id_):
    """The library of an id, as L1."""
    places = tree(zotero)
    return next(other for other, place in places.items() if place[0] == places[id_][0] and place[3] == 0)


def save_target(zotero):
    """Where things go: what is selected, or one's own library where that cannot be changed."""
    return "L1" if library_of(zotero, zotero.selected) in zotero.read_only else zotero.selected


def selected(zotero, _):
    places, library = tree(zotero), library_of(zotero, zotero.selected)
    collection = zotero.selected.startswith("C")
    editable = library not in zotero.read_only
    targets = [
        {"id": id_, "name": name, "filesEditable": True, "level": level}
        | ({"isUserLibrary": id_ == "L1"} if not level else {})
        for id_, (_, _, name, level) in places.items()
        if library_of(zotero, id_) not in zotero.read_only
    ]
    said = {
        "libraryID": int(library[1:]),
        "libraryName": places[library][2],
        "libraryEditable": editable,
        "editable": editable,
        "id": int(zotero.selected[1:]) if collection else None,
        "name": places[zotero.selected][2],
        "targets": targets,
        "tags": {},
    }
    return 200, json.dumps(said).encode()


def imported(zotero, query, media_type, text):
    items = translated(text)
    if items is None:
        return 400, b""
    target = save_target(zotero)
    if library_of(zotero, target) in zotero.read_only:
        return 500, b'{"libraryEditable":false}'
    session = query["session"][0]
    if session in zotero.sessions:
        return 409, b'{"error":"SESSION_EXISTS"}'
    zotero.imported.append((media_type, text))
    prefix, collection, *_ = tree(zotero)[target]
    keys = [f"NEW{len(zotero.imported)}{number:04}" for number in range(len(items))]
    for key, (title, doi) in zip(keys, items, strict=True):
        collections = [collection] if collection else []
        zotero.put(fake_zotero.item(key, title, 0, DOI=doi, collections=collections), prefix=prefix)
    zotero.sessions[session] = keys
    return 201, json.dumps([{"itemType": "journalArticle", "title": title} for title, _ in items]).encode()


def updated(zotero, said):
    if said["sessionID"] not in zotero.sessions:
        return 400, b'{"error":"SESSION_NOT_FOUND"}'
    if said["target"] not in tree(zotero):
        return 400, b'{"error":"COLLECTION_NOT_FOUND"}'
    prefix, collection, *_ = tree(zotero)[said["target"]]
    zotero.selected = said["target"]
    for key in zotero.sessions[said["sessionID"]]:
        (found,) = [items.pop(key) for items in zotero.libraries.values() if key in items]
        found["data"]["collections"] = [collection] if collection else []
        zotero.put(found, prefix=prefix)
    return 200, b"{}"


def translated(text):
    """Titles and DOIs of the entries; None where no translator knows the format."""
    if text.lstrip().startswith("["):
        return [(item["title"], item.get("DOI", "")) for item in json.loads(text)]
    if text.startswith("TY  - "):
        records = re.split(r"^ER  -.*$", text, flags=re.MULTILINE)[:-1]
        return [(one_of(r"^(?:TI|T1)  - (.*?)\r?$", record), one_of(r"^DO  - (.*?)\r?$", record)) for record in records]
    if re.search(r"^@\w+\{", text, re.MULTILINE):
        entries = re.split(r"^@(?!string|comment|preamble)", text, flags=re.MULTILINE | re.IGNORECASE)[1:]
        field = r"^\s*{}\s*=\s*[{{\"]+(.*?)[}}\"]+,?$"
        return [(one_of(field.format("title"), entry), one_of(field.format("doi"), entry)) for entry in entries]
    return None


def one_of(pattern, text):
    found = re.search(pattern, text, re.MULTILINE | re.IGNORECASE)
    return found[1] if found else ""
