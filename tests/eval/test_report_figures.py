"""Plots, failures and errors of the report against counting by hand."""

import json
from pathlib import Path
from shutil import copy

import numpy as np
import pytest
from report_pages import NAMES, Balanced, Element, files, make_runs, make_split

from common.errors import CitescoutError, SourceError
from eval.metrics import METRICS, score_queries
from eval.protocols import PROTOCOLS, Protocol
from eval.report.content import as_json, make_report
from eval.report.failures import losses, worst
from eval.report.measured import (
    GROUPS,
    f1_by_cutoff,
    f1_by_group,
    gold_ranks,
    group_name,
    groups_by_gold,
    read_measured,
    recall_by_depth,
    seconds_of,
    wins_and_losses,
)
from eval.report.page import html, plain
from eval.report.plots import COLOURS, log_ticks, thinned
from eval.report.wording import MEASURES
from eval.trec import read_qrels, read_run, write_run

# Plots


def by_hand(qrels: dict[str, frozenset[str]], run: dict[str, list[str]], depth: int) -> tuple[float, float]:
    """Mean precision and mean recall."""
    hits = {query: len(gold & set(run.get(query, [])[:depth])) for query, gold in qrels.items()}
    recall = sum(hits[query] / len(gold) for query, gold in qrels.items()) / len(qrels)
    return sum(hits.values()) / depth / len(qrels), recall


@pytest.mark.parametrize("seed", range(4))
def test_curves_are_what_counting_gives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    papers = [f"d{number}" for number in range(90)]
    qrels = {f"q{n}": frozenset(rng.choice(papers, rng.integers(1, 70), replace=False).tolist()) for n in range(30)}
    run = {query: rng.permutation(papers)[: rng.integers(1, 90)].tolist() for query in list(qrels)[2:]}
    ranks = gold_ranks(qrels, run)
    depths = [1, 2, 5, 20, 89, 90, 91, 1000]
    pairs = [by_hand(qrels, run, depth) for depth in depths]
    assert recall_by_depth(qrels, ranks, depths) == pytest.approx([recall for _, recall in pairs])
    assert f1_by_cutoff(qrels, ranks, depths) == pytest.approx([2 * p * r / (p + r) for p, r in pairs])
    scores = score_queries(qrels, run)
    groups = groups_by_gold(qrels, scores.queries)
    for (fewest, most), group, f1 in zip(GROUPS, groups, f1_by_group(scores, groups), strict=True):
        inside = {q: gold for q, gold in qrels.items() if fewest <= len(gold) and (most is None or len(gold) <= most)}
        assert [q for q, member in zip(scores.queries, group, strict=True) if member] == sorted(inside)
        if inside:
            precision, recall = by_hand(inside, run, 20)
            assert f1 == pytest.approx(2 * precision * recall / (precision + recall) if precision else 0.0)
        else:
            assert f1 is None


def test_every_number_of_citations_is_in_one_group() -> None:
    for gold in range(1, 200):
        assert sum(fewest <= gold <= (most or gold) for fewest, most in GROUPS) == 1
    assert [group_name(group) for group in ((3, 5), (51, None))] == ["3–5", "over 50"]


def test_wins_and_losses_are_counted_query_by_query(split: Path) -> None:
    qrels, _ = read_qrels(split / "test.qrels")
    runs = [read_run(path) for path in files(split)[:2]]

    def f1(run: dict[str, list[str]], query: str) -> float:
        hits = len(qrels[query] & set(run.get(query, [])[:20]))
        return 2 * hits / (20 + len(qrels[query]))

    gains = [f1(runs[1], query) - f1(runs[0], query) for query in qrels]
    found = wins_and_losses(*(score_queries(qrels, run) for run in runs[::-1]))
    assert found.differences == pytest.approx(sorted(gains, reverse=True))
    assert found.better == sum(gain > 1e-9 for gain in gains) > 0
    assert found.worse == sum(gain < -1e-9 for gain in gains) > 0
    assert found.better + found.equal + found.worse == len(qrels)


def test_a_picture_of_many_queries_keeps_their_shape() -> None:
    values = np.sort(np.random.default_rng(0).normal(size=20_000))[::-1]
    kept = thinned(values, 400)
    assert len(kept) == 400
    assert (kept[0], kept[-1]) == (values[0], values[-1])
    assert np.quantile(kept, [0.1, 0.5, 0.9]) == pytest.approx(np.quantile(values, [0.1, 0.5, 0.9]), abs=0.02)
    assert thinned(values[:400], 400) is not None and len(thinned(values[:7], 400)) == 7


def test_times_are_medians_and_95th_percentiles(split: Path, page: Element) -> None:
    found = seconds_of([0.001 * n for n in range(101)][::-1])
    assert (found.queries, found.median, found.p95) == (101, pytest.approx(0.05), pytest.approx(0.095))
    times = json.loads((split / "runs" / "test" / "times.json").read_text())
    table = next(t for t in page.all("table") if "times" in (t.attributes.get("class") or ""))
    rows = {row.children[0].text: [cell.text for cell in row.all("td")] for row in table.all("tr")[1:]}
    assert rows["BM25"] == ["–", "–"]
    for name, seconds in times.items():
        ordered = sorted(seconds)
        middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
        assert rows[name][0] == f"{middle * 1000:.1f}"


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (30, 90, [20, 50, 100]),
        (1, 2, [1, 2]),
        (0.15, 7, [0.1, 0.2, 0.5, 1, 2, 5, 10]),
        (0.5, 4000, [0.1, 1, 10, 100, 1000, 10_000]),
    ],
)
def test_ticks_of_times_hold_the_range(low: float, high: float, ticks: list[float]) -> None:
    assert log_ticks(low, high) == pytest.approx(ticks)


# What is left of linear RGB for those who lack one kind of cone (Machado, Oliveira and Fernandes 2009, table 1).
VISIONS = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


@pytest.mark.parametrize("vision", VISIONS)
def test_colours_are_apart_for_every_eye(vision: str) -> None:
    coded = np.asarray([[int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)] for colour in COLOURS])
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    assert (1.05 / (luminance + 0.05)).min() >= 3  # WCAG 2, 1.4.11
    seen = np.clip(linear @ np.asarray(VISIONS[vision]).T, 0, 1)
    xyz = seen @ np.asarray([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]).T
    f = np.cbrt(xyz / [0.95047, 1, 1.08883])
    f = np.where(f > 6 / 29, f, 841 / 108 * f**3 + 4 / 29)
    lab = np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)
    distances = np.linalg.norm(lab[:, None] - lab[None], axis=2)
    assert distances[np.triu_indices(len(COLOURS), 1)].min() > 20


# Failures


def test_the_failures_are_those_of_the_definition(split: Path) -> None:
    made = make_report(read_measured(split, "test"))
    assert made.best == NAMES[2]
    qrels, _ = read_qrels(split / "test.qrels")
    best, base = read_run(files(split)[2]), read_run(files(split)[0])
    asked = {
        record["id"]: record for record in map(json.loads, (split / "test.queries.jsonl").read_bytes().splitlines())
    }
    f1 = {
        system: {q: 2 * len(gold & set(run.get(q, [])[:20])) / (20 + len(gold)) for q, gold in qrels.items()}
        for system, run in (("best", best), ("base", base))
    }
    many = [query for query, gold in qrels.items() if len(gold) >= 5]
    assert len(many) > 10
    lowest = [failure.query.id for failure in made.failures.lowest]
    assert len(set(lowest)) == 10 and set(lowest) <= set(many)
    assert max(f1["best"][q] for q in lowest) <= min(f1["best"][q] for q in set(many) - set(lowest)) + 1e-9
    gains = sorted((f1["best"][q] - f1["base"][q], q) for q in qrels)
    expected = [gain for gain, _ in gains if gain < -1e-9][:10]
    assert expected
    assert [f.f1_at_20 - f.baseline_f1_at_20 for f in made.failures.lost] == pytest.approx(expected)
    for failure in (*made.failures.lowest, *made.failures.lost):
        query, list_ = failure.query.id, best.get(failure.query.id, [])
        assert failure.query.year == asked[query]["year"]
        assert failure.f1_at_20 == pytest.approx(f1["best"][query])
        assert {gold.id for gold in failure.gold} == qrels[query]
        assert [gold.id for gold in failure.found] == [paper for paper in list_ if paper in qrels[query]]
        for gold in failure.gold:
            for rank, run in ((gold.rank, best), (gold.baseline_rank, base)):
                listed = run.get(query, [])
                assert (gold.id not in listed) if rank is None else listed[rank - 1] == gold.id
        wrong = [(rank, paper) for rank, paper in enumerate(list_, start=1) if paper not in qrels[query]]
        assert [(paper.rank, paper.id) for paper in failure.instead] == wrong[:5]


def test_the_best_system_is_that_of_the_highest_f1(tmp_path: Path) -> None:
    qrels, _ = read_qrels(make_split(tmp_path) / "test.qrels")
    for name, first in (("first right", 1), ("second right", 0)):
        # One gold paper at the top, or all of it below another paper.
        run = {q: sorted(gold)[:1] if first else ["wrong", *sorted(gold)] for q, gold in qrels.items()}
        write_run(tmp_path / "runs" / "test" / f"{name}.trec", run)
    made = make_report(read_measured(tmp_path, "test"))
    assert made.systems[0].row.figures["MRR"].value > made.systems[1].row.figures["MRR"].value
    assert (made.baseline, made.best) == ("first right", "second right")
    assert {paper.title for failure in made.failures.lowest for paper in failure.instead} == {"wrong"}


def test_ties_are_ordered_by_gold_and_then_by_id() -> None:
    gold = {"a": 5, "b": 9, "c": 4, "d": 9, "e": 6}
    qrels = {query: frozenset(map(str, range(count))) for query, count in gold.items()}
    assert worst({"a": 0.1, "b": 0.2, "c": 0.0, "d": 0.2, "e": 0.2}, qrels) == ["a", "b", "d", "e"]
    assert losses({"a": 0.1, "b": 0.2, "c": 0.5}, {"a": 0.3, "b": 0.4, "c": 0.5}) == ["a", "b"]


def test_a_transductive_split_knows_the_years_of_its_queries(tmp_path: Path) -> None:
    make_split(tmp_path, PROTOCOLS["open-research"])
    make_runs(tmp_path, "dev")
    made = make_report(read_measured(tmp_path, "dev"))
    papers = [json.loads(line) for line in (tmp_path / "dev.papers.jsonl").read_bytes().splitlines()]
    years = {paper["id"]: paper["year"] for paper in papers}
    assert made.failures.lowest
    assert all(failure.query.year == years[failure.query.id] for failure in made.failures.lowest)
    assert "transductive: the index holds papers of all years" in Balanced(html(made)).root.text


# What is not there


def test_one_system_and_one_query_are_enough(tmp_path: Path) -> None:
    named = frozenset({"p250"})
    make_split(tmp_path, Protocol(mode="inductive", test_ids=named))
    make_runs(tmp_path, names=("only",))
    (tmp_path / "runs" / "test" / "times.json").write_text('{"only": [0.02], "gone": [1]}')
    made = make_report(read_measured(tmp_path, "test"))
    assert (made.best, made.baseline, made.queries, made.failures.lost) == ("only", "only", 1, ())
    root = Balanced(html(made)).root
    assert "1 test papers given by name" in root.text
    assert "over 1 query." in root.text
    assert len(root.all("img")) == 4  # none of wins and losses
    assert as_json(made)["systems"]["only"]["against_baseline"] is None


def test_queries_without_a_list_are_reported(split: Path, page: Element) -> None:
    qrels, _ = read_qrels(split / "test.qrels")
    unanswered = len(qrels) - len(read_run(files(split)[0]))
    assert unanswered > 0
    assert f"BM25 leaves {unanswered} of {len(qrels)} queries unanswered: zero each." in page.text


def test_a_baseline_that_is_best_has_no_losses_to_show(split: Path) -> None:
    root = Balanced(html(make_report(read_measured(split, "test"), NAMES[2]))).root
    assert f"No system has a higher F1@20 than the baseline {NAMES[2]}" in root.text
    assert "loses most" not in root.text


def test_every_column_is_explained() -> None:
    assert list(MEASURES)[: len(METRICS)] == list(METRICS)


def test_texts_are_kept_to_a_line() -> None:
    assert plain("a\x00\x1b[31m\u2028b\n c\x85d") == "a [31m b c d"
    assert plain("x" * 1000) == "x" * 299 + "…"
    assert plain("می‌خواهم") == "می‌خواهم"  # the joiner belongs to the word


@pytest.mark.long
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "split.json").unlink(), "is not a split: make one"),
        (lambda f: (f / "split.json").write_text("{"), "not the record of a split"),
        (lambda f: (f / "split.json").write_text("[]"), "not the record of a split"),
        (lambda f: edit(f, "counts", "papers", "<b>"), r"counts\.papers: .* integer, not '<b>'"),
        (lambda f: edit(f, "protocol", "mode", "sideways"), r"protocol\.mode: .*, not 'sideways'"),
        (lambda f: edit(f, "protocol", "colour", "red"), "not the record of a split"),
        (lambda f: edit(f, "protocol", "first_years", [2001]), "not the record of a split"),
        (lambda f: edit(f, "protocol", "train_share", "most"), r"train_share: .* number, not 'most'"),
        (lambda f: (f / "test.qrels").unlink(), "has no part 'test'"),
        (lambda f: [path.unlink() for path in (f / "runs" / "test").glob("*.trec")], "no runs in .*eval run"),
        (lambda f: [copy(f / "runs/test/dense.trec", f / f"runs/test/{n}.trec") for n in ("a b", "a_b")], "two runs"),
        (lambda f: (f / "runs/test/a b.trec").write_text("x Q0 y 1 1 t\n"), "which the qrels do not know"),
        (lambda f: (f / "runs/test/a\x1b[1m.trec").write_text("x Q0 y 1 1 t\n"), "cannot be shown"),
        (lambda f: (f / "runs/test/times.json").write_text('{"BM25": []}'), "not of the form"),
        (
            lambda f: (f / "runs/test/times.json").write_text('{"BM25": [0.1, -1]}'),
            r"BM25\.1: Input should be greater than 0, not -1",
        ),
        (lambda f: (f / "runs/test/times.json").write_text("{"), "not of the form .*: Invalid JSON"),
        (lambda f: (f / "test.queries.jsonl").write_text('{"id": "x", "title": "t"}\n'), "has no query"),
        (lambda f: (f / "test.papers.jsonl").unlink(), "test.papers.jsonl"),
    ],
)
def test_damaged_splits_are_one_clear_error(tmp_path: Path, damage, message: str) -> None:
    make_split(tmp_path)
    make_runs(tmp_path)
    damage(tmp_path)
    with pytest.raises(CitescoutError, match=message) as caught:
        make_report(read_measured(tmp_path, "test"))
    assert "\n" not in str(caught.value)


def edit(folder: Path, group: str, name: str, value: object) -> None:
    record = json.loads((folder / "split.json").read_text())
    record[group][name] = value
    (folder / "split.json").write_text(json.dumps(record))


def test_an_unknown_baseline_is_an_error(split: Path) -> None:
    with pytest.raises(SourceError, match="no run is called 'x'"):
        make_report(read_measured(split, "test"), "x")
