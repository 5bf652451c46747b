"""What is added to a user's BibTeX: entries that name each other, and keys and line ends of the file."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from entries_of_users import NEW, entries, indexed

from common.errors import SourceError
from exports.appending import BibtexFile
from indexer.paper import Paper

PARENT = "@proceedings{proc1, title={Advances in NIPS}, booktitle={Advances in NIPS}, year=2017}"
CHILD = '@inproceedings{chap1, crossref="proc1", author={Doe, J.}, title={Attention networks for things}}'
LIBRARY = f"{CHILD}\n{PARENT}\n"
OTHERS = "@proceedings{proc1, title={Proc. of the Bee Conference}, year=1999}\n"


@pytest.mark.parametrize("names", [("chap1",), ("chap1", "proc1"), ("proc1", "chap1")])
def test_a_crossref_names_its_own_parent_whatever_keys_the_file_has(tmp_path: Path, names: tuple[str, ...]) -> None:
    known = {paper.id: paper for paper in indexed(LIBRARY, "library.bib", tmp_path)}
    path = tmp_path / "refs.bib"
    path.write_text(OTHERS)
    assert BibtexFile(path).add([known[name] for name in names]) == len(names)
    first = path.read_text()
    assert first.startswith(OTHERS)
    assert 'crossref="proc1-2"' in first
    assert first.count(PARENT.replace("{proc1,", "{proc1-2,")) == 1
    assert BibtexFile(path).add(known.values()) == 0
    assert path.read_text() == first


def test_a_parent_that_is_there_in_another_layout_is_not_added(tmp_path: Path) -> None:
    child = next(paper for paper in indexed(LIBRARY, "library.bib", tmp_path) if paper.id == "chap1")
    path = tmp_path / "refs.bib"
    path.write_text(
        '@Proceedings{proc1,\n  title = "Advances in NIPS",\n  booktitle = "Advances in NIPS",\n  year = 2017\n}\n'
    )
    BibtexFile(path).add([child])
    assert list(entries(path.read_text())) == ["proc1", "chap1"]


def test_a_parent_that_is_there_with_other_fields_is_not_added(tmp_path: Path) -> None:
    child = next(paper for paper in indexed(LIBRARY, "library.bib", tmp_path) if paper.id == "chap1")
    path = tmp_path / "refs.bib"
    path.write_text("@proceedings{proc1, title={Advances in NIPS}, editor={Roe, R.}, year=2017}\n")
    BibtexFile(path).add([child])
    added = entries(path.read_text())
    assert (list(added), "crossref" in added["chap1"]) == (["proc1", "chap1"], False)


@pytest.mark.parametrize("before", ["\ufeff", '@string{x = "y"} ', "@comment{no} "])
def test_keys_are_found_wherever_an_entry_begins(tmp_path: Path, before: str) -> None:
    path = tmp_path / "refs.bib"
    path.write_text(before + "@article{writer2020dense\n, title={About bees}, author={Bee, B.}}\n", "utf-8")
    BibtexFile(path).add([replace(NEW, id="writer2020dense")])
    assert "{writer2020dense-2," in path.read_text("utf-8")


@pytest.mark.parametrize("before", ["\ufeff", "\ufeff\n", "\ufeff% Mine\n"])
def test_a_byte_order_mark_with_nothing_or_a_comment_behind_it_begins_a_bibliography(
    tmp_path: Path, before: str
) -> None:
    path = tmp_path / "refs.bib"
    path.write_text(before, "utf-8")
    assert BibtexFile(path).add([NEW]) == 1
    added = path.read_text("utf-8")
    gap = "\n" if before.strip("\ufeff\n") else ""
    assert added.startswith(f"{before}{gap}@")
    assert BibtexFile(path).add([NEW, Paper("other", "Of wasps and other insects")]) == 1
    assert path.read_text("utf-8").startswith(f"{added}\n@")


@pytest.mark.parametrize("end", ["author={", 'note="', "year=2020", 'note=")"', "title={\\{}}\n"])
def test_nothing_is_added_behind_an_entry_that_is_not_closed(tmp_path: Path, end: str) -> None:
    path = tmp_path / "refs.bib"
    opening = "(" if end.endswith(')"') else "{"
    closed = '@comment{ {\n@misc(a, note=")")\n@misc{b, title={One}} me@example.com {\n'
    path.write_text(f"{closed}@misc{opening}c, {end}")
    with pytest.raises(SourceError, match=r"refs\.bib, line 4: this entry is not closed"):
        BibtexFile(path)
    path.write_text(closed)
    assert BibtexFile(path).add([NEW]) == 1


def test_xdata_that_an_entry_names_comes_with_it(tmp_path: Path) -> None:
    library = "@xdata{press, publisher={Press}}\n@xdata{acm, address={NY}}\n@book{b, xdata={acm, press}, title={Bees}}"
    (book,) = indexed(library, "library.bib", tmp_path)
    path = tmp_path / "refs.bib"
    path.write_text("@xdata{press, publisher={Other}}\n")
    assert BibtexFile(path).add([book]) == 1
    written = path.read_text()
    assert "xdata={acm, press-2}" in written
    assert "@xdata{press-2, publisher={Press}}" in written
    assert "@xdata{acm, address={NY}}" in written


@pytest.mark.parametrize(("ends", "of_library"), [("\r\n", "\n"), ("\n", "\r\n"), ("\r", "\n")])
def test_lines_that_are_added_end_as_those_of_the_file(tmp_path: Path, ends: str, of_library: str) -> None:
    library = (LIBRARY + "@misc{m,\n  title = {Many lines},\n  year = 2001\n}\n").replace("\n", of_library)
    path = tmp_path / "refs.bib"
    path.write_bytes(f"@misc{{a, title={{One thing}}}}{ends}".encode())
    BibtexFile(path).add([*indexed(library, "library.bib", tmp_path), NEW])
    added = path.read_bytes().decode()
    assert set(re.findall("\r\n|\r|\n", added)) == {ends}
    assert added.startswith(f"@misc{{a, title={{One thing}}}}{ends}{ends}@")
    assert f"@misc{{m,{ends}  title = {{Many lines}},{ends}" in added


@pytest.mark.parametrize(
    ("entry", "paper"),
    [
        ("@article{a, doi={10.1000/BEES.1}}", replace(NEW, doi="10.1000/bees.1")),
        ("@article{a, title={On bees} year=2020, doi={10.1000/BEES.1}}", replace(NEW, doi="10.1000/bees.1")),
        ("@misc{a,\n eprint = {1810.04805v2}, archiveprefix = {arXiv}}", replace(NEW, doi="", arxiv="1810.04805")),
        (
            "@article{b, title={On wasps}}\n@article{a, pmid = 12345}",
            replace(NEW, doi="", url="https://pubmed.ncbi.nlm.nih.gov/12345/"),
        ),
    ],
)
def test_an_entry_without_a_title_is_known_by_its_identifier(tmp_path: Path, entry: str, paper: Paper) -> None:
    path = tmp_path / "refs.bib"
    path.write_text(entry)
    assert BibtexFile(path).add([paper]) == 0
    assert BibtexFile(path).add([replace(paper, doi="10.1000/other", arxiv="", url="")]) == 1


def test_an_entry_that_lacks_a_comma_is_known_by_its_title_and_author(tmp_path: Path) -> None:
    path = tmp_path / "refs.bib"
    path.write_text("@article{bee, title={About {Bees}} author={Bee, Bo},\n year=2001\n volume={3}\n}\n")
    paper = Paper("p", "About bees", year=2001, authors=("Bo Bee",))
    assert BibtexFile(path).add([paper]) == 0
    assert BibtexFile(path).add([replace(paper, title="On other bees")]) == 1


def test_a_translation_of_one_doi_and_author_is_not_added(tmp_path: Path) -> None:
    path = tmp_path / "refs.bib"
    path.write_text("@article{born, title={Zur Quantenmechanik}, author={Born, Max}, doi={10.1007/BF01397477}}")
    english = Paper("W1", "Collision phenomena", authors=("Max Born",), doi="10.1007/bf01397477")
    assert BibtexFile(path).add([english]) == 0
    assert BibtexFile(path).add([replace(english, authors=("Pascual Jordan",))]) == 1


@pytest.mark.parametrize(("author", "added"), [("Lovelace, Ada", 0), ("Hopper, Grace", 1)])
def test_a_paper_whose_entry_has_a_wrong_year_is_not_added(tmp_path: Path, author: str, added: int) -> None:
    title = "Walking on citation graphs to find related work"
    (tmp_path / "refs.bib").write_text(f"@article{{walks, title={{{title}}}, author={{{author}}}, year={{2003}}}}\n")
    paper = Paper("graphs", title, year=2015, authors=("Ada Lovelace",))
    assert BibtexFile(tmp_path / "refs.bib").add([paper]) == added


def test_xdata_that_xdata_names_is_renamed_there_too(tmp_path: Path) -> None:
    library = (
        "@xdata{press, publisher={Press}}\n@xdata{outer, xdata={press}, address={NY}}\n"
        "@book{a, xdata={outer}, title={On bees}}\n@book{b, xdata={outer}, title={On wasps}}\n"
    )
    books = indexed(library, "library.bib", tmp_path)
    path = tmp_path / "refs.bib"
    path.write_text("@xdata{press, publisher={Other}}\n")
    assert BibtexFile(path).add(books) == 2
    assert "@xdata{outer, xdata={press-2}, address={NY}}" in path.read_text()
    again = indexed(path.read_text(), "again.bib", tmp_path)
    assert {paper.id: paper.venue for paper in again} == {"a": "Press", "b": "Press"}
    assert BibtexFile(path).add(books) == 0
    assert path.read_text().count("@xdata{") == 3


def test_a_file_of_comments_is_the_beginning_of_a_bibliography(tmp_path: Path) -> None:
    path = tmp_path / "refs.bib"
    path.write_text("% My references\n\n% Keep in order\n")
    assert BibtexFile(path).add([NEW]) == 1
    assert path.read_text().startswith("% My references\n\n% Keep in order\n\n@")


def test_a_file_that_could_not_be_written_has_no_lock_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "refs.bib"
    path.write_text(OTHERS)
    file = BibtexFile(path)
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(SourceError, match="No space left"):
        file.add([NEW])
    assert [one.name for one in tmp_path.iterdir()] == ["refs.bib"]
    assert path.read_text() == OTHERS


@pytest.mark.skipif(os.name != "posix", reason="modes and groups are of POSIX")
def test_a_file_stays_open_to_whom_it_was_and_a_new_one_is_as_the_mask_says(tmp_path: Path) -> None:
    path, new = tmp_path / "refs.bib", tmp_path / "new.bib"
    path.write_text("@article{x, title={A new thing}}\n", "utf-8")
    # A group of one's own that new files do not get; root may give any.
    group = 4242 if os.geteuid() == 0 else min({*os.getgroups(), os.getgid()} - {tmp_path.stat().st_gid}, default=-1)
    os.chown(path, -1, group)
    path.chmod(0o660)
    before, mask = path.stat(), os.umask(0o077)
    try:
        for file in (path, new):
            assert BibtexFile(file).add([Paper("a", "Another thing")]) == 1
    finally:
        os.umask(mask)
    after = path.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert new.stat().st_mode & 0o777 == 0o600


def test_nothing_is_added_where_links_lead_to_each_other(tmp_path: Path) -> None:
    for name, other in (("one.bib", "two.bib"), ("two.bib", "one.bib")):
        (tmp_path / name).symlink_to(other)
    with pytest.raises(SourceError, match=r"one\.bib: cannot be written .*; nothing was added"):
        BibtexFile(tmp_path / "one.bib").add([NEW])
    assert (tmp_path / "one.bib").is_symlink()
