"""Markdown as Pandoc, Quarto and R Markdown take it."""

from __future__ import annotations

import time

import pytest
from projects import bib, zipped

from manuscripts.manuscript import Manuscript
from manuscripts.reading import read

ABSTRACT = "abstract: |\n  We study *Escherichia\n  coli* as others do.\n"
READ_ABSTRACT = "We study Escherichia coli as others do."


def read_text(text: str, front: str = "title: T", *keys: str) -> Manuscript:
    return read(zipped({"p.qmd": f"---\n{front}\n---\n\n{text}\n", "refs.bib": bib(*(keys or ("one", "two")))}))


@pytest.mark.parametrize(
    ("front", "unread"),
    [
        ("title: A *study*", ()),
        ("title: A *study*\nparams:\n  date: !r Sys.Date()\n  list: !expr [1, 2]\n  map: !x {a: 1}", ()),
        ("title: &a A *study*\nagain: *a", ("not read in the metadata of p.qmd: aliases of YAML",)),
        ("title: A *study*\nbroken: [1, 2", ("not read in the metadata of p.qmd: broken",)),
        ("title: A *study*\ndate: 2024-13-45", ("not read in the metadata of p.qmd: date",)),
    ],
)
def test_title_and_abstract_are_read_whatever_else_the_metadata_holds(front: str, unread: tuple[str, ...]) -> None:
    found = read_text("Text [@one].", f"{front}\n{ABSTRACT}")
    assert (found.title, found.abstract, found.unread) == ("A study", READ_ABSTRACT, unread)


@pytest.mark.parametrize(
    ("title", "plain"), [("Graphs: a study", "Graphs: a study"), ("*E. coli* grows", "E. coli grows")]
)
def test_a_title_that_is_no_yaml_is_read_as_it_stands(title: str, plain: str) -> None:
    assert read_text("Text.", f"title: {title}\n{ABSTRACT}").title == plain


def test_aliases_do_not_make_much_of_little() -> None:
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 50)}]\n" for n in range(1, 30))
    start = time.monotonic()
    found = read_text("Text.", f"title: T\na0: &a0 lol\n{levels}references: *a29\n<<: *a0")
    assert (found.title, found.unread) == ("T", ("not read in the metadata of p.qmd: aliases of YAML",))
    assert time.monotonic() - start < 3
