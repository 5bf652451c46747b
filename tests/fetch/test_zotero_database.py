"""Papers of Zotero's own database, which has its real tables."""

import json
import sqlite3

import pytest
from index_reading import papers_of as indexed
from zotero_database import ATTACHMENT, NOTE, create, put
from zotero_indexes import followed_index, read

from common.errors import FetchError
from fetch.zotero.database import Database
from fetch.zotero.library import Part
from fetch.zotero.syncing import sync
from indexer.readers import ReadReport


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "Zotero" / "zotero.sqlite"
    path.parent.mkdir()
    with create(path) as connection:
        people = [("editor", "Ed", "Itor", False), ("author", "Jörg", "Müller", False)]
        people.append(("author", "", "The Group", True))
        texts = {"title": "In the <i>thesis</i>", "abstractNote": "Text", "date": "2001-05-03 May 3, 2001"}
        first = put(
            connection, "AAAA2222", creators=people, collections=[1], DOI="10.1000/A", publicationTitle="J", **texts
        )
        connection.execute("INSERT INTO tags VALUES (1, 'walks'), (2, 'graphs')")
        connection.execute("INSERT INTO itemTags VALUES (?, 1, 0), (?, 2, 1)", (first, first))
        put(connection, "BBBB2222", title="In its chapter", collections=[2])
        put(connection, "CCCC2222", title="Elsewhere", collections=[3])
        put(connection, "DDDD2222", title="PDF", kind=ATTACHMENT)
        put(connection, "EEEE2222", kind=NOTE)
        put(connection, "GGGG2222", title="In the group", library=5)
        gone = put(connection, "FFFF2222", title="In the trash")
        connection.execute("INSERT INTO deletedItems (itemID) VALUES (?)", (gone,))
    connection.close()
    return path


def test_the_database_gives_what_the_program_gives(database):
    papers = read(Database(Part(), database))
    assert papers.keys() == {"AAAA2222", "BBBB2222", "CCCC2222"}
    paper = papers["AAAA2222"]
    assert (paper.title, paper.abstract, paper.year, paper.venue) == ("In the thesis", "Text", 2001, "J")
    assert (paper.authors, paper.doi) == (("Jörg Müller", "The Group"), "10.1000/a")
    more = json.loads(paper.imprint.more)
    assert (more["keyword"], more["issued"]) == ("graphs; walks", {"date-parts": [[2001, 5, 3]]})
    assert read(Database(Part("Our group"), database)).keys() == {"GGGG2222"}
    assert read(Database(Part("", "Thesis"), database)).keys() == {"AAAA2222", "BBBB2222"}


def test_collections_in_the_trash_of_the_database_are_none(database):
    with sqlite3.connect(database) as connection:
        connection.execute(
            "CREATE TABLE deletedCollections (collectionID INTEGER PRIMARY KEY, "
            "dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL)"
        )
        connection.execute("INSERT INTO deletedCollections (collectionID) VALUES (2), (3)")
    connection.close()
    assert read(Database(Part("", "Thesis"), database)).keys() == {"AAAA2222"}
    with pytest.raises(FetchError, match=r"no collection 'Other'; it has Thesis$"):
        Database(Part("", "Other"), database).stamps()


def test_the_database_is_read_while_zotero_locks_it_and_is_left_alone(database):
    before = database.read_bytes()
    running = sqlite3.connect(database, isolation_level=None)
    running.execute("BEGIN EXCLUSIVE")
    assert read(Database(Part(), database))
    running.close()
    assert database.read_bytes() == before


def test_a_database_that_is_none_is_one_clear_error(tmp_path):
    (tmp_path / "zotero.sqlite").write_bytes(b"SQLite format 3\0" + b"\1" * 5_000)
    with pytest.raises(FetchError, match=r"zotero.sqlite is not a database of Zotero 5 or newer"):
        Database(Part(), tmp_path / "zotero.sqlite").stamps()
    with pytest.raises(FetchError, match="No such file"):
        Database(Part(), tmp_path / "none.sqlite").stamps()


def test_sync_follows_the_database(database, tmp_path):
    followed_index("", tmp_path / "ix", database=str(database))
    assert not sync(tmp_path / "ix", ReadReport()).anything
    connection = sqlite3.connect(database)
    put(connection, "NEWW2222", title="New")
    connection.execute("UPDATE items SET dateModified = '2026-11-22' WHERE key = 'BBBB2222'")
    connection.execute("UPDATE itemDataValues SET value = 'Another title' WHERE value = 'In its chapter'")
    connection.execute("DELETE FROM items WHERE key = 'CCCC2222'")
    connection.commit()
    connection.close()
    synced = sync(tmp_path / "ix", ReadReport())
    assert (synced.added, synced.changed, synced.removed) == (1, 1, 1)
    assert indexed(tmp_path / "ix")["BBBB2222"].title == "Another title"
