"""A split with runs, and its page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from report_pages import NAMES, Balanced, Element, make_runs, make_split

from eval.report.content import make_report
from eval.report.measured import read_measured
from eval.report.page import html


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_split(tmp_path_factory.mktemp("split"))
    make_runs(folder)
    chance = np.random.default_rng(5)
    queries = len((folder / "test.queries.jsonl").read_bytes().splitlines())
    times = {name: (chance.gamma(2, 0.01, queries) + 1e-3).tolist() for name in NAMES[1:]}
    (folder / "runs" / "test" / "times.json").write_text(json.dumps(times))
    return folder


@pytest.fixture(scope="module")
def page(split: Path) -> Element:
    return Balanced(html(make_report(read_measured(split, "test")))).root
