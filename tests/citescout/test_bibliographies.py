"""Bibliographies as other programs read them: bibtexparser, rispy, citeproc-py and markdown-it are the judges."""

import json
import re
from dataclasses import replace

import bibtexparser
import pytest
import rispy
from bibtexparser import middlewares
from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
from citeproc.source.json import CiteProcJSON
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from citescout.recommendation import MatchedTerm, Reasons, Recommendation, SourceRank
from cli.recommend import command
from common.names import Name, parse_name
from common.text import one_line
from exports import FORMATS, citation_line, written
from exports.citation import shown_title
from indexer.paper import Paper
from indexer.readers import read_papers
from retrieval.query import Query

REASONS = Reasons((MatchedTerm("graph", 3.5),), (SourceRank("bm25", 3, 17.5),), (), None)
BEETHOVEN = Paper(
    "b",
    "On <fidelity> & [links](x)",
    "An abstract\nof two lines.",
    1805,
    ("Ludwig van Beethoven", "Martin Luther King, Jr.", "World Health Organization", "李 明", "Jean-Pierre Dupont"),
    "Journal of Things",
    doi="10.1000/a_b",
    url="https://example.org/?a=1&copy;=2",
)


def exported(name, *papers):
    entries = [Recommendation(place, 1 / place, paper, REASONS) for place, paper in enumerate(papers, start=1)]
    return written(name, [(Query("A draft", id="q"), entries)])


NAMES = [
    ("Ada Lovelace", Name("Lovelace", "Ada")),
    ("Lovelace, Ada", Name("Lovelace", "Ada")),
    ("Ludwig van Beethoven", Name("Beethoven", "Ludwig", "van")),
    ("van Beethoven, Ludwig", Name("Beethoven", "Ludwig", "van")),
    ("Beethoven, Ludwig van", Name("Beethoven", "Ludwig", "van")),
    ("te Riele, Herman", Name("Riele", "Herman", "te")),
    ("van Gogh", Name("Gogh", "", "van")),
    ("Charles de la Vallée Poussin", Name("Vallée Poussin", "Charles", "de la")),
    ("Maria da Silva e Souza", Name("Silva e Souza", "Maria", "da")),
    ("danah boyd", Name("boyd", "danah")),
    ("Martin Luther King, Jr.", Name("King", "Martin Luther", suffix="Jr.")),
    ("King, Jr., Martin Luther", Name("King", "Martin Luther", suffix="Jr.")),
    ("King, Martin Luther, Jr.", Name("King", "Martin Luther", suffix="Jr.")),
    ("Martin Luther King Jr.", Name("King", "Martin Luther", suffix="Jr.")),
    ("Doe, Esq., John", Name("Doe", "John", suffix="Esq.")),
    ("John Doe Esq.", Name("Doe", "John", suffix="Esq.")),
    ("Oscar de la Hoya III", Name("Hoya", "Oscar", "de la", "III")),
    ("Ann Doe, JR", Name("Doe", "Ann", suffix="JR")),
    ("Plato", Name("Plato")),
    ("李明", Name("李明")),
    ("李 明", Name("李", "明")),
    ("김 철수", Name("김", "철수")),
    ("Лев Толстой", Name("Толстой", "Лев")),
    ("Karen Spärck Jones", Name("Jones", "Karen Spärck")),
    ("World Health Organization", Name(whole="World Health Organization")),
    ("The ATLAS Collaboration", Name(whole="The ATLAS Collaboration")),
    ("Ministry of Food and Health", Name(whole="Ministry of Food and Health")),
    ("United Nations", Name(whole="United Nations")),
    ("Marilyn K. Nations", Name("Nations", "Marilyn K.")),
    ("European Union", Name(whole="European Union")),
    ("House of Lords", Name(whole="House of Lords")),
    ("U.S. Senate", Name(whole="U.S. Senate")),
    ("Bundesministerium der Justiz", Name(whole="Bundesministerium der Justiz")),
    ("Statistisches Bundesamt", Name(whole="Statistisches Bundesamt")),
    ("Google, Inc., Research", Name(whole="Google, Inc., Research")),
    ("a, b, c, d", Name(whole="a, b, c, d")),
]


@pytest.mark.parametrize(("author", "name"), NAMES)
def test_names_are_parted(author, name):
    assert parse_name(author) == name


@pytest.mark.parametrize(
    ("author", "name"),
    [
        ("Ivanov, IV", Name("Ivanov", "IV")),
        ("de Leeuw, JR", Name("Leeuw", "JR", "de")),
        ("Doe, MD", Name("Doe", "MD")),
        ("Doe, III", Name("Doe", suffix="III")),
        ("Doe, Jr", Name("Doe", suffix="Jr")),
    ],
)
def test_two_capitals_behind_a_comma_are_initials_where_nothing_else_is(author, name):
    assert parse_name(author) == name


def bibtex_entries(*papers):
    library = bibtexparser.parse_string(
        exported("bibtex", *papers), append_middleware=[middlewares.SeparateCoAuthors()]
    )
    assert not library.failed_blocks
    assert len(library.blocks) == len(library.entries)
    return library.entries


# Without a given name bibtexparser takes "van" for one; BibTeX itself does not.
@pytest.mark.parametrize(("author", "name"), [pair for pair in NAMES if pair[0] != "van Gogh"])
def test_bibtex_parts_names_as_we_do(author, name):
    (entry,) = bibtex_entries(Paper("p", "t", authors=(author, "Max Welling")))
    written, other = entry["author"]
    assert other == "Max Welling"
    parts = middlewares.names.parse_single_name_into_parts(written)
    found = [" ".join(words).replace("{", "").replace("}", "") for words in (parts.von, parts.last, parts.first)]
    assert found == [name.particle, name.whole or name.family, name.given]
    assert " ".join(parts.jr) == name.suffix


def ris_records(*papers):
    return rispy.loads(exported("ris", *papers))


def test_ris_holds_the_paper():
    (record,) = ris_records(BEETHOVEN)
    assert record["type_of_reference"] == "JOUR"
    assert record["authors"] == [
        "van Beethoven, Ludwig",
        "King, Martin Luther, Jr.",
        "World Health Organization",
        "李, 明",
        "Dupont, Jean-Pierre",
    ]
    assert record["title"] == BEETHOVEN.title
    assert record["abstract"] == "An abstract of two lines."
    assert (record["year"], record["doi"], record["id"]) == ("1805", "10.1000/a_b", "vanbeethoven1805fidelity")
    assert record["urls"] == [BEETHOVEN.url.replace(";", "%3B")]


@pytest.mark.parametrize(
    ("venue", "ris", "csl"),
    [("SIGIR", "CONF", "paper-conference"), ("Cognition", "JOUR", "article-journal"), ("arXiv", "GEN", "article")],
)
def test_type_follows_the_venue(venue, ris, csl):
    paper = replace(BEETHOVEN, venue=venue)
    assert ris_records(paper)[0]["type_of_reference"] == ris
    assert json.loads(exported("csl-json", paper))[0]["type"] == csl


def rendered(*papers):
    """Every paper as citeproc-py sets it in the Harvard style."""
    items = json.loads(exported("csl-json", *papers))
    style = CitationStylesStyle("harvard-cite-them-right", validate=False)
    bibliography = CitationStylesBibliography(style, CiteProcJSON(items), formatter.plain)
    for item in items:
        bibliography.register(Citation([CitationItem(item["id"].lower())]))
    return [str(line) for line in bibliography.bibliography()]


def test_csl_is_set_by_citeproc():
    (line,) = rendered(replace(BEETHOVEN, title="On fidelity", authors=BEETHOVEN.authors[:3]))
    assert line.startswith("van Beethoven, L., King, M.L., Jr. and World Health Organization (1805)"), line
    assert "On fidelity" in line
    assert "Journal of Things" in line


def test_csl_holds_the_paper():
    (item,) = json.loads(exported("csl-json", replace(BEETHOVEN, arxiv="1805.00001")))
    assert item["author"][:4] == [
        {"family": "Beethoven", "given": "Ludwig", "non-dropping-particle": "van"},
        {"family": "King", "given": "Martin Luther", "suffix": "Jr."},
        {"literal": "World Health Organization"},
        {"family": "李", "given": "明"},
    ]
    assert item["issued"] == {"date-parts": [[1805]]}
    assert (item["DOI"], item["URL"], item["number"]) == ("10.1000/a_b", BEETHOVEN.url, "arXiv:1805.00001")
    assert json.loads(exported("csl-json")) == []


@pytest.mark.parametrize("name", ["ris", "csl-json", "bibtex"])
def test_each_paper_stands_once_under_a_key_of_its_own(name):
    papers = [BEETHOVEN, replace(BEETHOVEN, id="c"), BEETHOVEN]
    if name == "ris":
        keys = [record["id"] for record in ris_records(*papers)]
    elif name == "csl-json":
        keys = [item["id"] for item in json.loads(exported(name, *papers))]
    else:
        keys = [entry.key for entry in bibtex_entries(*papers)]
    assert keys == ["vanbeethoven1805fidelity", "vanbeethoven1805fidelity-2"]


@pytest.mark.parametrize(("name", "ending"), [("bibtex", "bib"), ("ris", "ris"), ("csl-json", "json")])
def test_exports_are_read_back_by_the_index(name, ending, tmp_path):
    file = tmp_path / f"out.{ending}"
    file.write_text(exported(name, replace(BEETHOVEN, title="On fidelity")), encoding="utf-8", newline="")
    (paper,) = read_papers([str(file)], strict=True)
    assert (paper.title, paper.year, paper.doi) == ("On fidelity", 1805, "10.1000/a_b")
    assert paper.venue == "Journal of Things"
    assert "Ludwig van Beethoven" in paper.authors
    assert "World Health Organization" in paper.authors


def markdown_items(text):
    """What markdown-it takes for list items: their text, and where their links lead."""
    tokens = MarkdownIt("commonmark").parse(text)
    kinds = [token.type for token in tokens]
    assert not {"html_block", "fence", "code_block", "blockquote_open", "hr", "bullet_list_open"} & set(kinds)
    assert kinds.count("heading_open") == 1
    inline = [token for token in tokens if token.type == "inline"]
    for token in inline:
        assert not {"html_inline", "image", "code_inline"} & {child.type for child in token.children}
    shown = ["".join(child.content for child in token.children) for token in inline]
    links = [[c.attrs["href"] for c in token.children if c.type == "link_open"] for token in inline]
    return shown, links


def test_no_full_stop_stands_behind_another_mark_in_markdown():
    paper = Paper("p", "What is law?", "", 2001, ("Ann Roe",), "J. Am. Chem. Soc.", url="https://example.org/")
    linked, plain = exported("markdown", paper, replace(paper, id="q", url="")).split("\n")[2:4]
    assert linked.startswith("1. Roe, A. (2001). [What is law?](<https://example.org/>) *J. Am. Chem. Soc.* — ")
    assert plain.startswith("2. Roe, A. (2001). What is law? *J. Am. Chem. Soc.* — ")


def test_markdown_shows_what_was_written():
    (heading, first, second), (_, links, none) = markdown_items(
        exported("markdown", replace(BEETHOVEN, doi=""), Paper("x", "1. C# is *not* C_b_", year=None))
    )
    assert heading == "Papers to cite in “A draft”"
    assert first == (
        "van Beethoven, L., King, M. L., Jr., World Health Organization, 李明, & Dupont, J.-P. (1805). "
        "On <fidelity> & [links](x). Journal of Things. — Shared terms: graph."
    )
    assert links == [BEETHOVEN.url]
    assert second == "1. C# is *not* C_b_ (n.d.). — Shared terms: graph."
    assert none == []


@pytest.mark.parametrize("title", ["# A", "A ##", "A#", "AT&amp;T", "AT&T", "&#35;", "&x;", "#", "A & #1; b", "1) #"])
def test_markdown_escapes_what_would_be_read_and_leaves_the_rest(title):
    written = exported("markdown", Paper("x", title))
    (_, shown), _ = markdown_items(written)
    assert shown == f"{title} (n.d.). — Shared terms: graph."
    assert "— Shared terms: *graph*." in written
    assert exported("markdown", Paper("x", "Trust & doubt, C# & D")).count("\\") == 0


@pytest.mark.parametrize(
    ("author", "cited", "parted"),
    [
        ("JA Smith", "Smith, J. A.", "J. A. Smith"),
        ("García López, MJ", "García López, M. J.", "García López, M. J."),
        ("ML King Jr.", "King, M. L., Jr.", "King, Jr., M. L."),
        ("Berg, JA van der", "van der Berg, J. A.", "van der Berg, J. A."),
        ("ANN ROE", "ROE, A.", "ANN ROE"),
        ("JOHN Smith", "Smith, J.", "JOHN Smith"),
        ("Smith, JA.", "Smith, J. A.", "Smith, J. A."),
        ("PR HARRIS", "HARRIS, P. R.", "P. R. HARRIS"),
        ("JA García López", "López, J. A. G.", "J. A. García López"),
        ("MD Abdul Rahman", "Rahman, M. A.", "MD Abdul Rahman"),  # Mohammad
        ("VAN Thi Roe", "Roe, V. T.", "VAN Thi Roe"),
        ("Roe, Ann MD", "Roe, A. M.", "Roe, Ann MD"),  # as Ovid has doctors
        ("{WHO EU Region}", "WHO EU Region", "{WHO EU Region}"),
    ],
)
def test_initials_that_medicine_writes_as_one_word_all_stay(author, cited, parted):
    paper = Paper("p", "On the lakes of towns", authors=(author,))
    assert citation_line(paper).startswith(f"{cited} (n.d.)")
    assert f"author = {{{parted}}}" in written("bibtex", [(Query("q"), [Recommendation(1, 1.0, paper)])])


def test_family_names_in_capitals_are_no_initials():
    paper = Paper("p", "On the lakes of towns", authors=("WANG Wei", "LI Na"))
    assert "author = {WANG Wei and LI Na}" in written("bibtex", [(Query("q"), [Recommendation(1, 1.0, paper)])])


def test_citation_line():
    assert citation_line(
        Paper("p", "What is it?", authors=("Ada Lovelace", "Hopper, G.M."), year=1950, doi="10.1/x")
    ) == ("Lovelace, A., & Hopper, G. M. (1950). What is it? https://doi.org/10.1/x")
    assert citation_line(Paper("p", "T", authors=("Doe, A. H.-S.",))) == "Doe, A. H.-S. (n.d.). T."
    assert citation_line(Paper("p", "T", authors=("Wen-tau Yih",))) == "Yih, W.-t. (n.d.). T."
    assert citation_line(Paper("p", "", venue="V")) == "Untitled (n.d.). V."
    assert citation_line(Paper("p", r"\emph{Dense} $\alpha$ in {\'e}tale")) == "Dense α in étale (n.d.)."
    assert citation_line(Paper("p", r"Of $$\alpha $$-TiO$$_2$$")) == "Of α-TiO2 (n.d.)."
    many = Paper("p", "t", authors=tuple(f"Ann B{number}" for number in range(1, 31)))
    assert "B19, A., … B30, A. (n.d.)" in citation_line(many)
    assert "B20" not in citation_line(many)


def test_command_line_offers_every_format():
    (option,) = [option for option in command.params if option.name == "format_name"]
    assert list(option.type.choices) == list(FORMATS)


# Text that has meaning in some format, in any mixture with any other text.
PIECES = st.sampled_from(
    ["\n", "\r\nER  - \r\n", "TY  - JOUR", "@article{", "}", "{", "\\", ",", " and ", "&", "%", "#", "_", "~", "^", "$",
     "<script>", "]]>", "](javascript:x)", "**", "`", "|", "1. ", "- ", "\u202e", "\x00", "\ud800", "\u2028", '"', "'",
     "&copy;", "http://x", "漢字", "é", "Jr.", "van ", "<!--", "\\\\", "=", "\t"]
)  # fmt: skip
HOSTILE = st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=8).map("".join)
PAPERS = st.builds(
    Paper,
    id=st.uuids().map(str),
    title=HOSTILE,
    abstract=HOSTILE,
    year=st.none() | st.integers(1000, 2200),
    authors=st.lists(HOSTILE, max_size=4).map(tuple),
    venue=HOSTILE,
    doi=HOSTILE,
    arxiv=HOSTILE,
    url=HOSTILE | HOSTILE.map("https://example.org/{}".format),
)
BIBLIOGRAPHIES = st.lists(PAPERS, min_size=1, max_size=4)


@pytest.mark.long
@settings(max_examples=200)
@given(BIBLIOGRAPHIES)
def test_no_text_breaks_bibtex(papers):
    entries = bibtex_entries(*papers)
    assert len({entry.key for entry in entries}) == len(papers)
    for entry, paper in zip(entries, papers, strict=True):
        assert re.fullmatch(r"[a-z0-9]+(-[0-9]+)?", entry.key)
        # bibtexparser drops a field without a value and one without authors.
        authors = [author for author in paper.authors if one_line(author)]
        assert len(entry.fields_dict["author"].value if authors else []) == len(authors)
        assert set(entry.fields_dict) <= {
            "author", "title", "journal", "booktitle", "howpublished", "year", "doi", "eprint", "archiveprefix", "url"
        }  # fmt: skip


@settings(max_examples=200)
@given(BIBLIOGRAPHIES)
def test_no_text_breaks_ris(papers):
    records = ris_records(*papers)
    assert len({record["id"] for record in records}) == len(papers)
    for record, paper in zip(records, papers, strict=True):
        assert record.get("title", "") == one_line(paper.title).strip()
        assert record.get("abstract", "") == one_line(paper.abstract).strip()
        assert len(record.get("authors", [])) == sum(bool(one_line(author)) for author in paper.authors)
        assert "unknown_tag" not in record


@settings(max_examples=100)
@given(BIBLIOGRAPHIES)
def test_no_text_breaks_csl(papers):
    items = json.loads(exported("csl-json", *papers))
    assert [item.get("title", "") for item in items] == [one_line(paper.title) for paper in papers]
    assert len(CiteProcJSON(items)) == len({item["id"] for item in items}) == len(papers)


@settings(max_examples=200)
@given(BIBLIOGRAPHIES)
def test_no_text_breaks_markdown(papers):
    shown, links = markdown_items(exported("markdown", *papers))
    assert len(shown) == len(papers) + 1
    for text, targets, paper in zip(shown[1:], links[1:], papers, strict=True):
        assert " ".join(shown_title(paper).split()) in " ".join(text.split())
        assert all(target.startswith(("http://", "https://")) for target in targets)
