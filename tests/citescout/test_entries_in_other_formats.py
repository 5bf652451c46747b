"""What an entry says of a work beyond a paper's own fields is said in every format that has a word for it."""

import json
from pathlib import Path

import bibtexparser
import pytest
import rispy
from entries_of_users import exported, indexed

BOOK = """@book{kant, author = {Kant, Immanuel}, translator = {Guyer, Paul and Wood, Allen W.}, edition = {2},
editor = {Höffe, Otfried}, title = {Critique of Pure Reason}, series = {The Cambridge Edition}, number = {7},
publisher = {Cambridge University Press}, address = {Cambridge}, year = {1998}, origdate = {1781}, volumes = {3},
isbn = {978-0-521-35402-8}, language = {english}, pagetotal = {785}, note = {Reprinted with corrections}}"""
TALK = """@inproceedings{lo, author = {Lo, Kai}, title = {Neural Ranking of Trees}, booktitle = {Proceedings of Trees},
series = {Lecture Notes in Trees}, address = {Berlin}, publisher = {ACM}, pages = {1--9}, year = {2019}, month = jul,
number = {12}, eventtitle = {Conference on Trees}, eventdate = {2019-07-21/2019-07-25}, venue = {Lyon}}"""
CHAPTER = """@incollection{roe, author = {Roe, Jane}, title = {On Small Trees}, booktitle = {Handbook of Trees},
chapter = {4}, pages = {10--30}, publisher = {Springer}, address = {Berlin}, edition = {Third}, year = {2001}}"""
THESIS = "@mastersthesis{bea, author={Bea, Ann}, title={Bees and Trees}, school={ETH}, address={Zürich}, year={2011}}"
REPORT = """@techreport{cy, author = {Cy, Dan}, title = {A Report on Growth}, institution = {Institute of Growth},
number = {TR-17}, type = {Technical Report}, address = {Bonn}, year = {2005}, month = {March}}"""
ARTICLE = """@article{ed, author = {Ed, Fay}, title = {Articles with Numbers}, journaltitle = {PLOS ONE}, volume = {15},
number = {4}, eid = {e0231234}, issn = {1932-6203}, date = {2020-04-17}}"""
MAGAZINE = """@article{qu, author = {Qu, Ray}, title = {Why Trees}, journaltitle = {The New Yorker},
entrysubtype = {magazine}, date = {2015-03-02}, pages = {12--15}}"""
PAGE = """@online{go, author = {Go, Hal}, title = {A Page of the Web}, url = {https://example.org/page},
urldate = {2019-02-03}, date = {2018-11-05}, organization = {Example Foundation}}"""
VOLUME = """@mvbook{ix, author = {Ix, Jon}, title = {The Middle Ages}, maintitle = {History of Everything},
volume = {2}, publisher = {OUP}, location = {Oxford}, date = {1987}}"""
DATA = "@dataset{ky, author={Ky, Lea}, title={Measurements}, publisher={Zenodo}, version={1.2}, date={2021-04}}"
PROGRAM = "@software{my, author={My, Nat}, title={TreeCounter}, version={3.1}, organization={GitHub}, date={2022}}"
PATENT = "@patent{oh, author={Oh, Pat}, title={Device for Trees}, number={US12}, type={patentus}, date={1999-06-01}}"
LEAFLET = "@misc{sa, author={Sa, Tom}, title={A Leaflet}, howpublished={Distributed at the fair}, year={2003}}"

# CSL 1.0.2, appendices III and IV.
IN_CSL = {
    BOOK: {
        "type": "book",
        "translator": [{"family": "Guyer", "given": "Paul"}, {"family": "Wood", "given": "Allen W."}],
        "editor": [{"family": "Höffe", "given": "Otfried"}],
        "edition": "2",
        "collection-title": "The Cambridge Edition",
        "collection-number": "7",
        "number-of-volumes": "3",
        "publisher": "Cambridge University Press",
        "publisher-place": "Cambridge",
        "issued": {"date-parts": [[1998]]},
        "original-date": {"date-parts": [[1781]]},
        "ISBN": "978-0-521-35402-8",
        "language": "en",
        "number-of-pages": "785",
        "note": "Reprinted with corrections",
    },
    TALK: {
        "type": "paper-conference",
        "container-title": "Proceedings of Trees",
        "collection-title": "Lecture Notes in Trees",
        "collection-number": "12",
        "publisher": "ACM",
        "publisher-place": "Berlin",
        "page": "1-9",
        "issued": {"date-parts": [[2019, 7]]},
        "event-title": "Conference on Trees",
        "event-place": "Lyon",
        "event-date": {"date-parts": [[2019, 7, 21], [2019, 7, 25]]},
    },
    CHAPTER: {
        "type": "chapter",
        "container-title": "Handbook of Trees",
        "chapter-number": "4",
        "page": "10-30",
        "publisher": "Springer",
        "publisher-place": "Berlin",
        "edition": "Third",
        "issued": {"date-parts": [[2001]]},
    },
    THESIS: {
        "type": "thesis",
        "genre": "Master's thesis",
        "publisher": "ETH",
        "publisher-place": "Zürich",
        "issued": {"date-parts": [[2011]]},
    },
    REPORT: {
        "type": "report",
        "publisher": "Institute of Growth",
        "publisher-place": "Bonn",
        "number": "TR-17",
        "genre": "Technical Report",
        "issued": {"date-parts": [[2005, 3]]},
    },
    ARTICLE: {
        "type": "article-journal",
        "container-title": "PLOS ONE",
        "volume": "15",
        "issue": "4",
        "page": "e0231234",
        "ISSN": "1932-6203",
        "issued": {"date-parts": [[2020, 4, 17]]},
    },
    MAGAZINE: {
        "type": "article-magazine",
        "container-title": "The New Yorker",
        "page": "12-15",
        "issued": {"date-parts": [[2015, 3, 2]]},
    },
    PAGE: {
        "type": "webpage",
        "publisher": "Example Foundation",
        "URL": "https://example.org/page",
        "accessed": {"date-parts": [[2019, 2, 3]]},
        "issued": {"date-parts": [[2018, 11, 5]]},
    },
    VOLUME: {
        "type": "book",
        "collection-title": "History of Everything",
        "volume": "2",
        "publisher": "OUP",
        "publisher-place": "Oxford",
        "issued": {"date-parts": [[1987]]},
    },
    DATA: {"type": "dataset", "publisher": "Zenodo", "version": "1.2", "issued": {"date-parts": [[2021, 4]]}},
    PROGRAM: {"type": "software", "publisher": "GitHub", "version": "3.1", "issued": {"date-parts": [[2022]]}},
    PATENT: {"type": "patent", "number": "US12", "genre": "U.S. patent", "issued": {"date-parts": [[1999, 6, 1]]}},
    LEAFLET: {"type": "article", "publisher": "Distributed at the fair", "issued": {"date-parts": [[2003]]}},
}
# Tags of RIS as of 2011 by what rispy calls them; there SP of a book is the number of its pages.
IN_RIS = {
    BOOK: {
        "type_of_reference": "BOOK",
        "subsidiary_authors": ["Guyer, Paul", "Wood, Allen W."],
        "edition": "2",
        "secondary_title": "The Cambridge Edition",
        "note": "7",  # M1
        "number_of_volumes": "3",
        "place_published": "Cambridge",
        "original_publication": "1781",
        "issn": "978-0-521-35402-8",
        "language": "en",
        "start_page": "785",
        "notes": ["Reprinted with corrections"],
    },
    TALK: {
        "type_of_reference": "CONF",
        "secondary_title": "Proceedings of Trees",
        "tertiary_title": "Lecture Notes in Trees",
        "custom1": "Berlin",
        "place_published": "Lyon",  # of a conference where it was
        "start_page": "1",
        "end_page": "9",
        "date": "2019/07//",
    },
    CHAPTER: {"type_of_reference": "CHAP", "place_published": "Berlin", "edition": "Third", "section": "4"},
    THESIS: {"type_of_reference": "THES", "publisher": "ETH", "type_of_work": "Master's thesis"},
    REPORT: {"type_of_reference": "RPRT", "publisher": "Institute of Growth", "issn": "TR-17", "year": "2005"},
    ARTICLE: {"type_of_reference": "JOUR", "number": "4", "start_page": "e0231234", "issn": "1932-6203"},
    MAGAZINE: {"type_of_reference": "MGZN", "secondary_title": "The New Yorker", "date": "2015/03/02/"},
    PAGE: {"type_of_reference": "ELEC", "access_date": "2019/02/03/", "publisher": "Example Foundation"},
    VOLUME: {"type_of_reference": "BOOK", "secondary_title": "History of Everything", "volume": "2"},
    DATA: {"type_of_reference": "DATA", "edition": "1.2", "publisher": "Zenodo"},
    PROGRAM: {"type_of_reference": "COMP", "edition": "3.1", "publisher": "GitHub"},
    PATENT: {"type_of_reference": "PAT", "issn": "US12", "type_of_work": "U.S. patent"},
    LEAFLET: {"type_of_reference": "GEN", "publisher": "Distributed at the fair"},
}


@pytest.mark.parametrize("entry", IN_CSL)
def test_an_entry_of_bibtex_as_an_item_of_csl(tmp_path: Path, entry: str) -> None:
    (item,) = json.loads(exported("csl-json", *indexed(entry, "a.bib", tmp_path)))
    assert {name: value for name, value in item.items() if name not in ("id", "title", "author")} == IN_CSL[entry]


@pytest.mark.parametrize("entry", IN_RIS)
def test_an_entry_of_bibtex_as_a_record_of_ris(tmp_path: Path, entry: str) -> None:
    (record,) = rispy.loads(exported("ris", *indexed(entry, "a.bib", tmp_path)))
    assert {name: record.get(name) for name in IN_RIS[entry]} == IN_RIS[entry]


def test_an_entry_that_has_a_field_twice_loses_no_other(tmp_path: Path) -> None:
    twice = ARTICLE.replace("volume = {15}", "keywords = {a}, keywords = {b}, volume = {15}")
    (item,) = json.loads(exported("csl-json", *indexed(twice, "a.bib", tmp_path)))
    assert (item["volume"], item["issue"], item["keyword"]) == ("15", "4", "a")


@pytest.mark.parametrize("entry", IN_CSL)
def test_what_csl_says_comes_back_through_bibtex(tmp_path: Path, entry: str) -> None:
    item = {"id": "one", "title": "A title", "author": [{"family": "Roe", "given": "Ann"}], **IN_CSL[entry]}
    item["issued"] = {"date-parts": [item["issued"]["date-parts"][0][:2]]}  # BibTeX has months, and no days
    text = exported("bibtex", *indexed(json.dumps([item]), "a.json", tmp_path))
    (back,) = json.loads(exported("csl-json", *indexed(text, "b.bib", tmp_path)))
    if text.startswith("@misc"):  # in BibTeX many types are
        item["type"] = back["type"]
    assert {**back, "id": "one"} == item


@pytest.mark.parametrize("entry", [entry for entry in IN_RIS if entry != LEAFLET])  # of GEN the venue says the type
def test_what_ris_says_comes_back_through_csl_and_bibtex(tmp_path: Path, entry: str) -> None:
    first = exported("ris", *indexed(entry, "a.bib", tmp_path))
    (record,) = rispy.loads(first)
    record.pop("notes", None)  # of RIS they are the owner's
    (again,) = indexed(first, "a.ris", tmp_path)
    (back,) = rispy.loads(exported("ris", *indexed(exported("csl-json", again), "b.json", tmp_path)))
    assert {**back, "id": ""} == {**record, "id": ""}
    text = exported("bibtex", again)
    if not text.startswith("@misc"):
        (back,) = rispy.loads(exported("ris", *indexed(text, "b.bib", tmp_path)))
        assert {**back, "id": "", "date": ""} == {**record, "id": "", "date": ""}


ENDNOTE = """%0 Book
%A Kant, Immanuel
%? Guyer, Paul
%? Wood, Allen W.
%E Höffe, Otfried
%T Critique of Pure Reason
%S The Cambridge Edition
%N 7
%6 3
%C Cambridge
%I Cambridge University Press
%D 1998
%7 2
%@ 978-0-521-35402-8
%G english
%( 1781
"""
ENDNOTE_XML = """<xml><records><record><ref-type name="Book">6</ref-type><contributors><authors><author>Kant, Immanuel
</author></authors><secondary-authors><author>Höffe, Otfried</author></secondary-authors><subsidiary-authors>
<author>Guyer, Paul</author><author>Wood, Allen W.</author></subsidiary-authors></contributors><titles>
<title>Critique of Pure Reason</title><secondary-title>The Cambridge Edition</secondary-title></titles>
<number>7</number><num-vols>3</num-vols><edition>2</edition><dates><year>1998</year></dates>
<pub-location>Cambridge</pub-location><publisher>Cambridge University Press</publisher><isbn>978-0-521-35402-8</isbn>
<orig-pub>1781</orig-pub><language>english</language></record></records></xml>"""
ZOTERO_CSV = """\
Key,Item Type,Publication Year,Author,Title,Abstract Note,Place,Publisher,Edition,Series,Series Number,ISBN,Language,\
Num Pages,Number Of Volumes,Editor,Translator
A1,book,1998,"Kant, Immanuel",Critique of Pure Reason,,Cambridge,Cambridge University Press,2,The Cambridge Edition,7,\
978-0-521-35402-8,english,785,3,"Höffe, Otfried","Guyer, Paul; Wood, Allen W."
"""
ZOTERO = {
    "itemType": "book",
    "citationKey": "kant",
    "title": "Critique of Pure Reason",
    "date": "1998",
    "originalDate": "1781",
    "place": "Cambridge",
    "publisher": "Cambridge University Press",
    "edition": "2",
    "series": "The Cambridge Edition",
    "seriesNumber": "7",
    "ISBN": "978-0-521-35402-8",
    "language": "english",
    "numPages": "785",
    "numberOfVolumes": "3",
    "creators": [
        {"creatorType": role, "firstName": first, "lastName": last}
        for role, first, last in (
            ("author", "Immanuel", "Kant"),
            ("editor", "Otfried", "Höffe"),
            ("translator", "Paul", "Guyer"),
            ("translator", "Allen W.", "Wood"),
        )
    ],
}


@pytest.mark.parametrize(
    ("file", "text", "unknown"),
    [
        ("a.enw", ENDNOTE, ["number-of-pages"]),
        ("a.xml", ENDNOTE_XML, ["number-of-pages"]),
        ("a.csv", ZOTERO_CSV, ["original-date"]),
        ("a.json", json.dumps({"items": [ZOTERO]}), []),  # of Better BibTeX, and as Zotero itself answers
    ],
)
def test_what_reference_managers_say_of_a_book(tmp_path: Path, file: str, text: str, unknown: list[str]) -> None:
    (item,) = json.loads(exported("csl-json", *indexed(text, file, tmp_path)))
    expected = {name: value for name, value in IN_CSL[BOOK].items() if name not in ("note", *unknown)}
    assert {name: value for name, value in item.items() if name not in ("id", "title", "author")} == expected
    assert item["author"] == [{"family": "Kant", "given": "Immanuel"}]


@pytest.mark.parametrize(
    ("written", "keywords"),
    [
        ("law, civil code", ["law", "civil code"]),
        ("Nurses, Male; Law \\& order", ["Nurses, Male", "Law & order"]),
        ("one", ["one"]),
    ],
)
def test_keywords_go_through_all_formats(tmp_path: Path, written: str, keywords: list[str]) -> None:
    entry = f"@article{{a, title = {{A title}}, journal = {{Acta}}, keywords = {{{written}}}}}"
    ris = exported("ris", *indexed(entry, "a.bib", tmp_path))
    assert rispy.loads(ris)[0]["keywords"] == keywords
    csl = exported("csl-json", *indexed(ris, "b.ris", tmp_path))
    assert json.loads(csl)[0]["keyword"] == written.replace("\\", "")
    assert f"  keywords = {{{written}}},\n" in exported("bibtex", *indexed(csl, "c.json", tmp_path))


KEYWORDS_OF_ENDNOTE = """<xml><records><record><ref-type name="Journal Article">17</ref-type>
<titles><title>A title</title></titles>
<keywords><keyword><style>Nurses, Male</style></keyword><keyword>Law</keyword></keywords></record></records></xml>"""


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.enw", "%0 Journal Article\n%T A title\n%K Nurses, Male\nLaw\n%D 2001\n"),
        ("a.nbib", "PMID- 1\nTI  - A title.\nJT  - Acta\nMH  - *Nurses, Male\nOTO - NOTNLM\nOT  - Law\n"),
        ("a.xml", KEYWORDS_OF_ENDNOTE),
        ("a.csv", 'Key,Item Type,Author,Title,Abstract Note,Manual Tags\nA1,book,,A title,,"Nurses, Male; Law"\n'),
    ],
)
def test_keywords_of_reference_managers_stay(tmp_path: Path, file: str, text: str) -> None:
    papers = indexed(text, file, tmp_path)
    assert rispy.loads(exported("ris", *papers))[0]["keywords"] == ["Nurses, Male", "Law"]
    assert "  keywords = {Nurses, Male; Law},\n" in exported("bibtex", *papers)


def test_the_words_that_bibtex_has_for_what_csl_says(tmp_path: Path) -> None:
    item = {"id": "a", "type": "report", "title": "A report", "publisher": "Institute", "container-title": "Reports"}
    parsed = bibtexparser.parse_string(exported("bibtex", *indexed(json.dumps([item]), "a.json", tmp_path)))
    (entry,) = parsed.entries
    assert (entry.entry_type, entry["institution"], entry["series"]) == ("techreport", "Institute", "Reports")


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("2019-07-21", [[2019, 7, 21]]),
        ("2019/7/3", [[2019, 7, 3]]),
        ("2019-07-21/2019-08", [[2019, 7, 21], [2019, 8]]),
        ("2019-00-00", [[2019]]),  # as Zotero keeps a year
        ("2019-21", [[2019]]),  # spring
        ("3 February 2019", [[2019]]),
    ],
)
def test_dates_that_are_written_in_other_ways(tmp_path: Path, written: str, parts: list[list[int]]) -> None:
    entry = f"@online{{a, title={{A page}}, urldate={{{written}}}, origdate={{{written}}}, year={{2020}}}}"
    (item,) = json.loads(exported("csl-json", *indexed(entry, "a.bib", tmp_path)))
    assert item["accessed"] == item["original-date"] == {"date-parts": parts}
    assert item["issued"] == {"date-parts": [[2020]]}


def test_a_value_of_ris_goes_on_where_a_line_has_no_tag(tmp_path: Path) -> None:
    entry = "TY  - BOOK\nTI  - Trees\nPB  - House of\n PB-Green\nCY  - Rio\u2028de Janeiro\nER  - \n"
    (item,) = json.loads(exported("csl-json", *indexed(entry, "a.ris", tmp_path)))
    assert (item["publisher"], item["publisher-place"].split()) == ("House of PB-Green", ["Rio", "de", "Janeiro"])
