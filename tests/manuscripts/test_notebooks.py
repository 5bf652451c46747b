"""Notebooks, which are read by their cells of text and the captions in their code."""

import pytest
from archives import zipped
from notebooks import notebook
from project_files import bib

from common.errors import SourceError
from manuscripts.reading import read


def test_a_notebook_is_read_by_its_cells_of_text() -> None:
    cite = 'Done <cite data-cite="one,two">(One, 2001)</cite> and [@three]. Else <cite data-cite="two"></cite>.'
    cite += ' A <a href="#one" data-cite="one">One <b>2001</b></a>.'
    cells = [("markdown", "# A title\n\nAda"), ("markdown", "## Abstract\n\nWe read."), ("code", "@property\nx")]
    data = notebook(*cells, ("markdown", f"## Introduction\n\n{cite}"), ("raw", "raw"))
    found = read(zipped({"notes/paper.ipynb": data, "notes/refs.bib": bib("one", "two", "three")}))
    assert (found.title, found.abstract, found.unread) == ("A title", "We read.", ())
    assert [section.heading for section in found.sections] == ["A title", "Abstract", "Introduction"]
    assert [mark.keys for mark in found.marks()] == [("one", "two"), ("three",), ("two",), ("one",)]
    assert {entry.key for entry in found.cited} == {"one", "two", "three"}
    assert all(sentence.place is None for sentence in found.sentences())  # no line of a notebook is one of its text
    alone = read(notebook(("raw", "---\ntitle: In YAML\nabstract: We read.\n---\n"), *cells[:1]))
    assert (alone.title, alone.abstract) == ("In YAML", "We read.")
    with pytest.raises(SourceError, match="the notebook is damaged"):
        read(data[:-5])


def test_captions_in_the_code_of_a_notebook_cite() -> None:
    options = (
        "label: fig-a",
        'fig-cap: "Trees in rows,',
        '  as by [@one]."',
        "fig-subcap:",
        "  - Oaks",
        "  - Elms [@two]",
    )
    code = "".join(f"#| {option}\n" for option in options) + "plot(x) # [@no]"
    data = notebook(("raw", "---\ntitle: T\n---"), ("markdown", "We read."), ("code", code), ("code", "x = 1"))
    found = read(zipped({"paper.ipynb": data, "refs.bib": bib("one", "two")}))
    assert [sentence.text for sentence in found.sentences()] == ["We read.", "Trees in rows, as by.", "Oaks", "Elms"]
    assert found.keys == ("one", "two")
