"""Family names of several words, organisations and lists that go on are in every export as their source has them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from entries_of_users import exported

from common.names import goes_on, parse_name, shown_names, stored_name, stored_whole
from exports import citation_line
from exports.reason_sentences import short_authors
from indexer.identity.agreement import first_authors_agree
from indexer.identity.authors import author_of, key_of, matching
from indexer.paper import Paper
from indexer.readers import read_papers
from webui.presentation import author_line

PUBMED = """<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>Names</ArticleTitle>
<Journal><JournalIssue><PubDate><Year>2001</Year></PubDate></JournalIssue></Journal><AuthorList>
<Author><LastName>García López</LastName><ForeName>María</ForeName></Author>
<Author><CollectiveName>World Bank</CollectiveName></Author>
<Author><LastName>van der Berg</LastName><ForeName>Jan</ForeName></Author>
</AuthorList></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"""
MEDLINE = """PMID- 1
TI  - Names
DP  - 2001
FAU - García López, María
FAU - van der Berg, Jan
CN  - World Bank
"""
JATS = """<article><front><article-meta><article-id pub-id-type="doi">10.1000/1</article-id>
<title-group><article-title>Names</article-title></title-group><pub-date><year>2001</year></pub-date><contrib-group>
<contrib contrib-type="author"><name><surname>García López</surname><given-names>María</given-names></name></contrib>
<contrib contrib-type="author"><collab>World Bank</collab></contrib>
<contrib contrib-type="author"><name><surname>van der Berg</surname><given-names>Jan</given-names></name></contrib>
</contrib-group></article-meta></front></article>"""
WOS = (
    "PT J\nAU García López, M\nAF García López, María\n   van der Berg, Jan\n"
    "CA World Bank\nTI Names\nPY 2001\nUT W:1\nER\n"
)
SCOPUS = (
    'Authors,Author full names,Title,Year,Source title,EID\n"García López M.",'
    '"García López, María (12); World Bank (13); van der Berg, Jan (14)",Names,2001,Acta,2-s2.0-1\n'
)
ZOTERO = (
    "Key,Item Type,Title,Author,Abstract Note,Publication Year\n"
    'K,book,Names,"García López, María; World Bank; van der Berg, Jan",,2001\n'
)
BIB = "@book{k, title={Names}, year=2001, author={García López, María and {World Bank} and van der Berg, Jan}}"
CSL = json.dumps(
    [
        {
            **{"id": "k", "type": "book", "title": "Names", "issued": {"raw": "2001"}},
            "author": [
                {"family": "García López", "given": "María"},
                {"literal": "World Bank"},
                {"family": "Berg", "non-dropping-particle": "van der", "given": "Jan"},
            ],
        }
    ]
)
RIS = (
    "TY  - BOOK\nTI  - Names\nPY  - 2001\n"
    "AU  - García López, María\nAU  - World Bank\nAU  - van der Berg, Jan\nER  - \n"
)
ENDNOTE = "%0 Book\n%A García López, María\n%A World Bank,\n%A van der Berg, Jan\n%T Names\n%D 2001\n"

SOURCES = {
    "a.xml": PUBMED,
    "a.nbib": MEDLINE,
    "jats.xml": JATS,
    "wos.txt": WOS,
    "scopus.csv": SCOPUS,
    "zotero.csv": ZOTERO,
    "a.bib": BIB,
    "a.json": CSL,
    "a.ris": RIS,
    "a.enw": ENDNOTE,
}


def read(tmp_path: Path, name: str, text: str) -> Paper:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (paper,) = read_papers([str(tmp_path / name)])
    return paper


@pytest.mark.parametrize("name", SOURCES)
def test_compound_names_and_organisations_are_exported_as_their_source_has_them(tmp_path: Path, name: str) -> None:
    paper = read(tmp_path, name, SOURCES[name])
    assert set(paper.authors) == {"García López, María", "{World Bank}", "Jan van der Berg"}
    paper = Paper("https://example.org/x", "Names", year=2001, authors=paper.authors)  # without what its owner wrote
    bibtex = exported("bibtex", paper)
    assert bibtex.startswith("@misc{garcialopez2001names,")
    for written in ("García López, María", "{World Bank}", "Jan van der Berg"):
        assert written in bibtex
    ris = exported("ris", paper)
    for line in ("García López, María", "World Bank", "van der Berg, Jan"):
        assert f"AU  - {line}\r\n" in ris
    assert {"literal": "World Bank"} in json.loads(exported("csl-json", paper))[0]["author"]
    assert "García López, M." in citation_line(paper)
    assert "World Bank" in citation_line(paper)
    (answer,) = map(json.loads, exported("jsonl", paper).splitlines())
    assert set(answer["recommendations"][0]["authors"]) == {"María García López", "World Bank", "Jan van der Berg"}
    assert "María García López; " in exported("csv", paper)
    assert short_authors(paper.authors) == "García López et al."
    for format_, file in (("bibtex", "again.bib"), ("ris", "again.ris"), ("csl-json", "again.json")):
        assert read(tmp_path, file, exported(format_, paper)).authors == paper.authors


@pytest.mark.parametrize(
    ("name", "bibtex", "ris"),
    [
        ("Friedrich II.", "{Friedrich II.}", "Friedrich II.,"),
        ("Johannes Paul II.", "{Johannes Paul II.}", "Johannes Paul II.,"),
        ("Pius XII", "{Pius XII}", "Pius XII,"),
        ("Martin Luther King III", "King, III, Martin Luther", "King, Martin Luther, III"),
        ("ابن خلدون", "{ابن خلدون}", "ابن خلدون"),
        ("عبد الرحمن بن خلدون", "بن خلدون, عبد الرحمن", "بن خلدون, عبد الرحمن"),
    ],
)
def test_rulers_have_no_family_name_and_sons_keep_their_fathers(
    tmp_path: Path, name: str, bibtex: str, ris: str
) -> None:
    paper = Paper("https://example.org/x", "Names", authors=(name,))
    assert f"  author = {{{bibtex}}},\n" in exported("bibtex", paper)
    assert f"AU  - {ris}\r\n" in exported("ris", paper)
    for written in (exported("ris", paper), exported("ris", paper).replace(ris, name)):
        assert read(tmp_path, "a.ris", written).authors == (name,)
    assert read(tmp_path, "a.bib", exported("bibtex", paper)).authors == (name,)
    assert read(tmp_path, "a.json", exported("csl-json", paper)).authors == (name,)


@pytest.mark.parametrize("authors", [("{World Bank}",), ("{World Bank}", "{Smith and Sons}"), ("UNESCO",)])
def test_organisations_alone_stay_organisations_in_every_format(tmp_path: Path, authors: tuple[str, ...]) -> None:
    paper = Paper("https://example.org/x", "Names", year=2001, authors=authors)
    for format_, file in (("bibtex", "again.bib"), ("ris", "again.ris"), ("csl-json", "again.json")):
        again = read(tmp_path, file, exported(format_, paper)).authors
        assert shown_names(again) == shown_names(authors)
        assert citation_line(replace(paper, authors=again)) == citation_line(paper)


def test_a_list_that_goes_on_says_so_where_it_can(tmp_path: Path) -> None:
    text = "@misc{k, title={Attention}, year=2017, author={Vaswani, Ashish and others}}"
    authors = read(tmp_path, "a.bib", text).authors
    assert authors == ("Ashish Vaswani", "others")
    assert goes_on(authors)
    paper = Paper("https://example.org/x", "Attention", year=2017, authors=authors)
    assert "author = {Ashish Vaswani and others}" in exported("bibtex", paper)
    assert citation_line(paper).startswith("Vaswani, A., et al. (2017).")
    assert short_authors(authors) == "Vaswani et al."
    assert shown_names(authors) == ["Ashish Vaswani", "et al."]
    assert author_line(replace(paper, authors=("Ada Roe",) * 4 + authors)) == "Ada Roe, Ada Roe, Ada Roe, et al."
    item = json.loads(exported("csl-json", paper))[0]
    assert item["author"] == [{"family": "Vaswani", "given": "Ashish"}], "it cannot say so"
    assert goes_on(read(tmp_path, "b.bib", exported("bibtex", paper)).authors)


@pytest.mark.parametrize(
    ("parts", "stored"),
    [
        (("Lovelace", "Ada"), "Ada Lovelace"),
        (("O'Neil", "Ann"), "Ann O'Neil"),
        (("van der Berg", "Jan"), "Jan van der Berg"),
        (("Van Gogh", "Vincent"), "Van Gogh, Vincent"),
        (("Silva e Souza", "Maria"), "Silva e Souza, Maria"),
        (("King", "Martin Luther", "Jr."), "Martin Luther King Jr."),
        (("King", "Martin Luther Jr"), "Martin Luther King Jr"),
        (("van der Flier", "Wiesje M 3rd"), "Wiesje M van der Flier 3rd"),
        (("García López", "Juan", "III"), "García López, III, Juan"),
        (("Smith", "John", "III."), "Smith, III., John"),
        (("Khaldun", "Ibn"), "Ibn Khaldun"),
        (("خلدون", "ابن"), "ابن خلدون"),
        (("Friedrich", "", "II."), "Friedrich II."),
        (("李", "明"), "李 明"),
        (("Plato",), "Plato"),
        (("Nguyen", "Van The"), "Van The Nguyen"),
        (("Han", "The Anh"), "Han, The Anh"),
        (("Beatles", "The"), "The Beatles"),
        (("ROE", "THE"), "ROE, THE"),
        (("García López", "MD"), "García López, M. D."),
        (("van der Berg", "MD"), "MD van der Berg"),
        (("World Bank",), "{World Bank}"),
        (("WHO Study Group",), "WHO Study Group"),
        (("", "Ada Lovelace"), "Ada Lovelace"),
    ],
)
def test_a_name_is_stored_as_people_read_it_unless_that_is_parted_otherwise(
    parts: tuple[str, ...], stored: str
) -> None:
    assert stored_name(*parts) == stored
    name = parse_name(stored)
    assert stored_name(name.surname, name.given, name.suffix) == stored or name.whole


@pytest.mark.parametrize(
    "name",
    ["Nguyen, Van The", "Van The Nguyen", "Nguyen The Vinh", "Han, The Anh", "The, Ann", "Heaton, THE", "THE Roe"],
)
def test_the_is_a_name_of_persons_too(name: str) -> None:
    assert not parse_name(name).whole


@pytest.mark.parametrize(
    "name",
    [
        "The Lancet",
        "Friends of the Earth",
        "Beatles, The",
        "The Study Group",
        "THE LANCET",
        "THE WHO",
        "Friends of The Earth",
    ],
)
def test_the_article_is_that_of_an_organisation(name: str) -> None:
    assert parse_name(name).whole == name


@pytest.mark.parametrize(
    "name",
    [
        "American Psychiatric Association",
        "Federal Aviation Administration",
        "Government Accountability Office",
        "Lawrence Berkeley National Laboratory",
        "Mediterranean Centre Zagreb",
        "Robert Koch Institut",
        "Broad Institute",
        "Karolinska Institutet",
        "Smithsonian Institution",
        "Instituto Nacional de Estadística",
        "Istituto Superiore di Sanità",
    ],
)
def test_an_organisation_is_known_by_a_word_of_its_name(name: str) -> None:
    assert parse_name(name).whole == name


PEOPLE = [
    (("García López", "MD", ""), "García López, M. D."),
    (("Roe", "IV", ""), "Roe, I. V."),
    (("Doe", "THE", ""), "Doe, T. H. E."),
    (("King", "ML", "Jr"), "King, M. L., Jr"),
]


@pytest.mark.parametrize(("parts", "cited"), PEOPLE)
def test_a_person_is_the_same_in_every_format(tmp_path: Path, parts: tuple[str, str, str], cited: str) -> None:
    family, given, suffix = parts
    name, short = ", ".join(filter(None, parts)), " ".join(filter(None, parts))
    author = {"family": family, "given": given, "suffix": suffix}
    sources = {
        "a.xml": PUBMED.replace("World Bank", "Poe")
        .replace("García López", family)
        .replace("<ForeName>María</ForeName>", f"<ForeName>{given}</ForeName><Suffix>{suffix}</Suffix>"),
        "a.nbib": f"PMID- 1\nTI  - Names\nDP  - 2001\nAU  - {short}\n",
        "pubmed.csv": f'PMID,Title,Authors,Citation,Journal/Book\n1,Names,"{short}, Poe B.",Acta. 2001,Acta\n',
        "wos.txt": f"PT J\nAU {name}\nTI Names\nPY 2001\nUT W:1\nER\n",
        "a.ris": f"TY  - JOUR\nTI  - Names\nAU  - {name}\nAU  - Poe, B\nER  - \n",
        "embase.ris": f"TY  - JOUR\nTI  - Names\nAU  - {short}\nAU  - Poe B.\nER  - \n",
        "a.enw": f"%0 Journal Article\n%A {name}\n%T Names\n",
        "a.bib": f"@article{{k, title={{Names}}, author={{{', '.join(filter(None, (family, suffix, given)))}}}}}",
        "a.json": json.dumps([{"id": "k", "type": "book", "title": "Names", "author": [author]}]),
    }
    for file, text in sources.items():
        paper = read(tmp_path, file, text)
        assert citation_line(paper).startswith((f"{cited} (", f"{cited}, ")), file
        again = read(tmp_path, "again.bib", exported("bibtex", replace(paper, original=None)))
        assert citation_line(again).startswith(cited), file
        (item,) = json.loads(exported("csl-json", paper))
        assert item["author"][0]["family"] == family, file


@pytest.mark.parametrize("whole", ["World Bank", "European Union", "Google Brain", "World Bank, Washington", "Plato"])
def test_an_organisation_stays_whole(whole: str) -> None:
    assert shown_names([stored_whole(whole)]) == [whole]
    assert parse_name(stored_whole(whole)).surname == whole


@pytest.mark.parametrize(
    ("stored", "plain"),
    [("García López, María", "María García López"), ("{World Bank}", "World Bank"), ("{Fermi LAT}", "Fermi LAT")],
)
def test_a_stored_name_is_found_as_it_was_before(stored: str, plain: str) -> None:
    assert key_of(stored) == key_of(plain)
    assert matching(author_of(plain), {author_of(stored)})
    assert first_authors_agree(Paper("a", "T", authors=(stored,)), Paper("b", "T", authors=(plain,)))


def test_the_rest_of_a_list_is_nobody_who_could_be_found() -> None:
    assert key_of("others") == key_of("et al.") == ""
    assert not matching(author_of("others"), {author_of("others")})
