"""Zotero's own database, zotero.sqlite, read from a copy: the running program locks it, and nothing is ever written."""

import shutil
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import orjson

from common.errors import FetchError
from fetch.zotero.library import Named, Part, chosen, with_subcollections
from indexer.readers.formats.zotero import NO_WORKS
from indexer.readers.json_records import Fields

# Items at the top level, which are in no trash.
_TOP = """
    SELECT items.itemID, items.key, typeName, items.version, items.dateModified FROM items
    JOIN itemTypesCombined USING (itemTypeID)
    WHERE items.libraryID = ? AND items.itemID NOT IN (SELECT itemID FROM deletedItems)
        AND items.itemID NOT IN (SELECT itemID FROM itemAttachments)
        AND items.itemID NOT IN (SELECT itemID FROM itemNotes)
"""
_IN_COLLECTIONS = """
    AND items.itemID IN (SELECT itemID FROM collectionItems JOIN collections USING (collectionID)
        WHERE collections.libraryID = items.libraryID AND collections.key IN (SELECT value FROM json_each(?)))
"""
# Such as are in no trash; each with the key of the one that it is in.
_COLLECTIONS = """
    SELECT one.key, one.collectionName, coalesce(above.key, '') FROM collections AS one
    LEFT JOIN collections AS above ON above.collectionID = one.parentCollectionID
    WHERE one.libraryID = ? AND one.collectionID NOT IN (SELECT collectionID FROM deletedCollections)
"""
_FIELDS = """
    SELECT itemID, fieldName, value FROM itemData
    JOIN fieldsCombined USING (fieldID) JOIN itemDataValues USING (valueID)
"""
_CREATORS = """
    SELECT itemID, creatorType, firstName, lastName, fieldMode FROM itemCreators JOIN creators USING (creatorID)
    JOIN creatorTypes USING (creatorTypeID) ORDER BY itemID, orderIndex
"""
_TAGS = "SELECT itemID, name FROM itemTags JOIN tags USING (tagID) ORDER BY itemID, name"
_ONE_NAME = 1  # fieldMode of a creator whose name is not parted, such as an organisation


class Database:
    """A part of the library in a zotero.sqlite."""

    def __init__(self, part: Part, path: Path) -> None:
        """Nothing is read yet."""
        self.part = part
        self._path = path

    def stamps(self) -> dict[str, str]:
        """Key of every item → its version and the date of its change."""
        with self._opened() as database:
            return {key: f"{version} {changed}" for _, key, _, version, changed in self._top(database)}

    def items(self, keys: Collection[str] | None) -> Iterator[Fields]:
        """The items of these keys; None for all."""
        wanted = None if keys is None else set(keys)
        with self._opened() as database:
            top = [row for row in self._top(database) if wanted is None or row[1] in wanted]
            fields: dict[int, Fields] = defaultdict(dict)
            for item, name, value in database.execute(_FIELDS):
                fields[item][name] = value
            creators: dict[int, list[Fields]] = defaultdict(list)
            for item, kind, first, last, mode in database.execute(_CREATORS):
                name = {"name": last} if mode == _ONE_NAME else {"firstName": first, "lastName": last}
                creators[item].append({"creatorType": kind, **name})
            tags: dict[int, list[Fields]] = defaultdict(list)
            for item, name in database.execute(_TAGS):
                tags[item].append({"tag": name})
            for item, key, kind, _, _ in top:
                of_item = {"creators": creators[item], "tags": tags[item]}
                yield {**fields[item], "key": key, "itemType": kind, **of_item}

    def _top(self, database: sqlite3.Connection) -> list[tuple[int, str, str, int, str]]:
        library = self._library(database)
        if not self.part.collection:
            rows = database.execute(_TOP, (library,))
        else:
            named = [Named(*row) for row in database.execute(_COLLECTIONS, (library,))]
            top = chosen(self.part.collection, named, "collection")
            self.part = replace(self.part, collection=top.key)
            rows = database.execute(
                _TOP + _IN_COLLECTIONS, (library, orjson.dumps(with_subcollections(top, named)).decode())
            )
        return [row for row in rows if row[2] not in NO_WORKS]

    def _library(self, database: sqlite3.Connection) -> int:
        if not self.part.group:
            row = database.execute("SELECT libraryID FROM libraries WHERE type = 'user'").fetchone()
            if row is None:
                raise FetchError(f"{self._path} holds no library of a user")
            return int(row[0])
        rows = database.execute("SELECT groupID, name, libraryID FROM groups").fetchall()
        group = chosen(self.part.group, [Named(str(number), name) for number, name, _ in rows], "group")
        self.part = replace(self.part, group=group.key)
        return next(int(library) for number, _, library in rows if str(number) == group.key)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with tempfile.TemporaryDirectory(prefix="citescout-") as folder:
            copy = Path(folder, "zotero.sqlite")
            try:
                shutil.copyfile(self._path, copy)
                for ending in ("-wal", "-journal"):  # what is not in the database itself yet
                    beside = self._path.with_name(self._path.name + ending)
                    if beside.exists():
                        shutil.copyfile(beside, copy.with_name(copy.name + ending))
            except OSError as error:
                raise FetchError(f"{self._path}: cannot be read ({error.strerror})") from None
            try:
                with closing(sqlite3.connect(copy)) as database:
                    # In Zotero 5 collections had no trash.
                    database.execute("CREATE TABLE IF NOT EXISTS deletedCollections (collectionID INTEGER PRIMARY KEY)")
                    yield database
            except sqlite3.Error as error:
                raise FetchError(
                    f"{self._path} is not a database of Zotero 5 or newer, or it was copied while Zotero wrote to it "
                    f"({error}): name zotero.sqlite in Zotero's data folder, and try again"
                ) from None
