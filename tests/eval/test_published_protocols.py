"""The papers' protocols from raw file to table, against the authors' rules applied line by line."""

import json
from pathlib import Path

import pytest
from command_line import run
from published_dumps import (
    Expected,
    cluscite,
    cluscite_rules,
    open_research,
    open_research_rules,
    write_corpus_json,
    write_tables,
)

from eval.protocols import PUBLISHED
from eval.trec import read_qrels, read_run


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def check(folder: Path, expected: Expected) -> None:
    """Every file of the split is as the rules have it."""
    gold = expected.gold
    assert min(map(len, gold.values())) > 5  # the dump is large enough to tell rules apart
    assert (folder / "train.ids").read_text().split() == sorted(gold["train"])
    hidden = {*gold["dev"], *gold["test"]}
    for part, of_part in gold.items():
        assert {query: set(cited) for query, cited in read_qrels(folder / f"{part}.qrels")[0].items()} == of_part
        if part != "train":
            assert {query["id"] for query in lines(folder / f"{part}.queries.jsonl")} == set(of_part)
            indexed = {paper["id"]: paper for paper in lines(folder / f"{part}.papers.jsonl")}
            assert set(indexed) == expected.papers
            assert not any("citations" in indexed[id_] for id_ in hidden)
            assert all(set(indexed[id_]["citations"]) == gold["train"][id_] for id_ in gold["train"])
    here = json.loads((folder / "sizes.json").read_bytes())["here"]
    pairs = {part: sum(map(len, of_part.values())) for part, of_part in gold.items()}
    assert here["papers"] == len(expected.papers)
    assert here["citations of queries"] == sum(pairs.values())
    assert {part: (here[f"{part}: queries"], here[f"{part}: citations"]) for part in gold} == {
        part: (len(of_part), pairs[part]) for part, of_part in gold.items()
    }
    assert here["train: citations a query"] == pytest.approx(pairs["train"] / len(gold["train"]))


def to_table(folder: Path) -> str:
    """`eval run` and `eval score` of the test part."""
    assert run("eval", "run", folder, "--part", "test", "--encoder", "none", "--system", "BM25").code == 0
    return run("eval", "score", folder / "test.qrels", folder / "runs/test/BM25.trec").out


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_open_research_from_raw_file_to_table(tmp_path: Path, seed: int) -> None:
    dump, folder = tmp_path / "papers-2017-02-21.json.gz", tmp_path / "or"
    expected = open_research_rules(open_research(dump, seed))
    said = run("eval", "split", dump, "--protocol", "open-research", "--out", folder).out
    check(folder, expected)
    assert f"| papers | {len(expected.papers):,} | 6,892,252 |" in said
    assert f"| dev: queries | {len(expected.gold['dev']):,} | 487,582 |" in said
    if seed == 0:
        assert "| BM25 |" in to_table(folder)


@pytest.mark.long
@pytest.mark.parametrize("shape", ["tables", "corpus.json"])
@pytest.mark.parametrize("name", ["dblp", "pubmed"])
def test_cluscites_collections_from_raw_files_to_table(tmp_path: Path, name: str, shape: str) -> None:
    papers, folder, source = cluscite(11), tmp_path / "split", tmp_path / name / "gold"
    if shape == "tables":
        write_tables(papers, source)
    else:
        source = source / "corpus.json"
        write_corpus_json(papers, source)
    expected = cluscite_rules(papers, name)
    assert run("eval", "split", source, "--protocol", name, "--out", folder).code == 0
    check(folder, expected)
    for part in ("dev", "test"):
        assert set((folder / f"{part}.candidates.ids").read_text().split()) == expected.candidates
    assert "| BM25 |" in to_table(folder)
    lists = read_run(folder / "runs/test/BM25.trec")
    assert all(set(found) <= expected.candidates - {query} for query, found in lists.items())


def test_the_sample_is_drawn_after_the_sizes_are_reported(tmp_path: Path) -> None:
    dump, folder = tmp_path / "papers.json.gz", tmp_path / "or"
    expected = open_research_rules(open_research(dump, 7))
    said = run("eval", "split", dump, "--protocol", "open-research", "--sample", 7, "--out", folder).out
    assert f"| test: queries | {len(expected.gold['test']):,} |" in said
    drawn = read_qrels(folder / "test.qrels")[0]
    assert len(drawn) == 7
    assert all(set(cited) == expected.gold["test"][query] for query, cited in drawn.items())


def test_the_published_sizes_agree_with_each_other() -> None:
    # The paper gives sums and means of its own rows, to two decimals; one mean, 6.45, it rounds up.
    for name in ("open-research", "dblp", "pubmed"):
        table = PUBLISHED[name]
        assert table is not None
        assert sum(table[f"{part}: citations"] for part in ("train", "dev", "test")) == table["citations of queries"]
        assert table["citations of queries"] / table["papers"] == pytest.approx(table["citations a paper"], abs=0.01)
    assert "corpus" not in PUBLISHED
