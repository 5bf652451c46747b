"""What APIs have answered, kept on disk until the corpus is complete: the same command asks for nothing twice.

A run is a function of these answers. One that is killed runs again from its beginning, on the answers that are there,
and goes on with the first that is not.
"""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Self

import orjson
from requests import codes

from common.errors import FetchError, os_errors
from common.files import alone_with
from common.progress import counter
from fetch.client import Access, Client, RefusedError, T
from fetch.corpus.interface import BudgetSpent
from indexer.readers.json_records import parse_json

_FILE, _LOCK = "answers.sqlite", "lock"
_KEPT_FOR = timedelta(days=7)  # an older part of a run is started over: cursors end, and works change
# An answer counts when it is on disk: `synchronous = FULL` is SQLite's default, said because all rests on it.
_BEGIN = """
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS answers (question BLOB PRIMARY KEY, status INTEGER, answer BLOB);
    CREATE TABLE IF NOT EXISTS begun (day TEXT);
"""


class Answers:
    """The answers of one run, and how many requests it may still make."""

    def __init__(self, database: sqlite3.Connection, calls: int, tick: Callable[[], object]) -> None:
        self.done = False  # to be set when nothing is left to be done with them: the answers are forgotten then
        self._database = database
        self._calls = calls
        self._tick = tick
        database.executescript(_BEGIN)
        now, row = today(), database.execute("SELECT day FROM begun").fetchone()
        age = date.fromisoformat(now) - date.fromisoformat(row[0]) if row else timedelta(0)
        if not row or not timedelta(0) <= age <= _KEPT_FOR:  # below, the clock was ahead, and the age is unknown
            row = (now,)
            database.executescript("DELETE FROM answers; DELETE FROM begun")
            database.execute("INSERT INTO begun VALUES (?)", row)
        self.day = str(row[0])  # when the run began, in UTC
        # Questions so far that count, answered by an earlier part of the run or not: it ends as if it had not been cut.
        self._used: set[bytes] = set()

    @classmethod
    @contextmanager
    def kept_in(cls, folder: Path, calls: int, restart: bool = False) -> Iterator[Self]:
        """The one user of the answers in `folder`, which is made where it is missing and stays.

        Args:
            folder: Where they are, or will be.
            calls: Requests that the run may make, those of its earlier parts among them.
            restart: Forget what is there.

        Raises:
            FetchError: the folder cannot be written, or another process uses it.
        """
        busy = FetchError(f"another process is fetching works for {folder.parent}: wait for it to end")
        path, answers = folder / _FILE, None
        with ExitStack() as alone:
            alone.callback(_remove_empty, folder)
            with os_errors(FetchError, f"write {folder}"):
                folder.mkdir(parents=True, exist_ok=True)
                alone.enter_context(alone_with(folder / _LOCK, busy))
            try:
                if restart:
                    _forget(path)
                with closing(sqlite3.connect(path, isolation_level=None)) as database, counter("requests") as bar:
                    answers = cls(database, calls, bar.update)
                    yield answers
            except sqlite3.Error as error:
                raise FetchError(f"{path}: {error}; make room there, or delete it to start over") from None
            finally:
                if answers and answers.done:
                    _forget(path)
                if not path.exists():  # what a killed build noted beside them goes, too
                    for other in {*folder.iterdir()} - {folder / _LOCK}:
                        other.unlink()

    @property
    def left(self) -> int:
        """Requests that may still be made."""
        return max(0, self._calls - len(self._used))

    @property
    def used(self) -> int:
        """Requests that count, those of earlier parts of the run among them."""
        return len(self._used)

    def ask(self, question: object, answered: Callable[[], Any], free: bool = False) -> Any:
        """What is known, else what `answered` says, which is kept; a refusal for good is one, too.

        Raises:
            RefusedError: the API has no such thing.
            FetchError: it fails.
            BudgetSpent: it would have to be asked, and no request is left.
        """
        key = orjson.dumps(question, option=orjson.OPT_SORT_KEYS)
        if not free and key not in self._used:
            if not self.left:
                raise BudgetSpent
            self._used.add(key)
        row = self._database.execute("SELECT status, answer FROM answers WHERE question = ?", (key,)).fetchone()
        self._tick()
        if row is None:
            try:
                status, answer = 200, answered()
            except RefusedError as error:
                if error.status != codes.not_found:
                    raise
                status, answer = error.status, str(error)
            text = json.dumps(answer).encode()  # unlike orjson it takes halves of surrogate pairs
            self._database.execute("INSERT INTO answers VALUES (?, ?, ?)", (key, status, zlib.compress(text, 3)))
        else:
            status, answer = row[0], parse_json(zlib.decompress(row[1]))
        if status != codes.ok:
            raise RefusedError(answer, status)
        return answer


class CachedClient(Client):
    """The client of one API, which keeps what was answered."""

    def __init__(self, access: Access, answers: Answers, name: str) -> None:
        super().__init__(access)
        self._answers = answers
        self._name = name

    def ask(
        self, path: str, parameters: Mapping[str, str], read: Callable[[bytes], T], body: Any = None, free: bool = False
    ) -> T:
        """As `Client.ask`; what `read` gives has to be JSON's, and a `free` request does not count."""
        question = (self._name, path, dict(parameters), body)
        answer: T = self._answers.ask(question, partial(super().ask, path, parameters, read, body), free)
        return answer


def today() -> str:
    """The date in UTC, as ISO 8601."""
    return datetime.now(UTC).date().isoformat()


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):  # it holds answers, or another process has its lock there
        folder.rmdir()
        folder.parent.rmdir()  # where nothing was built


def _forget(path: Path) -> None:
    for ending in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
