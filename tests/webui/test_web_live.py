"""The page and the API answer from the index as it is now."""

from __future__ import annotations

from pathlib import Path

from citescout.live import LiveRecommender
from indexer.changes import add_papers, remove_papers
from indexer.generations import build_index
from indexer.paper import Paper
from webui import create_app

QUESTION = {"title": "passage retrieval"}


def test_a_changed_index_is_served_without_a_restart(tmp_path: Path) -> None:
    build_index([Paper("a", "Passage retrieval"), Paper("b", "Bread")], tmp_path / "index", None)
    live = LiveRecommender.open(tmp_path / "index")
    client = create_app(live).test_client()

    def ids() -> list[str]:
        answer = client.post("/api/recommend", json=QUESTION).get_json()
        return [entry["id"] for entry in answer["recommendations"]]

    assert ids() == ["a"]
    add_papers([Paper("c", "Retrieval of a passage")], tmp_path / "index")
    assert sorted(ids()) == ["a", "c"]
    assert client.get("/health").get_json()["papers"] == 3
    remove_papers(["a"], tmp_path / "index")
    assert ids() == ["c"]
    assert client.get("/health").get_json()["papers"] == 2
    live.close()
