"""Papers that are offered to a catalog, on disk until they get their docids, and what becomes of those of one id."""

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import orjson

from common.sequences import batches, numbered
from common.words import counted, listed
from indexer.catalog import COLUMNS, Row, paper_of_row
from indexer.identity.agreement import different
from indexer.identity.identifiers import digest_id, is_digest_id
from indexer.paper import Paper, check_types

_WITH_KEY = COLUMNS.replace("id,", "id TEXT PRIMARY KEY,", 1)
# What replaces a row deletes it first; a few records are enough to show which were meant.
_TABLES = f"""
    PRAGMA recursive_triggers = ON;
    CREATE TABLE incoming.papers ({_WITH_KEY});
    CREATE TABLE incoming.repeated ({_WITH_KEY});
    CREATE TRIGGER incoming.note_repeated AFTER DELETE ON papers WHEN (SELECT count(*) FROM repeated) < 5
        BEGIN INSERT OR IGNORE INTO repeated VALUES (old.{COLUMNS.replace(", ", ", old.")}); END;
"""  # noqa: S608
_VALUES = ", ".join("?" * len(COLUMNS.split(",")))
_INSERT = f"INSERT OR REPLACE INTO incoming.papers VALUES ({_VALUES})"  # noqa: S608
_REWRITE = f"UPDATE incoming.papers SET ({COLUMNS}) = ({_VALUES}) WHERE id = ?"  # noqa: S608
_RECEIVED = f"SELECT {COLUMNS} FROM {{}}.papers WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608
_ANSWERING = f"""
    SELECT substr(key, 4), {COLUMNS} FROM main.keys JOIN main.papers USING (number)
    WHERE key IN (SELECT 'id:' || value FROM json_each(?))
"""  # noqa: S608
_CAME_LAST = f"SELECT {COLUMNS} FROM incoming.papers WHERE id IN (SELECT id FROM incoming.repeated)"  # noqa: S608
_BATCH = 5000
_SHOWN = 5  # ids of a warning
_MOST_OF_ONE_ID = 20  # different papers, each of which is compared with those before it; no more share an id by chance

_log = logging.getLogger(__name__)

# Makes one record of two that have one id; None where they are different papers, of which the last stays.
Join = Callable[[Paper, Paper], Paper | None]


def prepare(connection: sqlite3.Connection) -> None:
    """Make the table for what is offered in the attached database `incoming`."""
    connection.executescript(_TABLES)


def receive(
    connection: sqlite3.Connection,
    papers: Iterable[Paper],
    join: Join | None = None,
    databases: Sequence[str] = ("incoming",),
) -> int:
    """Take in what is offered; of several with one id the last stays. Returns how many came, joined ones as one.

    Entries of bibliographies whose keys are ids of clearly different papers stay beside them, under `key-2` and so on,
    and so do records whose ids are digests of title and year; these papers are looked for in `databases`, whose names
    come in the order in which their papers did.
    """
    offered, apart = 0, _Apart(connection, databases)
    for some in batches(papers, _BATCH):
        chunk = _settled(connection, some, join, apart) if join or any(map(_may_be_shared, some)) else some
        connection.execute("BEGIN")
        connection.executemany(_INSERT, map(_to_row, chunk))
        connection.execute("COMMIT")
        offered += len(chunk)
    connection.execute("DROP TRIGGER incoming.note_repeated")
    apart.warn()
    return offered


def _may_be_shared(paper: Paper) -> bool:
    """Whether different papers may well have its id: the key of an entry, an address in place of one, or a digest."""
    return paper.original is not None or (isinstance(paper.id, str) and is_digest_id(paper.id))  # else refused below


def _ids_for(paper: Paper) -> Iterator[str]:
    """Ids to try: its own, numbered; then one made of the paper, for where all of a journal have its address."""
    yield from islice(numbered(paper.id), _MOST_OF_ONE_ID)
    format = paper.original.format if paper.original else paper.id.partition("-")[0]
    yield from numbered(digest_id(format, "\n".join((paper.title, paper.doi, *paper.authors)), str(paper.year)))


class _Apart:
    """Gives entries of bibliographies and records without ids one of their own where a different paper has theirs."""

    def __init__(self, connection: sqlite3.Connection, databases: Sequence[str]) -> None:
        self._connection = connection
        self._databases = databases
        self._given: dict[str, None] = {}
        self._keys_alone = True
        # Where papers were removed, an id may be free below the one that a paper got.
        self._looked_for = _MOST_OF_ONE_ID if len(databases) > 1 else 1

    def ids(self, paper: Paper) -> Iterator[str]:
        """The ids of which a paper may have had one before, its own first."""
        return islice(_ids_for(paper), self._looked_for if _may_be_shared(paper) else 1)

    def earlier(self, ids: list[str]) -> dict[str, Paper]:
        """The papers of these ids that came before, by id, also by ids that a paper of the index had once."""
        asked, found = (orjson.dumps(ids).decode(),), {}
        if "main" in self._databases:
            found = {id_: paper_of_row(row) for id_, *row in self._connection.execute(_ANSWERING, asked)}
        for database in self._databases:
            found |= _by_id(self._connection.execute(_RECEIVED.format(database), asked))
        return found

    def named(self, paper: Paper, earlier: dict[str, Paper]) -> Paper:
        """The paper under the id that it gets; `earlier` has those that came before, by id, and gets more of them."""
        if not _may_be_shared(paper):
            return paper
        given = ""
        for place, id_ in enumerate(_ids_for(paper), 1):
            if place > self._looked_for and id_ not in earlier:
                earlier |= self.earlier([id_])
            before = earlier.get(id_)
            if before is None:
                given = given or id_
            elif not different(before, paper):
                given = id_
                break
            if given and place >= self._looked_for:
                break
        if given == paper.id:
            return paper
        self._given[given] = None
        self._keys_alone &= paper.original is not None and paper.original.format == "bibtex"
        return replace(paper, id=given)

    def warn(self) -> None:
        """Say which ids were given."""
        if self._given:
            ids = list(self._given)
            papers = counted(len(ids), "paper has", "papers have")
            shared = "citation key" if self._keys_alone else "id"
            _log.warning("%s the %s of a different one: kept as %s", papers, shared, listed(ids, _SHOWN))


def _settled(connection: sqlite3.Connection, came: list[Paper], join: Join | None, apart: _Apart) -> list[Paper]:
    """Those of the papers that `join` makes one with no earlier one of their id; the others are put into that one."""
    earlier = apart.earlier([id_ for paper in came if join or _may_be_shared(paper) for id_ in apart.ids(paper)])
    left: list[Paper] = []
    places: dict[str, int] = {}  # of an id, in `left`
    for offered in came:
        paper = apart.named(offered, earlier)
        before = earlier.get(paper.id)
        whole = join(before, paper) if join and before else None
        earlier[paper.id] = whole or paper
        if whole and paper.id in places:
            left[places[paper.id]] = whole
        elif whole:  # an update, since what is replaced is noted as lost
            connection.execute(_REWRITE, (*_to_row(whole), paper.id))
        else:
            places[paper.id] = len(left)
            left.append(paper)
    return left


def warn_of_repeated(connection: sqlite3.Connection, count: int) -> None:
    """Say that `count` records had an id that came before, and where these were different papers."""
    if not count:
        return
    before = _by_id(connection.execute(f"SELECT {COLUMNS} FROM incoming.repeated ORDER BY rowid"))  # noqa: S608
    ids = list(before)
    shown = ", ".join(ids) + (", …" if count > len(ids) else "")
    records = counted(count, "record has", "records have")
    _log.warning("%s an id that came before (%s): the last one counts", records, shown)
    last = _by_id(connection.execute(_CAME_LAST))
    if lost := [id_ for id_ in ids if different(before[id_], last[id_])]:
        _log.warning("different papers have the id %s: the last is kept; give each an id of its own", " or ".join(lost))


def _by_id(rows: Iterable[Row]) -> dict[str, Paper]:
    return {row[0]: paper_of_row(row) for row in rows}


def _to_row(paper: Paper) -> Row:
    check_types(paper)
    return (
        paper.id,
        paper.title,
        paper.abstract,
        paper.year,
        orjson.dumps(paper.authors).decode(),
        paper.venue,
        paper.doi,
        paper.arxiv,
        paper.url,
        orjson.dumps(paper.citations).decode(),
        paper.original.packed() if paper.original else "",
        int(paper.retracted),
        orjson.dumps(paper.other_ids).decode(),
        paper.imprint.packed() if paper.imprint else "",
    )
