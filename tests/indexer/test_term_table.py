"""The words of a collection that an engine holds."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from common.errors import IndexDirectoryError
from indexer.engines.term_table import TermFacts, TermTable, write_terms


@pytest.fixture
def table(tmp_path: Path) -> TermTable:
    """One that was opened before another took its place."""
    path = tmp_path / "terms.sqlite"
    for file, occurrences in ((path, 1), (tmp_path / "other", 2)):
        write_terms([], file)
        with sqlite3.connect(file) as connection:
            connection.execute("INSERT INTO terms VALUES ('graph', 'graphs', 1, ?)", (occurrences,))
        connection.close()
    table = TermTable(path)
    (tmp_path / "other").replace(path)
    return table


def test_a_reader_never_mixes_its_table_with_one_that_takes_its_place(table: TermTable) -> None:
    with ThreadPoolExecutor(1) as another_thread:
        assert another_thread.submit(table.look_up, ["graph"]).result() == {"graph": TermFacts("graphs", 1, 1)}
    table.close()


def test_a_thread_that_closes_it_takes_it_from_no_other(table: TermTable) -> None:
    """It closed the connection by which they were reading, and Python crashed."""
    with ThreadPoolExecutor(1) as closing, ThreadPoolExecutor(1) as reading:
        for thread in (closing, reading):
            thread.submit(table.look_up, ["graph"]).result()
        closing.submit(table.close).result()
        assert reading.submit(table.look_up, ["graph"]).result() == {"graph": TermFacts("graphs", 1, 1)}


def test_threads_share_no_connection_that_would_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlite3.threadsafety", 1)  # as of the SQLite that comes with macOS
    write_terms([], tmp_path / "terms.sqlite")
    table = TermTable(tmp_path / "terms.sqlite")
    (tmp_path / "terms.sqlite").unlink()
    with ThreadPoolExecutor(1) as another_thread, pytest.raises(IndexDirectoryError, match="still there"):
        another_thread.submit(table.look_up, ["graph"]).result()


def test_terms_are_found_by_a_pattern(tmp_path: Path) -> None:
    pytest.importorskip("snowballstemmer", reason="the extra milvus is not installed: make test-cluster installs it")
    write_terms(["El Niño", "a road and a Straße"], tmp_path / "terms.sqlite")
    table = TermTable(tmp_path / "terms.sqlite")
    assert table.terms_like("*[À-ɏḀ-ỿ]*") == ["niño", "straße"]
    table.close()
