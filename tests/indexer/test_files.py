"""Files are the old or the new version, never half of one."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from common.files import sha256, sync_tree, write_atomically


def test_content_is_written_as_bytes_or_utf8(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", "Spärck\n")
    assert (tmp_path / "file").read_bytes() == "Spärck\n".encode()
    write_atomically(tmp_path / "file", b"\xff\0")
    assert (tmp_path / "file").read_bytes() == b"\xff\0"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_old_content_stays_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    write_atomically(tmp_path / "file", "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((os, "fsync", full) if failing == "fsync" else (Path, "replace", full)))
    with pytest.raises(OSError, match="No space"):
        write_atomically(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_checksum_is_that_of_hashlib(tmp_path: Path) -> None:
    data = os.urandom(3 * 2**20 + 17)
    (tmp_path / "file").write_bytes(data)
    assert sha256(tmp_path / "file") == hashlib.sha256(data).hexdigest()


def test_every_file_and_folder_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("x")
    synced: list[Path] = []
    monkeypatch.setattr("common.files.sync", synced.append)
    sync_tree(tmp_path)
    assert synced == [tmp_path / "a" / "b" / "file", tmp_path / "a" / "b", tmp_path / "a", tmp_path]
