"""The registry, the command and the files of experiments, and what becomes of mistakes."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from command_line import printed_by, refused, run
from experiment_tools import ABLATIONS, NAMES, QUERIES, ROOT, SEED, inputs_of

from cli.eval import command as eval_command
from cli.experiments import _OPTIONS
from common.errors import CitescoutError, ModelError, SourceError
from eval.experiments import (
    blend_features,
    query_forms,
    report,
    sources,
    token_split,
)
from eval.experiments.base import Experiment, experiments, register
from eval.experiments.findings import Panel, exact
from eval.significance import Interval
from indexer.builds import build_index


def test_every_experiment_is_registered_and_has_a_command_with_help() -> None:
    assert set(experiments()) == NAMES | ABLATIONS
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
            assert set(_OPTIONS[option].opts) & set(helped.output.split())


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="registered already"):
        register(Experiment("bm25", "?", lambda inputs: pytest.fail("ran")))


def test_published_figures_stand_in_their_rows() -> None:
    published = query_forms.published()
    assert published["Open Research"]["key-terms"] == {"F1@20": 0.065, "MRR": 0.251, "R@1000": 0.282}
    assert published["PubMed"]["title"] == {"F1@20": 0.199, "MRR": 0.584, "R@1000": 0.654}
    assert published["DBLP"]["title+abstract"] == {"F1@20": 0.194, "MRR": 0.585, "R@1000": 0.691}


def test_command_writes_table_record_and_plot_and_repeats_itself(tmp_path: Path, demo_index: Path) -> None:
    arguments = ["query-forms", "--index", str(demo_index), "--queries", str(QUERIES), "--seed", str(SEED), "--out"]
    table = run("eval", "experiment", *arguments, tmp_path / "one").out
    assert run("eval", "experiment", *arguments, tmp_path / "two").out == table
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
    report.write_plot(PANELS, "A question?", tmp_path / "here.svg")
    code = (
        "from pathlib import Path; from tests_panels import PANELS; from eval.experiments.report import write_plot; "
        f"write_plot(PANELS, 'A question?', Path({str(tmp_path / 'there.svg')!r}))"
    )
    source = (
        f"from eval.experiments.findings import Panel\nfrom eval.significance import Interval\nPANELS = {PANELS!r}\n"
    )
    (tmp_path / "tests_panels.py").write_text(source, encoding="utf-8")
    printed_by(code, folder=tmp_path, PYTHONHASHSEED="7")
    here = (tmp_path / "here.svg").read_bytes()
    assert here == (tmp_path / "there.svg").read_bytes()
    words = {"".join(one.itertext()).strip() for one in ElementTree.fromstring(here).iter() if one.tag.endswith("text")}  # noqa: S314
    assert {"A question?", "one", "two", "F1@20", "seconds", "depth", "a", "b"} <= words
    assert b"<dc:date>" not in here


# --- mistakes


def test_mistakes_end_in_one_line(tmp_path: Path, demo_index: Path) -> None:
    index = ["--index", str(demo_index), "--out", str(tmp_path / "out")]
    assert "two indexes are called" in refused(
        "eval", "experiment", "bm25", *index, "--index", str(tmp_path / demo_index.name)
    )
    assert "name one with --reranker" in refused("eval", "experiment", "depth", *index, "--reranker", "none")
    assert "fewer than 5 queries" in refused("eval", "experiment", "blend-features", *index, "--queries", "4")
    assert str(tmp_path / "nowhere") in refused(
        "eval", "experiment", "bm25", "--index", str(tmp_path / "nowhere"), "--out", str(tmp_path / "out")
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
        report.check_plots()


def test_unknown_experiments_are_refused() -> None:
    result = CliRunner().invoke(eval_command, ["experiment", "astrology"])
    assert result.exit_code == 2
    assert "No such command 'astrology'" in result.output
