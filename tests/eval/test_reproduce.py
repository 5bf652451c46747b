"""What is written down comes out again, and what does not is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from common.errors import SourceError
from demo import CORPUS
from eval.reproduce import Outcome, expectations, reproduce


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    return reproduce(expectations()["demo"], tmp_path_factory.mktemp("work"), [str(CORPUS)])


def test_the_figures_of_the_demo_come_out(outcomes: list[Outcome]) -> None:
    assert len(outcomes) == 15
    assert [outcome for outcome in outcomes if not outcome.holds] == []


def test_the_figures_of_the_experiments_come_out(tmp_path: Path) -> None:
    known = expectations()
    outcomes = [
        outcome
        for name in ("demo-query-forms", "demo-sources")
        for outcome in reproduce(known[name], tmp_path, [str(CORPUS)])
    ]
    assert {outcome.system for outcome in outcomes} >= {"title", "key-terms", "bm25 + dense + graph"}
    assert [outcome for outcome in outcomes if not outcome.holds] == []
    assert (tmp_path / "index").is_dir()  # one for both
    wrong = replace(known["demo-query-forms"], figures={"title": {"F1@20": 0.3, "MRR": 0.611}})
    assert [outcome.holds for outcome in reproduce(wrong, tmp_path, [str(CORPUS)])] == [False, True]


def test_a_figure_that_does_not_come_out_is_told(tmp_path: Path) -> None:
    wrong = replace(expectations()["demo"], figures={"BM25": {"F1@20": 0.35, "MRR": 0.685}})
    assert [outcome.holds for outcome in reproduce(wrong, tmp_path, [str(CORPUS)])] == [False, True]


@pytest.mark.parametrize("name", ["open-research", "dblp", "pubmed"])
def test_figures_of_papers_need_their_data(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError, match="--data"):
        reproduce(expectations()[name], tmp_path, [])


def test_figures_of_papers_are_compared_on_what_the_user_gives(tmp_path: Path) -> None:
    loose = replace(expectations()["open-research"], tolerance=1.0)
    assert [outcome.figure for outcome in reproduce(loose, tmp_path, [str(CORPUS)])] == ["F1@20", "MRR", "R@1000"]
