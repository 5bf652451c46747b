"""Every command of the README is run, with files of the names that it uses."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
COMMANDS = [line.removeprefix("$ ").split("  #")[0].strip() for block in BLOCKS for line in block.splitlines()]
RUN_HERE = [command for command in COMMANDS if not command.startswith("make ") and " serve " not in command]
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
ENTRY = "import sys; from citescout.cli.main import main, recommend; sys.argv = sys.argv[1:]; "


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder with the files that the README names."""
    folder = tmp_path_factory.mktemp("desk")
    papers = (ROOT / "demo" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "papers.jsonl").write_text("\n".join(papers), encoding="utf-8")
    (folder / "corpora").mkdir()
    shutil.copy(folder / "papers.jsonl", folder / "corpora" / "demo.jsonl")
    newest = sorted(map(json.loads, papers), key=lambda paper: -paper["year"])
    cited = [paper["id"] for paper in newest if paper["citations"]]
    (folder / "corpora" / "demo.test.ids").write_text("\n".join(cited[:5]), encoding="utf-8")
    new = "@article{new, title={Ranking with late interaction}, doi={10.1000/new}, year={2024}}"
    (folder / "new.bib").write_text(new, encoding="utf-8")
    manuscript = r"\title{Late interaction} \begin{abstract} Token vectors for dense retrieval. \end{abstract}"
    (folder / "paper.tex").write_text(manuscript, encoding="utf-8")
    draft = {"id": "q1", "title": "Late interaction for dense retrieval", "abstract": "Token vectors of passages."}
    (folder / "drafts.jsonl").write_text(json.dumps(draft) + "\n", encoding="utf-8")
    return folder


def run(desk, arguments):
    return subprocess.run(  # noqa: S603
        [sys.executable, *arguments], cwd=desk, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def test_the_commands_of_the_readme_run_in_their_order(desk):
    assert len(RUN_HERE) >= 5
    for command in RUN_HERE:
        program, *arguments = shlex.split(command)
        entry = ENTRY + ("recommend()" if program == "recommend" else "main()")
        done = run(desk, ["-c", entry, program, *arguments])
        assert done.returncode == 0, f"{command}\n{done.stderr}"
    assert (desk / "to-cite.bib").read_text(encoding="utf-8").count("@") == 20
    for script in PYTHON:
        done = run(desk, ["-c", script])
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.splitlines()) == 10


def test_make_targets_and_links_of_the_readme_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in COMMANDS:
        if command.startswith("make "):
            assert f"\n{command.split()[1]}:" in makefile
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
