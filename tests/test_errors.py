"""What the system refuses, and what is our own mistake."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from command_line import files_of_at_most

from common.errors import SourceError, os_errors


def test_what_sqlite_is_refused_is_said_and_our_own_wrong_statement_stays_loud(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot write there: unable to open"), os_errors(SourceError, "write there"):
        sqlite3.connect(tmp_path / "nowhere" / "file")
    with (
        closing(sqlite3.connect("")) as connection,
        pytest.raises(sqlite3.OperationalError, match="syntax error"),
        os_errors(SourceError, "write there"),
    ):
        connection.execute("SELCT 1")


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
