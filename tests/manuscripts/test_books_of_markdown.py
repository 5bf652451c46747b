"""Books and projects of Quarto, bookdown, Jupyter Book and MyST, whose text lies in several files."""

from pathlib import Path

import pytest
from archives import zipped
from notebooks import notebook
from project_files import bib, write_files

from manuscripts import Manuscript, read_manuscript
from manuscripts.holding import holds_manuscript
from manuscripts.reading import read

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


def test_children_of_r_markdown_are_read() -> None:
    chunks = "```{r, child = c('a.Rmd', \"b.Rmd\")}\n```\n\n```{r}\n#| child: c.Rmd\n```\n\n```{r child=name}\n```\n"
    chunks += "```{include} d.md\n```\n\n{{< include /e/e.Rmd >}}\n"
    files = {f"{name}.Rmd": f"[@{name}]" for name in ("a", "b", "e/e")} | {"d.md": "[@d]"}
    files |= {"refs.bib": bib("a", "b", "d", "e/e", "z")}
    found = read(zipped({**files, "p.Rmd": f"---\ntitle: T\n---\n\n{chunks}\n```{{r}}\nx@y\n```\n\nEnd [@z]."}))
    assert found.keys == ("a", "b", "d", "e/e", "z")
    assert set(found.unread) == {"not found: child c.Rmd", "not read: the child name"}


JUPYTER_CONTENTS = """format: jb-book
root: intro
parts:
  - caption: Growth
    chapters:
    - file: ch/one
      sections:
      - file: ch/two
    - url: https://example.org
  - chapters: [{file: ch/three}]
"""
JUPYTER_LIST = """- file: intro
- part: Growth
  chapters:
  - file: ch/one
    sections: [{file: ch/two}]
- url: https://example.org
- file: ch/three
"""
MYST = """project:
  title: On trees
  authors: [{name: Ada Lovelace}]
  bibliography: [refs.bib]
  toc:
    - file: intro.md
    - title: Growth
      children: [{file: ch/one.md}, {file: ch/two.ipynb}]
    - file: ch/three.md
"""


@pytest.mark.parametrize(
    "settings",
    [
        {
            "_toc.yml": JUPYTER_CONTENTS,
            "_config.yml": "title: On trees\nauthor: Ada Lovelace\nbibtex_bibfiles: [refs.bib]",
        },
        {
            "_toc.yml": f"# As it was\n---\n{JUPYTER_LIST}",
            "_config.yml": "title: On trees\nauthor: Ada Lovelace\nbibtex_bibfiles: [refs.bib]",
        },
        {"myst.yml": MYST},
        {
            "_quarto.yml": "bibliography: refs.bib\nbook:\n  title: On trees\n  author: Ada Lovelace\n"
            "  chapters: [intro.md, ch/one.md, ch/two.ipynb, ch/three.md]"
        },
    ],
)
def test_chapters_are_named_in_each_projects_own_way_and_may_be_notebooks(
    settings: dict[str, str], tmp_path: Path
) -> None:
    files: dict[str, str | bytes] = {
        "intro.md": "# Welcome\n\nTrees grow {cite}`a`.",
        "ch/one.md": "# One\n\nThey do {cite:p}`b`.",
        "ch/two.ipynb": notebook(("markdown", "# Two\n\nAs [@c] says."), ("code", "@property\nx")),
        "ch/three.md": "# Three\n\nAnd [@d].",
        "refs.bib": bib("a", "b", "c", "d"),
        "other.bib": bib("never"),
    }
    write_files(files | settings, tmp_path)
    assert holds_manuscript(tmp_path)
    found = read_manuscript(tmp_path)
    assert (found.title, found.authors, found.abstract) == ("On trees", ("Ada Lovelace",), "Trees grow.")
    assert (found.keys, found.unread) == (("a", "b", "c", "d"), ())
    assert [entry.key for entry in found.entries] == ["a", "b", "c", "d"]
    assert [section.heading for section in found.sections] == ["Welcome", "One", "Two", "Three"]
    # One chapter knows the bibliography of its project, too.
    assert [entry.key for entry in read_manuscript(tmp_path / "ch" / "three.md", part=True).cited] == ["d"]


@pytest.mark.parametrize(
    ("files", "read_from"),
    [
        (  # of Manubot
            {
                "content/metadata.yaml": "---\ntitle: On trees\nauthors: [{name: Ada Lovelace}]\n---\n",
                "content/00.front-matter.md": "{##\n  A template.\n##}\n{% for a in b %}\n+ {{a.name}}\n{% endfor %}\n",
                "content/01.abstract.md": "## Abstract {.page_break_before}\n\nTrees grow.\n",
                "content/02.main.md": "## Introduction\n\nThey do [@doi:10.1000/a].\n",
                "content/10.end.md": "## End\n\nThey did [@doi:10.1000/b].\n",
            },
            ("content/01.abstract.md", "content/02.main.md", "content/10.end.md"),
        ),
        (  # as `pandoc metadata.yml text/*.md` takes them
            {
                "metadata.yml": "title: On trees\nauthor: Ada Lovelace\nabstract: Trees grow.\n",
                "text/1-intro.md": "# Introduction\n\nThey do [@doi:10.1000/a].\n",
                "text/2-more.md": "# More\n\nThey may.\n",
                "text/10-end.md": "# End\n\nThey did [@doi:10.1000/b].\n",
            },
            ("metadata.yml", "text/1-intro.md", "text/2-more.md", "text/10-end.md"),
        ),
        (  # as `pandoc --defaults thesis.yaml` takes them
            {
                "thesis.yaml": (
                    "input-files: [zero.md, one.md, two.md]\nfile-scope: true\nbibliography: refs.bib\n"
                    "metadata: {title: On trees, author: Ada Lovelace, abstract: Trees grow.}\n"
                ),
                "zero.md": "# Introduction\n\nThey do [@doi:10.1000/a].[^1]\n\n[^1]: One.\n",
                "two.md": "# End\n\nThey did.[^1]\n\n[^1]: [@doi:10.1000/b].\n",
                "one.md": "# More\n\nThey may.\n",
            },
            ("zero.md", "one.md", "two.md"),
        ),
    ],
)
def test_numbers_put_chapters_in_a_row(files: dict[str, str], read_from: tuple[str, ...], tmp_path: Path) -> None:
    write_files({"refs.bib": bib("never"), "README.md": "# About\n", **files}, tmp_path)
    assert holds_manuscript(tmp_path)
    found = read_manuscript(tmp_path)
    assert (found.title, found.authors, found.abstract) == ("On trees", ("Ada Lovelace",), "Trees grow.")
    assert (found.keys, found.unread) == (("doi:10.1000/a", "doi:10.1000/b"), ())
    places = [sentence.place.file for sentence in found.sentences() if sentence.place]
    assert tuple(dict.fromkeys(places))[-3:] == read_from[-3:]


def test_papers_that_have_numbers_are_read_alone() -> None:
    files = {f"{number}-paper.md": f"---\ntitle: {number}\n---\n\nThe end.\n" for number in (1, 2)}
    found = read(zipped({**files, "README.md": "# About\n"}))
    assert (found.title, [sentence.text for sentence in found.sentences()]) == ("1", ["The end."])
    assert [sentence.place and sentence.place.file for sentence in found.sentences()] == ["1-paper.md"]


@pytest.mark.parametrize(("notes", "read_of_them"), [(99, 99), (100, 1)])
def test_more_than_a_book_has_chapters_are_notes(notes: int, read_of_them: int) -> None:
    found = read(
        zipped({f"{number:03} note.md": f"# Note {number}\n\nThe end.\n" for number in range(notes)}), part=True
    )
    assert len([sentence for sentence in found.sentences() if sentence.text == "The end."]) == read_of_them


def test_what_was_made_of_a_chapter_is_no_other_chapter() -> None:
    files = {f"{number}-part.{ending}": f"# Part {number}\n" for number in (1, 2) for ending in ("Rmd", "md")}
    found = read(zipped({**files, "3-part.md": "# Part 3\n\nThe end.\n"}), part=True)
    assert [section.heading for section in found.sections] == ["Part 1", "Part 2", "Part 3"]


@pytest.mark.parametrize(
    "latex",
    [
        {"preamble.tex": r"\newenvironment{wide}{\begin{landscape}}{\end{landscape}}"},
        {"paper.tex": r"\documentclass{article}\begin{document}Made of it.\end{document}"},
        {"letter/cover-letter.tex": r"\documentclass{letter}\begin{document}Dear editor.\end{document}"},
    ],
)
@pytest.mark.parametrize("packed", [True, False])
def test_a_paper_is_read_beside_latex_that_it_takes_in_or_that_was_made_of_it(
    latex: dict[str, str], packed: bool, tmp_path: Path
) -> None:
    contents = {"paper.Rmd": "---\ntitle: On trees\nabstract: They grow.\n---\n\n# Growth\n\nThey do.", **latex}
    write_files(contents, tmp_path)
    found = read(zipped(contents)) if packed else read_manuscript(tmp_path)
    assert (found.title, found.abstract, found.unread) == ("On trees", "They grow.", ())


def test_of_several_versions_it_is_said_which_was_read() -> None:
    files = {f"paper_{name}.md": f"---\ntitle: {name}\n---\n\nText {name}.\n" for name in ("v1", "old", "final")}
    assert read(zipped({**files, "cover letter.md": "---\ntitle: L\n---\n"})).unread == (
        "paper_final.md was read, though it may as well be paper_old.md, paper_v1.md: name the file that is meant",
    )
    assert read(zipped({**files, "paper.md": files["paper_v1.md"], "paper.pdf": b"%PDF-"})).unread == ()


def test_a_paper_beside_numbered_notes_is_named_as_not_read() -> None:
    notes = {"01 Inbox.md": "# Inbox\n\nTo do.\n", "02 Reading.md": "# Reading\n\nOf trees.\n", "abstract.md": "# A\n"}
    assert read(zipped(notes)).unread == ()
    assert read(zipped({**notes, "Essay.md": "# Trees\n\nThey grow [@a].\n", "refs.bib": bib("a")})).unread == (
        "01 Inbox.md to 02 Reading.md were read as chapters, though it may as well be Essay.md: "
        "name the file that is meant",
    )


def test_a_note_on_a_work_is_no_paper_and_one_with_a_title_may_be() -> None:
    files = {"A paper.md": "# On trees\n\nThey grow [@a].\n", "refs.bib": bib("a")}
    note = "---\ntitle: Growth\n---\n\nIt is said.\n"
    found = read(zipped({**files, "@a.md": note}))
    assert (found.title, found.unread) == ("On trees", ())
    found = read(zipped({**files, "Growth.md": note}))
    assert found.unread == ("Growth.md was read, though it may as well be A paper.md: name the file that is meant",)


def test_markdown_without_any_heading_is_read_where_nothing_else_is(tmp_path: Path) -> None:
    (tmp_path / "saved as.md").write_text("**On trees**\n\nAda Lovelace\n\n**Abstract**\n\nThey grow.\n")
    (tmp_path / "requirements.txt").write_text("trees\n")
    assert read_manuscript(tmp_path).abstract == "They grow."


@pytest.mark.parametrize(
    "papers",
    [
        {"paper/paper.md": "---\ntitle: T\n---\n\n# Summary\n\nTrees grow."},
        {"paper.md": "---\ntitle: T\n---\n\n# Summary\n\nTrees grow."},
        {"trees.md": "---\ntitle: T\nabstract: Trees grow.\n---\n"},
        {"paper.md": "# T\n\n## Abstract\n\nTrees grow.\n\n## Trees\n\nThey do [@one].", "refs.bib": bib("one")},
        {"paper.typ": '#set document(title: "T")\n= Abstract\nTrees grow.'},
        {
            "t.ipynb": notebook(("markdown", "# T\n\n## Abstract\n\nTrees grow.")),
            "docs/_toc.yml": "root: index.rst",
            "docs/index.md": "",
        },
    ],
)
def test_a_paper_beside_the_documents_of_its_software_is_read(papers: dict[str, str]) -> None:
    contents = {
        "docs/_toc.yml": "format: jb-book\nroot: index\nchapters: [{file: lost}]",
        "docs/index.md": "# Install\n",
    }
    found = read(zipped({**contents, **papers}))
    assert (found.title, found.abstract, found.unread) == ("T", "Trees grow.", ())


def test_names_of_figures_and_sections_in_other_chapters_are_no_keys_unless_an_entry_has_them() -> None:
    refers = "See @oaks, @suppfig-elms, [@ashes], @setup and @plot. But @two and @four [@unknown]."
    found = book_of(
        index=f"# Preface {{#two}}\n\n{refers}",
        a='::: {layout="2" #suppfig-elms}\n![E](e.png)\n\nElms\n:::\n\n## Setup {.unnumbered #setup}\n\nText.',
        b__method="(oaks)=\n# Oaks\n\n:::{figure} a.png\n:label: ashes\nAshes\n:::\n\n```{r}\n#| label: plot\nx\n```",
    )
    assert found.keys == ("two", "four", "unknown")
    assert "See @oaks, @suppfig-elms, [@ashes], @setup and @plot." in [one.text for one in found.sentences()]


def test_labels_in_the_code_of_a_notebook_are_no_keys() -> None:
    data = notebook(("raw", "---\ntitle: T\n---"), ("code", "#| label: plot\nx = 1"), ("markdown", "In @plot by @one."))
    assert read(zipped({"paper.ipynb": data, "refs.bib": bib("one")})).keys == ("one",)


def test_a_project_of_quarto_says_which_file_is_the_manuscript() -> None:
    settings = "project: {type: manuscript}\nmanuscript: {article: text.qmd}\nbibliography: refs.bib\n"
    files = {f"{name}.qmd": f"---\ntitle: {name}\n---\n\n[@one]" for name in ("index", "old", "text")}
    found = read(zipped({**files, "_quarto.yml": settings, "refs.bib": bib("one"), "other.bib": bib("two")}))
    assert (found.title, found.abstract, found.unread) == ("text", "", ())
    assert [entry.key for entry in found.entries] == ["one"]


def test_sentences_of_notebooks_are_looked_for_in_no_other_chapter() -> None:
    notes = notebook(("markdown", "# Two\n\nIn this chapter we count trees. They are of two kinds."))
    more = "\n\n# More\n\n" + "It is said. " * 9
    texts = {"a.md": f"# One\n\nIn this chapter we plant trees.{more}", "b.ipynb": notes}
    texts |= {
        "c.md": "# Three\n\nIn this chapter we cut trees.",
        "_toc.yml": "root: a\nchapters: [{file: b}, {file: c}]",
    }
    places = [
        sentence.place and (sentence.place.file, sentence.place.line) for sentence in read(zipped(texts)).sentences()
    ]
    assert [place for place in places if place != ("a.md", 7)] == [("a.md", 3), None, None, ("c.md", 3)]


def test_the_title_of_the_only_text_of_a_project_is_its_own() -> None:
    files = {"p.md": "---\ntitle: Mine\n---\n\n[@a]", "refs.bib": bib("a")}
    assert read(zipped({**files, "myst.yml": "project:\n  title: Theirs\n  toc: [{file: p.md}]"})).title == "Mine"


def test_a_book_of_which_one_chapter_is_written_is_a_book() -> None:
    settings = "book: {title: On trees, description: All of them., chapters: [index.qmd]}"
    found = read(zipped({"_quarto.yml": settings, "index.qmd": "---\ntitle: Preface\n---\n\nThey grow."}))
    assert (found.title, found.abstract) == ("On trees", "All of them.")
    assert [section.heading for section in found.sections] == ["Preface"]
    index = "---\ntitle: On trees\ndescription: All of them.\n---\n\n# Preface\n\nThey grow."
    found = read(zipped({"_bookdown.yml": "book_filename: trees", "index.Rmd": index}))
    assert (found.title, found.abstract) == ("On trees", "All of them.")
