"""The page on which a visitor has an index built: what may be asked for, and what it says meanwhile."""

import gzip
import html
import io
import re
import zipfile
from pathlib import Path

import pytest
import world
from archives import zipped
from bibliography import FAST, IDS, addresses
from visitors import Ended, waited

from citescout.live import LiveRecommender
from cli.serve import CorpusProcess, begin, corpus_command
from webui import create_app
from webui.builds import Builds


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


def upload(path):
    return io.BytesIO(path.read_bytes()), path.name


@pytest.mark.long
def test_a_bibliography_becomes_an_index_that_is_served(client, builds, tmp_path, refs):
    assert 'href="/build"' in client.get("/").text
    assert "<form" in client.get("/build").text
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


BOMB = gzip.compress(b"@misc{a, title={Bread}}", mtime=0) + gzip.compress(b" " * (1 << 20), mtime=0) * 300


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"<b>&amp; bread", "a &amp; bread.bib", "not a bibliography that can be read"),
        (b"\x00\x01\x02hello", "a &amp; bread.bib", "not a bibliography that can be read"),
        (b"@article{cut, title={Cut of", "folder/cut.bib", "no entry of the bibliography could be read"),
        (BOMB, "a.bib", "not a bibliography that can be read"),
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


def test_lists_and_manuscripts_that_can_be_read_are_handed_on(recommender, tmp_path, monkeypatch):
    """As they are; but a draft that could name files of the server in an archive, which cannot."""
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
        "windows.txt": "10.1234/a\r\n10.1234/b\r\n".encode("utf-16"),
        "a.tex": b"\\title{Bread}\n\\begin{document}Bread \\cite{a}.\n" + bibliography + b"\\end{document}",
        "a.zip": zipped({"refs.bib": b"@misc{a, title={Baking of bread}}"}),
        "a.md": b"# Bread\n\nBread [1].\n\n## References\n\n[1] A. Roe. Baking of bread. 2019.\n",
        "refs.bib.gz": gzip.compress(b"@misc{a, title={Baking of bread}}"),
        "a.gz": gzip.compress(b"\\documentclass{article}\\begin{document}Bread." + bibliography + b"\\end{document}"),
    }
    drafts = ("a.tex", "a.md")
    for number, (name, data) in enumerate(files.items()):
        answer = client.post("/build", data={"name": f"n{number}", "file": (io.BytesIO(data), name)})
        assert answer.status_code == 303, answer.text
        page = waited(client, f"/build/n{number}")
        suffix = Path(name).suffix
        assert f"Error: n{number}{'.zip' if name in drafts else suffix}: damaged" in page
        assert str(tmp_path) not in page, "where the folder is, though it was named by a relative path"
        if name in drafts:
            with zipfile.ZipFile(io.BytesIO(begun.pop())) as archive:
                begun += [archive.read(member) for member in archive.namelist()]
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
