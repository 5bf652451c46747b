import pytest

from common.errors import RecordError
from indexer.paper import Imprint
from indexer.readers import ReadReport
from indexer.readers.base import RawPaper
from indexer.readers.fields import MAX_ABSTRACT, MAX_TITLE, arxiv, clean, doi, year

from .helpers import read, write


def paper(**fields):
    return clean(RawPaper("line 1", **({"id": "p", "title": "T"} | fields)), ReadReport())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1998, 1998),
        ("1998", 1998),
        (1998.0, 1998),
        ("1998 Dec-1999 Jan", 1998),
        ("c2003", 2003),
        ("2009-05-01", 2009),
        ("20200301", 2020),
        ("20205301", None),
        ("昭和50年", 1975),
        ("平成元年3月", 1989),
        ("民國104年", 2015),
        ("昭和50年 (1976)", 1976),
        ("Winter", None),
        ("", None),
        (0, None),
        (-5, None),
        (2101, None),
        (999, None),
        (float("nan"), None),
        (True, None),
        (None, None),
        ([1998], None),
        ("pages 12345", None),
    ],
)
def test_year_is_read_leniently(value, expected):
    assert year(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("https://doi.org/10.48550/arXiv.1706.03762", "10.48550/arxiv.1706.03762"),
        ("10.1016/j.cell. 2020.01.001", "10.1016/j.cell.2020.01.001"),
        ("http://dx.doi.org/10.1002/(SICI)1097-4571%28199806%29", "10.1002/(sici)1097-4571(199806)"),
        ("doi:10.1000.10/x.", "10.1000.10/x"),
        ("10.1000/a\x00\ufeffb ", "10.1000/ab"),
        ("10.1561", ""),
        ("n/a", ""),
        (None, ""),
        (10.5, ""),
    ],
)
def test_doi_is_bare_and_lower_case(value, expected):
    assert doi(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("arXiv:1706.03762v5", "1706.03762"),
        ("arXiv preprint 2101.00001", "2101.00001"),
        ("arXiv preprint arXiv:2101.00001v2", "2101.00001"),
        ("arxiv 2101.00001", "2101.00001"),
        ("abs/cs/0112017", "cs/0112017"),
        ("oai:arXiv.org:0704.0001", "0704.0001"),
        ("https://doi.org/10.1287/mnsc.1110.1446", ""),
        ("none", ""),
        (None, ""),
    ],
)
def test_arxiv_is_bare(value, expected):
    assert arxiv(value) == expected


def test_text_is_collapsed_and_freed_of_what_cannot_be_read():
    made = paper(title=" A\t\n\x00tit\x07le \ud83d\u202e of\u00a0so\u00adrts ", abstract="e\u0301")
    assert made.title == "A title of sorts"
    assert made.abstract == "é"


def test_long_texts_are_cut_and_counted():
    report = ReadReport()
    made = clean(RawPaper("line 1", id="p", title="t" * 5000, abstract="a" * 60_000), report)
    assert (len(made.title), len(made.abstract), report.truncated) == (MAX_TITLE, MAX_ABSTRACT, 1)


def test_a_letter_in_a_journal_is_one_of_its_articles():
    letter = {"type": "personal_communication", "volume": "6"}
    assert paper(**letter, venue="The Lancet").imprint == Imprint("article-journal", "6")
    assert paper(**letter).imprint == Imprint("personal_communication", "6")


def test_what_else_is_said_is_not_kept_without_bound():
    assert paper(more={"keyword": "walks"}).imprint.more == '{"keyword":"walks"}'
    assert paper(more={"keyword": "walks; " * 20_000}).imprint is None


@pytest.mark.parametrize(
    ("id_", "expected"), [("10.1000/ABC", "10.1000/abc"), ("doi:10.1000/X", "10.1000/x"), ("W10.1000/x", ""), ("7", "")]
)
def test_an_id_that_is_a_doi_is_the_doi_too(id_, expected):
    assert paper(id=id_).doi == expected
    assert paper(id=id_, doi="10.1000/given").doi == "10.1000/given"


def test_citations_are_distinct_in_order_and_never_the_paper_itself():
    assert paper(id=7, citations=["9", 8, "9", 7, "7", None, "", 8.0, {"id": 1}]).citations == ("9", "8")


def test_not_a_number_is_a_missing_value():
    made = paper(title=float("nan"), abstract="A", year=float("nan"), venue=float("nan"))
    assert (made.title, made.year, made.venue) == ("", None, "")


def test_id_that_is_no_longer_exact_is_no_id():
    with pytest.raises(RecordError, match="no id"):
        paper(id=1e23)


def test_authors_may_be_one_name_or_hold_blanks():
    assert paper(authors="Plato").authors == ("Plato",)
    assert paper(authors=["Ann  A", None, " ", 3]).authors == ("Ann A",)


@pytest.mark.parametrize("nothing", ["[No abstract available]", "No abstract available.", "No Abstract"])
def test_what_databases_write_for_want_of_an_abstract_is_none(nothing):
    assert paper(abstract=nothing).abstract == ""
    assert paper(abstract=f"{nothing} theory of anything").abstract


@pytest.mark.parametrize("nobody", ["[No author name available]", "[Anonymous]"])
def test_what_databases_write_for_want_of_an_author_is_nobody(nobody):
    assert paper(authors=[nobody]).authors == ()


def test_what_somebody_did_is_no_part_of_a_name():
    given = ["Schulze, Winfried (Hrsg.)", "Roe, Ann [Ed.]", "Silva, Ana (org.)", "Corporation (Berlin)"]
    assert paper(authors=given).authors == ("Schulze, Winfried", "Roe, Ann", "Silva, Ana", "Corporation (Berlin)")


def test_the_number_by_which_dblp_parts_namesakes_is_no_part_of_a_name():
    assert paper(authors=["Wei Chen 0001", "Yong Wang 0021"]).authors == ("Wei Chen", "Yong Wang")
    assert paper(authors=["Census 1990", "0001"]).authors == ("Census 1990", "0001")


@pytest.mark.parametrize("between", [" ", "\n", "; ", ", "])
def test_the_first_of_several_addresses_is_kept(between):
    first = "https://web.archive.org/web/2020/http://x.org/a;b,c"
    assert paper(url=f"{first}{between}http://y.org/1{between}http://z.org").url == first


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "example.org", "http://x/" + "a" * 3000])
def test_only_web_addresses_are_kept(url):
    assert paper(url=url).url == ""


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": None}, "no id"),
        ({"id": " \x00 "}, "no id"),
        ({"id": True}, "no id"),
        ({"id": ["x"]}, "no id"),
        ({"id": "x" * 600}, "longer than 512"),
        ({"title": ""}, "neither title nor abstract"),
        ({"title": {"en": "T"}}, "title is a JSON object"),
        ({"citations": "p2"}, "not a list of ids"),
    ],
)
def test_records_that_are_no_papers(fields, message):
    with pytest.raises(RecordError, match=message):
        paper(**fields)


@pytest.mark.parametrize("name", ["title", "abstract", "venue"])
def test_markup_is_taken_out_whatever_the_format(name):
    made = paper(**{name: "Effects of CO<sub>2</sub> &amp; <i>E. coli</i>, p &lt; 0.05 < x and y > 3"})
    assert getattr(made, name) == "Effects of CO2 & E. coli, p < 0.05 < x and y > 3"


@pytest.mark.parametrize(
    "text",
    ["When $a<b$ and $c>d$ hold", "A<B and C>D", "For i <p of x>y, and u < v/>w", "x<a = b>y", "a <i and </b c> d"],
)
def test_what_stands_between_smaller_and_greater_is_no_tag(text):
    assert paper(title=text).title == text


@pytest.mark.parametrize(
    "tag",
    [
        "<i >",
        "<br/>",
        "<br />",
        '<span class="a b" id=x>',
        "<jats:sec sec-type='intro'\nid=\"s1\">",
        '<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML" alttext="a > b">',
        "<p\u00a0style = 'x'>",
        "</sub>",
        "<scp>",
        "<u>",
    ],
)
def test_tags_with_attributes_are_taken_out(tag):
    assert paper(title=f"Of{tag} bees").title == "Of bees"


def test_of_a_document_around_a_formula_the_formula_stays():
    document = (
        r"\documentclass[12pt]{minimal} \usepackage{amsmath} \usepackage{wasysym} \usepackage{amsfonts}"
        r" \setlength{\oddsidemargin}{-69pt} \begin{document}$$\alpha$$\end{document}"
    )
    read = paper(title="Bees", abstract=f"Of {document}-bees & {document}.").abstract
    assert read == r"Of $$\alpha$$-bees & $$\alpha$$."


def test_text_that_was_read_in_a_wrong_encoding_is_mended_and_counted():
    def wrong(value):
        if isinstance(value, list):
            return [*map(wrong, value)]
        return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in value.encode())

    report = ReadReport()
    right = {"title": "Müller’s “α” ≤ 5", "abstract": "Á…", "authors": ["Jörg Müller", "Łukasz"], "venue": "Für X"}
    read = clean(RawPaper("line 1", id="Müller", **{name: wrong(value) for name, value in right.items()}), report)
    assert [read.title, read.abstract, [*read.authors], read.venue] == [*right.values()]
    assert (report.mended, read.id) == (1, "Müller")
    assert "1 paper mended whose letters were broken" in report.summary()


@pytest.mark.parametrize(
    "right",
    [
        *("“Spaß“ im CAFÉ’S", "MENÜ…", "“IRMÃ”", "«LÀ»", "«IRMÃ»", "Ä–Ö", "PRÄ–POST"),
        *("Việt Nam", "Ünal’s", "naïve—Æ”", "Ø™", "Łódź„", "日本語"),
    ],
)
def test_right_text_stays_as_it_is(right):
    report = ReadReport()
    assert clean(RawPaper("line 1", id="a", title=right, authors=[right]), report).title == right
    assert report.mended == 0


def test_control_characters_of_latin_1_are_what_windows_has_there():
    assert paper(title="pp. 47\x96150 of Roe\x92s \x81list").title == "pp. 47–150 of Roe’s list"


def test_years_that_are_none_are_told_once_a_file(tmp_path):
    rows = ["title,year", "First,20119", "Second,1999", "Third,in press", "Fourth,2519", "Fifth,0", "Sixth,"]
    papers, report = read(write(tmp_path / "a.csv", "\n".join(rows) + "\n"))
    assert [paper.year for paper in papers.values()] == [None, 1999, None, None, None, None]
    assert [problem.reason for problem in report.problems if "records" in problem.reason] == [
        "2 records read without a year, since it is none from 1000 to 2100: 20119 (line 2) …"
    ]


def test_a_date_without_a_year_is_told_in_no_notation_of_a_program(tmp_path):
    _, report = read(write(tmp_path / "a.json", '[{"id": "a", "title": "A", "type": "book", "issued": {"x": 20119}}]'))
    assert report.problems == []


def test_years_of_the_buddhist_era_are_those_of_thai_records(tmp_path):
    first = "@book{a, title={ประวัติศาสตร์สุโขทัย}, year={2519}}"
    second = "@book{b, title={History}, year={พ.ศ. 2543}, publisher={มติชน}}"
    papers, report = read(write(tmp_path / "a.bib", f"{first}\n{second}\n"))
    assert [paper.year for paper in papers.values()] == [1976, 2000]
    assert report.problems == []
