"""By which names the texts of a session cite papers: a name that was shown is that of one paper from then on."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence

from indexer.paper import Paper
from webui.session_file import Kept

_MOST = 20_000  # names of a session; the oldest of papers that are not in the basket give way
_ADVICE = "no more can be kept here: delete a manuscript, or ask whoever runs this server"
_KEEP_LATEST = """
DELETE FROM citation_names WHERE rowid IN (SELECT rowid FROM citation_names AS names WHERE session = ?1
    AND NOT EXISTS (SELECT 1 FROM picks WHERE session = ?1 AND corpus = names.corpus AND id = names.id)
    ORDER BY rowid DESC LIMIT -1 OFFSET ?2)
"""
Place = tuple[str, str]  # of a paper: its index, and its id in that


class KeptNames(Kept):
    """Those of the sessions of one file."""

    TABLES = """
        CREATE TABLE IF NOT EXISTS citation_names (
            session BLOB NOT NULL,
            name TEXT NOT NULL COLLATE NOCASE, -- a key, or "(Roe, 2019)"
            corpus TEXT NOT NULL,
            id TEXT NOT NULL,                  -- of the paper in that index
            label INTEGER NOT NULL,            -- 0 for keys
            UNIQUE (session, name)
        );
        CREATE INDEX IF NOT EXISTS citation_names_by_paper ON citation_names (session, corpus, id);
    """

    def names(
        self,
        session: str,
        papers: Sequence[tuple[str, Paper]],
        possible: Callable[[Paper], Iterator[str]],
        taken: Iterable[str] = (),
        label: bool = False,
    ) -> dict[Place, str]:
        """The name of each paper of an index, which it keeps for as long as the session is there.

        Args:
            session: Its name.
            papers: Each with the name of its index.
            possible: The names that a paper may have, without end; it gets the first that no other paper has.
            taken: Names of others in this manuscript; a paper that has one of them elsewhere has another here.
            label: Whether these are labels, not keys.

        Raises:
            FullError: the file has no room for them.
        """
        others = {name.lower() for name in taken}
        wanted = {(index, paper.id): paper for index, paper in papers}
        with self._file.used(session) as (connection, key):
            found = {place: _kept(connection, key, place, label, others) for place in wanted}
            missing = [place for place, name in found.items() if name is None]
            if missing:
                connection.execute("BEGIN IMMEDIATE")
                self._file.check_room(connection, len(missing) * 200, _ADVICE)
                for place in missing:
                    found[place] = _kept(connection, key, place, label, others) or next(
                        name
                        for name in possible(wanted[place])
                        if name.lower() not in others and _gives(connection, key, place, label, name)
                    )
                connection.execute(_KEEP_LATEST, (key, _MOST))
        return {place: name for place, name in found.items() if name is not None}


def _kept(connection: sqlite3.Connection, key: bytes, place: Place, label: bool, others: set[str]) -> str | None:
    """The first name that the paper was given and may have here."""
    rows = connection.execute(
        "SELECT name FROM citation_names WHERE session = ? AND corpus = ? AND id = ? AND label = ? ORDER BY rowid",
        (key, *place, label),
    ).fetchall()
    return next((name for (name,) in rows if name.lower() not in others), None)


def _gives(connection: sqlite3.Connection, key: bytes, place: Place, label: bool, name: str) -> bool:
    """Give a paper a name, unless another has it."""
    before, row = connection.total_changes, (key, name, *place, label)
    connection.execute("INSERT OR IGNORE INTO citation_names VALUES (?, ?, ?, ?, ?)", row)
    return connection.total_changes > before
