from dataclasses import replace

import pytest

from .helpers import json_lines, of_format, read, write
from .samples import ARXIV, ARXIV_ATOM


def test_fields_are_read(tmp_path):
    paper = read(of_format("arxiv", tmp_path / "arxiv-metadata-oai-snapshot.json", ARXIV))[0]["0704.0001"]
    assert paper.title == "Calculation of prompt diphoton production at Münster"
    assert paper.abstract == "A fully differential calculation with $\\sqrt{s}$ is presented."
    assert paper.authors == ("C. Balázs", "E. L. Berger Jr.")
    assert paper.year == 2007  # of the first version, not of the last change
    assert (paper.doi, paper.arxiv) == ("10.1103/physrevd.76.013009", "0704.0001")
    assert paper.link == "https://arxiv.org/abs/0704.0001"


def test_old_identifiers_and_missing_lists(tmp_path):
    record = {"id": "hep-th/9901001", "title": "T", "abstract": "A", "categories": "hep-th", "versions": [],
              "authors": "A. One and B. Two", "update_date": "1999-01-01"}  # fmt: skip
    paper = read(write(tmp_path / "a.json", json_lines(record)))[0]["hep-th/9901001"]
    assert (paper.arxiv, paper.year, paper.authors) == ("hep-th/9901001", 1999, ("A. One", "B. Two"))


def test_accents_in_abstracts_are_letters_and_formulas_stay(tmp_path):
    written = (
        r"""Schr\"odinger, K\"{a}hler, Erd{\H o}s, na\"{\i}ve, na\"\i ve, \'etale, {\v C}ech, Fran\c{c}ois, """
        r"M{\o}ller, Bj\o rken, \oe uvre, Wei\ss{}, $\sqrt{s}$, \emph{a}, $\Lambda_c$, \ell, \omega, $\vec{v}$"
    )
    record = {"id": "0704.0002", "title": "T", "abstract": written, "versions": [], "categories": "hep-th"}
    paper = read(write(tmp_path / "a.json", json_lines(record)))[0]["0704.0002"]
    assert paper.abstract == (
        "Schrödinger, Kähler, Erdős, naïve, naïve, étale, Čech, François, Møller, "
        r"Bjørken, œuvre, Weiß, $\sqrt{s}$, \emph{a}, $\Lambda_c$, \ell, \omega, $\vec{v}$"
    )


def test_a_quotation_mark_is_no_accent_and_behind_a_unit_a_word_begins(tmp_path):
    written = (
        r"""the \"best\" and \`so\', $\O(n)$, \O(n^2), $\l_1$, 2.0 \AA resolution, 2~\AA and $3$ \AA{} of \AA rhus"""
    )
    record = {"id": "0704.0002", "title": r"At 2.0 \AA resolution, 2\,\AA of \AA rhus", "abstract": written}
    paper = read(write(tmp_path / "a.json", json_lines(record | {"versions": [], "categories": "hep-th"})))[0][
        "0704.0002"
    ]
    assert paper.title == "At 2.0 Å resolution, 2 Å of Århus"
    assert paper.abstract == (
        r"""the \"best\" and \`so\', $\O(n)$, \O(n^2), $\l_1$, 2.0 Å resolution, 2~Å and $3$ Å of Århus"""
    )


def test_an_answer_of_the_api_gives_the_paper_of_the_snapshot(tmp_path):
    papers, _ = read(of_format("arxiv_atom", tmp_path / "query", ARXIV_ATOM))
    of_the_snapshot = read(write(tmp_path / "arxiv-metadata-oai-snapshot.json", ARXIV))[0]["0704.0001"]
    assert papers["0704.0001"] == replace(
        of_the_snapshot,
        abstract="A fully differential calculation with $\\sqrt{s}$ < 5 is presented.",
        authors=("C. Balázs", "E. L. Berger"),
    )
    assert (papers["hep-th/9901001"].arxiv, papers["hep-th/9901001"].year) == ("hep-th/9901001", 1999)


@pytest.mark.parametrize(
    ("comments", "abstract", "withdrawn"),
    [
        ("This paper has been withdrawn", "On walks.", True),
        ("withdrawn by the author, see v2", "On walks.", True),
        (None, "  This submission has been removed by arXiv administrators due to a claim.\n", True),
        ("12 pages, replaces a paper that was withdrawn", "Cash that is withdrawn counts.", False),
        ("This paper has been temporarily withdrawn.", "On walks.", True),
        ("Withdrawn pending a revision of the proof", "On walks.", True),
        ("Withdrawn from a conference in 2020, 12 pages", "Withdrawn, tired dogs walk less.", False),
        (None, "The work is removed from the field. Withdrawn cash counts.", False),
    ],
)
def test_a_withdrawn_preprint_is_marked(tmp_path, comments, abstract, withdrawn):
    record = {"id": "0704.0001", "title": "A", "abstract": abstract, "comments": comments, "authors_parsed": []}
    papers, _ = read(write(tmp_path / "a.json", json_lines(record)))
    assert papers["0704.0001"].retracted is withdrawn


def test_an_error_of_the_api_is_reported(tmp_path):
    error = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><id>http://arxiv.org/api/kvuntZ8c9a4Eq5CF7KY03nMug+Q</id><entry>'
        "<id>http://arxiv.org/api/errors#incorrect_id_format_for_1234.12345x</id><title>Error</title>"
        "<summary>incorrect id format for 1234.12345x</summary></entry></feed>"
    )
    papers, report = read(write(tmp_path / "query.xml", error))
    assert not papers
    assert report.problems[0].reason == "no preprint, but Error: incorrect id format for 1234.12345x"


def test_what_a_damaged_answer_says_is_quoted_on_one_line(tmp_path):
    entry = "<entry><id>http://arxiv.org/api/errors</id><title>Error</title><summary>of\n the\n query</summary></entry>"
    path = write(tmp_path / "query.xml", f'<feed xmlns="http://www.w3.org/2005/Atom">{entry}</feed>')
    report = read(path, format="arxiv_atom")[1]
    assert [problem.reason for problem in report.problems] == ["no preprint, but Error: of the query"]
