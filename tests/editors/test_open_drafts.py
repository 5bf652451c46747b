"""The draft that is open in an editor, where that differs from what lies on disk."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from editors.drafts import open_draft
from editors.open_citation import HERE
from manuscripts import read_manuscript
from manuscripts.bibliographies import with_entries
from manuscripts.sandbox import with_outside


def test_a_file_that_was_emptied_in_the_editor_is_empty(tmp_path: Path) -> None:
    begin = r"\documentclass{article}\title{A}\begin{document}"
    text = f"{begin}One \\cite{{{HERE}, a}}.\\bibliography{{refs}}\\end{{document}}"
    main, refs = tmp_path / "main.tex", tmp_path / "refs.bib"
    main.write_text("of an earlier day")
    refs.write_text("@misc{a, title={One of the many}}")
    assert [entry.key for entry in open_draft(main, text, {}, []).manuscript.entries] == ["a"]
    assert not open_draft(main, text, {refs: ""}, []).manuscript.entries


@pytest.mark.parametrize(
    "says", ["% !TEX root = ../my thesis.tex", '%%% Local Variables:\n%%% TeX-master: "../my thesis"\n%%% End:']
)
def test_a_chapter_says_which_file_it_is_part_of(says: str, tmp_path: Path) -> None:
    for name in ("main", "my thesis"):
        text = rf"\documentclass{{book}}\title{{Of {name}}}\begin{{document}}\include{{parts/one}}\end{{document}}"
        (tmp_path / f"{name}.tex").write_text(text)
    chapter = tmp_path / "parts/one.tex"
    chapter.parent.mkdir()
    found = open_draft(chapter, f"Trees grow \\cite{{{HERE}}}.\n{says}\n", {}, [])
    assert (found.manuscript.title, found.folder) == ("Of my thesis", tmp_path)


@pytest.mark.parametrize("named", ["../shared", "{}/shared.bib", "linked.bib"])
def test_a_bibliography_outside_of_the_folder_is_that_of_the_draft(named: str, tmp_path: Path) -> None:
    """As that of a whole library is, which a reference manager writes; also what the editor has of it is read."""
    main, shared = tmp_path / "paper/main.tex", tmp_path / "shared.bib"
    main.parent.mkdir()
    shared.write_text("@misc{a, title={One of the many}}\n@misc{b, title={Two of the many}}\n")
    if named == "linked.bib":
        (main.parent / named).symlink_to(shared)
    text = (
        rf"\documentclass{{article}}\title{{A}}\begin{{document}}One \cite{{{HERE}, a}}."
        rf"\bibliography{{{named.format(tmp_path)}}}\end{{document}}"
    )
    found = open_draft(main, text, {}, [])
    assert [entry.key for entry in found.manuscript.entries] == ["a"]
    assert [entry.key for entry in found.manuscript.beside or ()] == ["a", "b"]
    assert found.manuscript.unread == (f"no entry for the key {HERE}",)
    (listed,) = found.manuscript.bibtex
    assert (found.folder / listed.path).samefile(shared)
    assert listed.data == shared.read_bytes()
    assert shared.resolve() in {path.resolve() for path in found.on_disk([])}
    found = open_draft(main, text, {shared: "@misc{c, title={Three}}"}, [])
    assert [entry.key for entry in found.manuscript.beside or ()] == ["c"]
    shared.write_text("")  # as one that was just made; it can be added to
    assert [one.data for one in open_draft(main, text, {}, []).manuscript.bibtex] == [b""]
    shared.write_text("no bibliography")
    assert not open_draft(main, text, {}, []).manuscript.beside


@pytest.mark.parametrize("opened", ["main.tex", "."])
def test_no_other_file_outside_of_the_folder_is_read(opened: str, tmp_path: Path) -> None:
    """Whoever a draft comes from: a link that it does not name, what a link calls BibTeX, what has no end."""
    paper, entry = tmp_path / "paper", "@misc{{{0}, title={{Title of {0}}}}}\n"
    paper.mkdir()
    for name in ("rc", "unnamed.bib"):
        (tmp_path / name).write_text(entry.format(name))
    (tmp_path / "folder.bib").mkdir()
    os.mkfifo(tmp_path / "pipe.bib")
    (paper / "unnamed.bib").symlink_to("../unnamed.bib")
    (paper / "refs.bib").symlink_to("../rc")
    main = (
        r"\documentclass{article}\title{A}\begin{document}One \cite{rc,unnamed.bib}."
        r"\bibliography{refs,../folder,../pipe,../no,/dev/zero}\end{document}"
    )
    (paper / "main.tex").write_text(main)
    manuscript = read_manuscript(paper / opened)
    assert (manuscript.entries, manuscript.bibtex) == ((), ())
    links = [f"not read: {name} is a link that leads out of the folder" for name in ("refs.bib", "unnamed.bib")]
    outside = [
        rf"not read: \bibliography{{{name}}} cannot be read: there is no such file"
        for name in ("../folder", "../pipe", "../no", "/dev/zero")
    ]
    missing = [f"no entry for the key {key}" for key in ("rc", "unnamed.bib")]
    assert manuscript.unread == (*links, *outside, *missing)


@pytest.mark.parametrize("cited", [("old",), ("own",), ("own", "old")])
def test_aliases_in_a_bibliography_outside_of_the_folder_are_known(cited: tuple[str, ...], tmp_path: Path) -> None:
    main = tmp_path / "paper/main.tex"
    main.parent.mkdir()
    (tmp_path / "shared.bib").write_text("@misc{own, ids = {older, old}, title={One of the many}}\n")
    main.write_text(
        rf"\documentclass{{article}}\title{{A}}\begin{{document}}One \cite{{{','.join(cited)}}}."
        r"\bibliography{../shared}\end{document}"
    )
    draft = read_manuscript(main)
    for manuscript in (with_outside(draft, main), with_entries(draft, str(tmp_path / "shared.bib"))):
        assert not manuscript.unread
        assert {(entry.key, entry.title) for entry in manuscript.entries} == {(key, "One of the many") for key in cited}


def test_a_draft_is_read_as_any_manuscript_but_for_the_places_that_an_editor_knows(tmp_path: Path) -> None:
    main = tmp_path / "main.tex"
    text = (
        rf"\documentclass{{article}}\title{{A}}\begin{{document}}One \cite{{{HERE}}}. Two \cite{{b}}."
        r"\begin{thebibliography}{9}\bibitem{b} Doe, J. (2019). On two of them.\end{thebibliography}\end{document}"
    )
    main.write_text(text)
    placed = read_manuscript(main, part=True)
    assert all(sentence.place for sentence in placed.sentences())
    found = open_draft(main, text, {}, []).manuscript
    assert [replace(one, place=None) for one in placed.sentences()] == list(found.sentences())
    assert [replace(one, place=None) for one in placed.entries] == list(found.entries)


def test_half_a_character_hides_no_draft(tmp_path: Path) -> None:
    """Editors in JavaScript may send one of the two surrogates of an emoji."""
    text = f"# Words\n\nSkip-gram \ud83d learns vectors [@{HERE}].\n"
    found = open_draft(tmp_path / "new.md", text, {tmp_path / "other.md": "\udc00"}, [])
    assert "learns vectors" in found.sentence


@pytest.mark.parametrize(
    ("name", "main", "part", "cites"),
    [
        (
            "main.typ",
            '#set document(title: "On trees")\n#include "chapters/intro.typ"\n#bibliography("refs.bib")\n',
            "chapters/intro.typ",
            "= Introduction\n\nTrees grow slowly @{}.\n",
        ),
        (
            "main.qmd",
            "---\ntitle: On trees\nbibliography: refs.bib\n---\n\n{{< include chapters/_intro.qmd >}}\n",
            "chapters/_intro.qmd",
            "# Introduction\n\nTrees grow slowly [@{}].\n",
        ),
        (
            "main.Rmd",
            "---\ntitle: On trees\nbibliography: refs.bib\n---\n\n```{r, child='chapters/intro.Rmd'}\n```\n",
            "chapters/intro.Rmd",
            "# Introduction\n\nTrees grow slowly [@{}].\n",
        ),
    ],
)
def test_a_chapter_is_part_of_the_file_that_names_the_bibliography(
    name: str, main: str, part: str, cites: str, tmp_path: Path
) -> None:
    """Its only heading is no title of a paper; alone it is read where nothing includes it."""
    chapter, text = tmp_path / part, cites.format(HERE)
    chapter.parent.mkdir()
    chapter.write_text("")
    (tmp_path / name).write_text(main)
    (tmp_path / "refs.bib").write_text("@misc{a, title={One of the many}}")
    found = open_draft(chapter, text, {}, [tmp_path])
    assert (found.manuscript.title, found.folder) == ("On trees", tmp_path)
    assert [one.path for one in found.manuscript.bibtex] == ["refs.bib"]
    (tmp_path / name).unlink()
    (tmp_path / "refs.bib").unlink()
    alone = open_draft(chapter, text, {}, [tmp_path])
    assert (alone.manuscript.title, alone.folder, alone.sentence) == ("Introduction", chapter.parent, found.sentence)
