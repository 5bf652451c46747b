"""What the system refuses, and what is our own mistake."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

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
