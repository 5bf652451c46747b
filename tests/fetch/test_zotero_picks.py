"""`recommend --to-zotero`: what is recommended goes into a running Zotero, which is played."""

import json
import re

import pytest
import requests
from command_line import run
from fake_zotero import FakeZotero, item

from cli.main import main
from common.errors import FetchError
from fetch.zotero.api import LocalApi
from fetch.zotero.connector import Connector
from fetch.zotero.library import Part
from fetch.zotero.syncing import papers_of
from indexer.readers import ReadReport

OWN = """@article{mine,
   title={Graphs of citations and what they tell},
   doi = {10.5555/mine}, abstract={Citations.}}
"""
RIS = "TY  - JOUR\nTI  - Ranking citations of graphs\nDO  - 10.5555/ris\nC1  - a field of mine\nER  - \n"
LINE = {"id": "plain", "title": "Citation graphs, learnt", "abstract": "Of graphs.", "doi": "10.5555/plain"}


@pytest.fixture
def zotero():
    zotero = FakeZotero()
    zotero.groups = [{"id": 777, "version": 1, "data": {"id": 777, "name": "Our group"}}]
    zotero.libraries["groups/777"] = {}
    for prefix, names in {"users/0": ("Thesis", "Twice", "Twice"), "groups/777": ("Theirs",)}.items():
        zotero.collections[prefix] = [
            {"key": f"{name.upper()}{number}", "data": {"key": f"{name.upper()}{number}", "name": name}}
            for number, name in enumerate(names)
        ]
    return zotero


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("picks")
    (folder / "mine.bib").write_text(OWN)
    (folder / "mine.ris").write_text(RIS)
    (folder / "field.jsonl").write_text(json.dumps(LINE))
    files = [str(folder / name) for name in ("mine.bib", "mine.ris", "field.jsonl")]
    main(["index", *files, "--index", str(folder / "ix"), "--encoder", "none"])
    (folder / "draft.txt").write_text("Citations and graphs\n\nWe learn citation graphs, ranking citations.")
    return folder / "ix"


def asked(index, address, *options):
    """Ids of the list, what is said on standard error, and the exit code."""
    ask = ("recommend", index.parent / "draft.txt", "--index", index, "--format", "jsonl", "--reranker", "none")
    code, out, err = run(*ask, "--zotero-url", address, "--to-zotero", *options)
    ids = [entry["id"] for entry in json.loads(out)["recommendations"]] if out else []
    return ids, err, code


def saved(zotero, prefix="users/0"):
    return {one["data"]["title"]: one["data"]["collections"] for one in zotero.libraries[prefix].values()}


TITLES = {"Graphs of citations and what they tell", "Ranking citations of graphs", "Citation graphs, learnt"}


def test_picks_are_saved_as_they_were_written_and_only_once(zotero, address, index):
    ids, said, code = asked(index, address)
    assert (len(ids), code) == (3, 0), said
    assert "Zotero, My Library: 3 of 3 saved" in said
    assert saved(zotero) == {title: [] for title in TITLES}
    texts = dict(zotero.imported)
    assert texts["application/x-bibtex"].strip() == OWN.strip()
    assert texts["application/x-research-info-systems"].split() == RIS.split()
    (record,) = json.loads(texts["application/vnd.citationstyles.csl+json"])
    assert (record["DOI"], record["abstract"]) == ("10.5555/plain", "Of graphs.")
    _, said, code = asked(index, address)
    assert (code, "Zotero, My Library: 0 of 3 saved; the library had the others" in said) == (0, True)
    assert len(zotero.imported) == 3


def test_what_the_library_has_is_not_sent(zotero, address, index):
    zotero.put(item("HAVE2222", "Ranking citations", DOI="10.5555/RIS"))
    zotero.put(item("HAVE3333", "Graphs of Citations, and What They Tell"))
    _, said, _ = asked(index, address)
    assert "Zotero, My Library: 1 of 3 saved; the library had the others" in said
    assert [media_type for media_type, _ in zotero.imported] == ["application/vnd.citationstyles.csl+json"]


def test_as_many_are_saved_as_the_list_has(zotero, address, index):
    ids, said, _ = asked(index, address, "-k", "1")
    assert (len(ids), len(saved(zotero))) == (1, 1)
    assert "1 of 1 saved" in said


def test_picks_go_where_zotero_is_or_into_the_collection_that_is_named(zotero, address, index):
    zotero.selected = "C1"
    _, said, _ = asked(index, address, "-k", "1")
    assert "Zotero, Thesis: 1 of 1 saved" in said
    assert list(saved(zotero).values()) == [["THESIS0"]]
    zotero.selected = "L1"
    _, said, code = asked(index, address, "--zotero-collection", "theirs")
    assert (code, "Zotero, Theirs: 3 of 3 saved" in said) == (0, True), said
    assert saved(zotero, "groups/777") == {title: ["THEIRS0"] for title in TITLES}
    assert len(saved(zotero)) == 1
    _, said, _ = asked(index, address, "--zotero-collection", "Our group")
    assert "Zotero, Our group: 0 of 3 saved" in said  # the group's library was looked at, not one's own
    _, said, _ = asked(index, address, "--zotero-collection", "C3")
    assert "Zotero, Twice: 2 of 3 saved" in said
    assert sorted(map(str, saved(zotero).values())) == ["['THESIS0']", "['TWICE2']", "['TWICE2']"]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"read_only": {"L2"}, "selected": "L2"}, (), r"Our group, as it is selected in Zotero, is read-only: select"),
        ({}, ("--zotero-collection", "None"), r"Zotero has no collection 'None'; it has My Library, Our group, Theirs"),
        (
            {},
            ("--zotero-collection", "Twice"),
            r"several collections of the name 'Twice': name one by its key \(C2, C3\)",
        ),
        ({"read_only": {"L2"}}, ("--zotero-collection", "Theirs"), r"Zotero has no collection 'Theirs'"),
    ],
)
def test_what_cannot_be_saved_is_said_before_any_work(zotero, address, index, change, options, message):
    for name, value in change.items():
        setattr(zotero, name, value)
    ids, said, code = asked(index, address, *options)
    assert (ids, code, said.count("\n")) == ([], 1, 1)
    assert re.search(message, said)
    assert zotero.asked == ["/connector/getSelectedCollection"]


def test_a_zotero_that_is_not_running_is_one_line_before_any_work(index):
    ids, said, code = asked(index, "http://127.0.0.1:9/api")
    assert (ids, code) == ([], 1)
    assert said == "Error: Zotero cannot be reached at http://127.0.0.1:9/connector: start it\n"


def test_the_list_is_written_though_zotero_fails_at_the_end(zotero, address, index, tmp_path):
    zotero.refused = "import"
    refs = tmp_path / "refs.bib"
    ids, said, code = asked(index, address, "--append-to", str(refs))
    assert (len(ids), code) == (3, 1)
    assert "may have saved the papers: look there before you send them again" in said.splitlines()[-1]
    assert refs.read_text().count("@") == 3
    zotero.refused = "updateSession"
    _, said, code = asked(index, address, "-k", "1", "--zotero-collection", "Thesis")
    assert (code, len(saved(zotero))) == (1, 1)
    assert "Zotero saved 1 paper in My Library, and does not move them to Thesis: it answers 500" in said


def test_without_the_local_api_papers_are_saved_and_may_come_twice(zotero, address, index):
    zotero.enabled = False
    for times in (1, 2):
        _, said, code = asked(index, address)
        assert (code, len(zotero.imported)) == (0, 3 * times)
        assert "papers may have come twice: Zotero refuses to be read" in said


def test_a_refusal_of_the_import_is_reported(zotero, address):
    connector = Connector(address)
    with pytest.raises(FetchError, match="Zotero saves nothing: it answers 400 Bad Request"):
        connector.save("Dear Zotero", "text/plain")
    zotero.read_only = {"L1"}
    with pytest.raises(FetchError, match="My Library in Zotero is read-only: nothing was saved"):
        connector.save(OWN, "application/x-bibtex")
    assert connector.target.part == Part()


def test_the_played_zotero_refuses_browsers_and_sessions_that_exist(zotero, address):
    """The server that stands for Zotero keeps the rules that a real one has."""
    place = address.removesuffix("/api") + "/connector/import?session=1"
    with pytest.raises(requests.ConnectionError):
        requests.post(place, data=OWN, headers={"User-Agent": "Mozilla/5.0"}, timeout=5)
    statuses = [requests.post(place, data=OWN.encode(), timeout=5).status_code for _ in range(2)]
    assert statuses == [201, 409]
    (paper,) = papers_of(LocalApi(Part(), address), None, ReadReport())
    assert (paper.title, paper.doi) == ("Graphs of citations and what they tell", "10.5555/mine")


def test_options_that_do_not_go_together(index, address, tmp_path):
    _, said, code = asked(index, address, "--out", str(tmp_path / "out.jsonl"))
    assert (code, "--to-zotero goes with a list on standard output" in said) == (2, True)
    assert run("recommend", "-", "--index", index, "--zotero-collection", "Thesis").code == 2
