"""What holds for every format."""

import re
from pathlib import Path

import pytest
from archives import zipped

from indexer.readers import fields, streams
from indexer.readers.base import readers

from .helpers import detecting, read, write
from .samples import SAMPLES, write_sample

NAMES = [reader.name for reader in readers()]


def test_every_format_has_a_sample():
    assert sorted(SAMPLES) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_sample_is_read_without_a_skip_and_by_its_own_reader(tmp_path, name):
    papers, report = read(write_sample(tmp_path, name))
    assert papers
    assert set(report.formats) == {name}
    assert (report.skipped, report.skipped_files, report.replaced_bytes) == (0, 0, 0)


@pytest.mark.parametrize("name", NAMES)
def test_no_two_formats_take_the_same_file_for_theirs(tmp_path, name):
    for path in sorted(p for p in write_sample(tmp_path, name).rglob("*") if p.is_file()):
        assert detecting(str(path)) in ([name], [])


@pytest.mark.parametrize("name", NAMES)
def test_zip_and_folder_give_the_same_papers(tmp_path, name):
    folder = write_sample(tmp_path / "source", name)
    files = {str(path.relative_to(tmp_path)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    assert read(write(tmp_path / "source.zip", zipped(files)))[0] == read(folder)[0]


@pytest.mark.parametrize(("mark", "end"), [(b"\xef\xbb\xbf", b"\r\n"), (b"", b"\r")], ids=["Windows", "old Macs"])
@pytest.mark.parametrize("name", NAMES)
def test_how_a_system_ends_lines_and_begins_files_changes_nothing(tmp_path, name, mark, end):
    folder = write_sample(tmp_path / "unix", name)
    other = write_sample(tmp_path / "other", name)
    for path in (p for p in other.rglob("*") if p.is_file()):
        plain = path.read_bytes().replace(b"\r\n", b"\n")
        path.write_bytes(mark + plain.replace(b"\n", end))
    assert read(other)[0] == read(folder)[0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
@pytest.mark.parametrize("name", ["bibtex", "endnote", "jsonl", "medline", "ris", "wos"])
def test_a_byte_order_mark_between_files_that_were_joined_changes_nothing(tmp_path, name, encoding):
    (file,) = (p for p in write_sample(tmp_path / "one", name).rglob("*") if p.is_file())
    text = file.read_text("utf-8").strip("\ufeff\n") + "\n"
    plain, marked = (
        read(write(tmp_path / folder / file.name, (f"{mark}{text}" * 2).encode(encoding)))
        for folder, mark in (("plain", ""), ("marked", "\ufeff"))
    )
    assert (marked[0], marked[1].read, marked[1].skipped) == (plain[0], plain[1].read, 0)


def test_formats_mixed_in_one_folder_are_all_read(tmp_path):
    for name in NAMES:
        write_sample(tmp_path / name, name)
    _, report = read(tmp_path)
    assert set(report.formats) == set(NAMES)
    assert report.skipped == 0


def test_declarations_are_fit_for_the_documentation():
    for reader in readers():
        assert reader.description
        assert "\n" not in reader.description
        assert (reader.read is None) != (reader.read_together is None)
    assert len(NAMES) == len(set(NAMES))


def test_documentation_names_every_format_and_no_other():
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
    assert sorted(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == sorted(NAMES)


def test_documentation_tells_the_bounds():
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
    for bound in (
        f"cut at {fields.MAX_TITLE:,} characters",
        f"an abstract at {fields.MAX_ABSTRACT:,}",
        f"have {streams.MAX_RECORD_BYTES >> 20} MiB",
        f"text {streams.MAX_BLOCK_BYTES >> 20} MiB",
        f"{streams.MAX_EXPANSION}-fold beyond its first {streams.FREE_EXPANSION_BYTES >> 20} MiB",
    ):
        assert bound in " ".join(page.split())
