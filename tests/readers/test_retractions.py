"""What sources say of retractions; notices of retractions and corrections are told from papers on such subjects."""

import json

import pytest

from indexer.identity.keys import keys_of
from indexer.identity.retractions import is_notice, says_retracted, without_mark
from indexer.paper import Paper

from .helpers import json_lines, read, write

MARKED = (
    "RETRACTED: Vaccines and gold",
    "Retracted: Vaccines and gold",
    "RETRACTED ARTICLE: Vaccines and gold",
    "Retracted article: Vaccines and gold",
    "[Retracted] Vaccines and gold",
    "[RETRACTED ARTICLE] Vaccines and gold",
    "RETRACTED CHAPTER: Vaccines and gold",
    "WITHDRAWN: Vaccines and gold",
    "被撤回的出版物: Vaccines and gold",
    "Vaccines and gold (Retracted article. See vol. 375, pg. 445, 2010)",
    "Vaccines and gold [Retracted]",
)


@pytest.mark.parametrize("title", MARKED)
def test_a_title_says_that_its_paper_was_retracted_and_still_is_the_papers_title(title):
    assert without_mark(title) == "Vaccines and gold"
    assert keys_of(Paper("a", title)) == keys_of(Paper("b", "Vaccines and gold"))


@pytest.mark.parametrize(
    "title",
    [
        "Retracted articles in medicine: a study",
        "Withdrawn: a memoir",
        "Why they cite (retracted) papers",
        "RETRACTED:",
    ],
)
def test_other_titles_say_no_such_thing(title):
    assert not says_retracted(title)


FORMATS = {
    "a.ris": "TY  - JOUR\nTI  - {}\nDO  - 10.1000/a\nER  - \n",
    "a.bib": "@article{{a, title = {{{}}}, year = 2001}}\n",
    "a.enw": "%0 Journal Article\n%T {}\n%D 2001\n",
    "a.csv": "Authors,Title,Year,Source title,EID\nA. Roe,{},2001,Acta,2-s2.0-1\n",
    "a.json": '[{{"id": "a", "type": "book", "title": "{}", "author": []}}]',
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_title_that_says_so_counts_in_every_format(tmp_path, name):
    for title in (MARKED[0], "Vaccines and gold"):
        (paper,) = read(write(tmp_path / name, FORMATS[name].format(title)))[0].values()
        assert (paper.title, paper.retracted) == (title, title == MARKED[0])


@pytest.mark.parametrize(
    ("kind", "retracted"),
    [("Article", [False]), ("Article; Retracted Publication", [True]), ("Correction", []), ("Retraction", [])],
)
def test_document_types_of_web_of_science(tmp_path, kind, retracted):
    text = f"FN Clarivate\nVR 1.0\nPT J\nAU ROE, A\nTI A title\nDT {kind}\nUT WOS:1\nER\n\nEF\n"
    table = f"PT\tAU\tTI\tSO\tPY\tDT\tUT\nJ\tRoe, A\tA title\tActa\t2001\t{kind}\tWOS:1\n"
    for name, data in (("text.txt", text), ("table.txt", table)):
        # With a second record, for a file without papers is none.
        other = "TY  - JOUR\nTI  - B\nDO  - 10.1000/b\nER  - \n"
        papers, report = read(write(tmp_path / name, data), write(tmp_path / "b.ris", other))
        del papers["10.1000/b"]
        assert ([paper.retracted for paper in papers.values()], report.found) == (retracted, 0)


@pytest.mark.parametrize(("kind", "retracted"), [("Article", [False]), ("Retracted", [True]), ("Erratum", [])])
def test_document_types_of_scopus(tmp_path, kind, retracted):
    table = f"Authors,Title,Year,Source title,Document Type,EID\nA. Roe,A title,2001,Acta,{kind},2-s2.0-1\n"
    assert [paper.retracted for paper in read(write(tmp_path / "a.csv", table))[0].values()] == retracted


@pytest.mark.parametrize(
    ("updates", "retracted"),
    [
        ({"updated-by": [{"type": "correction", "DOI": "10.1000/n"}]}, [False]),
        ({"updated-by": [{"type": "retraction", "DOI": "10.1000/n"}]}, [True]),
        ({"update-to": [{"type": "retraction", "DOI": "10.1000/o"}]}, []),
        ({"update-to": [{"type": "correction", "DOI": "10.1000/o"}]}, []),
        ({"update-to": [{"type": "new_version", "DOI": "10.1000/o"}]}, [False]),
    ],
)
def test_updates_of_crossref(tmp_path, updates, retracted):
    work = {"DOI": "10.1000/w", "title": ["A work"], "issued": {}, **updates}
    one = {"status": "ok", "message-type": "work", "message": work}
    several = one | {"message-type": "work-list", "message": {"items": [work]}}
    for kept in (one, several, [work], [work, work], {"items": [work]}, work):
        papers = read(write(tmp_path / "a.json", json.dumps(kept)))[0].values()
        assert [paper.retracted for paper in papers] == retracted


@pytest.mark.parametrize(
    "title",
    [
        "Retraction of: Vaccines and gold",
        "Retraction notice to “Vaccines and gold” [Acta 12 (2001) 3]",
        "Retraction Note to: Vaccines and gold",
        "RETRACTION: Vaccines and gold",
        "Statement of Retraction: Vaccines and gold",
        "Correction to: Vaccines and gold",
        "Author Correction: Vaccines and gold",
        "Correction for Roe et al., Vaccines and gold",
        "Erratum to Vaccines and gold",
        'Corrigendum to "Vaccines and gold"',
        "Corrigendum – Vaccines and gold",
        "Erratum - Vaccines and gold",
        "Erratum zu: Impfstoffe und Gold",
        "Erratum",
        "Expression of Concern: Vaccines and gold",
        "Vaccines and gold (vol 406, pg 378, 2000)",
        "VACCINES AND GOLD (VOL 12, ART NO 44, 2019)",
        "Vaccines and gold (vol 336,120846, 2023)",
        "Vaccines and gold (Retraction of vol 52, pg 2177, 2008)",
    ],
)
def test_notices_are_told_by_their_titles(title):
    assert is_notice(title)


@pytest.mark.parametrize(("doi", "retracted"), [("10.1109/ICEE.2010.5660000", True), ("10.1001/jama.2019.1", False)])
def test_a_title_of_ieee_that_begins_like_a_notice_is_that_of_the_retracted_paper(tmp_path, doi, retracted):
    record = {"id": "a", "title": "Notice of Retraction: Vaccines and gold", "doi": doi}
    assert read(write(tmp_path / "a.jsonl", json_lines(record)))[0]["a"].retracted is retracted


@pytest.mark.parametrize(
    "title",
    [
        "Retraction of the brain during surgery",
        "Correction for attenuation",
        "Correction to the Born approximation",
        "Correction of 'moral' errors",
        "Corrections: an introduction",
        "Errata in medical publications",
        "Errata-based learning",
        "Retraction notices in oncology: a study",
        "Corrigenda and retractions",
        "Gold and erratum: a study",
        "Vaccines and gold (Reprinted from vol. 33, p. 353, 1999)",
        "Vaccines and gold (vol. 2)",
        "Handbook of gold (Vol. 3, Vaccines, 2004)",
        "Vaccines and gold (Handbook of gold, vol 3, pg 4, 2004)",
        "Handbook of gold (Vol. 3, pp. 3-25, 2004)",
        "Proceedings of the conference on gold (Vienna, May 1999)",
    ],
)
def test_papers_on_corrections_and_retractions_are_no_notices(title):
    assert not is_notice(title)
