"""Every command that a document shows is run as it is written, document by document, in a folder of small real files.

What cannot be run is on a list with its reason, what would take long is given a shorter option; an entry of either list
that fits nothing in the documents any more is an error.
"""

import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from desk import desk_papers, prepare, shell
from documented import DOCUMENTS, ROOT, Shown, blocks, shown_in
from running_server import running

import demo
from indexer.builds import build_index
from indexer.readers import read_papers

pytestmark = pytest.mark.long

NETWORK = "fetches from the OpenAlex API; tests/fetch/test_fetch_command.py runs it against a local one"
CORPUS = "fetches from scholarly APIs; tests/fetch/test_corpus.py runs it against local ones"
EXPANDS = "fetches from the OpenAlex API; tests/fetch/test_expanding.py runs it against a local one"
CLUSTER = "needs a Ray cluster; tests/cluster/test_bulk_encoding.py runs encode on one"
INSTALLS = "changes the environment that the tests run in"
MAKES = "would run these very tests, or installs; test_documentation.py checks that the target exists"
MILVUS = "needs a Milvus server; tests/engines/ run it on Milvus Lite and on a real one"
ZOTERO = "needs a running Zotero; tests/fetch/test_zotero_sync.py runs it against a server that plays its API"
PICKS = "needs a running Zotero; tests/fetch/test_zotero_picks.py runs it against a server that plays one"
REPRODUCED = "takes half a minute; tests/eval/test_reproduce.py runs it and looks at the figures"
SENTENCES = "names a module; tests/encoders/test_sentence_encoder.py tests what it does"
TABLE = "names a module; tests/encoders/test_static_table.py tests what it does"
RESUMED = "goes on where a training was cut off; tests/rerank/test_training_runs.py cuts it off"
ONE_CORPUS = "names a corpus that is not in the folder; other documents run the command on one that is"
PUBLISHED = "ends with 3 unless it gets the published data; tests/eval/test_reproduce.py runs it on made ones"

# (document, beginning of the command, why it is not run here)
NOT_RUN = (
    ("*", "make ", MAKES),
    ("*", "pip ", INSTALLS),
    ("bulk-encoding.md", "ray ", CLUSTER),
    ("bulk-encoding.md", "citescout encode /corpora/s2orc", CLUSTER),
    ("*", "citescout eval reproduce demo", REPRODUCED),
    ("evaluation.md", "citescout eval reproduce dblp", PUBLISHED),
    ("evaluation.md", "citescout eval reproduce scidocs-scincl", PUBLISHED),
    ("evaluation.md", "citescout eval reproduce ctpe-dblp", PUBLISHED),
    ("*", "citescout corpus build", CORPUS),
    ("*", "citescout corpus update", CORPUS),
    ("corpus.md", "citescout serve --index field-index", CORPUS),
    ("beyond.md", "citescout recommend paper --index my-index --beyond 12 --expand", EXPANDS),
    ("fetch.md", "citescout fetch openalex", NETWORK),
    ("fetch.md", "citescout index field.jsonl.gz", NETWORK),
    ("zotero.md", "citescout index zotero", ZOTERO),
    ("zotero.md", "citescout sync", ZOTERO),
    ("zotero.md", "citescout recommend paper/main.tex --index my-index -k 10 --to-zotero", PICKS),
    ("milvus.md", "citescout index papers.jsonl --index my-index --engine milvus://", MILVUS),
    ("cite.md", "python -m training.contexts.sentence_encoder", SENTENCES),
    ("encoders.md", "citescout eval corpora corpora --work scratch --corpus visualization", ONE_CORPUS),
    ("encoders.md", "python -m training.static_table", TABLE),
    (
        "reranking.md",
        "citescout train reranker --index my-index --base scibert --out my-reranker --held-out test.jsonl --resume",
        RESUMED,
    ),
)

# (beginning of the command, module that it needs beside the development tools)
NEEDS = (
    ("citescout encode papers.jsonl", "ray"),
    ("citescout index papers.jsonl --index my-index --vectors-from", "ray"),
)

# (beginning of the command, options that make it short; a later option wins over an earlier one)
SHORTER = (
    ("citescout train encoder --recipe ctpe", "--channels 8 --dimension 16 --epochs 1 --word-epochs 2"),
    ("citescout train encoder --recipe scincl", "--share 0.05"),
    ("citescout train reranker --index", "--queries 20 --tokens 16+16 --steps 2"),
    ("citescout train reranker --split", "--tokens 16+16 --steps 2"),
    ("python benchmarks/training_memory.py", "--queries 200 --steps 1"),
    ("citescout train blend", "--queries 40"),
    ("citescout eval baselines", "--epochs 1"),
    ("citescout eval experiment imbalance", "--queries 6 --training-queries 16 --steps 2"),
    ("citescout eval experiment scincl-training", "--steps 2 --variant BitFit"),
    ("citescout eval experiment base-models", "--queries 6 --training-queries 16 --steps 2 --tokens 64 --batch-size 8"),
    ("python benchmarks/dense_encoders.py", "--queries 20"),
    ("python benchmarks/growth.py", "--sizes 400 600 800 --queries 5 --reranked 0"),
    ("python benchmarks/vectors.py", "--papers 2000 --queries 10"),
    ("python benchmarks/reranking.py", "--repeat 1"),
)

SLOW = {
    "baselines.md", "bulk-encoding.md", "cite.md", "ctpe.md", "encoders.md", "evaluation.md", "findings.md", "index.md",
    "reranking.md", "scaling.md", "scidocs.md",
}  # fmt: skip

# What a document's commands take for granted.
BEFORE_COMMANDS = {"scaling.md": "citescout index long.jsonl --index my-index"}  # its queries have 150 words and more

# What a document's Python takes for granted.
BEFORE_PYTHON = {
    "README.md": "",
    "docs/manuscripts.md": "",
    "docs/review.md": "",
    "docs/reranking.md": "from citescout import Query, Recommender, Settings\n"
    "recommender = Recommender.open('my-index', reranker='default')\n"
    "query, settings, show = Query(title='Ranking papers'), Settings(depth=40), print\n",
}

SHOWN = {document.name: shown_in(document) for document in DOCUMENTS}
# What a command writes, by the option that names it; --index is what `citescout index` makes.
_WRITES = re.compile(r" (?:--out|--report|--plot|--file|--index) (\S+)")


def never_run(shown: Shown) -> bool:
    return any(name in ("*", shown.document) and shown.text.startswith(start) for name, start, _ in NOT_RUN)


def missing_modules(shown: Shown) -> list[str]:
    return [module for start, module in NEEDS if shown.text.startswith(start) and find_spec(module) is None]


def shortened(shown: Shown) -> str:
    options = [more for beginning, more in SHORTER if shown.text.startswith(beginning)]
    return " ".join([shown.text, *options])


@pytest.fixture(scope="session")
def desk_index(tmp_path_factory: pytest.TempPathFactory, demo_index: Path) -> Path:
    """An index of the folder's papers; where the demo's index was, so that their vectors need not be made again."""
    directory = tmp_path_factory.mktemp("desk") / "index"
    shutil.copytree(demo_index, directory)
    ids = {paper["id"] for paper in desk_papers()}
    build_index((paper for paper in read_papers([str(demo.CORPUS)]) if paper.id in ids), directory, "minilm")
    return directory


@pytest.fixture
def desk(tmp_path: Path, desk_index: Path, tiny_bert: Path) -> Path:
    return prepare(tmp_path, desk_index, tiny_bert)


def run_and_judge(desk: Path, shown: Shown) -> None:
    command = shortened(shown)
    if re.match(r"citescout (serve|demo)\b", command):
        with running(desk, command) as server:
            status, page = server.get("/health")
            assert status == 200, page
        return
    if shown.program == "curl":
        with running(desk, "citescout serve --index my-index") as server:
            done = shell(desk, command.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}"))
        assert '"recommendations"' in done.stdout, done.stdout
    else:
        done = shell(desk, command)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
    assert "Traceback" not in done.stderr, f"{command}\n{done.stderr}"
    for name in _WRITES.findall(command):
        if "--dry-run" not in command:
            assert (desk / name).exists(), f"{command}\nwrote no {name}"


TO_RUN = {name: [one for one in shown if not never_run(one)] for name, shown in SHOWN.items()}
CASES = [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in SHOWN if TO_RUN[name]]


@pytest.mark.skipif(shutil.which("bash") is None, reason="the documents' lines are bash's")
@pytest.mark.parametrize("document", CASES)
def test_the_commands_of_a_document_run_in_their_order(document, desk):
    shown = [one for one in TO_RUN[document] if not missing_modules(one)]
    if not shown:
        pytest.skip(f"not installed: {sorted({module for one in TO_RUN[document] for module in missing_modules(one)})}")
    if any(one.text.startswith("citescout index papers.jsonl --index my-index") for one in shown):
        shutil.rmtree(desk / "my-index")  # the document builds it
    if document in BEFORE_COMMANDS:
        run_and_judge(desk, Shown(document, BEFORE_COMMANDS[document], in_block=True))
    for one in shown:
        run_and_judge(desk, one)
    if document == "README.md":
        assert (desk / "to-cite.bib").read_text(encoding="utf-8").count("@") == 20


@pytest.mark.parametrize("document", BEFORE_PYTHON)
def test_the_python_of_a_document_runs(document, desk):
    for script in blocks(ROOT / document, "python"):
        (desk / "script.py").write_text(BEFORE_PYTHON[document] + script, encoding="utf-8")
        done = shell(desk, "python script.py")
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.splitlines()) > 1


def test_what_is_listed_is_still_in_the_documents():
    everything = [one for shown in SHOWN.values() for one in shown]
    for name, start, _ in NOT_RUN:
        assert any(one.text.startswith(start) and name in ("*", one.document) for one in everything), (name, start)
    for start, _ in (*NEEDS, *SHORTER):
        assert any(one.text.startswith(start) for one in everything), start
    with_commands = {name for name, shown in TO_RUN.items() if shown}
    assert not ({*SLOW, *BEFORE_COMMANDS} - with_commands)
    with_python = {document.relative_to(ROOT).as_posix() for document in DOCUMENTS if blocks(document, "python")}
    assert with_python == {*BEFORE_PYTHON, "CONTRIBUTING.md"}  # the latter's is run by test_documentation.py
