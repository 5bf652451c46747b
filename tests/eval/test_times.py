"""Times of systems: what a clock of our own says, and files that keep them."""

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from citescout.settings import Settings
from citescout.systems import System
from common import stages
from common.errors import SourceError
from encoders.text import Text
from eval import systems
from eval.protocols import PROTOCOLS
from eval.split import write_split
from eval.systems import Asked, run_split, run_systems
from eval.trec import read_run, read_times, write_times
from indexer.paper import Paper
from retrieval.query import Query

COST = {"quick": 1.0, "slow": 5.0}
ENCODING = 0.25


def words(k: int) -> Settings:
    return Settings(k=k, sources=("bm25",), blend=False)


@pytest.fixture
def ranked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Every ranking in its order, by a recommender that takes its time on a clock that nothing else moves."""
    clock = [0.0]
    log: list[tuple[str, str]] = []
    encoded: set[Text] = set()

    def rank(query: Query, settings: Settings) -> SimpleNamespace:
        name = list(COST)[settings.k - 1]
        # The first answer of a system is slow, as loading a model is.
        clock[0] += COST[name] + 100 * all(known != name for known, _ in log)
        log.append((name, query.id))
        if settings.encodes and query.text not in encoded:
            with stages.stage("encoder"):
                clock[0] += ENCODING
            encoded.add(query.text)
        return SimpleNamespace(ids=ids)

    def ids() -> list[str]:
        clock[0] += 1000  # what comes after the ranking is not measured
        return ["d2", "d0"]

    generation = SimpleNamespace(catalog=SimpleNamespace(all_titles=lambda: (), ids=lambda docids: []))
    recommender = SimpleNamespace(rank=rank, generation=generation)
    recommender.without_citations_of = lambda ids, copies: recommender
    monkeypatch.setattr(stages, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    monkeypatch.setattr(systems.Recommender, "opened", lambda *_, **__: nullcontext(recommender))
    return log


def test_only_the_ranking_is_timed_and_not_its_first_call(ranked: list[tuple[str, str]]) -> None:
    queries = [Query(f"title {number}", id=f"q{number}") for number in range(4)]
    rows = [System(name, "", words(k)) for k, name in enumerate(COST, start=1)]
    found = run_systems(Path("index"), Asked(queries, rows, candidates={"d2"}))
    assert {name: one.seconds for name, one in found.items()} == {name: [cost] * 4 for name, cost in COST.items()}
    assert [one.run for one in found.values()] == [{query.id: ["d2"] for query in queries}] * 2
    assert list(found) == list(COST)


def test_every_system_is_told_the_time_of_the_vector_that_is_made_once(ranked: list[tuple[str, str]]) -> None:
    queries = [Query(f"title {number}", id=f"q{number}") for number in range(4)]
    rows = [System(name, "", Settings(k=k)) for k, name in enumerate(COST, start=1)]
    found = run_systems(Path("index"), Asked(queries, rows))
    assert {name: one.seconds for name, one in found.items()} == {
        name: [cost + ENCODING] * 4 for name, cost in COST.items()
    }
    found = run_systems(Path("index"), Asked(queries, [rows[0], System("slow", "", words(2))]))
    assert found["slow"].seconds == [COST["slow"]] * 4, "it asks for no vector"


def test_the_systems_take_turns_in_going_first(ranked: list[tuple[str, str]]) -> None:
    queries = [Query(f"title {number}", id=f"q{number}") for number in range(3)]
    rows = [System(name, "", Settings(k=k)) for k, name in enumerate(COST, start=1)]
    run_systems(Path("index"), Asked(queries, rows))
    measured = ranked[2:]
    assert [[name for name, query in measured if query == one.id] for one in queries] == [
        ["quick", "slow"],
        ["slow", "quick"],
        ["quick", "slow"],
    ]


def test_a_run_keeps_the_times_of_the_systems_before_it(sixty_papers: list[Paper], tmp_path: Path) -> None:
    counts = write_split(sixty_papers, PROTOCOLS["open-research"], tmp_path).counts
    runs = tmp_path / "runs" / "test"
    runs.mkdir(parents=True)
    write_times(runs, {"another": [0.5]})
    paths = run_split(tmp_path, "test", ["BM25"], encoder=None)
    assert [path.name for path in paths] == ["BM25.trec"]
    first = read_times(runs)
    run_split(tmp_path, "test", ["BM25, k1 2, b .9"], encoder=None)
    times = read_times(runs)
    assert set(times) == {"another", "BM25", "BM25, k1 2, b .9"}
    assert times["another"] == [0.5]
    assert times["BM25"] == first["BM25"]
    assert all(len(times[name]) == counts.test for name in times if name != "another")
    assert len(read_run(paths[0])) == counts.test
    (runs / "times.json").write_text("no times")
    paths[0].unlink()
    with pytest.raises(SourceError, match=r"times\.json"):
        run_split(tmp_path, "test", ["BM25"], encoder=None)
    assert not paths[0].exists(), "seen before the work, not after it"


def test_a_run_of_another_depth_or_of_somebody_else_is_not_written_over(
    sixty_papers: list[Paper], tmp_path: Path
) -> None:
    write_split(sixty_papers, PROTOCOLS["open-research"], tmp_path)
    (path,) = run_split(tmp_path, "test", ["nogueira"], None, "default", 2)
    written = path.read_bytes()
    with pytest.raises(SourceError, match=r"nogueira\.trec holds a run of other settings, .*citescout:default:2.*:3"):
        run_split(tmp_path, "test", ["BM25", "nogueira"], None, "default", 3)
    assert not path.with_name("BM25.trec").exists(), "seen before the work, not after it"
    assert run_split(tmp_path, "test", ["nogueira"], None, "default", 2) == [path]
    assert path.read_bytes() == written
    path.with_name("BM25.trec").write_text("q Q0 p 1 2.5 anserini\n")
    with pytest.raises(SourceError, match=r"BM25\.trec holds a run of other settings, .*anserini"):
        run_split(tmp_path, "test", ["BM25"], encoder=None)


def test_a_folder_without_times_has_none(tmp_path: Path) -> None:
    assert read_times(tmp_path) == {}


@pytest.mark.parametrize(
    "content",
    [[], {"a": 1}, {"a": []}, {"a": ["1"]}, {"a": [True]}, {"a": [0]}, {"a": [None]}, {"a": [-1.5]}, {"a": [1e300]}],
)
def test_what_is_no_time_is_refused(tmp_path: Path, content: object) -> None:
    (tmp_path / "times.json").write_text(json.dumps(content))
    with pytest.raises(SourceError, match=r"times\.json"):
        read_times(tmp_path)


def test_a_run_that_was_killed_asks_only_what_it_had_not_answered(
    sixty_papers: list[Paper], tmp_path: Path, asked: Any
) -> None:
    for name in ("whole", "killed"):
        write_split(sixty_papers, PROTOCOLS["corpus"], tmp_path / name)
    names = ["BM25", "+ blend"]
    whole = run_split(tmp_path / "whole", "test", names, encoder=None)
    queries = len(read_run(whole[0]))
    asked.clear()
    asked.last = 2 + 2 * 2 + 1  # a query more for each system, two queries, and one system of the third
    with pytest.raises(KeyboardInterrupt):
        run_split(tmp_path / "killed", "test", names, encoder=None)
    runs = tmp_path / "killed" / "runs" / "test"
    (kept,) = runs.iterdir()
    with kept.open("ab") as file:
        file.write(b'[7, {"BM25": [0.1, ["p')  # the line at which it was killed
    asked.begin_again()
    run_split(tmp_path / "killed", "test", ["BM25"], encoder=None)
    assert len(asked) == 1 + queries, "of other systems it is another run"
    asked.begin_again()
    resumed = run_split(tmp_path / "killed", "test", names, encoder=None)
    assert len(asked) == 2 + 2 * (queries - 2)
    assert [path.read_bytes() for path in resumed] == [path.read_bytes() for path in whole]
    assert all(len(seconds) == queries for seconds in read_times(runs).values())
    assert not list(runs.glob("*.jsonl"))
