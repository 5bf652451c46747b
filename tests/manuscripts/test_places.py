"""Sentences and entries know the file and line where they stand."""

import random
import re
from pathlib import Path

import pytest
from archives import zipped
from growth import NEARLY_LINEAR, growth
from project_files import Project, write_files
from projects import PROJECTS

from manuscripts import bibliographies, read_manuscript
from manuscripts.limits import MAX_REFERENCES
from manuscripts.manuscript import Place
from manuscripts.reading import read

WORDS = [f"{first}{middle}{last}" for first in "bdfgk" for middle in ("ar", "el", "im") for last in ("an", "os", "ut")]


def long_project(folder: Path, seed: int) -> dict[str, Place]:
    """A manuscript of three files with 300 sentences of few words, many of them alike; sentence → where it was put."""
    draw = random.Random(seed)
    where: dict[str, Place] = {}
    files = {
        "main.tex": [r"\documentclass{article}", r"\title{T}", r"\begin{document}"],
        "a/one.tex": [],
        "two.tex": [],
    }

    def fill(name: str, count: int) -> None:
        lines = files[name]
        for _ in range(count):
            words = draw.choices(WORDS, k=draw.randint(4, 9))
            text = f"{' '.join(words).capitalize()}."
            if text in where:
                continue
            where[text] = Place(name, len(lines) + 1)
            spoiled = [*words[:-1], rf"\emph{{{words[-1]}}}"] if draw.random() < 0.3 else words
            source = " ".join(spoiled).capitalize()
            if draw.random() < 0.3:
                source += rf" \citep[see][]{{k{draw.randint(0, 9)}}}"
            if draw.random() < 0.2:  # broken over two lines
                source = source.replace(" ", "\n", 1)
            lines += f"{source}.".split("\n")
            if draw.random() < 0.2:
                lines += ["", f"% {' '.join(draw.choices(WORDS, k=6))}."]

    fill("main.tex", 60)
    files["main.tex"] += [r"\section{S}", r"\input{a/one}"]
    fill("a/one.tex", 120)
    fill("main.tex", 60)
    files["main.tex"] += [r"\include{two}", r"\bibliography{r}", r"\end{document}"]
    fill("two.tex", 60)
    write_files({name: "\n".join(lines) + "\n" for name, lines in files.items()}, folder)
    (folder / "r.bib").write_text("".join(f"@misc{{k{n},\n title={{Title number {n}}}}}\n" for n in range(10)), "utf-8")
    return where


@pytest.mark.parametrize("seed", range(3))
def test_every_sentence_of_a_long_project_is_where_it_was_put(seed: int, tmp_path: Path) -> None:
    where = long_project(tmp_path, seed)
    found = read_manuscript(tmp_path)
    places = {sentence.text: sentence.place for sentence in found.sentences()}
    assert len(places) == len(where) > 290
    assert [text for text, place in where.items() if places[text] != place] == []
    assert {entry.key: entry.place for entry in found.entries} == {
        f"k{n}": Place("r.bib", 2 * n + 1) for n in range(10)
    }


@pytest.mark.parametrize(
    "project", [one for one in PROJECTS if one.files.keys() != {one.main}], ids=lambda one: one.name
)
def test_the_line_of_a_sentence_holds_a_word_of_it(project: Project, tmp_path: Path) -> None:
    folder = project.write(tmp_path)
    found = read_manuscript(folder)
    for sentence in found.sentences():
        assert sentence.place is not None
        line = (folder / sentence.place.file).read_text("utf-8").splitlines()[sentence.place.line - 1].lower()
        keys = {part.lower() for mark in sentence.marks for key in mark.keys for part in re.findall(r"\w+", key)}
        assert set(re.findall(r"\w+", line)) & ({*re.findall(r"\w+", sentence.text.lower())} | keys)


def test_a_file_without_a_name_and_one_without_lines_are_read_too(tmp_path: Path) -> None:
    lines = (
        r"\title{T}",
        r"\begin{document}",
        "% Not this line here.",
        r"This line here, 50\% of it.",
        r"\end{document}",
    )
    text = "\n".join((r"\documentclass{article}", *lines))
    (sentence,) = read_manuscript(text.encode()).sentences()
    assert sentence.place == Place("", 5)
    word = next(one for one in PROJECTS if one.main.endswith(".docx"))
    found = read_manuscript(word.write(tmp_path) / word.main)
    assert {one.place for one in (*found.sentences(), *found.entries)} == {None}


def test_many_equal_sentences_are_placed_in_bounded_time() -> None:
    def sentences(size: int) -> int:
        text = "One and the same sentence is written again and again. \n" * size
        source = f"\\documentclass{{article}}\\title{{T}}\\begin{{document}}\n{text}\\end{{document}}"
        return len(list(read(source.encode()).sentences()))

    assert sentences(4_000) == 4_000
    assert growth(sentences, 4_000) < NEARLY_LINEAR


def test_a_bibliography_beyond_bounds_keeps_what_is_cited(tmp_path: Path) -> None:
    entries = "".join(f"@misc{{n{n}, title={{Title number {n}}}}}\n" for n in range(MAX_REFERENCES + 100))
    (tmp_path / "refs.bib").write_text(entries, "utf-8")
    last = f"n{MAX_REFERENCES + 99}"
    (tmp_path / "main.tex").write_text(
        rf"\documentclass{{article}}\title{{T}}\begin{{document}}\cite{{{last}}}\bibliography{{refs}}\end{{document}}"
    )
    found = read_manuscript(tmp_path)
    assert len(found.entries) == MAX_REFERENCES
    assert [entry.key for entry in found.cited] == [last]
    assert found.entries[-1].place == Place("refs.bib", MAX_REFERENCES + 100)
    assert found.left_out == tuple(f"n{n}" for n in range(MAX_REFERENCES - 1, MAX_REFERENCES + 99))
    assert found.unread == (
        f"of the bibliography 100 entries were left out: more than {MAX_REFERENCES:,} are not read",
    )


def test_of_a_large_bibliography_beside_a_typed_list_no_more_is_read_than_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries = "".join(f"@misc{{n{n}, title={{Title number {n}}}}}\n" for n in range(2 * MAX_REFERENCES))
    text = "Trees\n\nAbstract\nTrees grow (Doe, 2020).\n\nReferences\nDoe, A. (2020). How trees grow. Acta, 1, 1-9.\n"
    read_keys: list[str] = []
    made = bibliographies.entry_of
    monkeypatch.setattr(bibliographies, "entry_of", lambda paper: read_keys.append(paper.id) or made(paper))
    found = read(zipped({"draft.txt": text, "refs.bib": entries}))
    assert [entry.key for entry in found.entries] == ["Doe 2020"]
    assert read_keys == [entry.key for entry in found.beside or ()] == [f"n{n}" for n in range(MAX_REFERENCES)]


def test_entries_of_a_typed_list_do_not_stand_in_a_file_that_is_not_read() -> None:
    references = "# References\n\n[1] Roe, A. Oaks. 2001.\n\n[2] Doe, B. Elms. 2002."
    paper = f"# Of trees\n\nTrees grow [1], fall [2].\n\n{references}"
    library = "".join(f"TY  - JOUR\nTI  - Of title {n}\nID  - {n}\nER  - \n" for n in (2, 1))
    found = read(zipped({"paper.md": paper, "library.ris": library}))
    assert [(entry.key, entry.place) for entry in found.entries] == [("1", None), ("2", None)]
