"""A small index of papers, some of them hostile, and the application on it."""

from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2.bccache import Bucket, BytecodeCache
from small_index import recommender_of

from citescout.recommender import Recommender
from indexer.paper import Paper
from webui import create_app
from webui.sessions import Sessions

PAPERS = (
    Paper(
        "neural",
        "Neural ranking models for passage retrieval",
        "Neural rankers read the query and the passages together. Retrieving passages with them is slow.",
        2019,
        ("Ada Lovelace", "Grace Hopper"),
        "SIGIR",
        doi="10.1000/neural",
        citations=("bm25", "dense"),
    ),
    Paper(
        "dense",
        "Dense passage retrieval",
        "Passages and queries become vectors; retrieval is a search for near neighbours.",
        2020,
        ("Alan Turing",),
        "arXiv preprint",
        arxiv="2004.00001",
        citations=("bm25",),
    ),
    Paper(
        "bm25",
        "The probabilistic relevance framework",
        "A ranking function for retrieval from term frequency and document length.",
        2009,
        ("Karen Spärck Jones",),
        "Foundations and Trends in Information Retrieval",
        url="https://example.org/bm25?a=1&b=2",
    ),
    Paper(
        "hostile",
        "<script>alert(1)</script> retrieval & ranking",
        'Passage retrieval <img src=x onerror="alert(2)"> with "quotes".',
        2018,
        ("<b>Mallory</b>",),
        "</cite><script>alert(3)</script>",
        url="javascript:alert(4)",
        citations=("bm25",),
    ),
    Paper('id"><script>alert(5)</script>', "Retrieval of passages by their ids", url="data:text/html,<script>alert(6)"),
    Paper("cooking", "Bread and butter", "How flour becomes dough and dough becomes bread.", 1999),
)


class CompiledTemplates(BytecodeCache):
    """The templates as Jinja compiled them: hundreds of applications are made of the same."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._compiled:
            bucket.bytecode_from_string(self._compiled[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._compiled[bucket.key] = bucket.bytecode_to_string()


Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": CompiledTemplates()}


@pytest.fixture(scope="session")
def recommender(tmp_path_factory: pytest.TempPathFactory) -> Recommender:
    return recommender_of(PAPERS, tmp_path_factory.mktemp("index"))


@pytest.fixture
def app(recommender: Recommender) -> Flask:
    return create_app(recommender)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


@pytest.fixture
def sessions(folder: Path) -> Sessions:
    return Sessions(folder)
