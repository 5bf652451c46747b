"""The ordered system by its names, as commands with the hub's environment variables, against a server that plays it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from played_hub import PlayedHub, playing
from tiny import CLS, MEAN, copied, declaring, pickled

from demo import CORPUS
from encoders.models import registered
from indexer.generations import served_manifest

ROOT = Path(__file__).parents[2]
PLAYED = ("specter", "scincl", "scibert")
TINY = ["--queries", "12", "--tokens", "32+32", "--batch-size", "8", "--steps", "2", "--validation-share", "0.3"]


class Desk:
    """A folder, a played hub, and the command line between them."""

    def __init__(self, hub: PlayedHub, folder: Path, bert: Path) -> None:
        self.hub, self.folder = hub, folder
        models = {
            "specter": pickled(copied(bert, folder / "specter")),
            "scincl": declaring(copied(bert, folder / "scincl"), CLS, 64),
            "scibert": pickled(copied(bert, folder / "scibert"), legacy=True),
        }
        self.sha256 = {}
        for name, model in models.items():
            published = registered(name)
            repository = hub.add(published.source, model, published.revision)
            self.sha256[name] = {file: repository.etag(file) for file in published.files}
        hub.add("somebody/mean", declaring(copied(bert, folder / "mean"), MEAN, 64))
        papers = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
        (folder / "papers.jsonl").write_text("".join(json.dumps(paper) + "\n" for paper in papers), "utf-8")
        query = {"title": "Dense retrieval of passages", "abstract": "Vectors of passages and queries."}
        (folder / "draft.jsonl").write_text(json.dumps(query) + "\n", "utf-8")

    def run(self, *arguments: str, offline: bool = False, code: int = 0) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "HF_ENDPOINT": self.hub.url,
            "HF_HOME": str(self.folder / "hf"),
            "HF_HUB_OFFLINE": "1" if offline else "0",
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "CITESCOUT_CACHE": str(self.folder / "cache"),
            "PLAYED_SHA256": json.dumps(self.sha256),
            "OMP_NUM_THREADS": "1",
        }
        command = [sys.executable, str(Path(__file__).with_name("rehearse.py")), *arguments]
        answer = subprocess.run(  # noqa: S603
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=1800, check=False
        )
        assert answer.returncode == code, answer.stderr[-2000:]
        return answer


@pytest.fixture
def desk(tmp_path: Path, tiny_bert: Path) -> Iterator[Desk]:
    with playing() as hub:
        yield Desk(hub, tmp_path, tiny_bert)


@pytest.mark.long
def test_an_index_by_name_and_what_is_refused(desk: Desk) -> None:
    told = desk.run("index", "papers.jsonl", "--index", "by-name", "--encoder", "specter").stderr
    assert "assumed" not in told
    manifest = served_manifest(desk.folder / "by-name")[1]
    assert (manifest.encoder, manifest.encoder_assumed) == ("specter", None)
    refused = desk.run("recommend", "draft.jsonl", "--index", "by-name", "--reranker", "scibert", code=1)
    assert refused.stderr.count("\n") == 1 and "train reranker --base scibert" in refused.stderr


@pytest.mark.slow
def test_the_ordered_system_by_its_names_and_again_without_the_hub(desk: Desk) -> None:
    for offline in (False, True):
        place = "offline" if offline else "online"
        asked = len(desk.hub.asked)
        index, encoder, reranker = f"index-{place}", f"encoder-{place}", f"reranker-{place}"

        def run(*arguments: str, offline: bool = offline) -> str:
            return desk.run(*arguments, offline=offline).stdout

        run("index", "papers.jsonl", "--index", index, "--encoder", "specter")
        first = run("recommend", "draft.jsonl", "--index", index, "--format", "jsonl")
        run("train", "encoder", "--recipe", "specter", "--index", index, "--base", "scibert", "--out", encoder,
            "--steps", "2", "--tokens", "32", "--share", "0.1")  # fmt: skip
        run("index", "papers.jsonl", "--index", f"{index}-own", "--encoder", encoder)
        run("train", "reranker", "--index", index, "--base", "scibert", "--out", reranker, *TINY)
        reranked = run("recommend", "draft.jsonl", "--index", index, "--format", "jsonl", "--reranker", reranker,
                       "--tokens", "32+32", "--depth", "20", "--no-blend")  # fmt: skip
        assert len(first.splitlines()) == len(reranked.splitlines()) > 0 and first != reranked
        table = run("eval", "encoder", "specter", "scincl", "somebody/mean", encoder, "--corpus", "papers.jsonl",
                    "--queries", "20")  # fmt: skip
        assert all(name in table for name in ("specter", "scincl", "somebody/mean", encoder))
        there = {one["name"]: one["is"] for one in json.loads(run("models", "--format", "json"))}
        assert all(there[name] == "cached" for name in PLAYED)
        assert (len(desk.hub.asked) == asked) is offline
