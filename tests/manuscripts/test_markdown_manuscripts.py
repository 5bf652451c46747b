"""Markdown as Pandoc, Quarto and R Markdown take it."""

import re

import pytest
from archives import zipped
from growth import NEARLY_LINEAR, growth, that_ends
from markdown_sources import read_text
from project_files import bib

from manuscripts.markdown_dialects import labels_in, plain
from manuscripts.reading import read

ABSTRACT = "abstract: |\n  We study *Escherichia\n  coli* as others do.\n"
READ_ABSTRACT = "We study Escherichia coli as others do."


@pytest.mark.parametrize(
    ("front", "unread"),
    [
        ("title: A *study*", ()),
        ("title: A *study*\nparams:\n  date: !r Sys.Date()\n  list: !expr [1, 2]\n  map: !x {a: 1}", ()),
        ("title: A *study*\nauthor:\t\n\t- name:\tAda L.\t", ()),
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


@pytest.mark.parametrize(
    "front",
    [
        "% On trees:\n  a *study*\n% Ada Lovelace; Grace\n  Hopper\n% June 2020\n",
        "Title: On trees: a *study*\nAuthor: Ada Lovelace and Grace Hopper\nKey Words: trees\nbibliography: refs.bib\n",
        '+++\ntitle = "On trees: a *study*"\nauthors = ["Ada Lovelace", "Grace Hopper"]\ndate = 2020-01-01\n+++\n',
    ],
)
def test_other_ways_to_write_metadata_are_read(front: str) -> None:
    text = f"{front}\n# Abstract\n\nThey grow.\n\n# Introduction\n\nText [@one].\n"
    found = read(zipped({"p.md": text, "refs.bib": bib("one")}))
    assert (found.title, found.abstract, found.unread) == ("On trees: a study", "They grow.", ())
    assert (found.authors, found.keys) == (("Ada Lovelace", "Grace Hopper"), ("one",))
    assert [section.heading for section in found.sections] == ["Abstract", "Introduction"]


def test_a_comment_of_obsidian_is_no_title() -> None:
    assert read(b"%% To do %%\n\n# On trees\n\nThey grow.\n", "p.md").title == "On trees"


def test_aliases_do_not_make_much_of_little() -> None:
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 50)}]\n" for n in range(1, 30))
    with that_ends():
        found = read_text("Text.", f"title: T\na0: &a0 lol\n{levels}references: *a29\n<<: *a0")
    assert (found.title, found.unread) == ("T", ("not read in the metadata of p.qmd: aliases of YAML",))


@pytest.mark.parametrize(
    "role",
    ["{cite:p}`one,two`", "{cite}`one; two`", "{cite:p}`{see}one{p. 3, and on},{also}two`", "{footcite:t}`one,two`"],
)
def test_roles_cite_with_notes_and_without(role: str) -> None:
    (sentence,) = read_text(f"Text {role}.").sentences()
    assert (sentence.text, [mark.keys for mark in sentence.marks]) == ("Text.", [("one", "two")])


@pytest.mark.parametrize(
    ("text", "key", "name"),
    [
        ("[@doi:10.1000/a.b]", "doi:10.1000/a.b", "10.1000/a.b"),
        ("@https://doi.org/10.1000/a", "https://doi.org/10.1000/a", "10.1000/a"),
        ("[](https://doi.org/10.1000/a)", "10.1000/a", "10.1000/a"),
        ("<doi:10.1000/a>", "10.1000/a", "10.1000/a"),
        ("[@arxiv:1706.03762]", "arxiv:1706.03762", "1706.03762"),
        ("[@pmid:1234567]", "pmid:1234567", "https://pubmed.ncbi.nlm.nih.gov/1234567/"),
    ],
)
def test_a_key_that_is_an_identifier_needs_no_entry(text: str, key: str, name: str) -> None:
    found = read_text(f"Trees grow {text}, as [@one].")
    assert (found.keys, found.unread) == ((key, "one"), ())
    (entry,) = (entry for entry in found.cited if entry.key == key)
    assert {entry.readings[0].doi or entry.readings[0].arxiv or entry.readings[0].url} == {name}


@pytest.mark.parametrize(
    "name",
    [
        "\"`r here::here('refs.bib')`\"",
        "\"`r here::here('paper', 'refs.bib')`\"",
        "!expr here::here('refs.bib')",
        "/refs.bib",
    ],
)
def test_a_bibliography_may_be_named_in_r_or_from_the_top_of_the_project(name: str) -> None:
    assert read_text("[@one]", f"title: T\nbibliography: {name}").unread == ()


@pytest.mark.parametrize(
    "issued", ["2001", "2001-05", "{date-parts: [[2001, 5]]}", "{year: 2001}", "[{year: 2001, month: 5}]"]
)
def test_dates_of_references_are_read_as_pandoc_reads_them(issued: str) -> None:
    found = read_text("As [@a].", f"title: T\nreferences: [{{id: a, type: book, title: On trees, issued: {issued}}}]")
    assert [paper.year for entry in found.cited for paper in entry.readings] == [2001]


def test_metadata_cite_as_well() -> None:
    front = "title: On trees\nthanks: After [@one], by @ada.\nfunding:\n  - statement: See @two\nbibliography: refs.bib"
    found = read_text(
        "Trees grow.", f"{front}\nauthor: [{{name: Ada Lovelace, email: ada@three.org}}]", "one", "two", "three"
    )
    assert (found.listed, found.keys_without_entry) == (("one", "two"), ())
    assert [entry.key for entry in found.cited] == ["one", "two"]


def test_code_in_metadata_is_no_text() -> None:
    found = read_text("Text.", "title: Trees `r x`\nabstract: !expr readLines('a.txt')")
    assert (found.title, found.abstract) == ("Trees", "")


@pytest.mark.parametrize(
    "text",
    [
        "At <https://example.org/@franky/post>.",
        "At https://example.org/@franky/post.",
        "[@fig:pipe; @tbl:a], @eq:one",
        "By @franky@example.org.",
    ],
)
def test_addresses_and_references_to_figures_cite_nothing(text: str) -> None:
    found = read_text(f"{text} But [@one; @sec:two].", "title: T", "one", "sec:two")
    assert (found.keys, found.unread) == (("one", "sec:two"), ())


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (r"We report $\mathrm{nDCG}@10$ and $$\text{P} @k,$$ as others [@one].", ["one"]),
        ("\\begin{align*}\n\\text{P} @k &= 1 \\label{eq:p}\n\\end{align*}\n\nAs [@one] says.", ["one"]),
        # As Pandoc reads them: prices, escaped signs and those of code begin no mathematics.
        (r"It was \$5, said @one, and \$6.", ["one"]),
        ("It was $5 [@one], then $6.", ["one"]),
        ("Between $5–$10 [@one] or 5 $ [@two].", ["one", "two"]),
        ("In `a$b` see @one and `c$d`.", ["one"]),
    ],
)
def test_mathematics_cite_nothing(text: str, keys: list[str]) -> None:
    found = read_text(text)
    assert ([*found.keys], found.unread) == (keys, ())
    assert not any(character in sentence.text for sentence in found.sentences() for character in "\ufffa\ufffc")


def test_a_note_behind_a_key_cites_once() -> None:
    found = read_text("As @one [p. 3; and @two] says, [@two] too.")
    assert [mark.keys for mark in found.marks()] == [("one",), ("two",), ("two",)]


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


@pytest.mark.parametrize("number", ["1. ", "1 ", "I. "])
def test_a_summary_with_the_first_number_is_the_abstract(number: str) -> None:
    text = "# Trees\n\n## %sSummary\n\nThey grow.\n\n## 2. State of the art\n\nNone.\n"
    assert read((text % number).encode(), "p.md").abstract == "They grow."


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
        ("```{figure} x.png\n:name: a\n:alt: None.\n\nTrees {cite:p}`one`.\n```\n\n```{code-cell} python\n@f\n```",
         ["Trees [one]."]),
        ("```{figure} x.png\n---\nwidth: 50%\nname: a\n---\nTrees [@one].\n```", ["Trees [one]."]),
        ("````{admonition} On *it*\n:class: tip\n```{note}\nIn [@one].\n```\n````\n\n```{list-table} All\n* - A\n"
         "  - B\n```",
         ["On it", "In [one].", "All", "A", "B"]),
        (":::{table} All of @one\n:label: t\n\n| a |\n|--|\n:::\n\n:::{figure} x.png\n:width: 4%\nTrees.\n:::",
         ["All of [one]", "a", "Trees."]),
        ("(sec)=\n\nAs {numref}`fig` and @sec show in {ref}`t <u>`, {abbr}`IR (Search)` is.\n\n% [@never]\n\nEnd.",
         ["As and show in, IR (Search) is.", "End."]),
        ('```{block, type="tip"}\nBlock [@one].\n```\n\n```{theorem, t, name="N"}\nThat is so [@two].\n```\n\n'
         "```{block_of}\n@never\n```\n\n```{asis}\nEnd.\n```", ["Block [one].", "That is so [two].", "End."]),
        (":::{note}\n:class: a\nOne.\n:::\n:smile: Two.", ["One.", ":smile: Two."]),
        ("Trees %%[@never]%% grow in [[@one|One 2020]].", ["Trees grow in [one]."]),
        ('<div class="a">\nOne [@one].\n</div>\n\n<table>\n<tr><td>Two</td><td>three</td></tr>\n</table>',
         ["One [one].", "Two three"]),
        ("<script>\nvar x = '[@never]'\n\ny()\n</script>\n\nUse `<pre>`, then `</pre>`.\n\n<pre>\n@never</pre>\n",
         ["Use <pre>, then </pre>."]),
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
    ("begin", "unit", "end"),
    [
        *(("", unit, "") for unit in ("[ ", "{#a ", "\\", "(@a) [b] ", "```{=latex}\n", "+-+\n| |\n", "<pre>\n")),
        *(("", " ", "x"), ("[", "[b] ", ""), ("", "\\a{b}", "!")),
    ],
)
def test_dialects_take_no_longer_than_they_should(begin: str, unit: str, end: str) -> None:
    def read_one(size: int) -> None:
        text = begin + unit * (size // len(unit)) + end
        plain(f"(@a) x\n\n{text}")
        list(labels_in(text))

    assert growth(read_one, 200_000) < NEARLY_LINEAR


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


def test_an_abstract_without_a_heading_holds_no_code_comments_or_keys() -> None:
    text = "# On trees\n\n<!-- TODO: zebras @old -->\n\nWe study *trees* [@one].\n\n```python\nimport zoology\n```\n"
    found = read(zipped({"p.md": text, "refs.bib": bib("one")}))
    assert (found.title, found.abstract, found.keys) == ("On trees", "We study trees.", ("one",))
