"""Ten projects of the shapes that people have, against what was counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import OVERLEAF_FILES, PROJECTS, Project, zipped

from manuscripts import read_manuscript
from manuscripts.manuscript import BibtexSource
from manuscripts.packing import packed_files
from manuscripts.reading import read

# Those with a given and a family name.
AUTHORS = {
    "acl": ("First Author", "Second Author"),
    "ieee": ("Ada L.",),
    "elsevier": ("José Álvarez",),
    "lncs": ("Anna Ä. Bauer",),
    "thesis": ("A. Candidate",),
    "quarto": ("Ada L.",),
}


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_a_project_is_read_right(project: Project, tmp_path: Path) -> None:
    found = read_manuscript(
        project.write(tmp_path) if not project.main.endswith(".zip") else project.write(tmp_path) / project.main
    )
    assert found.title == project.title
    assert found.abstract == project.abstract
    assert found.keys == project.keys
    assert len(list(found.marks())) == project.marks
    assert found.unread == project.unread
    assert found.authors == AUTHORS.get(project.name, ())
    missing = {line.rpartition(" ")[2] for line in found.unread if line.startswith("no entry")}
    assert {entry.key for entry in found.cited} == set(project.keys) - missing
    sentences = {
        sentence.text: tuple(key for mark in sentence.marks for key in mark.keys) for sentence in found.sentences()
    }
    assert {text: sentences.get(text) for text in project.text} == project.text


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_a_folder_and_its_main_file_are_read_alike(project: Project, tmp_path: Path) -> None:
    folder = project.write(tmp_path)
    of_file = read_manuscript(folder / project.main)
    if not project.main.endswith(".zip"):
        assert of_file == read_manuscript(folder)
    assert of_file.keys == project.keys


def test_a_zip_archive_is_read_as_the_folder_that_it_holds(tmp_path: Path) -> None:
    for path, content in OVERLEAF_FILES.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert read_manuscript(tmp_path) == read_manuscript(zipped(OVERLEAF_FILES))
    assert read_manuscript(zipped({f"project/{path}": content for path, content in OVERLEAF_FILES.items()})).keys


def test_bibtex_files_come_along_those_of_the_most_entries_first(monkeypatch: pytest.MonkeyPatch) -> None:
    main = rb"\title{T}\begin{abstract}A.\end{abstract}\cite{a,b,c}\bibliography{one,two}"
    few, more = b"@misc{a, title={A}}\r\n% \xe9", b"@misc{b, title={B}}\n@misc{c, title={C}}"
    files = {
        "main.tex": main,
        "one.bib": few,
        "sub/two.bib": b"",
        "two.bib": more,
        "sample.bib": b"@misc{x, title={X}}",
    }
    found = read_manuscript(packed_files({f"paper/{name}": data for name, data in files.items()}))
    assert found.bibtex == (BibtexSource("two.bib", more), BibtexSource("one.bib", few))
    assert found.markup == "latex"
    monkeypatch.setattr("manuscripts.bibliographies.MAX_BIBTEX", len(more))
    bounded = read(packed_files(files))
    assert [one.path for one in bounded.bibtex] == ["two.bib"]
    assert any("one.bib" in line for line in bounded.unread)
