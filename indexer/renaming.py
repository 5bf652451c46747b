"""Entries of a bibliography that come under another key than the one by which the index has them."""

import logging
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import orjson

from common.sequences import batches
from common.words import counted, listed
from indexer.catalog import COLUMNS, Catalog, paper_of_row
from indexer.duplicates import records_of
from indexer.identity.agreement import identifier_holds
from indexer.identity.keys import keys_but_of_id
from indexer.identity.lookup_tables import TABLES, papers_at
from indexer.identity.similar import SIMILAR, similarity
from indexer.paper import Paper
from indexer.readers.bibtex_keys import keys_in

_FIELDS = ("title", "abstract", "year", "authors", "venue", "doi", "arxiv")
_OF_DATABASES = ("url", "retracted", "imprint")
_BEFORE_KEYS = {"bibtex": r"@\s*\w+\s*[{(]\s*", "ris": r"^ID\s*-\s*", "csl-json": r'"(?:id|citation-key)":"?'}
_NUMBERED = re.compile(r"-\d+\Z")  # the key of a different paper
_FRESH = (
    f"SELECT {COLUMNS} FROM incoming.papers WHERE original != '' AND id NOT IN (SELECT id FROM main.papers) ORDER BY id"  # noqa: S608
)
_ENTRIES = """
    SELECT count(*), count(*) FILTER (WHERE id IN (SELECT id FROM main.papers))
    FROM incoming.papers WHERE original != ''
"""
_IS_OFFERED = "SELECT 1 FROM incoming.papers WHERE id = ?"
_BATCH = 1000
_SHOWN = 5  # keys of a message

_log = logging.getLogger(__name__)


def is_same_entry(before: Paper, now: Paper) -> bool:
    """Are the entries of two records of one paper the same, edited or under another key? One of somebody else is not.

    A new key stands in the same text, or in an entry with the same identifier in which one field more may differ: a key
    that is made of the title changes with it.
    """
    entry, other = before.original, now.original
    if not entry or not other or entry.format != other.format:
        return False
    key, key_now = _key_in(before), _key_in(now)
    if key and key_now and entry.text[: key.start(1)] + key_now[1] + entry.text[key.end(1) :] == other.text:
        return True
    if entry.format == "bibtex" and keys_in(entry.text)[:1] == keys_in(other.text)[:1]:
        return True
    identified = {key for key in keys_but_of_id(before) if key.kind != "title"}.intersection(keys_but_of_id(now))
    if not identified or not identifier_holds(before, now) or similarity(before.title, now.title) < SIMILAR:
        return False
    return len([name for name in _FIELDS if getattr(before, name) != getattr(now, name)]) <= 1


def _key_in(paper: Paper) -> re.Match[str] | None:
    """Where its key stands in a paper's entry; this is its id, or what the index made one of by a number."""
    entry = paper.original
    if not entry:
        return None
    keys = "|".join(map(re.escape, (paper.id, _NUMBERED.sub("", paper.id))))
    return re.search(rf"{_BEFORE_KEYS[entry.format]}({keys})(?![\w-])", entry.text, re.MULTILINE)


def _says_all(now: Paper, before: Paper) -> bool:
    """Does an entry say what the index has of its paper? It may have merged records into it, which have more."""
    more = (before.citations, before.original and before.original.others)
    return (
        bool(_key_in(before))
        and not any(more)
        and all(getattr(now, name) or not getattr(before, name) for name in (*_FIELDS, *_OF_DATABASES))
    )


def rename_entries(connection: sqlite3.Connection, path: Path) -> None:
    """Give papers of the catalog at `path` the keys under which their entries are offered, where the old ones are not.

    They answer to the old ones, too. `connection` is to the catalog, with what is offered attached as `incoming`; the
    caller commits.
    """
    renamed: dict[int, tuple[Paper, str]] = {}  # by docid, the paper and its key now
    with closing(Catalog(path)) as known:
        for rows in batches(connection.execute(_FRESH), _BATCH):
            papers = [paper_of_row(row) for row in rows]
            for paper, records in zip(papers, records_of(known, papers), strict=True):
                for docid, before in sorted(records.items()):
                    if docid in renamed or not _says_all(paper, before) or not is_same_entry(before, paper):
                        continue
                    if not connection.execute(_IS_OFFERED, (before.id,)).fetchone():
                        renamed[docid] = before, paper.id
                        break
    offered, there = connection.execute(_ENTRIES).fetchone()
    if not renamed or there + len(renamed) < offered / 2:  # most of somebody else's library is new
        return
    changed = papers_at(connection, renamed)
    for table in TABLES:
        table.drop(connection, changed)
    for docid, (paper, key) in sorted(renamed.items()):
        others = orjson.dumps(sorted({paper.id, *paper.other_ids} - {key})).decode()
        connection.execute("UPDATE papers SET id = ?, other_ids = ? WHERE number = ?", (key, others, docid))
    for table in TABLES:
        table.add(connection, changed)
    entries = counted(len(renamed), "entry has", "entries have")
    shown = listed([f"{paper.id} is {key} now" for paper, key in renamed.values()], _SHOWN)
    _log.warning("%s another key than before, and both find the paper (%s)", entries, shown)
