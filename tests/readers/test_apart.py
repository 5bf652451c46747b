"""Sources that are read side by side give what `read_papers` gives of all of them."""

import io
import sys
from pathlib import Path

import pytest
from archives import zipped

import indexer.readers.apart
from common.errors import SourceError
from demo import CORPUS
from indexer.readers import ReadReport, read_papers
from indexer.readers.apart import Share, shares

from .samples import write_sample


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = CORPUS.read_text("utf-8").splitlines(keepends=True)
    for number in range(5):
        (tmp_path / f"part-{number}.jsonl").write_text("".join(lines[number::5]) + "no record\n", "utf-8")
    (tmp_path / "more.bib").write_text("@article{more, title={Citation graphs}}", "utf-8")
    (tmp_path / "notes.txt").write_text("nothing of ours", "utf-8")
    useless = {"other.txt": "nothing of ours"}
    inner = {"inner.jsonl": '{"id":"zipped","title":"Neural ranking"}'}
    (tmp_path / "archive.zip").write_bytes(zipped(inner | useless))
    (tmp_path / "useless.zip").write_bytes(zipped(useless))
    return tmp_path


@pytest.mark.parametrize("group", [0, 100_000, 64 << 20])
def test_shares_together_are_the_sources(folder: Path, monkeypatch: pytest.MonkeyPatch, group: int) -> None:
    monkeypatch.setattr(indexer.readers.apart, "GROUP_BYTES", group)
    whole, apart = ReadReport(), ReadReport()
    expected = list(read_papers([str(folder)], report=whole))
    parted = shares([str(folder)], None, apart)
    found = []
    for share in parted:
        of_share = ReadReport()
        found += read_papers(share.sources, report=of_share, format=share.format)
        apart.add(of_share)
    assert sorted(found, key=lambda paper: paper.id) == sorted(expected, key=lambda paper: paper.id)
    assert (apart.read, apart.skipped, apart.skipped_files, apart.formats) == (
        whole.read, whole.skipped, whole.skipped_files, whole.formats,
    )  # fmt: skip
    assert {str(problem) for problem in apart.problems} == {str(problem) for problem in whole.problems}
    assert len(parted) == {0: 7, 64 << 20: 3}.get(group, len(parted))


def test_names_do_not_depend_on_where_the_reader_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert shares(["more.bib"], None, ReadReport()) == [Share((str(folder / "more.bib"),), "bibtex")]


def test_sources_that_cannot_be_read_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(SourceError, match="read only once"):
        shares(["-"], None, ReadReport())
    with pytest.raises(SourceError, match="no such file"):
        shares([str(folder / "none")], None, ReadReport())
    with pytest.raises(SourceError, match="in no known format"):
        shares([str(folder / "notes.txt")], None, ReadReport())
    with pytest.raises(SourceError, match="no file in a known format"):
        shares([str(folder / "useless.zip")], None, ReadReport())
    with pytest.raises(SourceError, match="there is no format"):
        shares([str(folder)], "none", ReadReport())


def test_formats_that_are_read_together_are_one_share(tmp_path: Path) -> None:
    sample = write_sample(tmp_path / "s2ag", "s2ag")
    assert shares([str(sample), str(CORPUS)], None, ReadReport()) == [Share((str(sample), str(CORPUS)), None)]
