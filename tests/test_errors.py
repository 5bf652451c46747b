"""What the system refuses, and what is our own mistake."""

import copy
import pickle
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from command_line import files_of_at_most

from citescout import Query
from common.cache import user_cache, user_data
from common.errors import CitescoutError, SourceError, os_errors
from fetch.client import RefusedError
from webui.answers import BusyError


def test_what_sqlite_is_refused_is_said_and_our_own_wrong_statement_stays_loud(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot write there: unable to open"), os_errors(SourceError, "write there"):
        sqlite3.connect(tmp_path / "nowhere" / "file")
    with (
        closing(sqlite3.connect("")) as connection,
        pytest.raises(sqlite3.OperationalError, match="syntax error"),
        os_errors(SourceError, "write there"),
    ):
        connection.execute("SELCT 1")
    with (
        closing(sqlite3.connect("")) as connection,
        pytest.raises(sqlite3.OperationalError, match="Could not decode"),
        os_errors(SourceError, "write there"),
    ):
        connection.execute("SELECT CAST(x'ff' AS TEXT)").fetchone()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_what_sqlite_is_refused_of_a_full_disk_asks_for_it(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "file")) as connection:
        with pytest.raises(SourceError) as refused, files_of_at_most(0), os_errors(SourceError, "write there"):
            connection.execute("CREATE TABLE one (two TEXT)")
        assert str(refused.value) == "cannot write there: disk I/O error; is the disk full?"
        connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(SourceError) as refused, os_errors(SourceError, "write there"):
            connection.execute("CREATE TABLE one (two TEXT)")
        assert str(refused.value) == "cannot write there: database or disk is full"


def test_errors_come_back_from_other_processes_as_they_are() -> None:
    with pytest.raises(CitescoutError) as wrong:
        Query("x", year=3000)
    for error in (wrong.value, RefusedError("no", 404), BusyError("later", 7), SourceError("a.bib: no")):
        error.add_note("the third query")
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301
            assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


@pytest.mark.skipif(sys.platform == "win32", reason="needs users without an entry")
def test_a_user_without_a_home_is_asked_for_another_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that runs as some number; a folder named ~ where the command is run is no home."""
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "CITESCOUT_CACHE", "CITESCOUT_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    for folder, variable in ((user_cache, "CITESCOUT_CACHE"), (user_data, "CITESCOUT_DATA")):
        for chosen in ("", "~", "~/papers"):
            monkeypatch.setenv(variable, chosen)
            with pytest.raises(CitescoutError, match=f"no home folder: name another folder with {variable}"):
                folder()
        monkeypatch.setenv(variable, "/somewhere")
        assert folder() == Path("/somewhere")
