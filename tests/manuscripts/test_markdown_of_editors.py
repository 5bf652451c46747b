"""Markdown as Obsidian, iA Writer, MultiMarkdown and their kin take it."""

import time

import pytest
from archives import zipped
from projects import bib

from manuscripts.reading import read

NOTES = {
    "Introduction.md": "---\ntags: x\n---\n# Introduction\n\nTrees grow [@a].\n",
    "deep/Notes on 1.2 trees.md": (
        "# Oaks\n\nOaks [@never].\n\n# Old elms: a part #\n\nElms [@b].\n\n## Roots\n\nRoots [@c].\n\n# Else\n\n"
        "Else [@never].\n\n# Last\nNot this [@never].\n\n## It\nBut this [@d]. ^block-1\n"
    ),
    "circle.md": "Round.\n\n![[Thesis]]\n\n![[circle]]\n",
    "refs.bib": bib("a", "b", "c", "d", "@e"),
}


def test_notes_that_obsidian_shows_within_others_are_read() -> None:
    thesis = (
        "---\ntitle: On trees\n---\n\n![[Introduction]]\n\n"
        "![[Notes on 1.2 trees#Old elms a part|Elms]]\n\n![[picture.png|300]]\n\n![[deep/Notes on 1.2 trees.md#^block-1]]\n\n![[circle]]\n\n![[Lost]]\n\n![[Introduction#Lost]]\n\n![[@a]]\n"
    )
    found = read(zipped({**NOTES, "Thesis.md": thesis}))
    assert (found.title, found.keys) == ("On trees", ("a", "b", "c", "d"))
    assert [section.heading for section in found.sections] == ["Introduction", "Old elms: a part", "Roots"]
    assert [one.with_marks("[]") for one in found.sentences()][:4] == [
        "Trees grow [].",
        "Elms [].",
        "Roots [].",
        "But this [].",
    ]
    assert found.unread == ("not found: the note Lost", "not found: the note Introduction#Lost")


@pytest.mark.parametrize("chapter", ["/parts/1 One.md", '/parts/1 One.md "Chapter one"', "{{parts/1 One.md}}"])
def test_files_that_ia_writer_and_multimarkdown_include_are_read(chapter: str) -> None:
    files = {"parts/1 One.md": "# One\n\nText [@a].\n", "parts/2 Two.md": "# Two\n\nText [@b].\n"}
    text = f"Title: On trees\nAuthor: Ada Lovelace\n\n{chapter}\n\n/parts/2 Two.md\n/lost.md\n"
    found = read(zipped({**files, "Text.md": text, "refs.bib": bib("a", "b")}))
    assert (found.title, found.keys, found.unread) == ("On trees", ("a", "b"), ("not found: include lost.md",))


def test_children_that_only_r_could_name_are_reported() -> None:
    text = "---\ntitle: T\n---\n\n```{r}\ncat(knitr::knit_child('one.Rmd'))\n```\n"
    assert read(text.encode(), "p.Rmd").unread == ("not read: the child 'one.Rmd'",)


def test_many_includes_that_nothing_closes_are_read_at_once() -> None:
    start = time.process_time()
    read(("# T\n\nText.\n\n" + ":::{include} x\n" * 8_000).encode(), "p.md")
    assert time.process_time() - start < 1
