"""The words of a collection that an engine holds."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from common.errors import IndexDirectoryError
from indexer.engines.term_table import TermTable, write_terms


def test_a_reader_never_mixes_its_table_with_one_that_takes_its_place(tmp_path: Path) -> None:
    path = tmp_path / "terms.sqlite"
    for file in (path, tmp_path / "other"):
        write_terms([], file)
    table = TermTable(path)
    (tmp_path / "other").replace(path)
    assert table.look_up(["graph"]) == {}
    with ThreadPoolExecutor(1) as another_thread, pytest.raises(IndexDirectoryError, match="open the index again"):
        another_thread.submit(table.look_up, ["graph"]).result()
    table.close()


def test_terms_are_found_by_a_pattern(tmp_path: Path) -> None:
    pytest.importorskip("snowballstemmer", reason="the extra milvus is not installed: make test-cluster installs it")
    write_terms(["El Niño", "a road and a Straße"], tmp_path / "terms.sqlite")
    table = TermTable(tmp_path / "terms.sqlite")
    assert table.terms_like("*[À-ɏḀ-ỿ]*") == ["niño", "straße"]
    table.close()
