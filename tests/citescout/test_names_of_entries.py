"""A bibliography in one format, written in another: its names, its kinds of works, what its entries inherit."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from entries_of_users import exported, indexed

from indexer.paper import Paper

RIS = (
    "TY  - JOUR\nAU  - García Roca, Gabriela\nAU  - 王, 小明\nAU  - van der Berg, Ann\nAU  - The Study Group,\n"
    "AU  - Stone, Martin, Jr.\nAU  - Smith & Sons\nTI  - One\nPY  - 2020\nER  - \n"
)
BIB = (
    r"@article{k, title={One}, author={Garc{\'\i}a Roca, Gabriela and 王, 小明 and van der Berg, Ann and "
    r"{The Study Group} and Stone, Jr., Martin and {Smith \& Sons}}, year=2020}"
)
PARTS = [
    {"family": "García Roca", "given": "Gabriela"},
    {"family": "王", "given": "小明"},
    {"family": "Berg", "given": "Ann", "non-dropping-particle": "van der"},
    {"literal": "The Study Group"},
    {"family": "Stone", "given": "Martin", "suffix": "Jr."},
    {"literal": "Smith & Sons"},
]
CSL = json.dumps([{"id": "k", "type": "article-journal", "title": "One", "author": PARTS}])


@pytest.mark.parametrize(("name", "text"), [("a.ris", RIS), ("a.bib", BIB), ("a.json", CSL)])
def test_names_keep_their_parts_in_every_format(tmp_path: Path, name: str, text: str) -> None:
    (paper,) = indexed(text, name, tmp_path)
    assert paper.authors[:4] == ("García Roca, Gabriela", "王 小明", "Ann van der Berg", "The Study Group")
    (item,) = json.loads(exported("csl-json", paper))
    assert item["author"] == PARTS
    (again,) = indexed(exported("bibtex", paper), "again.bib", tmp_path)
    (item,) = json.loads(exported("csl-json", again))
    assert item["author"] == PARTS
    people = [line[6:] for line in exported("ris", paper).splitlines() if line.startswith("AU")]
    people = [name.rstrip(",") for name in people]
    assert people[:3] == ["García Roca, Gabriela", "王, 小明", "van der Berg, Ann"]
    assert people[3:] == ["The Study Group", "Stone, Martin, Jr.", "Smith & Sons"]


def test_names_and_titles_of_greek_words_come_back_letter_for_letter(tmp_path: Path) -> None:
    authors = ("Πλάτων", "Νίκος Π. Ωραιόπουλος", "Όμηρος")
    paper = Paper("p", "Ὁ μῦθος τῆς Πολιτείας → ψ", authors=authors, venue="Αθηνά")
    (again,) = indexed(exported("bibtex", paper), "a.bib", tmp_path)
    assert (again.title, again.authors, again.venue) == (paper.title, authors, "Αθηνά")


@pytest.mark.parametrize("rest", ["et al.", "others"])
def test_the_rest_of_a_list_is_no_person(rest: str) -> None:
    paper = Paper("p", "T", authors=("Ada Roe", "{World Bank}", rest))
    people = [line for line in exported("ris", paper).splitlines() if line.startswith("AU")]
    assert people == ["AU  - Roe, Ada", "AU  - World Bank"]
    (item,) = json.loads(exported("csl-json", paper))
    assert item["author"] == [{"family": "Roe", "given": "Ada"}, {"literal": "World Bank"}]
    (item,) = json.loads(exported("csl-json", replace(paper, authors=(rest,))))
    assert "author" not in item


def test_an_arxiv_id_comes_back(tmp_path: Path) -> None:
    paper = Paper("p", "T", year=2020, authors=("Ada Roe",), arxiv="2001.01234", url="https://example.org/p")
    for name, file in (("ris", "a.ris"), ("csl-json", "a.json"), ("bibtex", "a.bib")):
        (again,) = indexed(exported(name, paper), file, tmp_path)
        assert again.arxiv == "2001.01234"


@pytest.mark.parametrize(
    ("author", "title", "key"),
    [
        ("Anna Groß", "Straßenpolitik", "gross1948strassenpolitik"),
        ("Stefan Żółkiewski", "Kultura", "zolkiewski1948kultura"),
        ("Hans Christian Ørsted", "Ⅻ™ Ænder", "orsted1948xiitm"),
        ("费孝通", "乡土中国", "paper1948"),
        ("村上 春樹", "1Q84", "19481q84"),
        ("オーウェル", "1984", "paper19481984"),
    ],
)
def test_keys_have_all_latin_letters_and_some_letter(author: str, title: str, key: str) -> None:
    paper = Paper("https://example.org/p", title, year=1948, authors=(author,))
    assert exported("bibtex", paper).startswith(f"@misc{{{key},")


def test_no_two_items_have_one_id(tmp_path: Path) -> None:
    (own,) = indexed('[{"id": "roe2020bees", "title": "Of bees", "issued": {"raw": "2020"}}]', "a.json", tmp_path)
    made = Paper("p", "Bees", year=2020, authors=("Ada Roe",))
    for papers in ((own, made), (made, own)):
        assert [item["id"] for item in json.loads(exported("csl-json", *papers))] == ["roe2020bees", "roe2020bees-2"]


ENW = """%0 Book
%A Kahneman, Daniel
%T Thinking, fast and slow
%I Farrar
%D 2011

%0 Book Section
%A Powell, Walter
%E DiMaggio, Paul
%T The iron cage
%B The New Institutionalism
%I Chicago
%P 1-20
%D 1983

%0 Thesis
%A Roe, Richard
%T A thesis on memory
%I MIT
%D 2001
"""
ENDNOTE_XML = """<?xml version="1.0"?><xml><records>
<record><ref-type name="Book">6</ref-type><contributors><authors><author>Kahneman, Daniel</author></authors>
</contributors><titles><title>Thinking, fast and slow</title></titles><dates><year>2011</year></dates>
<publisher>Farrar</publisher></record>
<record><ref-type name="Book Section">5</ref-type><contributors><authors><author>Powell, Walter</author></authors>
<secondary-authors><author>DiMaggio, Paul</author></secondary-authors></contributors><titles>
<title>The iron cage</title>
<secondary-title>The New Institutionalism</secondary-title></titles><pages>1-20</pages><dates><year>1983</year></dates>
<publisher>Chicago</publisher></record>
<record><ref-type name="Thesis">32</ref-type><contributors><authors><author>Roe, Richard</author></authors>
</contributors><titles><title>A thesis on memory</title></titles><dates><year>2001</year></dates>
<publisher>MIT</publisher></record></records></xml>
"""
ZOTERO_CSV = """\
Key,Item Type,Publication Year,Author,Title,Publication Title,Abstract Note,Publisher,Pages,Editor
A1,book,2011,"Kahneman, Daniel","Thinking, fast and slow",,,Farrar,,
A2,bookSection,1983,"Powell, Walter",The iron cage,The New Institutionalism,,Chicago,1-20,"DiMaggio, Paul"
A3,thesis,2001,"Roe, Richard",A thesis on memory,,,MIT,,
"""


@pytest.mark.parametrize(("name", "text"), [("a.enw", ENW), ("a.xml", ENDNOTE_XML), ("a.csv", ZOTERO_CSV)])
def test_books_chapters_and_theses_of_reference_managers_stay_what_they_are(
    tmp_path: Path, name: str, text: str
) -> None:
    papers = sorted(indexed(text, name, tmp_path), key=lambda paper: paper.year or 0, reverse=True)
    assert exported("bibtex", *papers) == (
        "@book{kahneman2011thinking,\n  author = {Daniel Kahneman},\n  title = {Thinking, fast and slow},\n"
        "  publisher = {Farrar},\n  year = {2011},\n}\n\n"
        "@phdthesis{roe2001thesis,\n  author = {Richard Roe},\n  title = {A thesis on memory},\n"
        "  school = {MIT},\n  year = {2001},\n}\n\n"
        "@incollection{powell1983iron,\n  author = {Walter Powell},\n  title = {The iron cage},\n"
        "  booktitle = {The New Institutionalism},\n  editor = {Paul DiMaggio},\n  publisher = {Chicago},\n"
        "  pages = {1--20},\n  year = {1983},\n}\n"
    )
    records = exported("ris", *papers).split("ER  - ")
    assert [record.split()[2] for record in records[:3]] == ["BOOK", "THES", "CHAP"]
    assert [record.count("T2  - ") for record in records[:3]] == [0, 0, 1]


def test_a_publisher_is_no_series_and_no_book(tmp_path: Path) -> None:
    (paper,) = indexed("TY  - BOOK\nTI  - One\nPB  - Farrar\nER  - \n", "a.ris", tmp_path)
    assert exported("bibtex", paper).splitlines()[2] == "  publisher = {Farrar},"


@pytest.mark.parametrize(
    ("entry", "csl", "ris"),
    [
        ("@mastersthesis{k, title={One}, school={ETH}}", "thesis", "THES"),
        ("@dataset{k, title={One}, publisher={Zenodo}}", "dataset", "DATA"),
        ("@software{k, title={One}, publisher={Zenodo}}", "software", "COMP"),
        ("@proceedings{k, title={One}, publisher={ACM}}", "book", "BOOK"),
        ("@inreference{k, title={One}, booktitle={An Encyclopedia}}", "entry-encyclopedia", "ENCYC"),
    ],
)
def test_a_work_that_is_no_article_does_not_become_one(tmp_path: Path, entry: str, csl: str, ris: str) -> None:
    (paper,) = indexed(entry, "a.bib", tmp_path)
    assert json.loads(exported("csl-json", paper))[0]["type"] == csl
    assert exported("ris", paper).startswith(f"TY  - {ris}\r\n")


def test_a_data_set_of_another_format_does_not_become_an_article(tmp_path: Path) -> None:
    item = '[{"id": "k", "type": "dataset", "title": "One", "publisher": "Zenodo", "author": []}]'
    for text, name in ((item, "a.json"), ("TY  - DATA\nID  - k\nTI  - One\nPB  - Zenodo\nER  - \n", "a.ris")):
        (paper,) = indexed(text, name, tmp_path)
        assert exported("bibtex", paper).startswith("@misc{")


@pytest.mark.parametrize("named", ["crossref={whole}", "xdata={whole}"])
def test_an_entry_has_what_the_one_says_from_which_it_inherits(tmp_path: Path, named: str) -> None:
    kind = "proceedings" if "crossref" in named else "xdata"
    parent = f"@{kind}{{whole, title={{All}}, editor={{Roe, Ada}}, publisher={{ACM}}, volume={{7}}, number={{9}}}}"
    child = f"@inproceedings{{k, title={{One}}, author={{Poe, Bo}}, number={{2}}, pages={{1--9}}, {named}}}"
    paper = next(one for one in indexed(f"{parent}\n{child}", "a.bib", tmp_path) if one.id == "k")
    (item,) = json.loads(exported("csl-json", paper))
    assert (item["type"], item["publisher"], item["volume"], item["issue"]) == ("paper-conference", "ACM", "7", "2")
    assert (item["author"], item["editor"]) == ([{"family": "Poe", "given": "Bo"}], [{"family": "Roe", "given": "Ada"}])


def test_blanks_around_the_dash_of_pages_are_left_out(tmp_path: Path) -> None:
    (paper,) = indexed("@article{k, title={One}, pages={1 – 10}}", "a.bib", tmp_path)  # as Scopus has them
    assert json.loads(exported("csl-json", paper))[0]["page"] == "1-10"
    assert {"SP  - 1", "EP  - 10"} <= {*exported("ris", paper).splitlines()}


def test_of_several_numbers_of_a_journal_the_first_is_written(tmp_path: Path) -> None:
    text = "TY  - JOUR\nTI  - One\nT2  - Acta\nSN  - 1234-567x (Electronic)\n8765-4321 (Linking)\nER  - \n"
    (paper,) = indexed(text, "a.ris", tmp_path)  # as EndNote has them of PubMed
    assert "  issn = {1234-567x}," in exported("bibtex", paper).splitlines()


def test_the_number_of_an_article_stands_for_its_pages(tmp_path: Path) -> None:
    for text, name in (
        ("@article{k, title={One}, eid={012345}}", "a.bib"),
        ("@article{k, title={One}, articleno={012345}, numpages={7}}", "b.bib"),
        ("@article{k, title={One}, article-number={012345}}", "c.bib"),
        ("TY  - JOUR\nTI  - One\nC7  - 012345\nER  - \n", "a.ris"),
    ):
        (paper,) = indexed(text, name, tmp_path)
        assert json.loads(exported("csl-json", paper))[0]["page"] == "012345"


@pytest.mark.parametrize(
    ("said", "tag", "babel"),
    [("ngerman", "de", "german"), ("brazilian", "pt-BR", "brazilian"), ("jpn", "ja", "japanese")],
)
def test_a_language_is_called_as_each_format_calls_it(tmp_path: Path, said: str, tag: str, babel: str) -> None:
    (paper,) = indexed(f"@book{{a, title={{Bäume und Bienen}}, langid={{{said}}}}}", "a.bib", tmp_path)
    ris = exported("ris", paper)
    assert f"LA  - {tag}" in ris.splitlines()
    assert json.loads(exported("csl-json", paper))[0]["language"] == tag
    (again,) = indexed(ris, "a.ris", tmp_path)
    assert f"  langid = {{{babel}}}," in exported("bibtex", again).splitlines()


def test_what_a_catalogue_says_beside_names_and_pages_is_not_written_twice(tmp_path: Path) -> None:
    ris = "TY  - CHAP\nAU  - Doe, Ann\nTI  - Of trees\nT2  - Trees\nA2  - Roe, Jo (Hrsg.)\nSP  - S. 12\nEP  - 15\n"
    (item,) = json.loads(exported("csl-json", *indexed(f"{ris}ER  - \n", "a.ris", tmp_path)))
    assert (item["editor"], item["page"]) == ([{"family": "Roe", "given": "Jo"}], "12-15")
    (edited,) = indexed(ris.replace("AU  - Doe, Ann\n", "") + "ER  - \n", "b.ris", tmp_path)
    assert edited.authors == ("Jo Roe",)
    assert "author" not in json.loads(exported("csl-json", edited))[0]


@pytest.mark.parametrize(
    ("author", "title", "key"),
    [
        ("Иванов, Иван", "Русский язык", "ivanov2001russkii"),
        ("Doe, Ann", "Im Hause und im Garten", "doe2001hause"),
        ("Doe, Ann", "A die of steel for the hammer", "doe2001die"),
    ],
)
def test_keys_are_of_latin_letters_and_of_words_that_say_something(author: str, title: str, key: str) -> None:
    assert exported("bibtex", Paper("1", title, year=2001, authors=(author,))).startswith(f"@misc{{{key},")
