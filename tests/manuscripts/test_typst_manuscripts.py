"""Manuscripts in Typst, as its documentation and the usual templates write them."""

import json
from collections import Counter
from pathlib import Path

import pytest
from archives import zipped
from project_files import bib, write_files

from common.errors import SourceError
from manuscripts import read_manuscript
from manuscripts.manuscript import Manuscript
from manuscripts.reading import read

KEYS = ("roe", "doe", "poe", "moe", "DBLP:conf/x", "a.b:c-d")
TITLE = "#set document(title: [One])\n"
BIBLIOGRAPHY = '#bibliography("refs.bib")\n'

# What `typst init @preview/charged-ieee` makes, shortened.
IEEE = """#import "@preview/charged-ieee:0.1.3": ieee

// The title says it all: @never
#show: ieee.with(
  title: [A Typesetting System to _Untangle_ the Scientific Writing Process],
  abstract: [
    The process of scientific writing is often tangled @roe. We, a "short" team, untangle it. /* @never */
  ],
  authors: (
    (name: "Martin Haug", department: [Co-Founder], email: "haug@typst.app"),
    (name: "Laurenz Mädje", organization: [Typst GmbH], email: "maedje@typst.app"),
  ),
  index-terms: ("Scientific writing", "Typesetting"),
  bibliography: bibliography("refs.bib"),
  figure-supplement: [Fig.],
)
#set heading(numbering: "1.")
#set math.equation(numbering: "(1)")

= Introduction <sec:intro>
Scientific writing is a crucial part of research @roe @doe[p. 7].
It is tedious (see @sec:intro and @fig:net).#footnote[See also @poe, p. 3.] The end.#footnote[It was #cite(<moe>, form:
"prose") who said so.]

#figure(
  image("net.svg", width: 80%),
  caption: [A net, as in @doe.],
) <fig:net>

== Paper overview
- In this *paper* we write $x_1 @ y$ and `@code`~-- not ```typ #cite(<never>)``` --- but #emph[do cite #cite(<moe>)].
- mail\\@roe.org, https://example.org/@roe//x // @never

#let note = [as noted by @poe]
#quote(attribution: <doe>, block: true)[We agree, #note.]
$ a = b #h(1em) "if" c $ <eq:one>
By @eq:one, #cite(label("DBLP:conf/x"), supplement: [p.~7]) and @a.b:c-d.
#cite(<poe>, form: none)
"""


def project(text: str, **files: str) -> Manuscript:
    return read(zipped({"main.typ": text, "refs.bib": bib(*KEYS)} | {f"{n}.typ": other for n, other in files.items()}))


def sentences(found: Manuscript) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.text, tuple(key for mark in one.marks for key in mark.keys)) for one in found.sentences()]


def text_of(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return sentences(project(f"{TITLE}{text}\n\n{BIBLIOGRAPHY}"))


def test_a_paper_in_a_usual_template_is_read() -> None:
    found = project(IEEE)
    assert found.title == "A Typesetting System to Untangle the Scientific Writing Process"
    assert found.abstract == 'The process of scientific writing is often tangled. We, a "short" team, untangle it.'
    assert found.authors == ("Martin Haug", "Laurenz Mädje")
    assert found.markup == "typst"
    assert found.unread == ()
    assert [(section.heading, section.level) for section in found.sections] == [
        ("Abstract", 0),
        ("Introduction", 1),
        ("Paper overview", 2),
    ]
    assert sentences(found)[2:] == [
        ("Scientific writing is a crucial part of research.", ("roe", "doe")),
        ("It is tedious (see and).", ("poe",)),
        ("The end.", ()),
        ("It was who said so.", ("moe",)),
        ("A net, as in.", ("doe",)),
        ("In this paper we write x_1 @ y and @code – not — but do cite.", ("moe",)),
        ("mail@roe.org, https://example.org/@roe//x", ()),
        ("We agree, as noted by.", ("poe",)),
        ('a = b #h(1em) "if" c By,.', ("doe", "DBLP:conf/x", "a.b:c-d")),
    ]
    assert found.listed == ("poe",)
    assert {entry.key for entry in found.entries} == set(KEYS)


# Typst's own tutorial makes title and abstract by hand.
BY_HAND = (
    """#set page(paper: "a4", columns: 2)
#set par(justify: true)
#show heading.where(level: 1): it => block(width: 100%)[#set align(center); #it.body @never]
#place(top + center, scope: "parent", float: true, {
  align(center, text(17pt)[*A fluid dynamic model \\ for glacier flow*])
  grid(columns: (1fr, 1fr), align(center)[Therese Tungsten \\ #link("mailto:t@tung.edu")], [Dr. John Doe])
  align(center)[
    #set par(justify: false)
    *Abstract* \\
    We flow, as ice does @roe.
  ]
})

= Introduction
Ice flows.#footnote[@roe] #if true [It melts @doe.] else [Never.]
#let count = 3
#for name in ("a", "b") [Again @poe. ]
#table(columns: 2, [Model], [Source], [One], [#cite(<roe>)], table.cell(colspan: 2)[@moe])
"""
    + BIBLIOGRAPHY
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A claim @roe @doe. Another by @poe[p. 3][x].", [("A claim.", ("roe", "doe")), ("Another by [x].", ("poe",))]),
        ("At mail@roe, @roe: and @doe.", [("At mail: and.", ("roe", "roe", "doe"))]),
        ("A \\@b \\#c \\u{1f600} `@roe` \\`@doe\\`.", [("A @b #c 😀 @roe ` `.", ("doe",))]),
        ("One // @roe\ntwo /* @doe\n\n */ three https://a.b//c.", [("One two three https://a.b//c.", ())]),
        ("/* out /* in */ @roe */ One. /* /* /* */ */ @doe */ Two @poe. /* open /* @moe */", [("One.", ()),
         ("Two.", ("poe",))]),
        ("One.\n\nTwo.\n- Three\n+ Four\n/ Five: six", [("One.", ()), ("Two.", ()), ("Three", ()),
         ("Four", ()), ("Five: six", ())]),
        ("We#footnote[Words @roe.]<fn> write#footnote(<fn>).", [("We write.", ()), ("Words.", ("roe",))]),
        ("We#footnote[@roe] write#footnote[see #cite(<doe>)].", [("We write.", ("roe", "doe"))]),
        ("#let fn(x) = footnote(x)\n#let n = footnote\nWe#fn[Words @roe.] write#n[@doe], so#todo[Why?].",
         [("We write, so.", ("doe",)), ("Words.", ("roe",)), ("Why?", ())]),
        ("#let fn(x, y: 1) = [#footnote[See #x]]\n#let n = x => { footnote(x) }\nWe#fn[one] write#n[two].",
         [("We write.", ()), ("one", ()), ("two", ())]),
        ("We#footnote[One#footnote[Two @roe.].] write#footnote(\"three\").",
         [("We write.", ()), ("One.", ()), ("Two.", ("roe",)), ("three", ())]),
        ("By #cite(<roe>, form: \"prose\"), #cite(<doe>, supplement: [p. 3]).", [("By,.", ("roe", "doe"))]),
        ("#emph[We *are* #text(fill: red)[red @roe]] now.", [("We are red now.", ("roe",))]),
        ("#let us = [we @roe]\n#let f(x) = [Never @never #x]\nSo #us write.", [("So we write.", ("roe",))]),
        ("#set text(\n  lang: \"de\",\n)\n#show \"x\": [y]\nText.", [("Text.", ())]),
        ("#{ let a = [no]; [yes @roe]; emph[and @doe] }", [("yes", ("roe", "doe"))]),
        ("$ x_1 = \"]\" $ <eq:a> and #[b ] c", [('x_1 = "]" and b c', ())]),
        ("#link(\"https://a.b\")[here @roe]; #h(1em)there", [("here there", ("roe",))]),
        ("See @fig:lost and @tab:lost.", [("See and.", ())]),
        ("#let c(..k) = k\nBy #c(<roe>, 4) and #c(<doe>, <lost>) #link(<lost>)[it].", [("By it.", ("roe", "doe"))]),
        ("#subpar.grid(figure([One]), <a>, figure([Two]), <b>, label: <all>)\n\nSee @a, @b and @all.",
         [("One", ()), ("Two", ()), ("See, and.", ())]),
        ("We #strike[do not @roe] agree #strike(\"no\")@doe.", [("We agree.", ("doe",))]),
    ],
)  # fmt: skip
def test_markup_and_code_are_told_apart(text: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert text_of(text) == expected


def test_title_and_abstract_that_are_made_by_hand_are_found() -> None:
    found = project(BY_HAND)
    assert (found.title, found.abstract) == ("A fluid dynamic model for glacier flow", "We flow, as ice does.")
    assert [key for mark in found.marks() for key in mark.keys] == ["roe", "roe", "doe", "poe", "roe", "moe"]


@pytest.mark.parametrize(
    ("text", "title", "abstract"),
    [
        ("#set document(title: [One _two_])\n= Abstract\nWe. @roe\n= Introduction\nNo.", "One two", "We."),
        ('#let t = "One"\n#show: doc => conf(title: t, abstract: [We.], doc)\nText.', "One", "We."),
        ("#title[One]\n*Abstract.* We.\n\nText.", "One", "We."),
        ("= One\n== Abstract\nWe.\n== More\nNo.", "One", "We."),
        ("#paper(title: [One], author: [A], abstract: [We.])[= Text]", "One", "We."),
        ('#set document(title: "One")\n#abstract[We.]\n= A\n= B\nText.', "One", "We."),
    ],
)
def test_title_and_abstract_are_found_however_they_are_told(text: str, title: str, abstract: str) -> None:
    found = project(f"{text}\n{BIBLIOGRAPHY}")
    assert (found.title, found.abstract) == (title, abstract)


PARTS = {
    "main.typ": '#import "parts/template.typ": conf\n#show: conf.with(title: [One], bib: "refs.bib")\n'
    '#include "parts/intro.typ"\n#include "/parts/end.typ"\n#include "lost.typ"\n',
    "parts/template.typ": "#let conf(title: none, bib: none, body) = {\n  [Never @never]\n  body\n}\n",
    "parts/intro.typ": '= Intro\nHere @roe.\n#include "more.typ"\n',
    "parts/more.typ": "And here @doe.",
    "parts/end.typ": "= End\nThere @poe.",
    "refs.bib": bib(*KEYS),
    "other.bib": bib("never"),
    "notes.typ": "= Notes\nOnly notes.",
}


def test_a_project_is_read_from_its_main_file(tmp_path: Path) -> None:
    write_files(PARTS, tmp_path)
    for found in (read(zipped(PARTS)), read_manuscript(tmp_path), read_manuscript(tmp_path / "main.typ")):
        assert (found.title, found.keys, found.unread) == (
            "One",
            ("roe", "doe", "poe"),
            ('not found: include "lost.typ"',),
        )
        assert {entry.key for entry in found.entries} == set(KEYS)
        places = [(one.place.file, one.place.line) for one in found.sentences() if one.place]
        assert places == [("parts/intro.typ", 2), ("parts/more.typ", 1), ("parts/end.typ", 2)]


def test_files_that_include_each_other_are_refused() -> None:
    with pytest.raises(SourceError, match=r"include each other in a circle: main.typ → a.typ → main.typ"):
        project('#include "a.typ"', a='#include "main.typ"')


def test_a_file_without_a_name_is_known_by_its_content() -> None:
    found = read(b"#set page(width: 10cm)\n= One\nText @roe.\n")
    assert (found.title, found.keys, found.markup) == ("One", ("roe",), "typst")
    assert found.unread == ("no entry for the key roe",)


def test_all_of_a_bibliography_may_be_listed() -> None:
    assert project('= One\n#bibliography("refs.bib", full: true)').listed == KEYS


HAYAGRIVA = """
roe:
  type: article
  title: {value: On trees, short: Trees}
  author: ["Roe, Ada", {name: Berg, prefix: van der, given-name: Jan}]
  date: 2019-05
  parent: {type: periodical, title: Acta}
  serial-number: {doi: 10.1000/A}
doe: {type: book, title: Of graphs, author: "Doe, Bo", date: 2001, serial-number: {arxiv: "2001.00001v2"}}
moe: {type: web, url: {value: "https://doi.org/10.1000/B", date: 2020-01-02}}
koe: {type: web, url: https://arxiv.org/abs/2001.00002}
loe: {type: web, url: https://example.org/10}
poe: [1, 2]
"""


THESIS = {
    "main.typ": """#import "layout/thesis.typ": *
#import "names.typ": *
#import "terms.typ": terms
#show: make-glossary
#register-glossary(terms)
#set document(title: english)
#show: thesis.with(
  title: english, author: author, abstract_de: include "de.typ", abstract_en: include "parts/en.typ",
  thanks: include "thanks.typ")
#include "parts/one.typ"
Many @llm:pl and @llm by #us see #gls("rag") and #acrpl("OS") @roe @plain:key.
#bibliography("refs.bib")""",
    "layout/thesis.typ": """#import "../main.typ": *
#import "../names.typ" as told
#set document(title: "A template")
#let thesis(title: "", body) = { [Made by @never]; body }
#let aside(body) = footnote(body)
Text @never.""",
    "names.typ": '#let english = "On trees"\n#let author = "Ada Lovelace"\n#let us = [Acme]',
    "terms.typ": """#let terms = ((key: "llm", short: "LLM", long: "language model"),
      (key: "rag", long: [augmented generation]))""",
    "de.typ": "Ein Abriss.",
    "parts/en.typ": "We study trees @roe.",
    "thanks.typ": "Thanks to all.",
    "parts/one.typ": '#import "/names.typ"\n= One\nBy #names.us it is so#aside[As @roe and others say].',
    "refs.bib": bib("roe"),
}


def test_of_imported_files_only_definitions_are_read() -> None:
    found = read(zipped(THESIS), "main.typ")
    assert (found.title, found.abstract, found.authors) == ("On trees", "We study trees.", ("Ada Lovelace",))
    assert [sentence.text for sentence in found.sentences()] == [
        "We study trees.",
        "Thanks to all.",
        "By Acme it is so.",
        "As and others say",
        "Many LLM and LLM by Acme see augmented generation and OS.",
    ]
    assert (found.keys, found.unread) == (("roe", "plain:key"), ("no entry for the key plain:key",))


def test_a_bibliography_of_typst_is_read() -> None:
    files = {"main.typ": '= One\nText @roe @doe @poe. #bibliography(("works.yml",))', "works.yml": HAYAGRIVA}
    found = read(zipped(files))
    works = [(p.title, p.authors, p.year, p.venue, p.doi, p.arxiv) for entry in found.entries for p in entry.readings]
    assert works == [
        ("On trees", ("Ada Roe", "Jan van der Berg"), 2019, "Acta", "10.1000/a", ""),
        ("Of graphs", ("Bo Doe",), 2001, "", "", "2001.00001"),
        ("", (), None, "", "10.1000/b", ""),
        ("", (), None, "", "", "2001.00002"),
    ]
    assert found.unread == ("no entry for the key poe",)


@pytest.mark.parametrize(
    "text", ["[" * 20_000, "#a(" * 20_000, "#let a = [#b #b]\n#let b = [#a #a]\n#a", "/*" * 9, "#show: a.with(("]
)
def test_what_would_not_end_is_refused_in_one_line_or_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "main.typ").write_text(f"= One\n{text}")
    try:
        assert read_manuscript(tmp_path / "main.typ").title == "One"
    except SourceError as error:
        assert "\n" not in str(error)


LOCAL = """
#let ieee(
  title: none, abstract: none, authors: (), index-terms: (), bibliography: none, figure-supplement: [], body
) = {
  title
  abstract
  body
  bibliography
}
"""
ORACLE = {
    "template": IEEE.replace("@preview/charged-ieee:0.1.3", "ieee.typ"),
    "by hand": BY_HAND.replace("it.body @never", "it.body").replace('("a", "b")', '("a",)'),
    "one": TITLE + "See @roe, #cite(<doe>), #footnote[@poe x] `@moe` \\@moe mail@moe // @roe\n/* @doe */ $x$\n"
    "https://a.b/@roe\n" + BIBLIOGRAPHY,
    "two": TITLE + "#let a = [@roe]\n#a #a #emph[#a] #{ let b = [x @doe]; b }\n#if 1 < 2 [@moe]\n"
    "#quote(attribution: <doe>)[Hi]\n#context { [a @poe] }\n" + BIBLIOGRAPHY,
    "three": TITLE + "#let c(key, page) = cite(key, supplement: [p. #page])\n#let us = [We @moe]\n"
    "#c(<roe>, 3) and #c(<doe>, 4) #{ [in code @poe] } #enum([A @roe], [B @doe])\n#us\n" + BIBLIOGRAPHY,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ORACLE)
def test_typst_cites_the_same(name: str, tmp_path: Path) -> None:
    typst = pytest.importorskip("typst", reason="no compiler of Typst: pip install typst")
    for path, text in {"main.typ": ORACLE[name], "ieee.typ": LOCAL, "refs.bib": bib(*KEYS)}.items():
        (tmp_path / path).write_text(text)
    (tmp_path / "net.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    cited = json.loads(typst.query(str(tmp_path / "main.typ"), "cite", field="key"))
    found = read_manuscript(tmp_path / "main.typ")
    here = Counter([*(key for mark in found.marks() for key in mark.keys), *found.listed])
    assert here == Counter(key.removeprefix('label("').removesuffix('")').strip("<>") for key in cited)


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("Ice #if draft [melts @roe] and flows @doe.", "Ice melts and flows."),
        ("Ice #if draft [melts] else [floats], as @doe said.", "Ice melts floats, as said."),
        ('#if kind == "a" { [Ice.] } else if kind == (b: 1) [Snow.] else { [Rain.] } All @doe.', None),
        ("#for x in (1, 2) [Ice @roe, ]and snow @doe.", "Ice, and snow."),
        ("#context [Ice @roe] and snow @doe.", "Ice and snow."),
        ("#let draft = [No.]\n#if draft != none [Ice @roe.] Snow @doe.", "Ice. Snow."),
        ("#if (\n  a and\n  b\n) [Ice]\nSnow @doe.", "Ice Snow."),
        ("#if a\nSnow @doe.", "Snow."),
    ],
)
def test_what_follows_a_block_on_its_line_is_text(text: str, read_as: str | None) -> None:
    found = read(zipped({"p.typ": f"{TITLE}{text}\n{BIBLIOGRAPHY}", "refs.bib": bib(*KEYS)}))
    words = " ".join(sentence.text for sentence in found.sentences())
    assert words.replace(" .", ".") == (read_as or "Ice. Snow. Rain. All.")
    assert "doe" in found.keys


def test_a_formula_on_a_line_of_its_own_joins_no_sentences() -> None:
    text = "= On lists\n\nIt harms the order.\n$ f(x) = x $\nWe follow @a in it, where $x$ is known.\n$ y $\nas before."
    found = read_manuscript(f"#set document(title: [T])\n{text}".encode(), name="main.typ")
    assert [(one.text, len(one.marks)) for one in found.sentences()] == [
        ("It harms the order.", 0),
        ("f(x) = x", 0),
        ("We follow in it, where x is known.", 1),
        ("y as before.", 0),
    ]
