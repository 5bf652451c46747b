import json

import pytest

from .helpers import json_lines, of_format, read, write
from .samples import S2_API_PAPER

ID, OTHER = S2_API_PAPER["paperId"], "0" * 40


def test_fields_are_read(tmp_path):
    paper = read(of_format("s2_api", tmp_path / "papers.jsonl", json_lines(S2_API_PAPER)))[0][ID]
    assert paper.title == "Construction of the Literature Graph in Semantic Scholar"
    assert paper.abstract.startswith("We describe a deployed scalable system")
    assert (paper.year, paper.venue, paper.authors) == (2018, "NAACL", ("Waleed Ammar", "Oren Etzioni"))
    assert (paper.doi, paper.arxiv) == ("10.18653/v1/n18-3011", "1805.02262")
    assert paper.url == "https://pubmed.ncbi.nlm.nih.gov/29000000/"
    assert paper.citations == (OTHER,)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "answer",
    [
        S2_API_PAPER,  # /paper/ID
        [S2_API_PAPER, None],  # /paper/batch, with an id that is unknown
        {"total": 1, "offset": 0, "data": [S2_API_PAPER]},  # /paper/search
        {"total": 1, "token": "next", "data": [S2_API_PAPER]},  # /paper/search/bulk
        {"offset": 0, "data": [{"isInfluential": True, "contexts": ["as in [3]"], "citedPaper": S2_API_PAPER}]},
        {"offset": 0, "data": [{"contexts": [], "citingPaper": S2_API_PAPER}]},
        {"recommendedPapers": [S2_API_PAPER]},
    ],
)
def test_every_kind_of_answer_is_read(tmp_path, answer, indent):
    assert list(read(of_format("s2_api", tmp_path / "answer.json", json.dumps(answer, indent=indent)))[0]) == [ID]


def test_pages_one_after_another_are_read(tmp_path):
    pages = [{"total": 2, "data": [S2_API_PAPER | {"paperId": id_}]} for id_ in (ID, OTHER)]
    path = write(tmp_path / "pages.jsonl", "\n".join(map(json.dumps, pages)))
    assert list(read(path)[0]) == [ID, OTHER]


def test_nulls_are_no_fault(tmp_path):
    paper = dict.fromkeys(S2_API_PAPER) | {"paperId": OTHER, "title": "T"}
    papers, report = read(write(tmp_path / "papers.jsonl", json_lines(paper)))
    assert papers[OTHER].title == "T"
    assert report.skipped == 0
