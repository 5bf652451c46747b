"""The keys by which a manuscript's text cites papers: each is that of one paper, wherever it is shown."""

import html
import json
import re

import bibtexparser
import pytest
from small_index import recommender_of
from web_manuscripts import MAIN, ONE, REFS, keep, number_of, pick, shown_key

from indexer.original import Original
from indexer.paper import Paper
from webui import create_app
from webui.kept_names import KeptNames

SMITHS = (
    Paper("W1001", "Dense retrieval of passages with vectors", "Passages become vectors.", 2020, ("Ann Smith",)),
    Paper("W1002", "Dense retrieval of documents as vectors", "Documents become vectors.", 2020, ("Ann Smith",)),
    Paper("W1003", "Dense retrieval of queries as vectors", "Queries become vectors.", 2020, ("Bob Smith",)),
    Paper("W1004", "Bread and butter", "How flour becomes dough.", 1999),
)
OTHERS = (
    Paper("X2001", "Dense compression of images", "Images become vectors.", 2020, ("Ann Smith",)),
    Paper("W1002", "Dense neighbours of vectors", "Vectors have near neighbours.", 2020, ("Cy Smith",)),
    Paper("X2003", "Dense retrieval of passages with vectors", "Passages become vectors.", 2020, ("Ann Smith",)),
)
IDS = ["W1001", "W1002", "W1003"]


def opened(papers, folder):
    return recommender_of(papers, folder)


@pytest.fixture(scope="module")
def smiths(tmp_path_factory):
    return opened(SMITHS, tmp_path_factory.mktemp("smiths"))


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    return opened(OTHERS, tmp_path_factory.mktemp("others"))


@pytest.fixture
def client(smiths, tmp_path):
    return create_app(smiths, sessions=tmp_path / "sessions").test_client()


def shown(client, address, ids=IDS, words="become vectors"):
    number = number_of(client.get(address).text, words)
    return {paper: shown_key(client, address, number, paper) for paper in ids}


def keys_of(text):
    return {
        entry.key: entry["title"].replace("{", "").replace("}", "") for entry in bibtexparser.parse_string(text).entries
    }


def test_papers_that_are_shown_together_have_keys_of_their_own_which_they_keep(client):
    address = keep(client)
    first = shown(client, address)
    keys = {"smith2020dense", "smith2020dense-2", "smith2020dense-3"}
    assert set(first.values()) == {f"\\cite{{{key}}}" for key in keys}
    for paper in ("W1003", "W1001", "W1002"):
        pick(client, address, paper)
        assert shown(client, address) == first
    pick(client, address, "W1003", remove="1")
    assert shown(client, address) == first
    file = keys_of(client.post(f"{address}/bibliography", data={"papers": ["W1002", "W1001"]}).text)
    assert {f"\\cite{{{key}}}": title for key, title in file.items() if key in keys} == {
        first["W1001"]: SMITHS[0].title,
        first["W1002"]: SMITHS[1].title,
    }


@pytest.mark.parametrize("order", [IDS, IDS[::-1]])
def test_a_key_stays_when_an_earlier_paper_leaves_the_basket(client, order):
    address = keep(client)
    for paper in order:
        pick(client, address, paper)
    before = re.findall(r'<code dir="auto">(smith[^<]*)</code>', client.get(address).text)
    assert before == ["smith2020dense", "smith2020dense-2", "smith2020dense-3"]
    pick(client, address, order[0], remove="1")
    after = re.findall(r'<code dir="auto">(smith[^<]*)</code>', client.get(address).text)
    assert after == ["smith2020dense-2", "smith2020dense-3"]


def test_the_files_of_the_basket_have_the_keys_of_the_manuscript(client):
    address = keep(client)
    cited = shown(client, address)
    for paper in reversed(IDS):
        pick(client, address, paper)
    titles = {cited[paper.id]: paper.title for paper in SMITHS[:3]}
    bibtex = keys_of(client.post(f"{ONE}/basket/export/bibtex").text)
    assert {f"\\cite{{{key}}}": title for key, title in bibtex.items()} == titles
    items = json.loads(client.post(f"{ONE}/basket/export/csl-json").text)
    assert {f"\\cite{{{item['id']}}}": item["title"] for item in items} == titles
    ris = client.post(f"{ONE}/basket/export/ris").text
    records = re.findall(r"ID  - (.*)\r\n(?:.*\r\n)*?TI  - (.*)\r\n", ris)
    assert {f"\\cite{{{key}}}": title for key, title in records} == titles


def test_the_next_version_of_the_text_has_the_same_keys_except_those_of_its_own_entries(client):
    first = shown(client, keep(client))
    changed = {"main.tex": MAIN.replace("near neighbours", "some neighbours").encode(), "refs.bib": REFS}
    assert shown(client, keep(client, changed), IDS[::-1]) == first
    taken = {**changed, "refs.bib": REFS + b"\n@misc{Smith2020Dense, title={Something else}}"}
    again = shown(client, keep(client, taken), IDS[::-1])
    (without,) = (paper for paper, key in first.items() if key == "\\cite{smith2020dense}")
    assert again == {**first, without: "\\cite{smith2020dense-4}"}


def test_text_without_keys_tells_papers_apart_by_letters(client):
    text = "Reading passages\n\nAbstract\nWe retrieve passages.\n\nIntroduction\nPassages and queries become vectors.\n"
    address = keep(client, {"paper.txt": text.encode()})
    first = shown(client, address)
    assert set(first.values()) == {"(Smith, 2020)", "(Smith, 2020b)", "(Smith, 2020c)"}
    for paper in reversed(IDS):
        pick(client, address, paper)
    assert shown(client, address) == first


def test_the_bibliography_has_the_papers_of_every_index(smiths, others, tmp_path):
    client = create_app({"a": smiths, "b": others}, sessions=tmp_path / "sessions").test_client()
    address = keep(client)
    other = address.replace("/manuscript", "/i/b/manuscript")
    pick(client, address, "W1001")
    pick(client, other, "X2001")
    pick(client, other, "W1002")
    titles = {
        "smith2020dense": "Dense retrieval of passages with vectors",
        "smith2020dense-2": "Dense compression of images",
        "smith2020dense-3": "Dense neighbours of vectors",
    }
    for where in (address, other):
        page = client.get(where).text
        assert re.findall(r'<code dir="auto">(smith[^<]*)</code>', page) == list(titles)
        ids = re.findall(r'name="papers" value="([^"]*)" checked', page)
        assert len(ids) == 3
        file = keys_of(client.post(f"{where}/bibliography", data={"papers": ids}).text)
        assert {key: title for key, title in file.items() if key in titles} == titles
    assert keys_of(client.post(f"{ONE}/basket/export/bibtex").text) == titles
    pick(client, address, "W1002")
    assert len(keys_of(client.post(f"{ONE}/basket/export/bibtex").text)) == 4, "two papers have that id"
    assert set(shown(client, other, ["X2003"]).values()) == {"\\cite{smith2020dense}"}, "it is W1001 of the other index"


def test_so_many_keys_are_kept_and_all_of_the_basket(sessions, monkeypatch):
    monkeypatch.setattr("webui.kept_names._MOST", 1)
    sessions.baskets.pick(ONE, "", [SMITHS[0]])
    names: KeptNames = sessions.names

    def given(*papers):
        return list(
            names.names(ONE, [("", paper) for paper in papers], lambda paper: iter([paper.id, f"{paper.id}b"])).values()
        )

    assert given(*SMITHS) == ["W1001", "W1002", "W1003", "W1004"]
    with sessions._file.connection() as connection:
        rows = connection.execute("SELECT name FROM citation_names ORDER BY rowid").fetchall()
    assert rows == [("W1001",), ("W1004",)]
    sessions.delete(ONE)
    with sessions._file.connection() as connection:
        assert connection.execute("SELECT count(*) FROM citation_names").fetchone() == (0,)


def test_an_entry_of_ones_own_keeps_its_key_beside_papers_that_want_it(tmp_path):
    entry = "@misc{smith2020dense, title={Dense vectors of queries}, author={Smith, Eve}, year=2020}"
    own = Paper("W9", "Dense vectors of queries", "", 2020, ("Eve Smith",), original=Original("bibtex", entry))
    index = opened((SMITHS[0], own), tmp_path / "index")
    client = create_app(index, sessions=tmp_path / "sessions").test_client()
    page = client.get("/?title=dense+retrieval+of+passages").text
    shown = [html.unescape(one) for one in re.findall(r'aria-label="BibTeX entry">([^<]*)<', page)]
    assert "Dense retrieval of passages" in shown[0]
    assert shown[1].startswith(entry)
    for paper in ("W1001", "W9"):
        client.post(f"{ONE}/basket", data={"papers": [paper]})
    assert keys_of(client.post(f"{ONE}/basket/export/bibtex").text)["smith2020dense"] == own.title
