"""The words of a collection that an engine holds."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from indexer.engines.term_table import TermFacts, TermTable, write_terms


def test_a_reader_never_mixes_its_table_with_one_that_takes_its_place(tmp_path: Path) -> None:
    path = tmp_path / "terms.sqlite"
    for file, occurrences in ((path, 1), (tmp_path / "other", 2)):
        write_terms([], file)
        with sqlite3.connect(file) as connection:
            connection.execute("INSERT INTO terms VALUES ('graph', 'graphs', 1, ?)", (occurrences,))
        connection.close()
    table = TermTable(path)
    (tmp_path / "other").replace(path)
    with ThreadPoolExecutor(1) as another_thread:
        assert another_thread.submit(table.look_up, ["graph"]).result() == {"graph": TermFacts("graphs", 1, 1)}
    table.close()


def test_terms_are_found_by_a_pattern(tmp_path: Path) -> None:
    pytest.importorskip("snowballstemmer", reason="the extra milvus is not installed: make test-cluster installs it")
    write_terms(["El Niño", "a road and a Straße"], tmp_path / "terms.sqlite")
    table = TermTable(tmp_path / "terms.sqlite")
    assert table.terms_like("*[À-ɏḀ-ỿ]*") == ["niño", "straße"]
    table.close()
