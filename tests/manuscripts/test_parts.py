"""A chapter or a draft that has neither title nor abstract is read in its own format, in whatever encoding."""

import codecs
import io
import zipfile
from pathlib import Path

import pytest
from archives import zipped
from project_files import write_files

from common.errors import SourceError
from manuscripts import read_manuscript
from manuscripts.manuscript import Place
from manuscripts.packing import packed

BODY = r"Transformers encode text \cite{devlin2019}. Some are slow."
REFS = "@article{devlin2019, title={BERT}, author={Devlin, Jacob}, year={2019}}"
CHAPTERS = {
    "chapter": rf"\chapter{{Related work}}\label{{ch:rw}}{BODY}",
    "section": rf"\section{{Related work}} {BODY}",
    "subsection": rf"\subsection*{{Related work}} {BODY}",
    "body": BODY,
    "book": rf"\documentclass{{book}}\begin{{document}}\chapter{{Related work}}{BODY}\end{{document}}",
    "comment": rf"% of the thesis{chr(10)}\chapter{{Related work}}{BODY}",
}


def shown(manuscript):
    return [(sentence.text, [mark.keys for mark in sentence.marks]) for sentence in manuscript.sentences()]


EXPECTED = [("Transformers encode text.", [("devlin2019",)]), ("Some are slow.", [])]


@pytest.mark.parametrize("text", CHAPTERS.values(), ids=CHAPTERS)
def test_a_chapter_of_latex_is_read_alone_and_beside_its_bibliography(text: str, tmp_path) -> None:
    (tmp_path / "ch.tex").write_text(text)
    (tmp_path / "refs.bib").write_text(REFS)
    alone = read_manuscript(text.encode(), part=True)
    named = read_manuscript(text.encode(), part=True, name="Thesis/ch.TEX")
    beside = [read_manuscript(zipped({"ch.tex": text, "refs.bib": REFS}), part=True)]
    beside += [read_manuscript(tmp_path / "ch.tex", part=True), read_manuscript(tmp_path, part=True)]
    for found in (alone, named, *beside):
        assert (found.title, found.abstract, found.markup, shown(found)) == ("", "", "latex", EXPECTED)
    assert [[entry.key for entry in found.cited] for found in beside] == [["devlin2019"]] * 3


def test_prose_without_a_command_is_latex_where_its_name_says_so() -> None:
    text = "So they say~--- 100\\% of them. % not shown\n"
    assert shown(read_manuscript(text.encode(), part=True, name="ch.tex")) == [("So they say — 100% of them.", [])]
    archive = zipped({"ch.tex": text, "refs.bib": REFS})
    assert shown(read_manuscript(archive, part=True)) == [("So they say — 100% of them.", [])]


def test_the_other_formats_need_no_title_either() -> None:
    typst = read_manuscript(b"Trees grow @doe. They fall.", part=True, name="ch.typ")
    assert (typst.markup, shown(typst)) == ("typst", [("Trees grow.", [("doe",)]), ("They fall.", [])])
    markdown = read_manuscript(b"Trees grow [@doe]. They *fall*.", part=True, name="ch.md")
    assert (markdown.markup, shown(markdown)) == ("markdown", [("Trees grow.", [("doe",)]), ("They fall.", [])])


def test_a_chapter_of_quarto_has_the_bibliography_of_its_project(tmp_path, monkeypatch) -> None:
    files = {
        "_quarto.yml": "bibliography: [lists/refs.bib, more.json]",
        "lists/refs.bib": f"\n{REFS}",
        "more.json": '[{"id": "roe", "title": "Old trees"}]',
        "other/x.qmd": "{{< include y.qmd >}}",
        "chapters/_below.qmd": "Some are slow.",
        "chapters/ch.qmd": "# Related work\n\nTransformers encode text [@devlin2019].\n\n{{< include _below.qmd >}}\n",
    }
    write_files(files, tmp_path)
    monkeypatch.chdir(tmp_path / "chapters")
    for path in (tmp_path / "chapters/ch.qmd", Path("ch.qmd"), Path("../chapters/ch.qmd")):
        found = read_manuscript(path, part=True)
        assert (found.unread, shown(found)) == ((), EXPECTED)
        assert [sentence.place for sentence in found.sentences()] == [Place("ch.qmd", 3), Place("_below.qmd", 1)]
        assert [(entry.key, entry.place) for entry in found.entries] == [
            ("devlin2019", Place("../lists/refs.bib", 2)),
            ("roe", Place("../more.json", 1)),
        ]
        assert [source.path for source in found.bibtex] == ["../lists/refs.bib"]
    with zipfile.ZipFile(io.BytesIO(packed(tmp_path / "chapters/ch.qmd").data)) as archive:
        assert sorted(archive.namelist()) == sorted({*files} - {"other/x.qmd"})


def test_a_chapter_that_a_link_leads_to_is_read_where_it_is(tmp_path) -> None:
    (tmp_path / "_quarto.yml").write_text("bibliography: refs.bib")
    for folder in (tmp_path / "elsewhere/real", tmp_path / ".kept"):
        folder.mkdir(parents=True)
        (folder / "ch.qmd").write_text("Trees grow [@doe]. They *fall*.")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere/real")
    for path in (tmp_path / "link/ch.qmd", tmp_path / ".kept/ch.qmd"):
        assert [one.text for one in read_manuscript(path, part=True).sentences()] == ["Trees grow.", "They fall."]


@pytest.mark.parametrize("name", ["a.txt", "A.TXT"])
def test_a_plain_text_that_tells_of_commands_stays_one(name: str) -> None:
    text = "How to write\n\nUse \\section{Name} for headings and \\cite{key} to cite, or \\begin{itemize} for lists.\n"
    found = read_manuscript(text.encode(), name=name)
    assert (found.title, found.markup) == ("How to write", "")
    assert "\\section{Name}" in found.abstract
    document = read_manuscript(CHAPTERS["book"].encode(), part=True, name=name)
    assert (document.markup, shown(document)) == ("latex", EXPECTED)


@pytest.mark.parametrize("data", [b"\\documentclass{article}", b"\\chapter{Related work}", b"% nothing\n"])
def test_what_holds_no_text_is_no_part(data: bytes) -> None:
    with pytest.raises(SourceError, match="no title and no abstract"):
        read_manuscript(data, part=True, name="ch.tex")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_texts_of_windows_are_decoded_before_their_format_is_told(encoding: str, tmp_path) -> None:
    mark = codecs.BOM_UTF16_LE if encoding == "utf-16-le" else codecs.BOM_UTF16_BE
    tex = rf"\documentclass{{article}}\title{{Über Bäume}}\begin{{document}}\maketitle {BODY}\end{{document}}"
    for text, markup in [
        (tex, "latex"),
        (CHAPTERS["chapter"], "latex"),
        ("---\ntitle: Über Bäume\n---\nTrees grow [@doe].", "markdown"),
        ('#set text(lang: "de")\n= Über Bäume\nTrees grow @doe.', "typst"),
    ]:
        data = mark + text.encode(encoding)
        (tmp_path / "main.tex").write_bytes(data)
        found = read_manuscript(data, part=True)
        assert (found.markup, found) == (markup, read_manuscript(text.encode(), part=True))
        if markup == "latex":
            assert shown(read_manuscript(tmp_path, part=True)) == EXPECTED
    with pytest.raises(SourceError, match="Unsupported file"):
        read_manuscript(mark + "<!DOCTYPE html><title>Trees</title>".encode(encoding))
