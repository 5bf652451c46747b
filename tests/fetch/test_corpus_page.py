"""An index that a visitor of the page has built around a bibliography, and which is served when it is ready."""

import gzip
import html
import io
import re
import shutil
import stat
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import world
from archives import zipped
from bibliography import FAST, IDS, addresses, of_paper, write_bibliography

from citescout import Recommender
from citescout.live import LiveRecommender
from cli.main import main
from cli.serve import CorpusProcess, begin, corpus_command
from common.errors import IndexDirectoryError
from indexer.builds import build_index
from indexer.changes import add_papers
from indexer.paper import Paper
from webui import create_app
from webui.builds import Builds


@pytest.fixture(scope="module")
def recommender(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    build_index([Paper("bread", "Baking bread with a slow dough")], folder, None)
    return Recommender.open(folder, reranker="none")


@pytest.fixture
def builds(openalex, apis, tmp_path):
    where = [*FAST, *addresses(openalex, apis), "--encoder", "none"]

    def begin(origins, directory, size, output):
        command = corpus_command(origins, directory, size)
        place = command.index("--index")
        return CorpusProcess([*command[:place], *where, *command[place:]], output)

    made = Builds(tmp_path / "built", begin, lambda folder: LiveRecommender.open(folder, reranker="none"))
    yield made
    made.stop()


@pytest.fixture
def client(recommender, builds):
    return create_app(recommender, builds=builds).test_client()


def waited(client, address, seconds=90):
    """The progress page when the build has ended."""
    until = time.monotonic() + seconds
    while "Refresh" in (answer := client.get(address)).headers and time.monotonic() < until:
        time.sleep(0.1)
    return answer.text


class Ended:
    """A command that has ended already."""

    def __init__(self, status=1):
        self.status = status

    def wait(self):
        return self.status


def upload(path):
    return io.BytesIO(path.read_bytes()), path.name


@pytest.mark.long
def test_a_bibliography_becomes_an_index_that_is_served(client, builds, tmp_path):
    assert 'href="/build"' in client.get("/").text
    assert "<form" in client.get("/build").text
    refs = write_bibliography(tmp_path / "refs.bib")
    begun = client.post("/build", data={"name": "mine", "size": "500", "file": upload(refs)})
    assert (begun.status_code, begun.headers["Location"]) == (303, "/build/mine")
    assert "is being built" in client.get("/build/mine").text
    second = client.post("/build", data={"name": "other", "dois": world.doi(IDS[0])})
    assert second.status_code == 400
    assert "another index is being built" in second.text
    page = waited(client, "/build/mine")
    assert "mine is ready" in page
    assert "Found 35 of 40 entries at OpenAlex" in page
    assert "none1" in page  # what was not found is named
    address = re.search(r'href="([^"]*)">Search mine', page)[1]
    assert address == "/i/mine/"
    assert 'formaction="/i/main/"' in client.get(address).text  # takes along what is typed
    asked = world.BY_ID[IDS[0]]
    listed = client.post(address, data={"text": asked["abstract"]}).text
    assert f'data-id="{world.w(IDS[0])}"' in listed
    again = client.post("/build", data={"name": "mine", "dois": world.doi(IDS[0])})
    assert "there is an index of the name mine" in again.text
    # A server that starts later serves it too.
    later = Builds(tmp_path / "built", begin, lambda folder: LiveRecommender.open(folder, reranker="none"))
    served = {}
    later.serve_with(served.__setitem__)
    assert list(served) == ["mine"]
    assert later.progress("mine").state == "served"


@pytest.mark.long
def test_what_was_cut_off_goes_on_under_the_same_name(client, builds, openalex):
    openalex.faults = {4: "429 Retry-After=15120"}
    form = {"name": "mine", "dois": f"{world.doi(IDS[0])}, https://doi.org/{world.doi(IDS[1])}"}
    client.post("/build", data=form)
    page = waited(client, "/build/mine")
    assert "was not built" in page
    assert "go on in 4 h 12 min" in page
    openalex.faults = {}
    seen = len(openalex.seen)
    client.post("/build", data=form)
    assert "mine is ready" in waited(client, "/build/mine")
    questions = [(path, str(parameters)) for path, parameters, _ in openalex.seen]
    assert len(set(questions[: seen - 1]) & set(questions[seen:])) == 0


def test_ids_are_taken_as_people_paste_them(recommender, tmp_path):
    begun = []

    def begin(origins, directory, size, output):
        begun.append(list(origins))
        output.write_text(f"Error: {directory}.bib: damaged\n")
        return Ended()

    client = create_app(recommender, builds=Builds(tmp_path / "built", begin, lambda _: recommender)).test_client()
    ids = "doi: 10.1/a, doi.org/10.1234/b PMID: 7\nhttps://publisher.example/doi/pdf/10.1234/c?x=1 arXiv: 1706.03762"
    client.post("/build", data={"name": "mine", "dois": ids.replace("10.1/a", "10.1234/a")})
    assert begun == [["10.1234/a", "10.1234/b", "PMID:7", "10.1234/c", "arXiv:1706.03762"]]
    page = waited(client, "/build/mine")
    assert "Error: mine.bib: damaged" in page
    assert str(tmp_path) not in page
    assert 'value="mine"' in client.get(re.search(r'href="([^"]*)">build it again', page)[1]).text


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"name": "mine"}, "choose a bibliography"),
        ({"name": "mine", "dois": "hedgehogs"}, "&#39;hedgehogs&#39; is no DOI, PMID or arXiv id"),
        ({"name": "mine", "dois": "--size"}, "is no DOI"),
        ({"name": "", "dois": world.doi(IDS[0])}, "the name has to be"),
        ({"name": "mine.bib", "dois": world.doi(IDS[0])}, "the name has to be"),
        ({"name": "../mine", "dois": world.doi(IDS[0])}, "the name has to be"),
        ({"name": "main", "dois": world.doi(IDS[0])}, "there is an index of the name main"),
        ({"name": "mine", "file": (io.BytesIO(b"MZ"), "virus.exe")}, "unsupported file"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_begun(client, tmp_path, openalex, form, message):
    answer = client.post("/build", data=form)
    assert answer.status_code == 400
    assert message in answer.text
    assert list((tmp_path / "built").iterdir()) == []
    assert openalex.seen == []


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"<b>&amp; bread", "a &amp; bread.bib", "not a bibliography that can be read"),
        (b"\x00\x01\x02hello", "a &amp; bread.bib", "not a bibliography that can be read"),
        (b"@article{cut, title={Cut of", "folder/cut.bib", "no entry of the bibliography could be read"),
        (b"no archive", "thesis.zip", "no zip archive"),
        (b"\\title{A title}\n\\begin{document}Bread \\cite{a}.\\end{document}", "a.tex", "it holds no bibliography"),
        (b"no document", "a.docx", "it holds no bibliography"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_under_its_own_name(client, tmp_path, data, name, reason):
    answer = client.post("/build", data={"name": "mine", "file": (io.BytesIO(data), name)})
    assert answer.status_code == 400
    assert f"{name.rpartition('/')[2]}: {reason}" in html.unescape(answer.text)
    assert "<b>&amp; bread" not in answer.text
    assert list((tmp_path / "built").iterdir()) == []


def test_lists_and_manuscripts_that_can_be_read_are_handed_on_as_they_are(recommender, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begun = []

    def begin(origins, directory, size, output):
        begun.append(Path(origins[0]).read_bytes())
        output.write_text(f"Error: {Path(origins[0]).absolute()}: damaged\n")
        return Ended()

    client = create_app(recommender, builds=Builds(Path("built"), begin, lambda _: recommender)).test_client()
    bibliography = b"\\begin{thebibliography}{9}\\bibitem{a} A. Roe. Baking of bread. 2019.\\end{thebibliography}"
    files = {
        "ids.txt": b"# ours\n10.1234/a\n10.1234/b\n",
        "a.tex": b"\\title{Bread}\n\\begin{document}Bread \\cite{a}.\n" + bibliography + b"\\end{document}",
        "a.zip": zipped({"refs.bib": b"@misc{a, title={Baking of bread}}"}),
        "a.md": b"# Bread\n\nBread [1].\n\n## References\n\n[1] A. Roe. Baking of bread. 2019.\n",
        "a.gz": gzip.compress(b"\\documentclass{article}\\begin{document}Bread." + bibliography + b"\\end{document}"),
    }
    for number, (name, data) in enumerate(files.items()):
        answer = client.post("/build", data={"name": f"n{number}", "file": (io.BytesIO(data), name)})
        assert answer.status_code == 303, answer.text
        page = waited(client, f"/build/n{number}")
        assert f"Error: n{number}{Path(name).suffix}: damaged" in page
        assert str(tmp_path) not in page, "where the folder is, though it was named by a relative path"
    assert begun == list(files.values())


def test_nothing_is_built_where_the_server_does_not_allow_it(recommender):
    client = create_app(recommender).test_client()
    assert [client.get("/build").status_code, client.post("/build").status_code] == [404, 404]
    assert client.get("/build/mine").status_code == 404
    assert "/build" not in client.get("/").text
    assert "citescout corpus build --from library.bib" in create_app(recommender, demo=True).test_client().get("/").text


def test_pages_of_other_sites_start_no_build(client, tmp_path):
    form = {"name": "mine", "dois": world.doi(IDS[0])}
    assert client.post("/build", data=form, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert list((tmp_path / "built").iterdir()) == []


@pytest.mark.parametrize("by_visitor", [False, True])
def test_a_server_that_stops_and_a_visitor_who_does_end_the_command(recommender, tmp_path, by_visitor):
    def begin(origins, directory, size, output):
        return CorpusProcess([sys.executable, "-c", "import time; time.sleep(60)"], output)

    builds = Builds(tmp_path / "built", begin, lambda _: recommender)
    client = create_app(recommender, builds=builds).test_client()
    client.post("/build", data={"name": "mine", "dois": world.doi(IDS[0])})
    client.post("/build/other/stop")
    assert "is being built" in client.get("/build/mine").text
    started = time.monotonic()
    client.post("/build/mine/stop") if by_visitor else builds.stop()
    assert time.monotonic() - started < 10
    assert "was not built" in waited(client, "/build/mine")
    # A server that starts later says so, too.
    later = Builds(tmp_path / "built", begin, lambda _: recommender)
    assert (later.progress("mine").state, later.progress("../mine")) == ("failed", None)


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
    assert "this server keeps 2 indexes of visitors, and has them" in build("good3")
    assert (built / "good1.bib").exists()


@pytest.fixture
def opened(tmp_path):
    """Builds that end at once, each of an index of one paper."""

    def begin(origins, directory, size, output):
        output.write_text("said")
        build_index([Paper("bread", "Baking bread")], directory, None)
        return Ended(0)

    return Builds(tmp_path / "built", begin, lambda folder: LiveRecommender.open(folder, reranker="none"))


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


@pytest.mark.skipif(sys.platform == "win32", reason="ends it by a signal")
@pytest.mark.parametrize(("ends", "status"), [("sys.exit(3)", "3"), ("os.kill(os.getpid(), 9)", "-9")])
def test_a_build_that_fails_is_logged_with_its_exit_status(recommender, tmp_path, caplog, ends, status):
    def begin(origins, directory, size, output):
        return CorpusProcess([sys.executable, "-c", f"import os, sys; print('a visitors text'); {ends}"], output)

    client = create_app(recommender, builds=Builds(tmp_path / "built", begin, lambda _: recommender)).test_client()
    client.post("/build", data={"name": "mine", "dois": world.doi(IDS[0])})
    assert "was not built" in waited(client, "/build/mine")
    (line,) = caplog.record_tuples
    assert line == ("webui.builds", 30, f"{tmp_path / 'built' / 'mine'} was not built: exit status {status}")


def test_a_build_that_outlived_its_server_goes_on_behind_what_the_next_one_says(tmp_path):
    said, go_on = tmp_path / "said", tmp_path / "go-on"
    waits = f"""
import pathlib, time
print("longer than others", flush=True)
while not pathlib.Path({str(go_on)!r}).exists():
    time.sleep(0.01)
print("last")
"""
    first = CorpusProcess([sys.executable, "-c", waits], said)
    until = time.monotonic() + 20
    while not said.read_text().endswith("\n") and time.monotonic() < until:
        time.sleep(0.01)
    CorpusProcess([sys.executable, "-c", "print('again')"], said).wait()
    go_on.touch()
    first.wait()
    assert said.read_text() == "again\nlast\n"


def test_what_cannot_be_looked_into_is_logged_and_the_others_are_served(recommender, tmp_path, caplog):
    for name in ("good", "private"):
        build_index([Paper("bread", "Baking bread")], tmp_path / name, None)
    (tmp_path / "private" / "CURRENT").unlink()
    (tmp_path / "private" / "CURRENT").symlink_to("x" * 300)  # too long a name: who runs the tests may read all others
    builds, served = Builds(tmp_path, begin, lambda folder: LiveRecommender.open(folder, reranker="none")), {}
    builds.serve_with(served.__setitem__)
    assert list(served) == ["good"]
    assert f"not served: cannot read {tmp_path / 'private' / 'CURRENT'}: " in caplog.text


def test_the_command_of_the_server_is_one_that_the_command_line_takes(openalex, apis, tmp_path, monkeypatch, capsys):
    played = " ".join(part for part in addresses(openalex, apis) if part != "--base-url")
    monkeypatch.setenv("CITESCOUT_APIS", played)
    refs = tmp_path / "refs.bib"
    refs.write_text(of_paper(IDS[0]))
    arguments = corpus_command([str(refs)], tmp_path / "index", 5)
    main([*arguments[arguments.index("citescout") + 1 :], "--encoder", "none"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Looking up 1 entry at OpenAlex"
    assert lines[-1].startswith("Indexed 5 papers")


def test_modules_where_the_server_was_started_are_not_taken_for_ours(tmp_path, monkeypatch):
    (tmp_path / "cli.py").write_text("raise SystemExit('of the user')")
    monkeypatch.chdir(tmp_path)
    assert begin(["missing.bib"], tmp_path / "index", 5, tmp_path / "said").wait() == 1
    assert (tmp_path / "said").read_text().startswith("Error: ")
