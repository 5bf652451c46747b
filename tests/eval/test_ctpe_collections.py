"""The collections of CTPE's table 1, drawn from papers of the published shapes, against the table's own ranges."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from command_line import run

from common.errors import SourceError
from encoders.text import Text
from eval.corpora import find_corpora
from eval.experiments.ablation_corpora import open_corpora
from eval.experiments.base import Inputs
from eval.experiments.ctpe_collections import write_collection
from eval.trec import read_run
from retrieval.hits import Hits

WORDS = [f"{first}{second}{third}" for first in "bcdfgl" for second in "aeiou" for third in "mnprst"]


def abstract(rng: np.random.Generator, words: int) -> str:
    return " ".join(rng.choice(WORDS, words))


def words_of(paper: dict) -> int:
    return len(re.findall(r"[a-z0-9]{2,}", f"{paper['title']} {paper['abstract']}".lower()))


@pytest.fixture(scope="module")
def dblp(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict]]:
    """Papers of which some are too short, too long, too old or too new, cite too few or too many, or have no year."""
    rng = np.random.default_rng(4)
    papers = []
    for number in range(400):
        year = int(rng.choice([1950, 1990, 2005, 2016, 2017, 2018]))
        size = int(rng.choice([100, 160, 250, 400, 500]))
        papers.append(
            {"id": f"p{number}", "title": f"paper {number:03}", "abstract": abstract(rng, size), "year": year}
        )
    old = [paper["id"] for paper in papers if paper["year"] < 2017]
    for paper in papers:
        cited = rng.choice(old, int(rng.choice([3, 20, 24, 26, 40])), replace=False).tolist()
        paper["citations"] = [*cited, "nowhere", cited[0]]
    del papers[0]["year"]
    file = tmp_path_factory.mktemp("dblp") / "papers.jsonl"
    file.write_text("".join(json.dumps(paper) + "\n" for paper in papers), encoding="utf-8")
    return file, {paper["id"]: paper for paper in papers}


def collected(folder: Path, name: str) -> tuple[dict[str, dict], set[str]]:
    papers = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return {paper["id"]: paper for paper in papers}, set((folder / f"{name}.test.ids").read_text().split())


def test_test_papers_of_dblp_find_what_they_cite(dblp: tuple[Path, dict[str, dict]], tmp_path: Path) -> None:
    source, every = dblp
    write_collection("dblp", [str(source)], tmp_path, candidates=100, seed=1)
    papers, tests = collected(tmp_path, "dblp")
    found = {
        id_
        for id_, paper in every.items()
        if 1967 <= paper.get("year", 0) <= 2016 and 155 <= words_of(paper) <= 421
    }  # fmt: skip
    possible = {
        id_: found & set(paper["citations"])
        for id_, paper in every.items()
        if paper.get("year") == 2017 and 156 <= words_of(paper) <= 412
    }
    possible = {id_: cited for id_, cited in possible.items() if 15 <= len(cited) <= 16}
    assert 0 < len(tests) <= 5  # a twentieth
    assert tests <= possible.keys()
    assert all(set(papers[test]["citations"]) == possible[test] for test in tests)
    candidates = papers.keys() - tests
    assert candidates <= found
    assert len(candidates) == min(100, len(found))
    assert not any("citations" in papers[id_] for id_ in candidates)
    (corpus,) = find_corpora(tmp_path)
    assert corpus.test_set().qrels == {test: frozenset(possible[test]) for test in tests}
    write_collection("dblp", [str(source)], tmp_path / "again", candidates=100, seed=1)
    assert (tmp_path / "again" / "dblp.jsonl").read_bytes() == (tmp_path / "dblp.jsonl").read_bytes()


@dataclass
class Spy:
    """A ranker that finds nothing, and knows what it was allowed to find."""

    allowed: list[np.ndarray] = field(default_factory=list)

    def fit(self, papers: Sequence[Text]) -> None:
        pass

    def rank(self, queries: Sequence[Text], allowed: np.ndarray, depth: int) -> list[Hits]:
        self.allowed += list(allowed)
        return [Hits.none() for _ in queries]


@pytest.mark.long
def test_test_papers_which_are_of_one_year_are_no_candidates_of_each_other(
    dblp: tuple[Path, dict[str, dict]], tmp_path: Path
) -> None:
    write_collection("dblp", [str(dblp[0])], tmp_path, candidates=100, seed=1)
    papers, tests = collected(tmp_path, "dblp")
    candidates = papers.keys() - tests
    for command in (("baselines", "--systems", "random"), ("corpora", "--system", "+ graph")):
        ended = run("eval", command[0], tmp_path, "--work", tmp_path / "work", *command[1:])
        assert ended.code == 0, ended.err
    runs = [read_run(path) for path in (tmp_path / "work" / "runs" / "dblp").iterdir()]
    assert [len(one) for one in runs] == [len(tests)] * 3  # the baseline, BM25 and + graph
    assert {id_ for one in runs for found in one.values() for id_ in found} == candidates
    corpora, spy = open_corpora(tmp_path, Inputs((), tmp_path / "out")), Spy()
    corpora.measure(spy, "title+abstract", 20)
    ids = [paper.id for paper in corpora.tested["dblp"].papers]
    assert [{id_ for id_, one in zip(ids, row, strict=True) if one} for row in spy.allowed] == [candidates] * len(tests)


def test_test_papers_of_arxiv_find_the_candidates_of_their_subjects(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    lines = []
    for number in range(240):
        subject = str(rng.choice(["cs.IR cs.DL", "cs.IR", "math.CO", "q-bio.NC"], p=[0.4, 0.3, 0.25, 0.05]))
        year = int(rng.choice([2010, 2015, 2016, 2019], p=[0.45, 0.3, 0.2, 0.05]))
        lines.append({
            "id": f"{number // 60:04}.{number:05}", "title": f"preprint {number:03}", "categories": subject,
            "abstract": abstract(rng, int(rng.choice([100, 220, 400]))), "authors_parsed": [["Doe", "J.", ""]],
            "versions": [{"version": "v1", "created": f"Mon, 2 Apr {year} 19:18:42 GMT"}], "update_date": "2020-01-01",
        })  # fmt: skip
    source = tmp_path / "arxiv-metadata-oai-snapshot.json"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    write_collection("arxiv", [str(source)], tmp_path / "out", candidates=80, seed=2)
    papers, tests = collected(tmp_path / "out", "arxiv")
    subjects = {line["id"]: line["categories"] for line in lines}
    candidates = papers.keys() - tests
    assert len(candidates) == 80
    assert 0 < len(tests) <= 4
    for test in tests:
        alike = {paper for paper in candidates if subjects[paper] == subjects[test]}
        assert set(papers[test]["citations"]) == alike
        assert 22 <= len(alike) <= 95
        assert papers[test]["year"] == 2016
    assert all(papers[paper]["year"] <= 2015 and 205 <= words_of(papers[paper]) <= 425 for paper in candidates)


def test_papers_that_cannot_be_a_collection_are_reported(dblp: tuple[Path, dict[str, dict]], tmp_path: Path) -> None:
    source, every = dblp
    few = tmp_path / "few.jsonl"
    few.write_text(json.dumps(every["p1"]) + "\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"no paper of 2017 in .* has 156 to 412 words and 15 to 16 candidates"):
        write_collection("dblp", [str(few)], tmp_path / "out", candidates=100)
    with pytest.raises(SourceError, match="not a snapshot of arXiv"):
        write_collection("arxiv", [str(source)], tmp_path / "out", candidates=100)
