"""A folder with small real files under the names that the documents use, and a shell in it.

The papers are the most linked third of the demo: to encode one takes a thirtieth of a second, and dozens of commands do
it. Models that documents fetch from the hub lie in a cache of the hub's layout, as tiny networks with random weights:
the commands run offline as they are written.
"""

import gzip
import json
import os
import shutil
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demo import CORPUS
from encoders.mpnet import HUB_ID
from encoders.pretrained import find_model
from tests.eval.published_dumps import cluscite, write_corpus_json

ROOT = Path(__file__).parents[2]
HUB_MODELS = {"specter": "allenai/specter", "scibert": "allenai/scibert_scivocab_uncased", "mpnet": HUB_ID}
COPIES_OF_THE_INDEX = ("my-index", "medicine", "cities", "archaeology")
# Tiny networks have not the SHA-256 of what the authors published.
_UNPINNED = (
    "from dataclasses import replace; from encoders.models import models, register; "
    "[register(replace(model, files={})) for model in list(models())]; "
)
PROGRAMS = {
    "citescout": f"{_UNPINNED}from cli.main import main; main()",
    "recommend": f"{_UNPINNED}from cli.main import recommend; recommend()",
}
TIMEOUT = 900  # seconds; a command of the documents takes some
PAPERS = 120  # enough to train the blend on, and to be parted by year into three sets of queries


def desk_papers() -> list[dict[str, Any]]:
    """The papers of the demo with most citations among them, from them and of them, in the demo's order."""
    papers = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    links = Counter(end for paper in papers for cited in paper["citations"] for end in (paper["id"], cited))
    linked = sorted(papers, key=lambda paper: -links[paper["id"]])[:PAPERS]
    return [paper for paper in papers if paper in linked]


def prepare(folder: Path, index: Path, model: Path) -> Path:
    """Fill the folder; `index` is one of `desk_papers`, `model` a small encoder."""
    papers = desk_papers()
    newest = sorted((paper for paper in papers if paper["citations"]), key=lambda paper: -paper["year"])
    tested, rest = newest[:5], [paper for paper in papers if paper not in newest[:5]]
    _write_papers(folder / "papers.jsonl", papers)
    _write_papers(folder / "long.jsonl", [_longer(paper, papers) for paper in papers])
    _write_papers(folder / "corpora" / "medicine.jsonl.gz", papers)
    (folder / "corpora" / "medicine.test.ids").write_text("\n".join(paper["id"] for paper in tested), encoding="utf-8")
    _write_sentences(folder / "sentences.jsonl", papers)
    # No title is in two of these: what leaks has an exit code of its own.
    for number, name in enumerate(("medicine.jsonl", "networks.jsonl", "train-1.jsonl", "train-2.jsonl.gz")):
        _write_papers(folder / name, rest[number::4])
    _write_papers(folder / "train.jsonl", rest)
    _write_papers(folder / "test.jsonl", tested)
    _write_open_research(folder / "open-research" / "papers-2017-02-21.json.gz", papers)
    write_corpus_json(cluscite(seed=11), folder / "dblp" / "corpus.json")
    _write_queries_and_bibliographies(folder, papers)
    _write_scidocs(folder / "data")
    _write_word_vectors(folder / "glove.6B.100d.txt", papers)
    np.save(folder / "vectors.npy", _directions(1500))
    for name in COPIES_OF_THE_INDEX:
        shutil.copytree(index, folder / name)
    shutil.copytree(model, folder / "my-model")
    for name, source in HUB_MODELS.items():
        _write_to_hub_cache(folder / "hub", source, find_model(name).revision or "0" * 40, model)
    for name in ("benchmarks", "docs"):  # what a checkout has
        (folder / name).symlink_to(ROOT / name)
    _write_programs(folder / "bin")
    return folder


def environment(folder: Path) -> dict[str, str]:
    """The programs come first, the models from the folder's cache, and nothing from the network."""
    return {
        **os.environ,
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HF_HOME": str(folder / "hub"),
        "HF_HUB_OFFLINE": "1",
        "XDG_CACHE_HOME": str(folder / "cache"),  # what lies in the user's own is no part of the tests
        "PYTHONIOENCODING": "utf-8",
    }


def shell(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Let bash run a line in the folder."""
    return subprocess.run(  # noqa: S603
        [shutil.which("bash") or "/bin/bash", "-c", command],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT,
        stdin=subprocess.DEVNULL,
    )


def _write_papers(path: Path, papers: Sequence[dict[str, object]]) -> None:
    path.parent.mkdir(exist_ok=True)
    content = "".join(json.dumps(paper) + "\n" for paper in papers).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def _longer(paper: dict[str, object], papers: Sequence[dict[str, object]]) -> dict[str, object]:
    """The paper with the abstracts of the next two behind its own, which makes some 250 words."""
    place = papers.index(paper)
    abstracts = [papers[(place + step) % len(papers)]["abstract"] for step in range(3)]
    return {**paper, "abstract": " ".join(map(str, abstracts))}


def _directions(count: int, dimension: int = 384) -> NDArray[np.float32]:
    """Vectors of length 1 around twenty centres."""
    generator = np.random.default_rng(0)
    centres = generator.standard_normal((20, dimension))
    vectors = centres[generator.integers(20, size=count)] + 0.5 * generator.standard_normal((count, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def _write_open_research(path: Path, papers: Sequence[dict[str, object]]) -> None:
    """The papers as the Open Research corpus has them."""
    renamed = [
        {
            "id": paper["id"],
            "title": paper["title"],
            "paperAbstract": paper["abstract"],
            "year": paper["year"],
            "outCitations": paper["citations"],
        }
        for paper in papers
    ]
    _write_papers(path, renamed)


def _write_queries_and_bibliographies(folder: Path, papers: Sequence[dict[str, Any]]) -> None:
    draft = {"id": "q1", "title": "Late interaction for dense retrieval", "abstract": "Token vectors of passages."}
    (folder / "drafts.jsonl").write_text(json.dumps(draft) + "\n", encoding="utf-8")
    manuscript = r"\title{Late interaction} \begin{abstract} Token vectors for dense retrieval. \end{abstract}"
    (folder / "paper.tex").write_text(manuscript, encoding="utf-8")
    (folder / "paper").mkdir()
    cites = (
        rf"\documentclass{{article}} {manuscript} \begin{{document}} \cite{{k0}} \bibliography{{refs}} \end{{document}}"
    )
    (folder / "paper" / "main.tex").write_text(cites, encoding="utf-8")
    (folder / "new.bib").write_text(
        "@article{new, title={Ranking with late interaction}, doi={10.1000/new}, year={2024}}\n", encoding="utf-8"
    )
    entries = (f"@article{{k{number}, title={{{paper['title']}}}}}\n" for number, paper in enumerate(papers[:3]))
    (folder / "refs.bib").write_text("".join(entries), encoding="utf-8")
    shutil.copy(folder / "refs.bib", folder / "paper")


def _write_sentences(path: Path, papers: Sequence[dict[str, Any]]) -> None:
    """A sentence of each paper that cites some, about the first of them."""
    titles = {paper["id"]: paper["title"] for paper in papers}
    lines = (
        {"id": paper["id"], "citing": paper["id"], "text": f"{titles[cited]} [CITATION] is close.", "cited": [cited]}
        for paper in papers
        for cited in paper["citations"][:1]
        if cited in titles
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _write_scidocs(folder: Path) -> None:
    from scidocs_data import make_scidocs

    folder.mkdir()
    names = make_scidocs(folder, queries=4, clicks=12)
    metadata = {name: {"title": f"Paper {name}", "abstract": "A graph of papers.", "year": 2000} for name in names}
    (folder / "paper_metadata_view_cite_read.json").write_text(json.dumps(metadata), encoding="utf-8")


def _write_word_vectors(path: Path, papers: Sequence[dict[str, object]]) -> None:
    words = sorted({word for paper in papers for word in str(paper["title"]).lower().split() if word.isalpha()})
    generator = np.random.default_rng(0)
    lines = (f"{word} {' '.join(f'{value:.4f}' for value in generator.standard_normal(100))}\n" for word in words)
    path.write_text("".join(lines), encoding="utf-8")


def _write_to_hub_cache(home: Path, name: str, commit: str, model: Path) -> None:
    place = home / "hub" / f"models--{name.replace('/', '--')}"
    shutil.copytree(model, place / "snapshots" / commit)
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text(commit, encoding="utf-8")


def _write_programs(folder: Path) -> None:
    folder.mkdir()
    python = f'#!/bin/sh\nexec "{sys.executable}" '
    scripts = {"python": f'{python}"$@"\n'}
    scripts |= {name: f'{python}-c "{code}" "$@"\n' for name, code in PROGRAMS.items()}
    for name, script in scripts.items():
        (folder / name).write_text(script, encoding="utf-8")
        (folder / name).chmod(stat.S_IRWXU)
