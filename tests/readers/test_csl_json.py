import json

import pytest

from .helpers import json_lines, of_format, read, write
from .samples import CSL


def test_fields_are_read(tmp_path):
    papers, report = read(of_format("csl_json", tmp_path / "items.json", CSL))
    paper = papers["doe2009"]
    assert (paper.title, paper.abstract, paper.year) == ("A title", "In JATS.", 2009)
    assert paper.authors == ("Jane Doe", "Jan van der Berg", "The Group")
    assert (paper.venue, paper.doi, paper.url) == ("Acta", "10.1000/csl", "https://example.org/csl")
    second = papers["10.1000/2"]
    assert (second.title, second.year) == ("Crossref's list", 1950)
    assert report.skipped == 0


def test_lines_instead_of_an_array(tmp_path):
    record = {"id": 7, "type": "book", "title": "T", "issued": {"date-parts": [[None]]}, "author": [{}]}
    assert read(write(tmp_path / "items.jsonl", json_lines(record)))[0]["7"].year is None


WORK = {
    "DOI": "10.1000/cr.1",
    "type": "journal-article",
    "title": ["A work"],
    "author": [{"given": "Ann", "family": "Roe", "sequence": "first"}, {"name": "The Group", "sequence": "additional"}],
    "container-title": ["Acta"],
    "volume": "7",
    "issued": {"date-parts": [[2020, 1]]},
    "reference": [{"key": "a", "DOI": "10.1000/CR.2"}, {"key": "b", "unstructured": "No DOI"}],
}


def test_answers_of_crossrefs_api_are_read_as_they_come(tmp_path):
    one = {"status": "ok", "message-type": "work", "message-version": "1.0.0", "message": WORK}
    several = one | {
        "message-type": "work-list",
        "message": {"facets": {}, "items": [WORK, WORK | {"DOI": "10.1000/cr.2"}]},
    }
    for answers, ids in ((one, ["10.1000/cr.1"]), (several, ["10.1000/cr.1", "10.1000/cr.2"])):
        papers, report = read(of_format("csl_json", tmp_path / "crossref.json", json_lines(answers)))
        assert (list(papers), report.found) == (ids, 0)
        paper = papers["10.1000/cr.1"]
        assert (paper.title, paper.venue, paper.citations) == ("A work", "Acta", ("10.1000/cr.2",))
        assert paper.authors == ("Ann Roe", "The Group")
        item = json.loads(paper.original.text)
        assert (item["id"], item["type"], item["title"]) == ("10.1000/cr.1", "article-journal", "A work")
        assert (item["container-title"], item["volume"]) == ("Acta", "7")
        assert item["author"][1]["literal"] == "The Group"
        assert "reference" not in item


def test_works_that_crossref_knows_no_doi_of_are_found_as_it_describes_them(tmp_path):
    place = {"key": "c", "author": "Doe J", "year": "1999", "volume": "12", "first-page": "0345", "DOI": None}
    printed = {"key": "b", "unstructured": "Doe, J. One more. https://doi.org/10.1000/CR.3."}
    unknown = {
        "key": "e",
        "article-title": "A work that stands in no file of them all",
        "year": "1999",
        "author": "A. Doe",
    }
    titled = {"key": "d", "article-title": "On short walks", "year": 1999, "author": "J. Doe"}
    citing = WORK | {"reference": [printed, place, titled, unknown]}
    by_doe = {"author": [{"given": "Jane", "family": "Doe"}], "issued": {"date-parts": [[1999]]}, "reference": []}
    others = [
        WORK | by_doe | {"DOI": "10.1000/place", "title": ["Placed"], "volume": "12", "page": "345-350"},
        WORK | by_doe | {"DOI": "10.1000/title", "title": ["On short walks"], "volume": "13"},
    ]
    papers, report = read(write(tmp_path / "0.json", json.dumps({"items": [citing, *others]})))
    cited = papers["10.1000/cr.1"].citations
    assert cited[:3] == ("10.1000/cr.3", "10.1000/place", "10.1000/title")
    assert "A work that stands in no file of them all" in cited[3]
    assert report.references == {"place": 1, "title": 1, "": 1}


def test_a_formula_that_crossref_has_twice_is_read_once(tmp_path):
    formula = (
        "<jats:alternatives><jats:tex-math>$$x^2$$</jats:tex-math>"
        '<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:msup><mml:mi>x</mml:mi></mml:msup></mml:math>'
        "</jats:alternatives>"
    )
    work = WORK | {"abstract": f"<jats:p>Here <jats:inline-formula>{formula}</jats:inline-formula> grows.</jats:p>"}
    papers, _ = read(write(tmp_path / "0.json", json.dumps([work])))
    assert papers["10.1000/cr.1"].abstract == "Here $$x^2$$ grows."


@pytest.mark.parametrize(
    ("title", "subtitle", "whole"),
    [
        (["Text Mining"], ["Theory"], "Text Mining: Theory"),
        (["Text Mining: Theory"], ["theory"], "Text Mining: Theory"),
        (["Text Mining:"], ["Theory"], "Text Mining: Theory"),
        (["Is It Text?"], ["A Theory"], "Is It Text? A Theory"),
        (["Text Mining"], [], "Text Mining"),
        ("Text Mining", ["Theory"], "Text Mining: Theory"),
    ],
)
def test_titles_of_crossref_have_their_subtitles(tmp_path, title, subtitle, whole):
    papers, _ = read(write(tmp_path / "works.json", json.dumps([WORK | {"title": title, "subtitle": subtitle}])))
    (paper,) = papers.values()
    assert paper.title == whole
    if isinstance(title, list):
        assert json.loads(paper.original.text)["title"] == whole


def test_a_chapter_of_crossref_stands_in_its_book_and_not_in_the_series_of_that(tmp_path):
    titles = ["Lecture Notes in Computer Science", "Medical Imaging &amp; MICCAI 2015"]
    works = [WORK | {"type": "book-chapter", "container-title": titles}, WORK | {"DOI": "10.1000/2"}]
    works[1]["container-title"] = ["Acta", "Acta (Berlin)"]
    chapter, article = read(write(tmp_path / "works.json", json.dumps(works)))[0].values()
    item = json.loads(chapter.original.text)
    assert chapter.venue == item["container-title"] == "Medical Imaging & MICCAI 2015"
    assert item["collection-title"] == "Lecture Notes in Computer Science"
    assert (article.venue, "collection-title" in json.loads(article.original.text)) == ("Acta", False)


def test_halves_of_surrogate_pairs_in_what_no_field_holds_do_not_end_the_file(tmp_path):
    halves = {
        "type": "book-chapter",
        "container-title": ["S\ud83d", "Acta"],
        "ISBN": "9\ud83d",
        "editor": [{"family": "E\ud83d"}],
    }
    papers, _ = read(write(tmp_path / "works.json", json.dumps([WORK | halves])))
    assert [paper.venue for paper in papers.values()] == ["Acta"]


def test_items_of_zoteros_api_are_read_all(tmp_path):
    items = [
        {
            "id": f"1/{key}",
            "type": "book",
            "title": key,
            "author": [{"family": "Roe"}],
            "issued": {"date-parts": [[2020]]},
        }
        for key in "AB"
    ]
    on_lines = '{"items": [\n' + ",\n".join(map(json.dumps, items)) + "\n]}\n"
    for text in (json_lines({"items": items}), on_lines, json.dumps({"items": items}, indent=2)):
        papers, report = read(write(tmp_path / "items.json", text))
        assert ([paper.title for paper in papers.values()], report.found) == (["A", "B"], 0)
