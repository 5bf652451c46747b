"""Markdown as Pandoc, Quarto and R Markdown take it."""

import json
import re
import time

import pytest
from archives import zipped
from projects import bib

from common.errors import SourceError
from manuscripts.manuscript import Manuscript
from manuscripts.markdown_dialects import plain
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
    start = time.process_time()
    found = read_text("Text.", f"title: T\na0: &a0 lol\n{levels}references: *a29\n<<: *a0")
    assert (found.title, found.unread) == ("T", ("not read in the metadata of p.qmd: aliases of YAML",))
    assert time.process_time() - start < 3


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


def test_notes_that_stand_in_the_text_name_works_as_others_do() -> None:
    works = ["John Glen, *The creep of ice* [in German], 1955, p. 5.", "Doe, Ann, Ice sheets and the sea, 2019."]
    inline = f"# A title\n\nIce flows.^[See {works[0]}] It melts.^[Note that it did.] It is `^[a]` cold.[^1]\n\n"
    found = read(f"{inline}[^1]: {works[1]}\n".encode(), "p.md")
    assert [entry.source for entry in found.entries] == [work.replace("*", "") for work in works]
    sentences = [(one.text, [key for mark in one.marks for key in mark.keys]) for one in found.sentences()]
    assert sentences[:2] == [("Ice flows.", ["1"]), ("It melts.", [])]
    assert sentences[-1] == ("Note that it did.", [])
    start = time.process_time()
    read(("# A title\n\n" + "^[a [b " * 20_000).encode(), "p.md")
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    "role",
    ["{cite:p}`one,two`", "{cite}`one; two`", "{cite:p}`{see}one{p. 3, and on},{also}two`", "{footcite:t}`one,two`"],
)
def test_roles_cite_with_notes_and_without(role: str) -> None:
    (sentence,) = read_text(f"Text {role}.").sentences()
    assert (sentence.text, [mark.keys for mark in sentence.marks]) == ("Text.", [("one", "two")])


def test_footnotes_in_footnotes_end() -> None:
    assert read_text("[^1]: " * 10_000 + "end").title == "T"


def test_a_bibliography_may_be_named_in_r() -> None:
    front = "title: T\nbibliography: \"`r here::here('refs.bib')`\""
    assert read_text("[@one]", front).unread == ()


@pytest.mark.parametrize(
    "text",
    ["At <https://example.org/@franky/post>.", "At https://example.org/@franky/post.", "[@fig:pipe; @tbl:a], @eq:one"],
)
def test_addresses_and_references_to_figures_cite_nothing(text: str) -> None:
    found = read_text(f"{text} But [@one; @sec:two].", "title: T", "one", "sec:two")
    assert (found.keys, found.unread) == (("one", "sec:two"), ())


@pytest.mark.parametrize(
    "text",
    [
        "# Abstract\n\n## Aim\n\nTo see.\n\n## Results\n\nSeen.\n\n# Body\n\nText.",
        "# Abstract\n\n## Aim\n\nTo see.\n\n### Results\n\nSeen.\n\n## Introduction\n\nText.",
        "## Abstract\n\n**Aim**\n\nTo see.\n\n**Results:** Seen.\n\n## Body\n\nText.",
    ],
)
def test_an_abstract_may_have_headings(text: str) -> None:
    abstract = read_text(text).abstract
    assert "To see.\n\n" in abstract
    assert abstract.endswith("Seen.")


QUARTO_BOOK = """project:
  type: book
book:
  title: "My thesis"
  author: Ada Lovelace
  abstract: All of it.
  chapters:
    - index.qmd
    - part: Methods
      chapters: [b/method.qmd, lost.qmd]
    - a.qmd
  appendices: [more.qmd]
bibliography: b/refs.bib
"""


def book_of(**files: str) -> Manuscript:
    return read(zipped({path.replace("__", "/") + ".qmd": text for path, text in files.items()} | {
        "_quarto.yml": QUARTO_BOOK, "b/refs.bib": bib("one", "two", "three", "four"), "other.bib": bib("never"),
    }))  # fmt: skip


def test_a_book_of_quarto_is_all_its_chapters_in_order() -> None:
    found = book_of(
        index="# Preface\n\nText [@one].",
        a='---\ntitle: "Chapter A"\n---\n\nText [@three].\n\n## Summary\n\nNo abstract.',
        b__method="# Method\n\nText [@two].",
        more="Text [@four].",
        unlisted="---\ntitle: Not this\n---\n\n[@never]",
    )
    assert (found.title, found.abstract, found.authors) == ("My thesis", "All of it.", ("Ada Lovelace",))
    assert found.keys == ("one", "two", "three", "four")
    assert {entry.key for entry in found.entries} == set(found.keys)
    headings = [section.heading for section in found.sections]
    assert headings == ["Abstract", "Preface", "Method", "Chapter A", "Summary", ""]
    assert found.unread == ("not found: chapter lost.qmd",)


TABLE = "| Task | Share |\n|--|--|\n| Span | 0.9 |\n\n: Shares by task {#tbl-a}\n\n"


@pytest.mark.parametrize(
    ("settings", "chapters", "abstract"),
    [
        ("", {"Summary": "In all, nothing."}, "What it is."),
        ("", {"Zusammenfassung": "In all, nothing.", "References {-}": ""}, "What it is."),
        ("  description: Of *all* things.\n", {"Summary": "In all, nothing."}, "Of all things."),
        ("  abstract: Of all things.\n  description: None.\n", {"Abstract": "None."}, "Of all things."),
        ("", {"Abstract": "Of all things."}, "Of all things."),
        ("", {"Samenvatting {#sam .unnumbered}": "Of all things."}, "Of all things."),
    ],
)
def test_the_abstract_of_a_book_is_no_chapter_that_sums_up_the_others(
    settings: str, chapters: dict[str, str], abstract: str
) -> None:
    texts = {"Preface {-}": f"{TABLE}What it is.", "Trees": f"Trees grow.\n\n{TABLE}", **chapters}
    files = {f"{number}.qmd": f"# {heading}\n\n{text}\n" for number, (heading, text) in enumerate(texts.items())}
    book = f"book:\n  title: T\n{settings}  chapters: [{', '.join(files)}]\n"
    found = read(zipped({"_quarto.yml": book, **files}))
    assert (found.title, found.abstract) == ("T", abstract)


@pytest.mark.parametrize("number", ["1. ", "1 ", "I. "])
def test_a_summary_with_the_first_number_is_the_abstract(number: str) -> None:
    text = "# Trees\n\n## %sSummary\n\nThey grow.\n\n## 2. State of the art\n\nNone.\n"
    assert read((text % number).encode(), "p.md").abstract == "They grow."


@pytest.mark.parametrize(
    ("settings", "keys"),
    [("book_filename: b", ("one", "two", "three")), ("rmd_files: [index.Rmd, c.Rmd, a.Rmd]", ("one", "three", "two"))],
)
def test_a_book_of_bookdown_begins_with_its_index(settings: str, keys: tuple[str, ...]) -> None:
    files = {"a.Rmd": "# A\n\n[@two]", "c.Rmd": "# C\n\n[@three]", "_x.Rmd": "[@never]", "refs.bib": bib(*keys)}
    index = "---\ntitle: B\nbibliography: refs.bib\n---\n\n# I\n\n[@one]"
    found = read(zipped({**files, "index.Rmd": index, "_bookdown.yml": settings}))
    assert (found.title, found.keys, found.unread) == ("B", keys, ())


def test_a_project_of_quarto_names_the_bibliography() -> None:
    files = {"p.qmd": "---\ntitle: T\n---\n\n[@one]", "refs.bib": bib("one"), "other.bib": bib("two")}
    found = read(zipped({**files, "_quarto.yml": "bibliography: refs.bib"}))
    assert [entry.key for entry in found.entries] == ["one"]


@pytest.mark.parametrize(
    ("front", "text", "keys"),
    [
        ("title: T", "Write to a@one.org.", []),
        ("title: T", "As [@one] says.", ["one"]),
        ("title: T", r"As \citet{one} says.", ["one"]),
        ("title: T\nabstract: As @one says.", "Text.", ["one"]),
        ('title: T\nnocite: "@*"', "Text.", ["one", "two"]),
    ],
)
def test_a_bibliography_that_nothing_names_is_taken_where_something_is_cited(
    front: str, text: str, keys: list[str]
) -> None:
    assert [entry.key for entry in read_text(text, front).cited] == keys


def test_children_of_r_markdown_are_read() -> None:
    chunks = "```{r, child = c('a.Rmd', \"b.Rmd\")}\n```\n\n```{r}\n#| child: c.Rmd\n```\n\n```{r child=name}\n```\n"
    files = {f"{name}.Rmd": f"[@{name}]" for name in "ab"} | {"refs.bib": bib("a", "b", "z")}
    found = read(zipped({**files, "p.Rmd": f"---\ntitle: T\n---\n\n{chunks}\n```{{r}}\nx@y\n```\n\nEnd [@z]."}))
    assert found.keys == ("a", "b", "z")
    assert set(found.unread) == {"not found: child c.Rmd", "not read: the child name"}


def test_keys_and_references_to_figures_are_no_words_of_title_and_abstract() -> None:
    abstract = "abstract: |\n  As @one and [see @two, p. 3] say, it is so (@fig-one). We write to me\\@here.org.\n"
    found = read_text("Text.", f'title: "Bees after @one"\n{abstract}')
    assert found.title == "Bees after"
    assert found.abstract == "As and say, it is so. We write to me@here.org."
    assert found.keys == ("one", "two")


def test_code_within_lines_is_left_out() -> None:
    (sentence,) = read_text("Of `r nrow(d)` papers `{python} n` cite `x@one` [@two].").sentences()
    assert sentence.with_marks() == "Of papers cite x@one [CITATION]."


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ('![Overview [@one].](x.png){#fig-1 width=80% alt="A b"}\n\n[attention]{.smallcaps} in `x`{.r} is $a_{i=1}$.',
         ["Overview [one].", "attention in x is $a_{i=1}$."]),
        ("| Task |\n|--|\n| Span |\n: Tasks [@one]{.mark} of *all* {#tbl-1}\n\nTable: Others.",
         ["Task", "Span", "Tasks [one] of all", "Others."]),
        ("$$ a = b $$ {#eq-a}\n\nTerm\n:   Meaning [@two].", ["$$ a = b $$", "Term", "Meaning [two]."]),
        (r"As Figure \ref{fig:one}, \eqref{eq:one} and \cref*{a,b} say\label{c}.", ["As Figure, and say."]),
        (r"As Figure \@ref(fig:one) shows, (\#eq:one) is so. (ref:cap) Trees.", ["As Figure shows, is so.", "Trees."]),
        ("One<br>two<BR />three {{< pagebreak >}} {{< var x >}}four.", ["One two three four."]),
        ("One.\n\n\\newpage\n\\vspace{1em} \\clearpage\n\n\\begin{center}\nMid [@one].\n\\end{center}\n\n"
         "\\noindent Two.",
         ["One.", "Mid [one].", "Two."]),
        ("\\begin{table}[h]\\caption[Short]{All of \\cite{one}.}\\end{table}", ["All of [one]."]),
        ("```{=latex}\n\\begin{center}\nRaw \\cite{one}.\n\\end{center}\n```\n\n```{=html}\n<b>x</b>\n```",
         ["Raw [one]."]),
        (r"Text `\cite{one}`{=latex} on `<br>`{=html} it.", ["Text [one] on it."]),
        ("+-----+------+\n| A   | B    |\n+=====+======+\n| x   | long |\n|     | cell |\n+-----+------+\n\n: All.\n",
         ["A", "B", "x", "long cell", "All."]),
        ("(@) First.\n(@good) Second.\n\nAs (@good) and @good show [@one].",
         ["First.", "Second.", "As and show [one]."]),
        ("It is known\n(@one) of old.", ["It is known [one] of old."]),
        ("We ~~do *not* [@two]~~ see H~2~O [@one] from ~5 to ~7.", ["We see H2O [one] from ~5 to ~7."]),
    ],
)  # fmt: skip
def test_what_dialects_add_is_no_text(text: str, sentences: list[str]) -> None:
    found = read_text(text)
    shown = []
    for sentence in found.sentences():
        keys = iter([", ".join(mark.keys) for mark in sentence.marks])
        shown.append(re.sub(r"\[\]", lambda _, keys=keys: f"[{next(keys)}]", sentence.with_marks("[]")))
    assert (shown, found.unread) == (sentences, ())


@pytest.mark.parametrize(
    ("chunk", "captions"),
    [
        ('{r}\n#| label: fig-one\n#| fig-cap: "Data from [@one]."\n#| echo: !expr x', ["Data from."]),
        ("{python}\n#| tbl-cap: |\n#|   Data of\n#|   *all* [@one].\n#| fig-subcap:\n#|   - First.\n#|   - Next.",
         ["Data of all.", "First.", "Next."]),
        ("{ojs}\n//| fig-cap: Data [@one]", ["Data"]),
        ("{mermaid}\n%%| lst-cap: Data [@one]", ["Data"]),
        (r'{r one, fig.cap="Other \"data\" [@one].", echo=FALSE}', ['Other "data".']),
        ("{r, fig.cap=c('First', \"Next [@one].\")}", ["First", "Next."]),
        ('{.python #lst-a lst-cap="A list [@one]."}', ["A list."]),
        ("{r}\nplot(1)\n#| fig-cap: Data [@one]", []),
        ("{r}\n#| fig-cap: [@one", []),
    ],
)  # fmt: skip
def test_captions_of_chunks_of_code_cite(chunk: str, captions: list[str]) -> None:
    found = read_text(f"Text.\n\n```{chunk}\nx <- y@z\n```")
    assert [sentence.text for sentence in found.sentences()] == ["Text.", *captions]
    assert found.keys == (("one",) if captions else ())


@pytest.mark.parametrize(
    "text", ["[ " * 100_000, "{#a " * 100_000, " " * 200_000 + "x", "\\" * 200_000, "(@a) [b] " * 50_000,
             "[" + "[b] " * 50_000, "```{=latex}\n" * 20_000, "\\a{b}" * 50_000 + "!", "+-+\n| |\n" * 20_000]
)  # fmt: skip
def test_dialects_take_no_longer_than_they_should(text: str) -> None:
    start = time.process_time()
    plain(f"(@a) x\n\n{text}")
    assert time.process_time() - start < 3


def notebook(*cells: tuple[str, str]) -> bytes:
    every = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True), "outputs": ["@no"]}
        for kind, text in cells
    ]
    return json.dumps({"cells": every, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1).encode()


def test_a_notebook_is_read_by_its_cells_of_text() -> None:
    cite = 'Done <cite data-cite="one,two">(One, 2001)</cite> and [@three]. Else <cite data-cite="two"></cite>.'
    cells = [("markdown", "# A title\n\nAda"), ("markdown", "## Abstract\n\nWe read."), ("code", "@property\nx")]
    data = notebook(*cells, ("markdown", f"## Introduction\n\n{cite}"), ("raw", "raw"))
    found = read(zipped({"notes/paper.ipynb": data, "notes/refs.bib": bib("one", "two", "three")}))
    assert (found.title, found.abstract, found.unread) == ("A title", "We read.", ())
    assert [section.heading for section in found.sections] == ["A title", "Abstract", "Introduction"]
    assert [mark.keys for mark in found.marks()] == [("one", "two"), ("three",), ("two",)]
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


TYPED = """1. Roe, A. (2001). Of trees and of graphs. *Acta*, *3*. [https://doi.org/10.1000/t](https://doi.org/10.1000/t)
2. Doe, B. (2002). Of the growth \\& of trees. *Acta*.
"""


@pytest.mark.parametrize("key", ["smith2020.", "M&M*2020", "doi:10.1000/x(1)", "a&amp;b", "a`b`", "<b>", "a--b", "k;2"])
def test_any_key_may_stand_in_braces(key: str) -> None:
    found = read_text(f"Trees [@{{{key}}}; see @{{{key}}}, p. 3] grow, says @{{{key}}}.")
    assert [mark.keys for mark in found.marks()] == [(key, key), (key,)]


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("a--b", "a"),
        ("a:b.c", "a:b.c"),
        ("10.1000/x.", "10.1000/x"),
        ("_a_b", "_a_b"),
        ("https://x.org/a", "https://x.org/a"),
    ],
)
def test_signs_of_a_key_without_braces_stand_alone_between_letters(written: str, key: str) -> None:
    assert read_text(f"Trees [@{written}] grow.").keys == (key,)


@pytest.mark.parametrize("heading", ["## References", "## **Works Cited**", "**Bibliography**"])
def test_a_list_that_is_typed_is_the_bibliography_where_no_key_is_cited(heading: str) -> None:
    above = "# A title\n\n## Abstract\n\nWe read.\n\n## Introduction\n\nTrees grow (Roe 2001) \\[2\\]."
    text = f"{above}\n\n{heading}\n\n{TYPED}"
    for data in (zipped({"p.md": f"{text}\n## Appendix\n\nMore."}), f"{text}\n## Appendix\n\nMore.".encode()):
        found = read(data)
        assert (found.title, found.abstract, found.keys, found.unread) == ("A title", "We read.", ("Roe 2001", "2"), ())
        assert [entry.readings[0].doi for entry in found.cited] == ["10.1000/t", ""]
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


def test_notes_name_works_beside_handles_but_not_beside_keys() -> None:
    note = "[^1]: Doe, Ann, Ice sheets and the sea, 2019.\n"
    found = read(f"# On ice\n\nIce flows, says @doe.[^1]\n\n{note}".encode(), "p.md")
    assert [(one.text, [mark.keys for mark in one.marks]) for one in found.sentences()][-1:] == [
        ("Ice flows, says @doe.", [("1",)])
    ]
    assert read(f"# On ice\n\nIce flows [@doe].[^1]\n\n{note}".encode(), "p.md").keys == ("doe",)


def test_superscripts_cite_a_list_that_is_typed() -> None:
    listed = "1. Roe, A. Of trees. Acta 2001.\n2. Doe, B. Of graphs. Acta 2002.\n3. Poe, C. Of falls. Acta 2003.\n"
    text = "Trees grow^1,3^. Graphs do<sup>2</sup>, too. Some fill 3 m^2^ or cm^2^, and $a^2 + b^2$ of them."
    found = read_text(f"We write.\n\n# Of trees\n\n{text}\n\n## References\n\n{listed}")
    assert [(one.text, [mark.keys for mark in one.marks]) for one in found.sentences()][-3:] == [
        ("Trees grow.", [("1", "3")]),
        ("Graphs do, too.", [("2",)]),
        ("Some fill 3 m² or cm², and $a^2 + b^2$ of them.", []),
    ]


def test_an_abstract_without_a_heading_holds_no_code_comments_or_keys() -> None:
    text = "# On trees\n\n<!-- TODO: zebras @old -->\n\nWe study *trees* [@one].\n\n```python\nimport zoology\n```\n"
    found = read(zipped({"p.md": text, "refs.bib": bib("one")}))
    assert (found.title, found.abstract, found.keys) == ("On trees", "We study trees.", ("one",))
