"""Which files are the bibliography of a manuscript, in its folder and outside of it, and what is said of others."""

from pathlib import Path

import pytest
from archives import zipped
from project_files import write_files

from manuscripts import read_manuscript
from manuscripts.bibliographies import with_entries, without_note_on
from manuscripts.limits import MAX_BYTES
from manuscripts.manuscript import BibtexSource
from manuscripts.packing import packed_files
from manuscripts.reading import read


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("main.tex", r"\title{T}\cite{a}\bibliography{../shared}"),
        ("main.md", "---\ntitle: T\nbibliography: ../shared.bib\n---\n"),
    ],
)
def test_a_bibliography_outside_of_the_folder_is_refused_with_what_helps(name: str, text: str) -> None:
    (first, *_) = read_manuscript(zipped({name: text})).unread
    assert first.startswith("not read: ")
    assert first.endswith("leads out of the manuscript's folder; copy it there")


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
    assert "too large or too many to add entries to: one.bib" in bounded.unread


@pytest.mark.parametrize(
    ("name", "main", "files", "expected"),
    [
        ("main.tex", r"\cite{a}\bibliography{refs}", {"refs.bib": "@misc{a, title={A}}"}, ["refs.bib"]),
        ("main.tex", r"\cite{a}\bibliography{refs}", {"refs.bib": ""}, ["refs.bib"]),
        ("main.tex", r"\cite{a}\bibliography{refs}", {}, []),
        (
            "main.tex",
            r"\cite{a}\addbibresource{z.bib}\addbibresource{b.bib}",
            {"z.bib": "", "b.bib": ""},
            ["z.bib", "b.bib"],
        ),
        ("main.tex", r"\cite{a}", {}, ["example.bib"]),
        ("main.md", "---\ntitle: T\nbibliography: refs.bib\n---\n@a\n", {"refs.bib": "% mine\n"}, ["refs.bib"]),
        ("main.md", "---\ntitle: T\nbibliography: refs.json\n---\n@a\n", {"refs.json": "[]"}, []),
        ("main.md", "---\ntitle: T\nbibliography: refs.yaml\n---\n@a\n", {"refs.yaml": "references: []\n"}, []),
        ("main.typ", '= T\nWords @a.\n#bibliography("refs.bib")', {"refs.bib": ""}, ["refs.bib"]),
        ("main.typ", '= T\nWords @a.\n#bibliography("refs.yml")', {"refs.yml": "b: {title: B}\n"}, []),
    ],
)
def test_bibtex_that_the_manuscript_does_not_name_is_not_added_to(
    name: str, main: str, files: dict[str, str], expected: list[str]
) -> None:
    """An example of a template, or a copy with the same entries: where a file is named, no other one is read by it."""
    text = rf"\title{{T}}\begin{{abstract}}A.\end{{abstract}}{main}" if name == "main.tex" else main
    others = {"example.bib": "@misc{x, title={X}}\n@misc{a, title={A}}", **files}
    found = read_manuscript(zipped({name: text, **others}))
    assert [one.path for one in found.bibtex] == expected


def test_a_bibliography_that_is_too_large_is_noted_once(tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_text(
        r"\documentclass{article}\title{Bees}\begin{document}Bees \cite{refs}.\bibliography{refs,other}\end{document}"
    )
    with (tmp_path / "refs.bib").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert read_manuscript(tmp_path).unread == (
        "not read: refs.bib (larger than 12 MB)",
        r"not found: \bibliography{other}",
        "no entry for the key refs",
    )


def test_a_bibliography_that_was_named_is_not_asked_for(tmp_path: Path) -> None:
    (folder := tmp_path / "paper").mkdir()
    (folder / "main.tex").write_text(
        r"\documentclass{article}\title{Bees}\begin{document}\cite{a,b}\bibliography{../shared}\end{document}"
    )
    (shared := tmp_path / "elsewhere/shared.bib").parent.mkdir()
    shared.write_text("@misc{a, title={Of bees}}\n@misc{b, doi={10.1000/b}}\n@misc{c, title={C}}\n")
    manuscript = read_manuscript(folder)
    assert "there is no such file" in manuscript.unread[0]
    for other in ("folder.bib", "file.bib", "shared.old.bib"):
        assert without_note_on(manuscript, other) == manuscript
    whole = with_entries(manuscript, str(shared))
    assert [(entry.key, entry.readings[0].doi) for entry in whole.entries] == [("a", ""), ("b", "10.1000/b")]
    assert "no entry for the key a" in manuscript.unread
    assert whole.unread == ()


@pytest.mark.parametrize("asked", [".", "index.qmd", "parts/one.qmd"])
def test_a_bibliography_beside_the_folder_of_a_project_is_found_from_each_of_its_chapters(
    asked: str, tmp_path: Path
) -> None:
    """The settings say where it is from their folder, and not from that of a chapter."""
    chapters = {"index.qmd": "# Preface\n\nAll of it [@a].\n", "parts/one.qmd": "# One\n\nBees fly [@a].\n"}
    settings = "project: {type: book}\nbook: {title: Bees, chapters: [index.qmd, parts/one.qmd]}\n"
    files = {**chapters, "_quarto.yml": f"{settings}bibliography: ../lib.bib\n"}
    write_files(files, tmp_path / "book")
    note = "not read: the bibliography ../lib.bib cannot be read: there is no such file"
    assert note in read_manuscript(tmp_path / "book" / asked, part=True).unread
    (tmp_path / "lib.bib").write_text("@misc{a, title={Of bees}}\n@misc{b, title={Of wasps}}\n")
    manuscript = read_manuscript(tmp_path / "book" / asked, part=True)
    assert not manuscript.unread
    assert [(entry.key, entry.title) for entry in manuscript.entries] == [("a", "Of bees")]


def test_a_bibliography_is_named_from_the_folder_of_the_main_file(tmp_path: Path) -> None:
    (folder := tmp_path / "paper/text").mkdir(parents=True)
    (folder / "main.md").write_text("---\ntitle: Bees\nbibliography: ../../lib.bib\n---\n\nBees fly [@a].\n")
    (tmp_path / "lib.bib").write_text("@misc{a, title={Of bees}}\n")
    for asked in (folder, folder / "main.md", tmp_path / "paper"):
        manuscript = read_manuscript(asked)
        assert [entry.key for entry in manuscript.entries] == ["a"]
        (listed,) = manuscript.bibtex
        assert ((asked if asked.is_dir() else asked.parent) / listed.path).samefile(tmp_path / "lib.bib")
    (tmp_path / "lib.json").write_text('[{"id": "a", "type": "book", "title": "Of bees"}, {"id": "b", "title": "B"}]')
    (folder / "main.md").write_text((folder / "main.md").read_text().replace("lib.bib", "lib.json"))
    manuscript = read_manuscript(folder)
    assert ([entry.title for entry in manuscript.entries], manuscript.bibtex) == (["Of bees"], ())


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../lib.ris", "leads out of the manuscript's folder; copy it there"),
        ("../lib.yaml", "leads out of the manuscript's folder; copy it there"),
        ("../no.yaml", "cannot be read: there is no such file"),
        (r"../lib\0.bib", "cannot be read: there is no such file"),
    ],
)
def test_why_a_bibliography_outside_of_the_folder_is_not_read(name: str, why: str, tmp_path: Path) -> None:
    (folder := tmp_path / "paper").mkdir()
    (tmp_path / "lib.ris").write_text("TY  - BOOK\nID  - a\nTI  - Of bees\nER  - \n")
    (tmp_path / "lib.yaml").write_text("references: [{id: a, type: book, title: Of bees}]")
    (folder / "main.md").write_text(f'---\ntitle: Bees\nbibliography: "{name}"\n---\n\nBees fly [@a].\n')
    said = read_manuscript(folder).unread[0]
    assert said == f"not read: the bibliography {name} {why}".replace(r"\0", "\0")


@pytest.mark.parametrize(("missing", "last"), [(11, "k10"), (12, "k11"), (13, "k10, nor for 2 others")])
def test_of_many_keys_without_an_entry_the_others_are_counted(missing: int, last: str) -> None:
    keys = ",".join(f"k{number}" for number in range(missing))
    found = read(
        rf"\documentclass{{article}}\title{{On trees}}\begin{{document}}\cite{{{keys}}}\end{{document}}".encode()
    )
    assert found.unread[-1] == f"no entry for the key {last}"
