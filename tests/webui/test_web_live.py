"""The page and the API answer from the index as it is now."""

from pathlib import Path
from shutil import rmtree

from citescout.live import LiveRecommender
from exports import FORMATS
from indexer.builds import build_index
from indexer.changes import add_papers, remove_papers
from indexer.paper import Paper
from webui import create_app

QUESTION = {"title": "passage retrieval"}


def test_health_says_that_an_older_index_is_served_than_there_is(tmp_path: Path) -> None:
    build_index([Paper("a", "Passage retrieval")], tmp_path / "index", None)
    live = LiveRecommender.open(tmp_path / "index")
    client = create_app(live).test_client()

    def health() -> tuple[int, str, int]:
        answer = client.get("/health")
        return answer.status_code, answer.get_json()["status"], answer.get_json()["papers"]

    assert health() == (200, "ok", 1)
    add_papers([Paper("b", "Bread")], tmp_path / "index")
    manifest = tmp_path / "index" / "gen-000002" / "manifest.json"
    manifest.rename(tmp_path / "manifest")  # as good as one that may not be read
    assert health() == (200, "old", 1)
    rmtree(tmp_path / "index")
    assert health() == (200, "old", 1)
    build_index([Paper("a", "Passage retrieval"), Paper("c", "Butter")], tmp_path / "index", None)
    assert health() == (200, "ok", 2)
    (tmp_path / "index" / "CURRENT").write_text("damaged")
    assert health() == (200, "old", 2)
    live.close()


def test_an_index_that_is_built_anew_in_its_place_gives_its_own_lists(tmp_path: Path) -> None:
    build_index([Paper("a", "Passage retrieval"), Paper("b", "Bread")], tmp_path / "index", None)
    live = LiveRecommender.open(tmp_path / "index")
    client = create_app(live).test_client()
    for expected in ("a", "c"):  # both are of gen-000001
        answer = client.post("/api/v1/recommend", json=QUESTION).get_json()
        assert [entry["id"] for entry in answer["recommendations"]] == [expected]
        rmtree(tmp_path / "index")
        build_index([Paper("c", "Retrieval of a passage")], tmp_path / "index", None)
    live.close()


def test_what_a_paper_cites_is_found_as_the_index_is_now(tmp_path: Path) -> None:
    titles = ["Retrieval of passages for open domains", "Passages and their retrieval from the archives"]
    build_index([Paper("a", titles[0])], tmp_path / "index", None)
    live = LiveRecommender.open(tmp_path / "index")
    client = create_app(live).test_client()

    def unknown() -> list[str]:
        return client.post("/api/v1/recommend", json={**QUESTION, "already_cited": titles}).get_json()["unknown"]

    assert unknown() == [titles[1]]
    add_papers([Paper("b", titles[1])], tmp_path / "index")
    assert unknown() == []
    remove_papers(["a"], tmp_path / "index")
    assert unknown() == [titles[0]]
    live.close()


def test_what_was_selected_is_exported_whatever_came_before_it_since(tmp_path: Path) -> None:
    build_index([Paper("a", "Passage retrieval"), Paper("b", "Bread and passage")], tmp_path / "index", None)
    live = LiveRecommender.open(tmp_path / "index")
    client = create_app(live).test_client()
    add_papers([Paper("c", "Passage retrieval again")], tmp_path / "index")
    for name in FORMATS:
        data = {**QUESTION, "k": "2", "papers": ["b", "c"]}
        exported = client.post(f"/export/{name}", data=data).text
        for paper, title in (("b", "Bread and passage"), ("c", "Passage retrieval again")):
            assert title in exported or (name == "trec" and f" {paper} " in exported), name
    live.close()
