"""What a question imports: neither torch nor transformers, whose import takes longer than the answer."""

import json
import shutil
from pathlib import Path

import pytest
from command_line import printed_by

from indexer.builds import build_index
from indexer.paper import Paper
from rerank.cross_encoder import CrossEncoder

HEAVY = {"torch", "transformers", "scipy", "sklearn", "pandas", "matplotlib", "lightgbm", "pyserini"}

_TOLD = """
import json, sys
{body}
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def modules_after(body: str, *arguments: object) -> set[str]:
    """Top-level modules of a process that ran `body`, whose `sys.argv[1:]` are `arguments`."""
    return set(json.loads(last_line(_TOLD.replace("{body}", body), *arguments)))


def last_line(program: str, *arguments: object) -> str:
    """What a process printed last that ran `program`, whose `sys.argv[1:]` are `arguments`."""
    return printed_by(program, *arguments).splitlines()[-1]


_COMMAND = "from cli.main import main; main(sys.argv[1:])"
_LIBRARY = """
from citescout import Query, Recommender
recommender = Recommender.open(sys.argv[1])
assert recommender.recommend(Query("Neural ranking of papers", "with citations"))
"""
_SERVER = """
from pathlib import Path
from citescout.live import LiveRecommender
from webui import create_app
client = create_app(LiveRecommender.open(Path(sys.argv[1]))).test_client()
answer = client.post("/api/v1/recommend", json={"title": "Neural ranking"})
assert answer.status_code == 200 and answer.json["recommendations"], answer.data
"""


@pytest.fixture
def query(tmp_path: Path) -> Path:
    path = tmp_path / "query.txt"
    path.write_text("Neural ranking of papers\n\nA network ranks what a paper may cite.\n")
    return path


@pytest.mark.long
@pytest.mark.parametrize("reranker", ["none", "default"])
def test_a_command_answers_without_torch(demo_index: Path, query: Path, reranker: str) -> None:
    CrossEncoder.load()  # converted, as the encoder was by the build of the index
    found = modules_after(_COMMAND, "recommend", query, "--index", demo_index, "--reranker", reranker)
    assert "openvino" in found
    assert not found & HEAVY


@pytest.mark.long
@pytest.mark.parametrize("body", [_LIBRARY, _SERVER], ids=["library", "server"])
def test_library_and_server_answer_without_torch(demo_index: Path, body: str) -> None:
    assert not modules_after(body, demo_index) & HEAVY


def test_words_alone_need_no_encoder(demo_index: Path, query: Path) -> None:
    words = ("--sources", "bm25", "--no-blend")
    found = modules_after(_COMMAND, "recommend", query, "--index", demo_index, *words)
    assert not found & (HEAVY | {"openvino", "tokenizers", "faiss"})


def test_the_static_encoder_needs_no_network(query: Path, tmp_path: Path, small_papers: tuple[Paper, ...]) -> None:
    build_index(small_papers, tmp_path / "index", "static")
    found = modules_after(_COMMAND, "recommend", query, "--index", tmp_path / "index")
    assert "tokenizers" in found
    assert not found & (HEAVY | {"openvino"})


def test_adding_a_paper_needs_no_torch(demo_index: Path, tmp_path: Path) -> None:
    index = shutil.copytree(demo_index, tmp_path / "index")
    paper = tmp_path / "paper.jsonl"
    paper.write_text('{"id": "of a test", "title": "Ranking what to cite", "abstract": "A network ranks."}\n')
    assert not modules_after(_COMMAND, "add", paper, "--index", index) & HEAVY


def test_the_version_loads_no_models_and_no_java() -> None:
    version = "from cli.main import citescout; citescout(['--version'], standalone_mode=False)"
    assert not modules_after(version) & (HEAVY | {"openvino", "faiss", "jnius", "numpy"})


_JAVA = """
import sys
{body}
from indexer.jvm import autoclass
print(autoclass("java.lang.management.ManagementFactory").getRuntimeMXBean().getInputArguments().toString())
"""


@pytest.mark.long
def test_java_compiles_quickly_for_a_command_that_answers_few_queries(demo_index: Path, query: Path) -> None:
    words = ("--sources", "bm25", "--no-blend")
    command = last_line(_JAVA.replace("{body}", _COMMAND), "recommend", query, "--index", demo_index, *words)
    assert "-XX:TieredStopAtLevel=1" in command
    many = "import cli.recommend; cli.recommend._FEW = 1; " + _COMMAND
    assert "TieredStop" not in last_line(
        _JAVA.replace("{body}", many), "recommend", query, "--index", demo_index, *words
    )
    assert "TieredStop" not in last_line(_JAVA.replace("{body}", _LIBRARY), demo_index)
