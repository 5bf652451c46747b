"""Markdown as Obsidian, iA Writer, MultiMarkdown and their kin take it."""

import pytest
from archives import zipped
from growth import NEARLY_LINEAR, growth, that_ends
from project_files import bib

from common.errors import SourceError
from manuscripts.markdown_dialects import parted_abstract, plain
from manuscripts.markdown_keys import defined, without_hashes
from manuscripts.reading import read

NOTES = {
    "Introduction.md": "---\ntags: x\n---\n# Introduction\n\nTrees grow [@a].\n",
    "deep/Notes on 1.2 trees.md": (
        "# Oaks\n\nOaks [@never].\n\n# Old elms: a part #\n\nElms [@b].\n\n## Roots\n\nRoots [@c].\n\n# Else\n\n"
        "Else [@never].\n\n# Last\nNot this [@never].\n\n## It\nBut this [@d]. ^block-1\n"
    ),
    "sketch.excalidraw.md": "# Text Elements\nOak ^a1\n",
    "circle.md": "Round.\n\n![[Thesis]]\n\n![[circle]]\n",
    "refs.bib": bib("a", "b", "c", "d", "@e"),
}


def test_notes_that_obsidian_shows_within_others_are_read() -> None:
    thesis = (
        "---\ntitle: On trees\n---\n\n![[Introduction]]\n\n![[Notes on 1.2 trees#Old elms a part|Elms]]\n\n"
        "![[picture.png|300]]\n\n![[sketch.excalidraw]]\n\n"
        "![[deep/Notes on 1.2 trees.md#^block-1]]\n\n![[circle]]\n\n![[Lost]]\n\n"
        "![[Introduction#Lost]]\n\n![[@a]]\n"
    )
    found = read(zipped({**NOTES, "Thesis.md": thesis}))
    assert (found.title, found.keys) == ("On trees", ("a", "b", "c", "d"))
    assert [section.heading for section in found.sections] == ["Introduction", "Old elms: a part", "Roots"]
    assert [one.with_marks("[]") for one in found.sentences()][:5] == [
        "Trees grow [].",
        "Elms [].",
        "Roots [].",
        "But this [].",
        "Round.",
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
    def read_one(size: int) -> None:
        read(("# T\n\nText.\n\n" + ":::{include} x\n" * size).encode(), "p.md")

    assert growth(read_one, 8_000) < NEARLY_LINEAR


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Trees ==grow *fast*== [[@a#p. 5|5]]. ^id-1\n\n^1a2b\n\nAs [[notes/@b.md]] in 2 == 1 ==.",
         ["Trees grow fast [a].", "As [b] in 2 == 1 ==."]),
        ("See [[paper]][1], `[[Get]]`, `</p>` and elms. [[^a]]\n\n[1]: x.pdf\n[^a]: It grows.",
         ["See [paper], [[Get]], </p> and elms.", "It grows."]),
        ("<svg>\n<text>Axis</text>\n</svg>\n\nTrees grow.", ["Trees grow."]),
        ("See [[Old trees|the old ones]], [[Elms#Roots]], [[Doe 2020]], [[c]](x.md) and ![[x.png]].\n\n`x[[y|z]]`",
         ["See the old ones, Elms, [[Doe 2020]], [c] and.", "x[[y|z]]"]),
        ("> [!quote]- Doe, p. 5\n> Trees grow. [@a]\n\n> [!note]\n> > [!tip]+ Two\n> > They do.",
         ["Doe, p. 5", "Trees grow. [a]", "Two", "They do."]),
        ("%%\nTo do: [@never]\n\nmore\n%%\n\nTrees grow.\n\n```\n%%time\n```\n\nThey do.\n\n```\n%%\n```",
         ["Trees grow.", "They do."]),
        ("Trees {++do ++}{--not--}{~~grow~>thrive~~}{>>see [@never]\nor not<<}, {==all of them==}{-}.",
         ["Trees do thrive, all of them{-}."]),
    ],
)  # fmt: skip
def test_what_obsidian_and_remarks_on_a_text_add_is_no_text(text: str, sentences: list[str]) -> None:
    found = read(zipped({"p.md": f"---\ntitle: T\n---\n\n{text}\n", "refs.bib": bib("a", "b")}))
    shown = []
    for sentence in found.sentences():
        keys = iter([key for mark in sentence.marks for key in mark.keys])
        shown.append("".join(f"[{next(keys)}]" if one == "\0" else one for one in sentence.with_marks("\0")))
    assert (shown, found.unread) == (sentences, ())


@pytest.mark.parametrize(
    "block",
    [
        "> [!abstract]\n> Trees grow\n> fast [@a].\n>\n> They do.",
        "> [!Summary]- In short\n> Trees grow fast [@a].\n>\n> They do.",
        "::: {.abstract}\n## Abstract\n\nTrees grow fast [@a].\n\nThey do.\n:::",
        "::::: abstract\nTrees grow fast [@a].\n\nThey do.\n:::::",
        '<div class="abstract">\n\nTrees grow fast [@a].\n\nThey do.\n</div>',
    ],
)
@pytest.mark.parametrize("front", ["---\ntitle: T\n---\n", "# T\n"])
def test_a_block_that_is_called_so_is_the_abstract(block: str, front: str) -> None:
    text = f"{front}\nAda Lovelace\n\n{block}\n\nText [@b].\n\n> Said before.\n"
    found = read(zipped({"p.md": text, "refs.bib": bib("a", "b")}))
    assert (found.title, found.abstract, found.keys) == ("T", "Trees grow fast.\n\nThey do.", ("a", "b"))
    assert [one.text for one in found.sentences()][2:] == ["Ada Lovelace", "Text.", "Said before."]


MULTIMARKDOWN = """Title: On trees
Author: Ada Lovelace
BibTeX: library

Trees grow [#a]. They do [p. 23][#b], says Doe [Doe][#c;].[^1] See [it](#c) and [this][#anchor].

[^1]: And [see][#doe:2020].

[#doe:2020]: Ann Doe. *On the age of all
trees*. Acta, 2020.

[#anchor]: https://example.org

[#roe]: Bob Roe, *Old elms*, Bern 1999.
"""


def test_works_are_cited_as_multimarkdown_does() -> None:
    found = read(zipped({"p.md": MULTIMARKDOWN, "library.bib": bib("a", "b", "c"), "other.bib": bib("never")}))
    assert [one.with_marks("[]") for one in found.sentences()] == [
        "Trees grow [].",
        "They do [], says Doe []. []",
        "See it and this.",
    ]
    assert (found.title, found.unread) == ("On trees", ())
    assert found.keys == ("a", "b", "c", "doe:2020")
    assert [entry.key for entry in found.entries] == ["a", "b", "c", "doe:2020", "roe"]
    assert "On the age of all trees" in [paper.title for paper in found.entries[3].readings]


def test_works_are_named_by_identifiers_as_manubot_does() -> None:
    text = "---\ntitle: On trees\n---\n\nTrees grow [@tag:old; @url:https://a.org/b; @isbn:9780394603988; @lost].\n\n"
    found = read(zipped({"p.md": f"{text}[@tag:old]: doi:10.1000/A\n[@never]: raw:talk\n\nThey do [@lost]: all.\n"}))
    assert [sentence.text for sentence in found.sentences()] == ["Trees grow.", "They do: all."]
    assert found.keys == ("tag:old", "url:https://a.org/b", "isbn:9780394603988", "lost")
    assert found.keys_without_entry == ("lost",)
    assert {paper.doi for entry in found.cited for paper in entry.readings if entry.key == "tag:old"} >= {"10.1000/a"}


def test_what_looks_like_keys_of_multimarkdown_is_text_where_none_is_known() -> None:
    text = "# On tags\n\nSee [#metoo], [a fix][#12] and [#trees].\n\n[#12]: https://example.org/12\n"
    found = read(zipped({"p.md": text, "refs.bib": bib("a")}))
    assert (found.keys, [one.text for one in found.sentences()]) == ((), ["See [#metoo], a fix and [#trees]."])


@pytest.mark.parametrize(
    "text",
    [
        "## Abstract\n\nTrees grow.\n\n## Towns\n\n> [!summary]\n> Elms fell.",
        "**Abstract.** Trees grow.\n\n# Towns\n\n> [!abstract] Of elms\n> Elms fell.",
        "Trees grow.\n\n## Towns\n\n> [!summary]\n> Elms fell.",
        "::: {.abstract-figure}\nA figure.\n:::\n\n## Abstract\n\nTrees grow.",
        "Trees grow.\n\n```\n::: abstract\nElms fell.\n:::\n```",
    ],
)
def test_a_block_that_is_called_so_within_the_text_is_no_abstract(text: str) -> None:
    assert read(f"# On trees\n\n{text}\n".encode(), "p.md").abstract.startswith("Trees grow.")


@pytest.mark.parametrize(
    ("begin", "unit", "end"),
    [
        *(("", unit, "") for unit in ("{>>", "{~~a~>", "[[a|", "[[@a", "==a", "[#a", "[#a]: b c\n")),
        *(("", unit, "") for unit in ("::: abstract\n", "> [!abstract]\n", "<div class='abstract'>")),
        *(("", "%%\n", "a"), (" ^", "a", "!"), ("", "\n", "# A\n# B\n> [!abstract]\n> a")),
    ],
)
def test_what_nothing_closes_is_read_at_once(begin: str, unit: str, end: str) -> None:
    def read_one(size: int) -> None:
        text = begin + unit * (size // len(unit)) + end
        without_hashes(defined(plain(parted_abstract(f"x\n\n{text}")[1]))[0])

    assert growth(read_one, 200_000) < NEARLY_LINEAR


def test_notes_that_show_each_other_twice_are_read_once_or_refused() -> None:
    def notes(number: int) -> dict[str, str]:
        shown = {f"n{one}.md": f"# A\n\n![[n{one + 1}]]\n\n![[n{one + 1}]]\n" for one in range(number)}
        return {**shown, f"n{number}.md": "Oaks grow."}

    assert [one.text for one in read(zipped(notes(5)), "n0.md").sentences()].count("Oaks grow.") == 2**5
    with that_ends(), pytest.raises(SourceError, match=r"more than 16,000,000 characters with the files"):
        read(zipped(notes(30)), "n0.md")


def test_properties_of_logseq_are_metadata() -> None:
    found = read(b"title:: On trees\nauthor:: Ada Lovelace\n\n- # On trees\n\t- They grow.\n", "p.md")
    assert (found.title, found.authors) == ("On trees", ("Ada Lovelace",))
