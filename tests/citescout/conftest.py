"""What several test files need: a mangled bibliography, the small index that reviews ask, and watched drafts."""

import json
import sys
from pathlib import Path

import pytest
from command_line import run
from mangled import BIBLIOGRAPHY, STRANGERS
from outside_corpus import PAPERS as OUTSIDE
from reviewed import PAPERS
from watched_drafts import DRAFT

from citescout import Recommender
from indexer.builds import build_index

sys.path.append(str(Path(__file__).parents[1] / "manuscripts"))


@pytest.fixture(scope="module")
def small_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("reviewed") / "index"
    build_index(PAPERS, directory, None)
    return directory


@pytest.fixture(scope="module")
def small(small_index: Path):
    with Recommender.open(small_index, reranker="none") as opened:
        yield opened


@pytest.fixture
def references(tmp_path):
    path = tmp_path / "refs.bib"
    path.write_text(BIBLIOGRAPHY + STRANGERS)
    return path


@pytest.fixture
def index(tmp_path):
    build_index(OUTSIDE, tmp_path / "ix", None)
    (tmp_path / "draft.jsonl").write_text(json.dumps(DRAFT), "utf-8")
    return tmp_path / "ix"


@pytest.fixture
def watch(index):
    def command(*arguments, code=0):
        ended = run("watch", *arguments, "--index", index)
        assert ended.code == code, ended.err
        return ended

    return command


@pytest.fixture
def watched(watch, tmp_path):
    """The same, with the draft watched."""
    watch("add", tmp_path / "draft.jsonl")
    return watch
