"""Indexes that visitors have built: how they are opened, served, kept and deleted."""

import html
import io
import shutil
import stat
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import world
from bibliography import IDS
from visitors import Ended, waited

from citescout.live import LiveRecommender
from cli.corpus_sources import entries_of
from cli.serve import CorpusProcess, begin
from common.errors import IndexDirectoryError
from indexer.builds import build_index
from indexer.changes import add_papers
from indexer.paper import Paper
from indexer.readers import ReadReport
from webui import create_app
from webui.builds import Builds


def test_what_failed_takes_no_place_and_only_the_latest_of_it_is_kept(recommender, tmp_path, monkeypatch):
    monkeypatch.setattr("webui.builds._MOST_BUILT", 2)
    built = tmp_path / "built"
    (built / "not-ours").mkdir(parents=True)

    def begin(origins, directory, size, output):
        output.write_text("said")
        if "good" in directory.name:
            build_index([Paper("bread", "Baking bread")], directory, None)
        else:
            directory.mkdir()
        return Ended(0 if "good" in directory.name else 1)

    client = create_app(recommender, builds=Builds(built, begin, lambda _: recommender)).test_client()

    def build(name):
        form = {"name": name, "file": (io.BytesIO(b"@misc{a, title={Baking of bread}}"), "refs.bib")}
        answer = client.post("/build", data=form)
        return html.unescape(answer.text if answer.status_code == 400 else waited(client, f"/build/{name}"))

    for name in ("bad4", "bad3", "bad2", "bad1"):
        assert f"{name} was not built" in build(name)
        time.sleep(0.02)  # a file system knows no shorter times
    assert {path.name for path in built.iterdir()} == {
        *("not-ours", "bad1", "bad1.bib", "bad1.log", "bad2", "bad2.bib", "bad2.log")
    }
    assert "good1 is ready" in build("good1")
    assert "good2 is ready" in build("good2")
    assert "this server keeps 2 indexes of visitors, and has that many already" in build("good3")
    assert (built / "good1.bib").exists()


@pytest.fixture
def opened(tmp_path):
    """Builds that end at once, each of an index of one paper."""

    def begin(origins, directory, size, output):
        output.write_text("said")
        build_index([Paper("bread", "Baking bread")], directory, None)
        return Ended(0)

    return Builds(tmp_path / "built", begin, lambda folder: LiveRecommender.open(folder, reranker="none"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "draft.tex",
            r"\documentclass{article}\title{T}\begin{document}\cite{own,secret}\bibliography{PRIVATE}"
            r"\begin{thebibliography}{9}\bibitem{own} Doe, J. (2019). Of bees.\end{thebibliography}\end{document}",
        ),
        (
            "draft.md",
            "---\ntitle: T\nbibliography: PRIVATE.bib\nreferences: [{id: own, title: Of bees}]\n---\n\n[@own; @secret]",
        ),
    ],
)
def test_a_manuscript_of_a_visitor_names_no_files_of_the_server(recommender, tmp_path, name, text):
    (tmp_path / "private.bib").write_text("@misc{secret, title={What nobody should read}}")
    read = []

    def begin(origins, directory, size, output):
        read.extend(entries_of(origins, "", "", ReadReport()))
        output.write_text("said")
        return Ended(1)

    client = create_app(recommender, builds=Builds(tmp_path / "built", begin, lambda _: recommender)).test_client()
    text = text.replace("PRIVATE", str(tmp_path / "private"))
    client.post("/build", data={"name": "mine", "file": (io.BytesIO(text.encode()), name)})
    assert [entry.key for entry in read] == ["own"]


@pytest.mark.parametrize("restarted", [False, True])
def test_an_index_whose_folder_is_deleted_is_gone_and_its_name_is_free(recommender, tmp_path, opened, restarted):
    form = {"name": "mine", "dois": world.doi(IDS[0])}
    client = create_app(recommender, builds=opened).test_client()
    client.post("/build", data=form)
    assert "mine is ready" in waited(client, "/build/mine")
    if restarted:
        client = create_app(recommender, builds=opened).test_client()
    assert client.get("/i/mine/").status_code == 200
    shutil.rmtree(tmp_path / "built" / "mine")
    assert client.get("/i/mine/").status_code == 404
    assert ">mine<" not in client.get("/").text
    assert client.post("/i/main/", data={"text": "Bread"}).status_code == 200
    assert "was not built" in client.get("/build/mine").text
    (tmp_path / "built" / "mine.log").unlink()
    assert client.get("/build/mine").status_code == 404
    assert client.post("/build", data=form).status_code == 303
    assert "mine is ready" in waited(client, "/build/mine")
    assert client.get("/i/mine/").status_code == 200


@pytest.mark.skipif(sys.platform != "linux", reason="names its mapped files in /proc")
def test_the_files_of_an_index_that_was_deleted_are_closed(recommender, tmp_path, opened):
    def held():
        maps = Path("/proc/self/maps").read_text().splitlines()
        return [line for line in maps if f"{tmp_path}/built/mine/" in line and ".npy" not in line]  # those of Lucene

    client = create_app(recommender, builds=opened).test_client()
    client.post("/build", data={"name": "mine", "dois": world.doi(IDS[0])})
    assert "mine is ready" in waited(client, "/build/mine")
    client.post("/i/mine/", data={"text": "Bread"})
    assert held()
    shutil.rmtree(tmp_path / "built" / "mine")
    assert client.get("/i/mine/").status_code == 404
    assert held() == []


def test_an_index_of_the_servers_own_stays_whatever_is_deleted(recommender, tmp_path, opened):
    build_index([Paper("butter", "Churning butter")], tmp_path / "built" / "main", None)
    client = create_app(recommender, builds=opened).test_client()
    assert "bread" in client.get("/api/v1/papers/bread").text
    shutil.rmtree(tmp_path / "built" / "main")
    assert client.get("/i/main/").status_code == 200


def test_what_the_process_of_a_killed_server_built_is_served(recommender, tmp_path, opened):
    client = create_app(recommender, builds=opened).test_client()
    (tmp_path / "built" / "mine.log").write_text("Looking up 1 entry")
    assert "was not built" in client.get("/build/mine").text
    build_index([Paper("bread", "Baking bread")], tmp_path / "built" / "mine", None)
    for _ in range(2):
        assert "mine is ready" in client.get("/build/mine").text
    assert client.get("/i/mine/").status_code == 200


def outlived(tmp_path, opened):
    """Builds after a server that was killed, whose process has made the index "mine"."""
    builds = Builds(tmp_path / "built", begin, opened)
    build_index([Paper("bread", "Baking bread")], tmp_path / "built" / "mine", None)
    return builds


def test_an_index_is_opened_once_for_all_who_ask_how_far_it_is(recommender, tmp_path):
    tried = []

    def opened(folder):
        tried.append(folder)
        time.sleep(0.2)
        return recommender

    builds = outlived(tmp_path, opened)
    with ThreadPoolExecutor(5) as pool:
        assert [one.state for one in pool.map(builds.progress, ["mine"] * 5)] == ["served"] * 5
    assert len(tried) == 1


def test_an_index_that_cannot_be_opened_is_tried_again_when_it_has_changed(tmp_path):
    tried = []

    def opened(folder):
        tried.append(folder)
        raise IndexDirectoryError("damaged")

    builds = outlived(tmp_path, opened)
    assert [builds.progress("mine").state for _ in range(3)] == ["failed"] * 3
    assert len(tried) == 1
    add_papers([Paper("butter", "Churning butter")], tmp_path / "built" / "mine")
    assert builds.progress("mine").state == "failed"
    assert len(tried) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs modes of files")
def test_what_visitors_have_built_is_for_the_server_alone(recommender, tmp_path):
    def begin(origins, directory, size, output):
        making = "import pathlib, sys; path = pathlib.Path(sys.argv[1]); path.mkdir(); (path / 'paper').touch()"
        return CorpusProcess([sys.executable, "-c", making, str(directory)], output)

    builds = Builds(tmp_path / "built", begin, lambda _: recommender)
    client = create_app(recommender, builds=builds).test_client()
    client.post("/build", data={"name": "mine", "file": (io.BytesIO(b"@misc{a, title={Bread}}"), "refs.bib")})
    waited(client, "/build/mine")
    made = sorted((tmp_path / "built").rglob("*"))
    assert {path.name for path in made} == {"mine", "mine.bib", "mine.log", "paper"}
    assert [stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (tmp_path / "built", *made)] == [0] * 5


def test_what_cannot_be_looked_into_is_logged_and_the_others_are_served(recommender, tmp_path, caplog):
    for name in ("good", "private"):
        build_index([Paper("bread", "Baking bread")], tmp_path / name, None)
    (tmp_path / "private" / "CURRENT").unlink()
    (tmp_path / "private" / "CURRENT").symlink_to("x" * 300)  # too long a name: who runs the tests may read all others
    builds, served = Builds(tmp_path, begin, lambda folder: LiveRecommender.open(folder, reranker="none")), {}
    builds.serve_with(served.__setitem__)
    assert list(served) == ["good"]
    assert f"not served: cannot read {tmp_path / 'private' / 'CURRENT'}: " in caplog.text
