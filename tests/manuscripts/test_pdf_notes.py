"""Notes of PDFs that name works in words, as in Chicago style."""

from collections.abc import Sequence

import pytest
from pdf_files import raised
from pdf_pages import ABSTRACT, INTRODUCTION, TITLE, lines_of, paragraphs, read

from manuscripts.manuscript import Manuscript

TEXT = (
    f"Oaks are the oldest trees of the towns.{raised(1)} They stand in parks,",
    f"and beetles live in most of them.{raised(2)} Elms are rarer.",
)
FURTHER = (f"Birches need light.{raised(3)} They come first.{raised(4)}", "So it is in towns.")
NOTES = (
    [
        '1. Ann Roe, "Of the Oldest Trees," Acta 4, no. 12',
        "12 \\(2010\\): 30.",
        "2. Bo Poe, The Beetles of Our Parks and",
    ],
    ["Streets \\(Bern: Acta, 2004\\), 7.", '3. Roe, "Of the Oldest Trees," 31.', "4. Roe, 32."],
)
LISTED = (
    "Poe, Bo. The Beetles of Our Parks and Streets. Bern: Acta, 2004.",
    'Roe, Ann. "Of the Oldest Trees." Acta, 2010.',
)
HEAD = [TITLE, *ABSTRACT, INTRODUCTION]


def with_notes(paragraph: Sequence[str], notes: Sequence[str]) -> list[tuple]:
    below = [(8, 300 - 9 * place, note) for place, note in enumerate(notes)]
    return [*lines_of(tuple(paragraph), top=690), *below]


def cited(found: Manuscript) -> list[tuple[str, bool, list[str]]]:
    return [
        (sentence.text[:20], sentence.noted, [key for mark in sentence.marks for key in mark.keys])
        for sentence in found.sentences()
    ]


@pytest.mark.parametrize("listed", [True, False])
def test_footnotes_that_name_works_cite_them_and_what_they_belong_to_is_no_claim(listed: bool) -> None:
    pages = [[*HEAD, *with_notes(TEXT, NOTES[0])], with_notes(FURTHER, NOTES[1])]
    below = [(12, 500, "Bibliography"), *((10, 480 - 12 * place, entry) for place, entry in enumerate(LISTED))]
    found = read(*pages, below) if listed else read(*pages)
    roe, poe = ("2", "1") if listed else ("1", "2")
    assert [entry.key for entry in found.entries] == ["1", "2"]
    assert cited(found) == [
        ("Oaks are the oldest ", True, []),
        ("They stand in parks,", True, []),
        ("Elms are rarer.", False, []),
        ("Birches need light.", True, []),
        ("They come first.", True, []),
        ("So it is in towns.", False, []),
        ('Ann Roe, "Of the Old', True, [roe]),
        ("Bo Poe, The Beetles ", True, [poe]),
        ('Roe, "Of the Oldest ', True, [roe]),
        ("Roe, 32.", True, []),
    ]


@pytest.mark.parametrize("heading", [[(12, 620, "Notes")], []])
def test_numbered_notes_with_which_a_text_ends_are_read_as_footnotes(heading: list[tuple]) -> None:
    text = lines_of((*TEXT, *FURTHER), top=690)
    notes = [(10, 600 - 12 * place, note) for place, note in enumerate((*NOTES[0], *NOTES[1]))]
    found = read([*HEAD, *text, *heading, *notes])
    assert [sentence.noted for sentence in found.sentences()][:6] == [True, True, False, True, True, False]
    assert cited(found)[-4:-1] == [
        ('Ann Roe, "Of the Old', True, ["1"]),
        ("Bo Poe, The Beetles ", True, ["2"]),
        ('Roe, "Of the Oldest ', True, ["1"]),
    ]


def test_footnotes_of_many_lines_count_on_and_a_page_that_begins_a_line_of_one_is_none() -> None:
    notes = [f'{place}. Roe, "Of the Oldest Trees," {place}.' for place in range(5, 25)]
    notes[1:1] = ["106. Poe, The Beetles of Our Parks and Streets, 8."]
    pages = [
        [*HEAD, *with_notes(TEXT, NOTES[0])],
        with_notes(FURTHER, NOTES[1]),
        with_notes(9 * ["Trees grow as they like."], notes),
    ]
    found = cited(read(*pages))
    assert [keys for _, noted, keys in found if noted][-20:] == [["1", "2"], *[["1"]] * 19]
    assert found[6][0] == "Trees grow as they l"


def test_notes_as_law_reviews_have_them_name_works_too() -> None:
    notes = ["1. But see Ann Roe & Bo Poe, Of the Oldest Trees, 4 Acta 12, 13 \\(2010\\).", "2. Id. at 14."]
    thanks = "3. Ann Roe & Bo Poe were supported by grant 4 of 2010."
    found = read([*HEAD, *with_notes(TEXT, [*notes, thanks])])
    assert [entry.key for entry in found.entries] == ["1"]
    assert [(noted, keys) for _, noted, keys in cited(found)][-4:-1] == [(True, ["1"]), (True, []), (False, [])]


@pytest.mark.parametrize(("note", "goes_on"), [("1. The data", False), (f"1. The {'data ' * 20}", True)])
def test_a_note_goes_on_at_the_end_of_the_next_page_where_its_last_line_is_full(note: str, goes_on: bool) -> None:
    below = [(8, 660, "Height i = 1 of an oak"), (10, 640, "They are the trees of towns."), (8, 620, "are in a table.")]
    found = paragraphs(read([*HEAD, *with_notes(TEXT, [note])], [*lines_of(FURTHER, top=690), *below]))
    assert any(text.startswith("1. The data") and text.endswith("are in a table.") for text in found) is goes_on
