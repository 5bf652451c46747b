"""Lists of references that are typed in Markdown, alone and beside a bibliography by key."""

import pytest
from archives import zipped
from markdown_sources import read_text
from project_files import bib

from manuscripts.reading import read

TYPED = """1. Roe, A. (2001). Of trees and of graphs. *Acta*, *3*. [https://doi.org/10.1000/t](https://doi.org/10.1000/t)
2. Doe, B. (2002). Of the growth \\& of trees. *Acta*.
"""


@pytest.mark.parametrize(
    "heading", ["## References", "## **Works Cited**", "**Bibliography**", "## **2\\. References** {#2.-references}"]
)
def test_a_list_that_is_typed_is_the_bibliography_where_no_key_is_cited(heading: str) -> None:
    above = "# A title\n\n## Abstract\n\nWe read.\n\n## Introduction\n\nTrees grow (Roe 2001) \\[2\\]."
    text = f"{above}\n\n{heading}\n\n{TYPED}"
    for data in (zipped({"p.md": f"{text}\n## Appendix\n\nMore."}), f"{text}\n## Appendix\n\nMore.".encode()):
        found = read(data)
        assert (found.title, found.abstract, found.keys, found.unread) == ("A title", "We read.", ("Roe 2001", "2"), ())
        assert [entry.readings[0].doi for entry in found.cited] == ["10.1000/t", ""]
        assert found.cited[0].source.startswith("Roe, A. (2001). Of trees and of graphs. Acta, 3. https://")
        assert "Of the growth & of trees" in {paper.title for paper in found.cited[1].readings}
        assert not any("Roe, A." in sentence.text for sentence in found.sentences())
        assert "More." in {sentence.text for sentence in found.sentences()}
    keys = read_text(f"So [@one].\n\n{heading}\n\n{TYPED}")
    assert [entry.key for entry in keys.cited] == ["one"]


@pytest.mark.parametrize("mark", ["", "[{}] "])
def test_every_list_that_is_typed_counts_such_as_those_of_chapters_and_supplements(mark: str) -> None:
    works = [f"{mark.format(n)}{name}, A. ({2000 + n}). Of {what}. Acta, {n}, 5-9." for n, name, what in LISTED]
    text = (
        "We write.\n\n# Of trees\n\nTrees grow (Roe, 2001; Poe, 2002).\n\n## References\n\n{}\n\n{}\n\n"
        "# Of air\n\nAir flows (Lorenz, 2003).\n\n## Literature\n\nWe read what was there.\n\n"
        "## Supplementary material\n\nSo it does (Doe, 2004).\n\n### References\n\n{}\n\n{}\n"
    ).format(*works)
    found = read_text(text)
    assert [entry.source for entry in found.entries] == [
        work.removeprefix(mark.format(n + 1)) for n, work in enumerate(works)
    ]
    assert found.keys == ("Roe 2001", "Poe 2002", "Lorenz 2003", "Doe 2004")
    texts = [sentence.text for sentence in found.sentences()]
    assert "We read what was there." in texts
    assert not any("Acta" in text for text in texts)


@pytest.mark.parametrize("mark", ["[{}] ", "{}. "])
def test_numbers_cite_the_list_below_them_where_a_later_list_begins_at_one_again(mark: str) -> None:
    works = [f"{name}, A. ({2000 + n}). Of {what}. Acta, {n}, 5-9." for n, name, what in LISTED]
    one, two, three, four = (mark.format(n) + work for n, work in zip((1, 2, 1, 2), works, strict=True))
    found = read_text(
        f"We write.\n\n# Of trees\n\nTrees grow [1, 2].\n\n## References\n\n{one}\n\n{two}\n\n"
        "# Supplement\n\nAir flows [1, p. 2]. So does wind [1]–[2], as [1](https://a.org/) says.\n\n"
        f"## References\n\n{three}\n\n{four}\n\n# Appendix\n\nIt is so [2].\n"
    )
    sources = {entry.key: entry.source for entry in found.entries}
    assert [[sources[key] for key in cited.keys] for cited in found.marks()] == [
        works[:2], works[2:3], works[2:], works[3:],
    ]  # fmt: skip
    assert found.keys_without_entry == ()


def test_every_chapter_of_a_book_may_have_its_list() -> None:
    works = [f"{name}, A. ({2000 + n}). Of {what}. Acta, {n}, 5-9." for n, name, what in LISTED]
    chapters = {
        "a.md": f"# Trees\n\nTrees grow [1].\n\n## References\n\n[1] {works[0]}\n",
        "b.md": f"Shrubs grow [1], too^2^.\n\n## References\n\n[1] {works[1]}\n\n[2] {works[2]}\n",
        "c.md": "# Other things\n\nThey grow.\n",
    }
    book = f"book:\n  title: T\n  abstract: What grows.\n  chapters: [{', '.join(chapters)}]\n"
    found = read(zipped({"_quarto.yml": book, **chapters}))
    assert [entry.source for entry in found.entries] == works[:3]
    assert [mark.keys for mark in found.marks()][:2] == [("1",), ("2",)]
    assert [sentence.text for sentence in found.sentences()][1:2] == ["Trees grow."]
    assert [section.heading for section in found.sections][-1] == "Other things"


@pytest.mark.parametrize(
    ("written", "doi"),
    [
        ("10.1175/1520-0469(1963)020<0130:DNF>2.0.CO;2", "10.1175/1520-0469(1963)020<0130:dnf>2.0.co;2"),
        (r"10.1175/1520-0469(1963)020\<0130:DNF\>2.0.CO;2", "10.1175/1520-0469(1963)020<0130:dnf>2.0.co;2"),
        ("<https://doi.org/10.1000/t>", "10.1000/t"),
        (r"doi:10.1000/t\_12", "10.1000/t_12"),
    ],
)
def test_dois_of_a_list_that_is_typed_are_whole(written: str, doi: str) -> None:
    listed = f"1. Lorenz, E. N. (1963). Flow of air. {written}\n2. Roe, A. (2001). Of trees and graphs.\n"
    found = read_text(f"We write.\n\n# Of air\n\nAir flows (Lorenz 1963).\n\n## References\n\n{listed}")
    assert found.cited[0].readings[0].doi == doi


LISTED = [(1, "Roe", "trees"), (2, "Poe", "graphs"), (3, "Lorenz", "air"), (4, "Doe", "wind")]
BY_NAMES = """## References

Roe, A. (2001). Of trees and of graphs. Acta, 3.

Doe, B., & Poe, C. (2002). How the one grows. Acta, 4.

Moe, D. (2003). How trees fall. Acta, 5.
"""


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("We report precision @10.", "We report precision @10."),
        ("It is a `@dataclass` in `x[@one]`.", "It is a @dataclass in x[@one]."),
        ("See @fig-map and [@fig-map].", "See @fig-map and [@fig-map]."),
        ("Write to Roe (@roe on Mastodon).", "Write to Roe (@roe on Mastodon)."),
        ("Write to [@roe](https://m.org/@roe).", "Write to @roe."),
        ("Write to {a.roe,doe}@trees.org.", "Write to {a.roe,doe}@trees.org."),
        ("~~~python\n@property\n~~~", None),
    ],
)
def test_a_sign_of_keys_that_cites_nothing_leaves_a_typed_list_what_it_is(sentence: str, text: str | None) -> None:
    for beside in ({}, {"refs.bib": bib("one")}):
        draft = f"# On trees\n\nTrees grow (Roe, 2001).\n\n{sentence}\n\nDoe and Poe (2002) say so.\n\n{BY_NAMES}"
        found = read(zipped({"p.md": draft, **beside}))
        assert [entry.key for entry in found.cited] == ["Roe 2001", "Doe and Poe 2002", "3"]
        assert [mark.keys for mark in found.marks()] == [("Roe 2001",), ("Doe and Poe 2002",)]
        assert [one.text for one in found.sentences()][1:-1] == ([text] if text else [])
        assert found.unread == ()


def test_a_key_without_an_entry_is_one_beside_a_typed_list() -> None:
    found = read(zipped({"p.md": f"# On trees\n\nTrees grow (Roe, 2001). Some fall [@none; @{{no}}].\n\n{BY_NAMES}"}))
    assert [entry.key for entry in found.cited] == ["Roe 2001", "2", "3"]
    assert found.unread == ("no entry for the key none", "no entry for the key no")
    named = read(zipped({"p.md": f"---\ntitle: T\nbibliography: a.bib\n---\n\nTrees, says @none.\n\n{BY_NAMES}"}))
    assert named.keys_without_entry == ("none",)  # which is in the file that is missing


def test_a_bibliography_by_key_and_a_typed_list_both_count() -> None:
    body = (
        "@one says, and others (Roe, 2001; see Doe & Poe, 2002), too, that [@one] trees grow.[^1] They do [-@three, p."
        " 3].[^2]\n\n[^1]: Note that they fall [@none].\n[^2]: @two"
    )
    found = read_text(f"{body}\n\n{BY_NAMES}", "title: T", "one", "two", "three", "four")
    assert [(one.text, [mark.keys for mark in one.marks], one.noted) for one in found.sentences()] == [
        ("says, and others, too, that trees grow.", [("one",), ("Roe 2001", "Doe & Poe 2002"), ("one",)], True),
        ("They do.", [("three",), ("two",)], False),
        ("Note that they fall.", [("none",)], False),
    ]
    assert [entry.key for entry in found.cited] == ["one", "two", "three", "Roe 2001", "Doe & Poe 2002", "3"]
    assert found.unread == ("no entry for the key none",)


def test_a_work_of_a_bibliography_by_key_that_is_typed_as_well_is_one() -> None:
    entry = "@misc{poe, title={How the one grows}, author={Doe, B. and Poe, C.}, year={2002}}"
    text = f"Trees grow (Roe, 2001), and one does (Doe & Poe, 2002) [@poe].\n\n{BY_NAMES}"
    found = read(zipped({"p.md": f"# On trees\n\n{text}", "refs.bib": entry}))
    assert [mark.keys for mark in found.marks()] == [("Roe 2001",), ("poe",), ("poe",)]
    assert [one.key for one in found.cited] == ["poe", "Roe 2001", "3"]


@pytest.mark.parametrize("entry", ["- @none: of trees", "- **@none**", "1. [@none]", "@none\n\n@one"])
def test_a_list_of_keys_is_none_that_is_typed(entry: str) -> None:
    found = read(f"# On trees\n\nTrees grow, says @none.\n\n## References\n\n{entry}\n".encode(), "p.md")
    assert (found.entries, found.keys[0]) == ((), "none")


def test_superscripts_cite_a_list_that_is_typed() -> None:
    listed = "1. Roe, A. Of trees. Acta 2001.\n2. Doe, B. Of graphs. Acta 2002.\n3. Poe, C. Of falls. Acta 2003.\n"
    text = "Trees grow^1,3^. Graphs do<sup>2</sup>, too. Some fill 3 m^2^ or cm^2^, and $a^2 + b^2$ of them."
    found = read_text(f"We write.\n\n# Of trees\n\n{text}\n\n## References\n\n{listed}")
    assert [(one.text, [mark.keys for mark in one.marks]) for one in found.sentences()][-3:] == [
        ("Trees grow.", [("1", "3")]),
        ("Graphs do, too.", [("2",)]),
        ("Some fill 3 m² or cm², and $a^2 + b^2$ of them.", []),
    ]


@pytest.mark.parametrize(
    "cited",
    [
        "<sup>[1](https://example.org/c/a)</sup>",
        '<sup><a href="https://example.org/c/a">1</a></sup>',
        "<sup>1, 2</sup>",
        "$^{1}$",
        "$^{[1]}$",
        "^[1]^",
        r"[\[1\]](https://example.org/c/a)",
        r"[(Roe, 2001\)](https://example.org/c/a)",
    ],
)
def test_citations_and_entries_may_be_links_as_those_of_google_docs(cited: str) -> None:
    listed = r"""[\[1\]	Roe, A. (2001). Of trees and falls. *Acta*, *3*.](https://example.org/b/a)

[\[2\]	Doe, B. (2002). Of the growth of graphs. *Acta*, *4*.](https://example.org/b/b)
"""
    found = read_text(f"We write.\n\n# Of trees\n\nTrees grow{cited}.\n\n## References\n\n{listed}")
    (sentence,) = list(found.sentences())[-1:]
    assert (sentence.text, [found.cited[0].key]) == ("Trees grow.", [sentence.marks[0].keys[0]])
    assert [entry.source for entry in found.cited] == [
        "Roe, A. (2001). Of trees and falls. Acta, 3.",
        "Doe, B. (2002). Of the growth of graphs. Acta, 4.",
    ]


@pytest.mark.parametrize("contents", ["[TOC]", "[toc]", "[[_TOC_]]"])
def test_a_list_of_contents_is_no_title(contents: str) -> None:
    text = f"{contents}\n\n# Of trees\n\n## Introduction\n\nTrees grow. They fall as well.\n"
    assert read(text.encode(), "p.md").title == "Of trees"


def test_tags_around_the_entries_of_a_list_are_no_entries() -> None:
    entries = ["Doe, A. (2001). Of <i>trees</i>. <https://doi.org/10.1000/t>", "Roe, B. (2002). Of graphs. *Acta*."]
    made = "".join(f'<div id="ref-{n}" class="csl-entry">\n\n{one}\n\n</div>\n\n' for n, one in enumerate(entries))
    listed = f'<div id="refs" class="references csl-bib-body" entry-spacing="0">\n\n{made}</div>\n'
    found = read(f"# On trees\n\nTrees grow (Doe 2001; Roe 2002).\n\n# References\n\n{listed}".encode())
    assert [one.source for one in found.entries] == [
        "Doe, A. (2001). Of trees. https://doi.org/10.1000/t",
        "Roe, B. (2002). Of graphs. Acta.",
    ]
    assert found.keys == ("Doe 2001", "Roe 2002")
