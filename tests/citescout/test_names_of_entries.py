"""A bibliography in one format, written in another: its names, its kinds of works, what its entries inherit."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from test_originals import exported, indexed

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


def test_no_two_items_have_one_id(tmp_path: Path) -> None:
    (own,) = indexed('[{"id": "roe2020bees", "title": "Of bees", "issued": {"raw": "2020"}}]', "a.json", tmp_path)
    made = Paper("p", "Bees", year=2020, authors=("Ada Roe",))
    for papers in ((own, made), (made, own)):
        assert [item["id"] for item in json.loads(exported("csl-json", *papers))] == ["roe2020bees", "roe2020bees-2"]


@pytest.mark.parametrize(
    ("entry", "csl", "ris"),
    [
        ("@mastersthesis{k, title={One}, school={ETH}}", "thesis", "THES"),
        ("@dataset{k, title={One}, publisher={Zenodo}}", "article", "GEN"),
        ("@software{k, title={One}, publisher={Zenodo}}", "article", "GEN"),
        ("@proceedings{k, title={One}, publisher={ACM}}", "book", "BOOK"),
        ("@inreference{k, title={One}, booktitle={An Encyclopedia}}", "chapter", "CHAP"),
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


def test_the_number_of_an_article_stands_for_its_pages(tmp_path: Path) -> None:
    for text, name in (
        ("@article{k, title={One}, eid={012345}}", "a.bib"),
        ("TY  - JOUR\nTI  - One\nC7  - 012345\nER  - \n", "a.ris"),
    ):
        (paper,) = indexed(text, name, tmp_path)
        assert json.loads(exported("csl-json", paper))[0]["page"] == "012345"
