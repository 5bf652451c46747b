"""The commands of docs/fetch.md."""

import re
import shlex
from pathlib import Path

import pytest
from command_line import refused, run
from fake_openalex import CORPUS, short

DOCS = Path(__file__).parents[2] / "docs" / "fetch.md"


@pytest.fixture(autouse=True)
def at_the_fake(fake, tmp_path, monkeypatch):
    monkeypatch.setenv("CITESCOUT_OPENALEX_URL", fake.url)
    monkeypatch.chdir(tmp_path)


def test_what_is_fetched_is_indexed_with_its_citations(tmp_path):
    assert run("fetch", "openalex", "--search", "paper", "--out", "field.jsonl.gz").code == 0
    done = run("index", "field.jsonl.gz", "--index", tmp_path / "field-index", "--encoder", "none")
    assert done.code == 0, done.err
    known = {short(work["id"]) for work in CORPUS}
    citations = sum(len(known & set(map(short, work["referenced_works"]))) for work in CORPUS)
    assert f"Indexed {len(CORPUS)} papers with {citations:,} citations" in done.out


@pytest.mark.parametrize("line", re.findall(r"^citescout (fetch .*)$", DOCS.read_text("utf-8"), re.MULTILINE))
def test_every_command_of_the_documentation_is_understood(tmp_path, line):
    (tmp_path / "mine.bib").write_text("@article{a, title={One}, doi={10.9999/nowhere}}\n")
    # The made-up corpus has none of it, which is found out only once every option was understood.
    said = refused(*shlex.split(line))
    assert re.match(r"Error: OpenAlex (knows no venue|has no work|has none of the DOIs)", said), said
