"""A zotero.sqlite with the tables of Zotero 5 to 8 that hold items, as resource/schema/userdata.sql creates them."""

import sqlite3

TABLES = """
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT NOT NULL, editable INT NOT NULL,
    filesEditable INT NOT NULL, version INT NOT NULL DEFAULT 0, storageVersion INT NOT NULL DEFAULT 0,
    lastSync INT NOT NULL DEFAULT 0, archived INT NOT NULL DEFAULT 0);
CREATE TABLE groups (groupID INTEGER PRIMARY KEY, libraryID INT NOT NULL UNIQUE, name TEXT NOT NULL,
    description TEXT NOT NULL, version INT NOT NULL,
    FOREIGN KEY (libraryID) REFERENCES libraries(libraryID) ON DELETE CASCADE);
CREATE TABLE itemTypesCombined (itemTypeID INT NOT NULL, typeName TEXT NOT NULL, display INT DEFAULT 1 NOT NULL,
    custom INT NOT NULL, PRIMARY KEY (itemTypeID));
CREATE TABLE fieldsCombined (fieldID INT NOT NULL, fieldName TEXT NOT NULL, label TEXT, fieldFormatID INT,
    custom INT NOT NULL, PRIMARY KEY (fieldID));
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL,
    dateAdded TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, dateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    clientDateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, libraryID INT NOT NULL, key TEXT NOT NULL,
    version INT NOT NULL DEFAULT 0, synced INT NOT NULL DEFAULT 0, UNIQUE (libraryID, key),
    FOREIGN KEY (libraryID) REFERENCES libraries(libraryID) ON DELETE CASCADE);
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID, PRIMARY KEY (itemID, fieldID),
    FOREIGN KEY (itemID) REFERENCES items(itemID) ON DELETE CASCADE,
    FOREIGN KEY (valueID) REFERENCES itemDataValues(valueID));
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT,
    charsetID INT, path TEXT, syncState INT DEFAULT 0, storageModTime INT, storageHash TEXT);
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT,
    UNIQUE (lastName, firstName, fieldMode));
CREATE TABLE itemCreators (itemID INT NOT NULL, creatorID INT NOT NULL, creatorTypeID INT NOT NULL DEFAULT 1,
    orderIndex INT NOT NULL DEFAULT 0, PRIMARY KEY (itemID, creatorID, creatorTypeID, orderIndex),
    UNIQUE (itemID, orderIndex));
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT NOT NULL,
    parentCollectionID INT DEFAULT NULL, clientDateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    libraryID INT NOT NULL, key TEXT NOT NULL, version INT NOT NULL DEFAULT 0, synced INT NOT NULL DEFAULT 0,
    UNIQUE (libraryID, key));
CREATE TABLE collectionItems (collectionID INT NOT NULL, itemID INT NOT NULL, orderIndex INT NOT NULL DEFAULT 0,
    PRIMARY KEY (collectionID, itemID));
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE itemTags (itemID INT NOT NULL, tagID INT NOT NULL, type INT NOT NULL, PRIMARY KEY (itemID, tagID),
    FOREIGN KEY (itemID) REFERENCES items(itemID) ON DELETE CASCADE, FOREIGN KEY (tagID) REFERENCES tags(tagID));
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);
INSERT INTO itemTypesCombined VALUES (1, 'annotation', 1, 0), (3, 'attachment', 1, 0), (22, 'journalArticle', 1, 0),
    (28, 'note', 1, 0);
INSERT INTO fieldsCombined VALUES (1, 'title', NULL, NULL, 0), (2, 'abstractNote', NULL, NULL, 0),
    (6, 'date', NULL, NULL, 0), (38, 'publicationTitle', NULL, NULL, 0), (59, 'DOI', NULL, NULL, 0),
    (16, 'extra', NULL, NULL, 0);
INSERT INTO creatorTypes VALUES (8, 'author'), (10, 'editor');
INSERT INTO libraries (libraryID, type, editable, filesEditable) VALUES (1, 'user', 1, 1), (5, 'group', 1, 1);
INSERT INTO groups VALUES (777, 5, 'Our group', '', 1);
INSERT INTO collections (collectionID, collectionName, parentCollectionID, libraryID, key) VALUES
    (1, 'Thesis', NULL, 1, 'COLLTHES'), (2, 'Chapter 1', 1, 1, 'COLLCHAP'), (3, 'Other', NULL, 1, 'COLLOTHR');
"""
ARTICLE, ATTACHMENT, NOTE = 22, 3, 28
FIELDS = {"title": 1, "abstractNote": 2, "date": 6, "publicationTitle": 38, "DOI": 59, "extra": 16}


def create(path):
    database = sqlite3.connect(path)
    database.executescript(TABLES)
    return database


def put(database, key, library=1, kind=ARTICLE, creators=(), collections=(), version=0, changed="2020-01-01", **fields):
    """One item; creators as (type, first name, last name, whether it is one name)."""
    item = database.execute(
        "INSERT INTO items (itemTypeID, libraryID, key, version, dateModified) VALUES (?, ?, ?, ?, ?)",
        (kind, library, key, version, changed),
    ).lastrowid
    for name, value in fields.items():
        database.execute("INSERT OR IGNORE INTO itemDataValues (value) VALUES (?)", (value,))
        database.execute(
            "INSERT INTO itemData SELECT ?, ?, valueID FROM itemDataValues WHERE value = ?", (item, FIELDS[name], value)
        )
    for place, (kind_of, first, last, whole) in enumerate(creators):
        database.execute("INSERT OR IGNORE INTO creators VALUES (NULL, ?, ?, ?)", (first, last, int(whole)))
        database.execute(
            "INSERT INTO itemCreators SELECT ?, creatorID, creatorTypeID, ? FROM creators, creatorTypes "
            "WHERE firstName = ? AND lastName = ? AND creatorType = ?",
            (item, place, first, last, kind_of),
        )
    database.executemany("INSERT INTO collectionItems VALUES (?, ?, 0)", [(number, item) for number in collections])
    if kind == ATTACHMENT:
        database.execute("INSERT INTO itemAttachments (itemID) VALUES (?)", (item,))
    if kind == NOTE:
        database.execute("INSERT INTO itemNotes (itemID) VALUES (?)", (item,))
    database.commit()
    return item
