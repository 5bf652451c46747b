"""The commands of docs/fetch.md, in processes of their own."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from fake_openalex import CORPUS, short

DOCS = Path(__file__).parents[2] / "docs" / "fetch.md"
MAIN = [sys.executable, "-c", "from cli.main import main; main()"]


def run(fake, folder, *arguments):
    environment = {**os.environ, "CITESCOUT_OPENALEX_URL": fake.url, "PYTHONPATH": str(DOCS.parents[1])}
    return subprocess.run(  # noqa: S603
        [*MAIN, *arguments], env=environment, cwd=folder, capture_output=True, text=True, timeout=120
    )


def test_what_is_fetched_is_indexed_with_its_citations(fake, tmp_path):
    assert run(fake, tmp_path, "fetch", "openalex", "--search", "paper", "--out", "field.jsonl.gz").returncode == 0
    done = run(fake, tmp_path, "index", "field.jsonl.gz", "--index", "field-index", "--encoder", "none")
    assert done.returncode == 0, done.stderr
    known = {short(work["id"]) for work in CORPUS}
    citations = sum(len(known & set(map(short, work["referenced_works"]))) for work in CORPUS)
    assert f"Indexed {len(CORPUS)} papers with {citations:,} citations" in done.stdout


@pytest.mark.parametrize("line", re.findall(r"^citescout (fetch .*)$", DOCS.read_text("utf-8"), re.MULTILINE))
def test_every_command_of_the_documentation_is_understood(fake, tmp_path, line):
    (tmp_path / "mine.bib").write_text("@article{a, title={One}, doi={10.9999/nowhere}}\n")
    done = run(fake, tmp_path, *shlex.split(line))
    # The made-up corpus has none of it, which is found out only once every option was understood.
    assert done.returncode == 1
    assert re.match(r"Error: OpenAlex (knows no venue|has no work|has none of the DOIs)", done.stderr), done.stderr
