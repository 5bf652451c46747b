"""Ten projects of the shapes that people have, against what was counted by hand."""

import re
import unicodedata
from pathlib import Path

import pytest
from archives import zipped
from project_files import Project, bib, write_files
from projects import OVERLEAF_FILES, PROJECTS

from manuscripts import read_manuscript

# Those with a given and a family name.
AUTHORS = {
    "acl": ("First Author", "Second Author"),
    "ieee": ("Ada L.",),
    "elsevier": ("José Álvarez",),
    "lncs": ("Anna Ä. Bauer",),
    "thesis": ("A. Candidate",),
    "quarto": ("Ada L.",),
}


@pytest.mark.long
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


@pytest.mark.long
@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_a_folder_and_its_main_file_are_read_alike(project: Project, tmp_path: Path) -> None:
    folder = project.write(tmp_path)
    of_file = read_manuscript(folder / project.main)
    if not project.main.endswith(".zip"):
        assert of_file == read_manuscript(folder)
    assert of_file.keys == project.keys


def test_a_zip_archive_is_read_as_the_folder_that_it_holds(tmp_path: Path) -> None:
    write_files(OVERLEAF_FILES, tmp_path)
    assert read_manuscript(tmp_path) == read_manuscript(str(tmp_path)) == read_manuscript(zipped(OVERLEAF_FILES))
    assert read_manuscript(zipped({f"project/{path}": content for path, content in OVERLEAF_FILES.items()})).keys


@pytest.mark.parametrize("kept_as", ["folder", "archive", "archive that does not say its encoding"])
def test_files_with_names_as_macos_writes_them_are_found(tmp_path: Path, kept_as: str) -> None:
    main = r"\documentclass{article}\title{T}\begin{document}\input{übung}\bibliography{bücher}"
    files = {"entwürfe.tex": main, "übung.tex": r"As \cite{a} says.", "bücher.bib": bib("a")}
    files = {unicodedata.normalize("NFD", path): content for path, content in files.items()}
    write_files(files, tmp_path)
    archive = zipped(files)
    if kept_as != "archive":
        for signature, place in ((b"PK\3\4", 7), (b"PK\1\2", 9)):  # of the headers of members, and their flags
            archive = re.sub(
                re.escape(signature) + b"." * (place - 4) + b"\x08",
                lambda header: header[0][:-1] + b"\0",
                archive,
                flags=re.DOTALL,
            )
    found = read_manuscript(tmp_path if kept_as == "folder" else archive)
    assert ([entry.key for entry in found.cited], found.unread) == (["a"], ())


def test_files_are_found_whatever_the_capitals_of_their_names_as_on_macos_and_windows() -> None:
    main = r"\documentclass{article}\title{T}\begin{document}\input{Parts/Intro}\input{two}\bibliography{Refs}"
    chapters = {"parts/intro.TEX": r"As \cite{a} says.", "two.tex": "Right.", "Two.tex": "Wrong."}
    found = read_manuscript(zipped({"main.tex": main, **chapters, "refs.bib": bib("a")}))
    assert ([entry.key for entry in found.cited], found.unread) == (["a"], ())
    assert [sentence.text for sentence in found.sentences()] == ["As says.", "Right."]


@pytest.mark.parametrize("names", [("Two.tex", "two.tex"), ("two.tex", "Two.tex")])
def test_of_files_that_capitals_tell_apart_the_same_is_read_in_whatever_order_they_come(names: tuple[str, ...]) -> None:
    main = r"\documentclass{article}\title{T}\begin{document}\input{TWO}\end{document}"
    found = read_manuscript(zipped({"main.tex": main, **{name: f"In {name[0]}." for name in names}}))
    assert [sentence.text for sentence in found.sentences()] == ["In t."]


@pytest.mark.parametrize("forms", [("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD")])
def test_a_key_is_one_in_either_normal_form(forms: tuple[str, str]) -> None:
    main = r"\title{T}\begin{abstract}A.\end{abstract}\cite{Müller2019}\bibliography{refs}"
    files = {"main.tex": main, "refs.bib": bib("Müller2019")}
    texts = zip(files, forms, files.values(), strict=True)
    found = read_manuscript(zipped({path: unicodedata.normalize(form, text) for path, form, text in texts}))
    assert ([entry.key for entry in found.cited], found.unread) == (["M\u00fcller2019"], ())
    assert len(found.entries) == 1
