"""What somebody noted in the entries that an index was made of is nobody else's business."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient
from small_index import recommender_of

from indexer.readers import read_papers
from webui import create_app

BIB = (
    "@article{ada, title={Dense passage retrieval}, volume={3}, annote={rejected by me as referee},"
    " file={:/home/ada/Zotero/a.pdf:PDF}, year=2000}\n"
)
SESSION = f"/s/{'A' * 22}"
FORMATS = ("bibtex", "ris", "csl-json", "jsonl", "markdown", "csv", "table")


@pytest.fixture
def client(tmp_path: Path) -> FlaskClient:
    (tmp_path / "my.bib").write_text(BIB)
    recommender = recommender_of(read_papers([str(tmp_path / "my.bib")]), tmp_path / "index")
    return create_app(recommender, sessions=tmp_path / "sessions").test_client()


def test_no_answer_of_the_server_has_private_fields(client: FlaskClient) -> None:
    question = {"title": "retrieval of passages"}
    client.post(f"{SESSION}/basket", data={"papers": ["ada"]})
    answers = [client.post(f"/api/v1/export/{name}", json=question) for name in FORMATS]
    answers += [client.post(f"{SESSION}/basket/export/{name}") for name in FORMATS]
    answers += [client.post("/", data=question), client.post("/api/v1/recommend", json=question)]
    for answer in answers:
        assert "Dense passage retrieval" in answer.text
        assert "referee" not in answer.text
        assert "/home/ada" not in answer.text
    assert answers[0].text == "@article{ada, title={Dense passage retrieval}, volume={3}, year=2000}\n"
