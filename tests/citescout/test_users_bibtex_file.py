"""A user's file of BibTeX gets what it lacks, and nothing else of it changes."""

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from entries_of_users import BIB, NEW, RIS, entries

from common.errors import SourceError
from exports.appending import BibtexFile
from indexer.paper import Paper


def test_a_file_gets_what_it_lacks_and_nothing_else_of_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "refs.bib"
    file.write_bytes(BIB.rstrip("\n").encode())
    file.chmod(0o600)
    same = Paper("y", "The child", year=2020, authors=("Jane Doe",))
    assert BibtexFile(file).add([NEW, same, replace(NEW, id="again")]) == 1
    assert file.read_bytes().startswith(BIB.rstrip("\n").encode() + b"\n\n@misc{writer2020dense,\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = file.read_bytes()
    assert BibtexFile(file).add([NEW, same]) == 0
    assert file.read_bytes() == before


def test_keys_of_the_file_are_not_given_again(tmp_path: Path) -> None:
    file = tmp_path / "refs.bib"
    file.write_bytes(b"@article{Writer2020Dense, title={Something else}}\r\n")
    assert BibtexFile(file).add([NEW]) == 1
    assert file.read_bytes().split(b"else}}\r\n")[1].startswith(b"\r\n@misc{writer2020dense-2,\r\n")


def test_a_pipe_is_refused_before_anything_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.bib")
    with pytest.raises(SourceError, match="no file that could be added to"):
        BibtexFile(tmp_path / "pipe.bib")


def test_a_file_that_is_not_there_is_made_and_a_link_is_followed(tmp_path: Path) -> None:
    assert BibtexFile(tmp_path / "new.bib").add([NEW]) == 1
    link = tmp_path / "link.bib"
    link.symlink_to(tmp_path / "new.bib")
    assert BibtexFile(link).add([replace(NEW, doi="10.1000/y", title="Sparse passage retrieval for questions")]) == 1
    assert link.is_symlink()
    assert len(entries((tmp_path / "new.bib").read_text())) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"@article{a, title={\xff}}", "not in UTF-8"),
        (RIS.encode(), "in the format ris"),
        (b"Just text.", "neither empty nor BibTeX"),
    ],
)
def test_a_file_that_cannot_be_added_to_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "refs.bib"
    file.write_bytes(content)
    with pytest.raises(SourceError, match=message):
        BibtexFile(file)
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("paper.qmd", "# Trees\n\nThey grow [@one], says @two.\n"),
        ("paper.tex", "\\begin{filecontents}{a.bib}\n@misc{a, title={A}}\n\\end{filecontents}\n"),
        ("notes.txt", "Write to ada@example.org.\n"),
    ],
)
def test_a_manuscript_is_no_file_to_add_entries_to(tmp_path: Path, name: str, content: str) -> None:
    file = tmp_path / name
    file.write_text(content)
    with pytest.raises(SourceError, match="neither empty nor BibTeX"):
        BibtexFile(file)
    assert file.read_text() == content


def test_a_file_that_is_read_only_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "refs.bib"
    file.write_bytes(b"@article{a, title={First}}\n")
    file.chmod(0o444)
    with pytest.raises(SourceError, match="read-only"):
        BibtexFile(file)
    assert file.read_bytes() == b"@article{a, title={First}}\n"


def test_a_file_that_changes_meanwhile_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "refs.bib"
    file.write_bytes(b"@article{a, title={First}}\n")
    found, other = BibtexFile(file), BibtexFile(file)
    assert other.add([NEW]) == 1
    once = file.read_bytes()
    more = replace(NEW, id="y", doi="10.1000/y", title="Sparse passage retrieval for questions")
    assert found.add([NEW, more]) == 1
    assert file.read_bytes().startswith(once)
    assert list(entries(file.read_text())) == ["a", "writer2020dense", "writer2020sparse"]
    assert os.listdir(tmp_path) == ["refs.bib"]  # noqa: PTH208
