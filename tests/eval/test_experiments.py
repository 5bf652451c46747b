"""Experiments against what the Recommender answers when it is asked directly, scored by eval.metrics."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from citescout import Recommender
from citescout.cli.evaluate import command as eval_command
from citescout.cli.main import main
from citescout.settings import Settings
from citescout.training_data import training_queries
from common.errors import CitescoutError, ModelError, SourceError
from demo import CORPUS
from eval.experiments import (
    blend_features,
    bm25,
    depth,
    feature_cache,
    imbalance,
    plot,
    query_forms,
    sources,
    token_split,
)
from eval.experiments.base import Experiment, Inputs, experiments, register
from eval.experiments.findings import Findings, Panel, Row, exact
from eval.metrics import Scores, score
from eval.significance import Interval
from indexer.generations import build_index, open_generation
from indexer.readers import read_papers
from rerank.blend import Blend
from rerank.blend_training import train_trees
from rerank.cross_encoder import CrossEncoder
from rerank.features import FEATURES
from rerank.pairs import TokenSplit
from retrieval.bm25 import PYSERINI, Bm25Parameters

ROOT = Path(__file__).parents[2]
NAMES = {"query-forms", "bm25", "sources", "blend-features", "depth", "token-split", "imbalance"}
QUERIES, SEED = 12, 3
FIELDS = {"F1@20": "f1_at_20", "MRR": "mrr", "R@100": "recall_at_100", "R@1000": "recall_at_1000"}


@pytest.fixture(scope="module")
def half_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The older half of the demo corpus."""
    papers = sorted(read_papers([str(CORPUS)]), key=lambda paper: (paper.year or 0, paper.id))
    directory = tmp_path_factory.mktemp("indexes") / "older-half"
    build_index(papers[: len(papers) // 2], directory, "minilm")
    return directory


@pytest.fixture(scope="module")
def tiny_judge(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder of 64 positions that judges at random."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = tmp_path_factory.mktemp("tiny-judge")
    torch.manual_seed(1)
    AutoModelForSequenceClassification.from_pretrained(tiny_bert, num_labels=2).save_pretrained(folder)
    AutoTokenizer.from_pretrained(tiny_bert).save_pretrained(folder)
    return folder


def inputs_of(out: Path, *directories: Path, **others) -> Inputs:
    return Inputs(directories, out, **{"queries": QUERIES, "seed": SEED, **others})


def directly(
    directory: Path, settings: Settings, reranker: CrossEncoder | None = None, queries: int = QUERIES
) -> Scores:
    """What `recommend` returns, scored."""
    generation = open_generation(directory)
    drawn = list(training_queries(generation, queries, SEED))
    qrels = {one.query.id: frozenset(generation.catalog.ids(one.gold)) for one in drawn}
    recommender = Recommender.opened(directory, reranker)
    run = {one.query.id: [found.paper.id for found in recommender.recommend(one.query, settings)] for one in drawn}
    recommender.close()
    generation.close()
    assert len(qrels) > 4
    return score(qrels, run)


def row_of(findings: Findings, name: str) -> Row:
    (found,) = [row for row in findings.rows if row.name == name]
    return found


def assert_same(row: Row, corpus: str, scores: Scores) -> None:
    for figure, value in row.by_corpus[corpus].items():
        assert value == pytest.approx(getattr(scores, FIELDS[figure])), (row.name, figure)


# --- against the Recommender


@pytest.mark.parametrize("form", ["title+abstract", "title", "key-terms"])
def test_query_forms_are_those_of_the_recommender(tmp_path: Path, demo_index: Path, form: str) -> None:
    findings = query_forms.run(inputs_of(tmp_path, demo_index))
    settings = Settings(k=1000, sources=("bm25",), query_form=form, bm25=PYSERINI, blend=False, depth=0)
    assert_same(row_of(findings, form), demo_index.name, directly(demo_index, settings))
    assert findings.rows[0].name == "title+abstract"
    assert findings.rows[0].against is None


def test_bm25_grid_holds_every_pair(tmp_path: Path, demo_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "K1", (0.9, 2.5))
    monkeypatch.setattr(bm25, "B", (0.4, 1.0))
    findings = bm25.run(inputs_of(tmp_path, demo_index))
    assert len(findings.rows) == 4
    assert row_of(findings, "k1 0.9, b 0.4").against is None
    for k1, b in [(0.9, 0.4), (0.9, 1.0), (2.5, 0.4), (2.5, 1.0)]:
        settings = Settings(k=1000, sources=("bm25",), bm25=Bm25Parameters(k1, b), blend=False, depth=0)
        assert_same(row_of(findings, f"k1 {k1:g}, b {b:g}"), demo_index.name, directly(demo_index, settings))


def test_the_grid_as_shipped_holds_the_pairs_that_papers_and_pyserini_use() -> None:
    pairs = {(k1, b) for k1 in bm25.K1 for b in bm25.B}
    assert {(0.9, 0.4), (1.2, 0.75), (2.0, 0.9)} <= pairs


def test_figures_are_means_over_the_corpora(tmp_path: Path, demo_index: Path, half_index: Path) -> None:
    findings = sources.run(inputs_of(tmp_path, demo_index, half_index))
    assert findings.queries.keys() == {demo_index.name, half_index.name}
    for combination in [("bm25",), ("dense",), ("bm25", "dense"), ("bm25", "dense", "graph")]:
        settings = Settings(k=1000, sources=combination, blend=False, depth=0)
        both = [directly(directory, settings) for directory in (demo_index, half_index)]
        row = row_of(findings, " + ".join(combination))
        for figure, interval in row.figures.items():
            expected = np.mean([getattr(one, FIELDS[figure]) for one in both])
            assert interval.value == pytest.approx(expected)
            assert interval.low <= interval.value <= interval.high
        if row.against:
            base = row_of(findings, "bm25").figures["F1@20"].value
            assert row.against.interval.value == pytest.approx(row.figures["F1@20"].value - base)


def test_processes_find_what_one_process_finds(tmp_path: Path, demo_index: Path, half_index: Path) -> None:
    alone = query_forms.run(inputs_of(tmp_path, demo_index, half_index))
    assert query_forms.run(inputs_of(tmp_path, demo_index, half_index, jobs=2)) == alone


def test_depths_are_those_of_the_recommender(tmp_path: Path, demo_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = Settings(k=1000, sources=("bm25",), bm25=PYSERINI, blend=False)
    monkeypatch.setattr(depth, "DEPTHS", (0, 30))
    monkeypatch.setattr(depth, "_LISTS", {"BM25": (paper, (0, 30)), "blend": (Settings(), (30,))})
    findings = depth.run(inputs_of(tmp_path, demo_index, queries=6))
    reranker = CrossEncoder.load("default")
    expected = {
        "BM25, 0": Settings(k=1000, sources=("bm25",), bm25=PYSERINI, blend=False, depth=0),
        "BM25, 30": Settings(k=1000, sources=("bm25",), bm25=PYSERINI, blend=False, depth=30),
        "blend, 30": Settings(k=1000, depth=30),
    }
    assert [row.name for row in findings.rows] == list(expected)
    for name, settings in expected.items():
        assert_same(row_of(findings, name), demo_index.name, directly(demo_index, settings, reranker, queries=6))
    seconds = {row.name: row.seconds or 0.0 for row in findings.rows}
    assert 0 < seconds["BM25, 0"] < seconds["BM25, 30"]


def test_token_splits_are_read_as_named(
    tmp_path: Path, demo_index: Path, tiny_judge: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_split, "DEPTH", 20)
    monkeypatch.setattr(token_split, "_EIGHTHS", (1, 4, 7))
    findings = token_split.run(inputs_of(tmp_path, demo_index, tokens=64, reranker=str(tiny_judge)))
    assert [row.name for row in findings.rows] == ["8 + 56", "32 + 32", "56 + 8"]
    assert [row.name for row in findings.rows if row.against is None] == ["32 + 32"]
    settings = Settings(k=1000, sources=("bm25",), bm25=PYSERINI, blend=False, depth=20)
    reranker = CrossEncoder.load(str(tiny_judge), TokenSplit(8, 56))
    assert_same(row_of(findings, "8 + 56"), demo_index.name, directly(demo_index, settings, reranker))

    assert len({row.figures["MRR"].value for row in findings.rows}) > 1


def test_splits_of_512_tokens_are_those_of_the_figure() -> None:
    splits = token_split.splits_of(512)
    assert [split.query for split in splits.values()] == [64, 128, 192, 256, 320, 384, 448]
    assert {split.query + split.candidate for split in splits.values()} == {512}


# --- the blend


def test_feature_groups_leave_no_feature_out() -> None:
    assert {feature for group in blend_features.GROUPS.values() for feature in group} == set(FEATURES)


def test_ablation_ranks_as_a_blend_that_was_trained_on_the_other_index(
    tmp_path: Path, demo_index: Path, half_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = inputs_of(tmp_path, demo_index, half_index)
    findings = blend_features.ablation(inputs, {"graph": ("cited_by_seeds", "cocited")})
    for test, train in ((demo_index, half_index), (half_index, demo_index)):
        file = feature_cache.feature_file(train, QUERIES, SEED, tmp_path / "features")
        lists = [one.labelled for one in feature_cache.read_features(file)]
        blend = Blend(train_trees(lists, FEATURES, SEED, threads=1), None)
        monkeypatch.setattr(Blend, "load", lambda blend=blend: blend)
        expected = directly(test, Settings(k=1000, depth=0))
        found = row_of(findings, blend_features.ALL).by_corpus[test.name]
        assert found["F1@20"] == pytest.approx(expected.f1_at_20)
        assert found["R@100"] == pytest.approx(expected.recall_at_100)
        fused = directly(test, Settings(k=1000, blend=False, depth=0))
        assert row_of(findings, blend_features.FUSED).by_corpus[test.name]["F1@20"] == pytest.approx(fused.f1_at_20)


def test_a_missing_feature_is_neither_learned_from_nor_looked_at(
    tmp_path: Path, demo_index: Path, half_index: Path
) -> None:
    missing = ("cosine", "cosine_gap", "dense_rank", "cited_by_seeds")
    findings = blend_features.ablation(inputs_of(tmp_path, demo_index, half_index), {"x": missing})
    keep = [name not in missing for name in FEATURES]
    held = {
        directory: feature_cache.read_features(
            feature_cache.feature_file(directory, QUERIES, SEED, tmp_path / "features")
        )
        for directory in (demo_index, half_index)
    }
    lists = [type(one.labelled)(one.labelled.features[:, keep], one.labelled.cited) for one in held[half_index]]
    trees = train_trees(lists, [name for name in FEATURES if name not in missing], SEED, threads=1)
    precision, recall = [], []
    for one in held[demo_index]:
        best = np.argsort(-trees.predict(one.labelled.features[:, keep]), kind="stable")[:20]
        right = len({int(number) for number in one.numbers[best]} & one.gold)
        precision.append(right / 20)
        recall.append(right / len(one.gold))
    p, r = np.mean(precision), np.mean(recall)
    found = row_of(findings, "without x").by_corpus[demo_index.name]["F1@20"]
    assert found == pytest.approx(2 * p * r / (p + r))
    assert found != row_of(findings, blend_features.ALL).by_corpus[demo_index.name]["F1@20"]


def test_features_are_those_of_the_recommender_and_made_once(
    tmp_path: Path, demo_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = feature_cache.feature_file(demo_index, QUERIES, SEED, tmp_path)
    generation = open_generation(demo_index)
    drawn = {one.query.id: one for one in training_queries(generation, QUERIES, SEED)}
    recommender = Recommender.open(demo_index)
    held = feature_cache.read_features(file)
    assert [one.query for one in held] == list(drawn)
    for one in held:
        pool = recommender.pool(drawn[one.query].query)
        expected = recommender.features(pool, drawn[one.query].query)
        np.testing.assert_array_equal(one.labelled.features, expected)
        assert one.gold == set(drawn[one.query].gold.tolist())
        assert one.labelled.cited.tolist() == [int(number) in one.gold for number in one.numbers]
    recommender.close()
    generation.close()
    monkeypatch.setattr(Recommender, "pool", lambda *_: pytest.fail("the pools are made again"))
    assert feature_cache.feature_file(demo_index, QUERIES, SEED, tmp_path) == file
    with pytest.raises(pytest.fail.Exception):
        feature_cache.feature_file(demo_index, QUERIES, SEED + 1, tmp_path)


# --- class imbalance


@pytest.fixture(scope="module")
def examples(demo_index: Path, tmp_path_factory: pytest.TempPathFactory) -> list[imbalance.Example]:
    inputs = inputs_of(tmp_path_factory.mktemp("out"), demo_index, training_queries=20)
    generation = open_generation(demo_index)
    found = list(imbalance._examples(generation, demo_index, inputs))
    generation.close()
    assert len(found) > 5
    return found


def test_training_queries_are_not_those_that_are_asked(demo_index: Path, examples: list[imbalance.Example]) -> None:
    generation = open_generation(demo_index)
    asked = {one.query.id for one in training_queries(generation, QUERIES, SEED)}
    generation.close()
    assert asked.isdisjoint(one.query.id for one in examples)


def test_samplings_differ_as_they_say(demo_index: Path, examples: list[imbalance.Example]) -> None:
    generation = open_generation(demo_index)
    balanced = 0
    for one in examples:
        own = generation.catalog.numbers([one.query.id])[one.query.id]
        lists = {name: imbalance.sample(name, one, np.random.default_rng(0)) for name in imbalance.SAMPLINGS}
        gold = {name: np.isin(numbers, one.gold) for name, numbers in lists.items()}
        for numbers in lists.values():
            assert numbers[:10].tolist() == one.retrieved.tolist()
            assert len(set(numbers.tolist())) == len(numbers)
            assert own not in numbers
            assert (generation.years[numbers] <= one.query.year).all()
        assert len(lists[imbalance.AS_RETRIEVED]) == 10
        assert gold[imbalance.BALANCED][10:].all()
        cited, uncited = gold[imbalance.BALANCED].sum(), (~gold[imbalance.BALANCED]).sum()
        assert (
            cited == uncited
            or set(one.gold) <= set(lists[imbalance.BALANCED])
            or cited > uncited == 10 - gold[imbalance.AS_RETRIEVED].sum()
        )
        balanced += cited == uncited
        assert len(lists[imbalance.RANDOM]) == 20
        assert not gold[imbalance.RANDOM][10:].any()
    assert balanced
    generation.close()


def test_imbalance_trains_three_models_that_are_asked(tmp_path: Path, demo_index: Path, tiny_bert: Path) -> None:
    inputs = inputs_of(
        tmp_path, demo_index, base=str(tiny_bert), steps=2, tokens=64, training_queries=8, learning_rate=1e-3
    )
    findings = imbalance.run(inputs)
    assert [row.name for row in findings.rows] == [imbalance.BM25, *imbalance.SAMPLINGS]
    settings = Settings(k=1000, sources=("bm25",), blend=False, depth=imbalance.DEPTH)
    assert_same(findings.rows[0], demo_index.name, directly(demo_index, Settings(k=1000, **ONLY_BM25)))
    reranker = CrossEncoder.load(str(tmp_path / "imbalance-model-2"), TokenSplit(32, 32))
    assert_same(findings.rows[2], demo_index.name, directly(demo_index, settings, reranker))
    assert len({row.figures["MRR"].value for row in findings.rows}) == 4


ONLY_BM25 = {"sources": ("bm25",), "blend": False, "depth": 0}


# --- the registry, the command, the files


def test_every_experiment_is_registered_and_has_a_command_with_help() -> None:
    assert set(experiments()) == NAMES
    files = {file.stem.replace("_", "-") for file in (ROOT / "eval" / "experiments").glob("*.py")}
    assert files >= NAMES
    registering = {
        file.stem.replace("_", "-")
        for file in (ROOT / "eval" / "experiments").glob("*.py")
        if "\nregister(" in file.read_text("utf-8")
    }
    assert registering == NAMES
    runner = CliRunner()
    listed = runner.invoke(eval_command, ["experiment", "--help"]).output
    for name, one in experiments().items():
        assert name in listed
        helped = runner.invoke(eval_command, ["experiment", name, "--help"])
        assert helped.exit_code == 0
        assert " ".join(one.question.split()) in " ".join(helped.output.split())
        for option in one.options:
            assert f"--{option.replace('_', '-')}" in helped.output


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="registered already"):
        register(Experiment("bm25", "?", lambda inputs: pytest.fail("ran")))


def test_published_figures_stand_in_their_rows() -> None:
    assert query_forms.PUBLISHED["Open Research"]["key-terms"] == {"F1@20": 0.065, "MRR": 0.251, "R@1000": 0.282}
    assert query_forms.PUBLISHED["PubMed"]["title"] == {"F1@20": 0.199, "MRR": 0.584, "R@1000": 0.654}
    assert query_forms.PUBLISHED["DBLP"]["title+abstract"] == {"F1@20": 0.194, "MRR": 0.585, "R@1000": 0.691}


def run_command(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(["eval", "experiment", *arguments])
    return capsys.readouterr().out


def test_command_writes_table_record_and_plot_and_repeats_itself(
    tmp_path: Path, demo_index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["query-forms", "--index", str(demo_index), "--queries", str(QUERIES), "--seed", str(SEED), "--out"]
    table = run_command(capsys, *arguments, str(tmp_path / "one"))
    assert run_command(capsys, *arguments, str(tmp_path / "two")) == table
    for name in ("query-forms.json", "query-forms.svg"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    record = json.loads((tmp_path / "one" / "query-forms.json").read_bytes())
    assert record["queries"] == {demo_index.name: QUERIES}
    lines = table.splitlines()
    assert len(lines[0].split("|")) == len(lines[1].split("|"))
    for row, line in zip(record["rows"], lines[2:], strict=False):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        assert cells[0] == row["name"]
        for cell, figure in zip(cells[1:], ("F1@20", "MRR", "R@1000"), strict=False):
            found = row["figures"][figure]
            assert cell == f"{found['value']:.3f} [{found['low']:.3f}, {found['high']:.3f}]"
        assert cells[-1] == " ".join(f"{value:.3f}" for value in record["published"]["DBLP"][row["name"]].values())


PANELS = (
    Panel("points", ("one", "two"), {"a": [Interval(0.2, 0.1, 0.3), None], "b": [exact(0.1), exact(0.4)]}, "F1@20"),
    Panel("lines", ("10", "20"), {"a": [exact(1.0), exact(2.0)], "b": [exact(-1.0), None]}, "seconds", "depth"),
)


def test_plots_are_the_same_in_every_process(tmp_path: Path) -> None:
    plot.write_plot(PANELS, "A question?", tmp_path / "here.svg")
    code = (
        "from pathlib import Path; from tests_panels import PANELS; from eval.experiments.plot import write_plot; "
        f"write_plot(PANELS, 'A question?', Path({str(tmp_path / 'there.svg')!r}))"
    )
    source = (
        f"from eval.experiments.findings import Panel\nfrom eval.significance import Interval\nPANELS = {PANELS!r}\n"
    )
    (tmp_path / "tests_panels.py").write_text(source, encoding="utf-8")
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=tmp_path)  # noqa: S603
    here = (tmp_path / "here.svg").read_bytes()
    assert here == (tmp_path / "there.svg").read_bytes()
    words = {"".join(one.itertext()).strip() for one in ElementTree.fromstring(here).iter() if one.tag.endswith("text")}  # noqa: S314
    assert {"A question?", "one", "two", "F1@20", "seconds", "depth", "a", "b"} <= words
    assert b"<dc:date>" not in here


# --- mistakes


def fails(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as stopped:
        main(["eval", "experiment", *arguments])
    error = capsys.readouterr().err
    assert stopped.value.code == 1
    assert error.startswith("Error: ")
    assert error.count("\n") == 1
    return error


def test_mistakes_end_in_one_line(
    tmp_path: Path, demo_index: Path, capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    index = ["--index", str(demo_index), "--out", str(tmp_path / "out")]
    assert "two indexes are called" in fails(capsys, "bm25", *index, "--index", str(tmp_path / demo_index.name))
    assert "name one with --reranker" in fails(capsys, "depth", *index, "--reranker", "none")
    assert "two indexes at least" in fails(capsys, "blend-features", *index)
    assert str(tmp_path / "nowhere") in fails(
        capsys, "bm25", "--index", str(tmp_path / "nowhere"), "--out", str(tmp_path / "out")
    )


def test_an_index_that_cannot_be_asked_is_named(tmp_path: Path, small_papers: tuple) -> None:
    build_index(small_papers, tmp_path / "small", None)
    inputs = inputs_of(tmp_path, tmp_path / "small")
    with pytest.raises(SourceError, match="small has no paper with enough citations"):
        query_forms.run(inputs)
    with pytest.raises(SourceError, match="small has no vectors"):
        sources.run(inputs)
    with pytest.raises(SourceError, match="small has no vectors"):
        blend_features.run(inputs_of(tmp_path, tmp_path / "small", tmp_path / "other"))


def test_a_split_beyond_the_model_is_refused(tmp_path: Path, demo_index: Path) -> None:
    with pytest.raises(ModelError, match="at most 512"):
        token_split.run(inputs_of(tmp_path, demo_index, tokens=1024))


def test_without_matplotlib_nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(CitescoutError, match=r"pip install 'citescout\[eval\]'"):
        plot.check_plots()


def test_unknown_experiments_are_refused() -> None:
    result = CliRunner().invoke(eval_command, ["experiment", "astrology"])
    assert result.exit_code == 2
    assert "No such command 'astrology'" in result.output
