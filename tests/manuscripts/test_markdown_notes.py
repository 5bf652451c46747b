"""Footnotes of Markdown, which cite by keys or name works in words."""

import pytest
from archives import zipped
from growth import NEARLY_LINEAR, growth
from markdown_sources import read_text

from manuscripts.printed_lists import works_of_note
from manuscripts.reading import read


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Text.[^1] More.[^2]\n\n[^1]: @one\n[^2]: [@two]", [("Text.", ("one",)), ("More.", ("two",))]),
        ("Text.[^1] More.[^2]\n\n[^1]: See -@one, p. 3; also [@two].\n\n[^2]: It was @two.",
         [("Text.", ("one", "two")), ("More.", ()), ("It was.", ("two",))]),
        ("Text.[^n]\n\n[^n]: First.\n\n    Then [@one].\n\nLast [@two].",
         [("Text.", ()), ("First.", ()), ("Then.", ("one",)), ("Last.", ("two",))]),
        ("Text.[^n]\n\n[^n]:\n    Below\nand on [@one].\n\n    - item [@two]", [("Text.", ()),
         ("Below and on.", ("one",)), ("item.", ("two",))]),
        ("Text.[^n]\n\n[^n]: As shown before [@one; @two], it is.", [("Text.", ()),
         ("As shown before, it is.", ("one", "two"))]),
        ("Text^[See -@one, p. 3; also [@two].] goes on.", [("Text goes on.", ("one", "two"))]),
        ("Text^[As shown *before* [@one], see [two](http://x.y).] goes on.", [("Text goes on.", ()),
         ("As shown before, see two.", ("one",))]),
        ("Text^[Thanks.^[To [all].]]\ngoes `x^[2]` on^[left open", [("Text goes x[2] on", ()),
         ("Thanks.[To [all].]", ()), ("left open", ())]),
        ("## A part^[So @one.]\n\nText.", [("So.", ("one",)), ("Text.", ())]),
        ("Text.\n\n    [^n]: code [@one]\n\n```\n[^m]: code [@two]\n```", [("Text.", ())]),
    ],
)  # fmt: skip
def test_footnotes_cite(text: str, sentences: list[tuple[str, tuple[str, ...]]]) -> None:
    found = read_text(text).sentences()
    every = [(sentence.text, tuple(key for mark in sentence.marks for key in mark.keys)) for sentence in found]
    assert [(text.rstrip("."), keys) for text, keys in every] == [(text.rstrip("."), keys) for text, keys in sentences]


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("Text.[^1] More.[^2]\n\n[^1]: It was @two.\n\n[^2]: Nobody.", [True, False, False, False]),
        ("Text.[^n] More.\n\n[^n]: First.\n\n    Then [@one].", [True, False, False, False]),
        ("Text^[It was @two.]. More^[see @sec:a].", [True, False, False, False]),
    ],
)
def test_a_sentence_knows_that_its_note_cites(text: str, noted: list[bool]) -> None:
    assert [sentence.noted for sentence in read_text(text).sentences()] == noted


def test_notes_that_name_works_are_the_bibliography_of_a_text_without_keys() -> None:
    text = """# A title

Ice flows.[^1] It melts.[^2] It is cold.[^3]

[^1]: See John Glen, *The creep of polycrystalline ice*, 1955, p. 5.
[^2]: Note, however, that in 2001 it did not.
[^3]: Doe, Ann, [Ice sheets and the sea](https://doi.org/10.1000/ice), 2019; Roe, Bob, Cold places of the earth, 2020.
"""
    found = read(zipped({"p.md": text}))
    assert [[key for mark in one.marks for key in mark.keys] for one in found.sentences()] == [
        ["1"],
        [],
        ["2", "3"],
        [],
    ]
    assert [entry.readings[0].doi for entry in found.entries] == ["", "10.1000/ice", ""]
    assert "The creep of polycrystalline ice" in [paper.title for paper in found.entries[0].readings]
    assert [one.text for one in found.sentences()][3] == "Note, however, that in 2001 it did not."


def test_a_note_may_name_again_what_one_before_it_does() -> None:
    names = (
        "Glen, John, *The creep of ice*, 1955.",
        "Ibid., p. 5.",
        "Doe, Ann, *Cold places*, 2020.",
        "Glen, *op. cit.*, 3.",
        "Cf. notamment Roe, Bo, *Old trees*, 2021.",
        "J. Glen, art. cit., p. 7.",
    )
    notes = "\n".join(f"[^{number}]: {name}" for number, name in enumerate(names))
    found = read_text(f"Ice flows.[^0] It melts.[^1] It is cold.[^2] It goes.[^3] So do oaks.[^4] All.[^5]\n\n{notes}")
    assert [mark.keys for mark in found.marks()] == [("1",), ("1",), ("2",), ("1",), ("3",), ("1",)]
    assert found.entries[2].source == "Roe, Bo, Old trees, 2021."


def test_notes_that_stand_in_the_text_name_works_as_others_do() -> None:
    works = ["John Glen, *The creep of ice* [in German], 1955, p. 5.", "Doe, Ann, Ice sheets and the sea, 2019."]
    inline = f"# A title\n\nIce flows.^[See {works[0]}] It melts.^[Note that it did.] It is `^[a]` cold.[^1]\n\n"
    found = read(f"{inline}[^1]: {works[1]}\n".encode(), "p.md")
    assert [entry.source for entry in found.entries] == [work.replace("*", "") for work in works]
    sentences = [(one.text, [key for mark in one.marks for key in mark.keys]) for one in found.sentences()]
    assert sentences[:2] == [("Ice flows.", ["1"]), ("It melts.", [])]
    assert sentences[-1] == ("Note that it did.", [])
    assert growth(lambda size: read(f"# A title\n\n{'^[a [b ' * size}".encode(), "p.md"), 20_000) < NEARLY_LINEAR


def test_footnotes_in_footnotes_end() -> None:
    assert read_text("[^1]: " * 10_000 + "end").title == "T"


def test_notes_name_works_beside_handles_but_not_beside_keys() -> None:
    note = "[^1]: Doe, Ann, Ice sheets and the sea, 2019.\n"
    found = read(f"# On ice\n\nIce flows, says @doe.[^1]\n\n{note}".encode(), "p.md")
    assert [(one.text, [mark.keys for mark in one.marks]) for one in found.sentences()][-1:] == [
        ("Ice flows, says @doe.", [("1",)])
    ]
    assert read(f"# On ice\n\nIce flows [@doe].[^1]\n\n{note}".encode(), "p.md").keys == ("doe",)


WORKS = (
    "Doe, A. (2019). *Ice sheets and the sea*. Acta.\n\nGlen, J. (1955). *The creep of polycrystalline ice*. Acta.\n"
)


@pytest.mark.parametrize("below", ["{works}\n{notes}", "{notes}\n{works}"])
def test_notes_that_stand_at_a_reference_list_are_no_part_of_it(below: str) -> None:
    notes = "[^1]: It is more than Doe (2019)\nsays.\n\n    She is right.\n\n[^2]: Thanks.\n\n"
    notes += "[image1]: <data:image/png;base64,iV>\n"
    text = f"# On ice\n\nIce flows (Glen, 1955).[^1] It melts.[^2] ![][image1]\n\n# References\n\n{below}"
    found = read(text.format(works=WORKS, notes=notes).encode(), "p.md")
    assert [entry.source for entry in found.entries] == [line.replace("*", "") for line in WORKS.splitlines() if line]
    shown = [one.with_marks("[]") for one in found.sentences()]
    assert shown == ["Ice flows [].", "It melts.", "It is more than [] says.", "She is right.", "Thanks."]


def test_notes_of_which_a_reference_list_is_made_are_works_that_their_marks_cite() -> None:
    works = ("Doe, A. (2019). Ice sheets and the sea. Acta.", "A. Roe, “On snow,” in Proc. Snow, 2020, pp. 5-6.")
    text = "# On ice\n\nIce flows.[^1] Snow falls.[^b] Rain, too.[^3]\n\n[^3]: Since ever.\n\n## References\n\n"
    found = read(f"{text}[^1]: {works[0]}\n[^b]: {works[1]}\n".encode(), "p.md")
    assert [entry.source for entry in found.entries] == list(works)
    assert [[key for mark in one.marks for key in mark.keys] for one in found.sentences()] == [["1"], ["2"], [], []]


@pytest.mark.parametrize("mark", ["*", "_", "**"])
def test_the_title_of_a_work_in_a_footnote_is_what_is_emphasized_however_long_the_publishers_name(mark: str) -> None:
    note = f"Ann Doe, {mark}Cold places{mark}, Bern, The Long Name of a Publishing House, 2020, 12."
    assert [title for _, title in works_of_note(note)] == ["Cold places"]


def test_notes_cite_the_list_below_and_works_named_before_by_their_short_titles() -> None:
    text = """# A title

Ice flows.[^1] It is old.[^2] It melts.[^3] It is cold.[^4] Thanks.[^5]

[^1]: See Ann Doe, “The creep of polycrystalline ice,” *Acta* 3 (1955): 5.
[^2]: Bob Roe, *Cold Places of the Earth* (1972; repr., London: Acta, 1999), 3.
[^3]: Doe, “Creep of polycrystalline,” 12; Roe, *Cold Places of the Earth*, 15.
[^4]: Jo Poe, *Ice Sheets and the Sea*, 2019.
[^5]: I thank Ann Doe, who knows the creep of polycrystalline ice.
"""
    listed = """
## Bibliography

Doe, Ann. “The Creep of Polycrystalline Ice.” *Acta* 3 (1955): 1–9.

Roe, Bob. *Cold Places of the Earth*. 1972. Reprint, London: Acta, 1999.
"""
    for source in (text + listed, text):
        found = read(zipped({"p.md": source}))
        assert [entry.key for entry in found.entries] == ["1", "2", "3"]
        assert [set(mark.keys) for mark in found.marks()] == [{"1"}, {"2"}, {"1", "2"}, {"3"}]
