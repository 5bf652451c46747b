"""Experiments against what the Recommender answers when it is asked directly, scored by eval.metrics."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from experiment_tools import FIELDS, QUERIES, SEED, assert_same, directly, inputs_of, row_of
from numpy.typing import NDArray

from citescout import Recommender
from citescout.settings import Settings
from eval.experiments import (
    blend_features,
    bm25,
    depth,
    query_forms,
    sources,
    token_split,
)
from eval.experiments.asking import RerankerChoice, ask, validation_set
from eval.experiments.blend_features import QueryFeatures, query_features
from indexer.bm25_parameters import PYSERINI, Bm25Parameters
from indexer.generations import open_generation
from rerank.blend import Blend
from rerank.cross_encoder import CrossEncoder, Reader
from rerank.features import NAMES
from rerank.token_split import TokenIds, TokenSplit
from training.blend.fitting import train_order
from training.queries import training_queries

pytestmark = pytest.mark.long


def f1_at_20(queries: Sequence[QueryFeatures], best: Sequence[NDArray[np.intp]]) -> float:
    """By its definition: of each query the places of its best 20 candidates are given."""
    right = [len({int(docid) for docid in one.docids[of]} & one.gold) for one, of in zip(queries, best, strict=True)]
    p, r = np.mean(right) / 20, np.mean([found / len(one.gold) for found, one in zip(right, queries, strict=True)])
    return 2 * p * r / (p + r)


def test_query_forms_are_those_of_the_recommender(tmp_path: Path, demo_index: Path) -> None:
    findings = query_forms.run(inputs_of(tmp_path, demo_index))
    for form in ("title+abstract", "title", "key-terms"):
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
    monkeypatch.setattr(depth, "DEPTHS", (0, 5))
    monkeypatch.setattr(depth, "_LISTS", {"BM25": (paper, (0, 5)), "blend": (Settings(), (5,))})
    findings = depth.run(inputs_of(tmp_path, demo_index, queries=6))
    reranker = CrossEncoder.load("default")
    expected = {
        "BM25, 0": Settings(k=1000, sources=("bm25",), bm25=PYSERINI, blend=False, depth=0),
        "BM25, 5": Settings(k=1000, sources=("bm25",), bm25=PYSERINI, blend=False, depth=5),
        "blend, 5": Settings(k=1000, depth=5),
    }
    assert [row.name for row in findings.rows] == list(expected)
    for name, settings in expected.items():
        assert_same(row_of(findings, name), demo_index.name, directly(demo_index, settings, reranker, queries=6))
    seconds = {row.name: row.seconds or 0.0 for row in findings.rows}
    assert 0 < seconds["BM25, 0"] < seconds["BM25, 5"]


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
    assert {feature for group in blend_features.GROUPS.values() for feature in group} == set(NAMES)


def test_ablation_ranks_as_a_blend_that_was_trained_on_the_other_index(
    tmp_path: Path, demo_index: Path, half_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = inputs_of(tmp_path, demo_index, half_index)
    findings = blend_features.ablation(inputs, {"graph": ("cited_rate", "cocited")})
    for test, train in ((demo_index, half_index), (half_index, demo_index)):
        lists = [one.labelled for one in query_features(train, QUERIES, SEED)]
        blend = replace(Blend.load(), order=train_order(lists, NAMES, SEED, threads=1))
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
    missing = ("cosine", "own_cosine", "text_rank", "cocited")
    findings = blend_features.ablation(inputs_of(tmp_path, demo_index, half_index), {"x": missing})
    keep = [name not in missing for name in NAMES]
    held = {directory: query_features(directory, QUERIES, SEED) for directory in (demo_index, half_index)}
    lists = [type(one.labelled)(one.labelled.features[:, keep], one.labelled.cited) for one in held[half_index]]
    order = train_order(lists, [name for name in NAMES if name not in missing], SEED, threads=1)
    best = [np.argsort(-order.predict(one.labelled.features[:, keep]), kind="stable")[:20] for one in held[demo_index]]
    found = row_of(findings, "without x").by_corpus[demo_index.name]["F1@20"]
    assert found == pytest.approx(f1_at_20(held[demo_index], best))
    assert found != row_of(findings, blend_features.ALL).by_corpus[demo_index.name]["F1@20"]


def test_queries_of_a_single_index_are_answered_by_a_blend_of_the_others(tmp_path: Path, demo_index: Path) -> None:
    findings = blend_features.ablation(inputs_of(tmp_path, demo_index), {})
    queries = query_features(demo_index, QUERIES, SEED)
    best = []
    for place, one in enumerate(queries):
        others = [two.labelled for other, two in enumerate(queries) if other % 5 != place % 5]
        order = train_order(others, NAMES, SEED, threads=1)
        best.append(np.lexsort((one.docids, -order.predict(one.labelled.features)))[:20])
    found = row_of(findings, blend_features.ALL).by_corpus[demo_index.name]["F1@20"]
    assert found == pytest.approx(f1_at_20(queries, best))
    assert "parted in 5" in findings.notes[0]


def test_features_are_those_of_the_recommender(demo_index: Path) -> None:
    with open_generation(demo_index) as generation:
        drawn = {one.query.id: one for one in training_queries(generation, QUERIES, SEED)}
        with Recommender.open(demo_index) as recommender:
            held = query_features(demo_index, QUERIES, SEED)
            assert [one.query for one in held] == list(drawn)
            for one in held:
                pool = recommender.pool(drawn[one.query].query)
                expected = recommender.features(pool, drawn[one.query].query)
                np.testing.assert_array_equal(one.labelled.features, expected)
                assert one.gold == set(drawn[one.query].gold.tolist())
                assert one.labelled.cited.tolist() == [int(number) in one.gold for number in one.docids]


def test_what_is_made_at_the_first_query_is_not_timed(
    tmp_path: Path, demo_index: Path, tiny_judge: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    logits = Reader.logits

    def counted(self: Reader, candidates: Sequence[TokenIds]):
        if candidates:
            read.append(len(candidates))
        return logits(self, candidates)

    monkeypatch.setattr(Reader, "logits", counted)
    monkeypatch.setattr(CrossEncoder, "prepare", lambda self: None)  # reads, too
    variants = {f"{depth}": Settings(sources=("bm25",), blend=False, depth=depth) for depth in (5, 20, 10)}
    inputs = inputs_of(tmp_path, demo_index, queries=4)
    reading = RerankerChoice(str(tiny_judge), TokenSplit(8, 56))
    untimed = ask(inputs, variants, reading)
    assert read == [5, 20, 10] * 4
    assert all(one.seconds is None for one in untimed.values())
    read.clear()
    timed = ask(inputs, variants, reading, timed=1)
    assert read == [5, 8, 8, *[5, 20, 10] * 4]  # the first three are not timed
    for name, one in timed.items():
        assert one.seconds > 0
        for measure, values in one.scores[demo_index.name].values.items():
            np.testing.assert_allclose(values, untimed[name].scores[demo_index.name].values[measure])


def test_queries_are_drawn_from_as_many_of_the_newest_as_is_said(tmp_path: Path, demo_index: Path) -> None:
    with open_generation(demo_index) as generation:
        for newest in (1, 8):
            expected = {one.query.id for one in training_queries(generation, 10, SEED, newest)}
            asked = validation_set(generation, 10, SEED, newest)
            assert set(asked.qrels) == expected
    near, far = (
        query_forms.run(inputs_of(tmp_path, demo_index, queries=10, newest=newest)).rows[0].by_corpus
        for newest in (1, 8)
    )
    assert near != far
