"""Evaluation as README's first command leaves it: without the libraries that only an extra installs."""

import ast
import json
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from command_line import printed_by, refused
from report_pages import make_runs, make_split

ROOT = Path(__file__).parents[2]
# Refuses to import the modules that are named in its first argument, then runs the command in the others.
COMMAND = """
import json, sys
absent = set(json.loads(sys.argv[1]))
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from cli.main import main
main(sys.argv[2:])
"""


def normal(distribution: str) -> str:
    return re.sub("[-_.]+", "-", distribution).lower()


def required(variable: str) -> set[str]:
    """The distributions that setup.py names in a variable."""
    for statement in ast.parse((ROOT / "setup.py").read_text("utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == variable:
            texts = [node.value for node in ast.walk(statement.value) if isinstance(node, ast.Constant)]
            return {normal(re.split(r"[^\w.-]", text)[0]) for text in texts if isinstance(text, str)}
    raise AssertionError(f"setup.py has no {variable}")


def modules_of_extras() -> list[str]:
    """What can be imported here, but not in a plain installation."""
    plain, extra = required("REQUIRES"), required("EXTRAS")
    return sorted(
        module
        for module, distributions in packages_distributions().items()
        if {normal(one) for one in distributions} <= extra - plain
    )


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_split(tmp_path_factory.mktemp("split"))
    make_runs(folder)
    return folder


def test_runs_are_scored_in_a_plain_installation(split: Path) -> None:
    absent = modules_of_extras()
    assert "matplotlib" in absent
    assert {"ir-measures", "pytrec-eval-terrier"} <= required("REQUIRES")
    runs = sorted((split / "runs" / "test").glob("*.trec"))
    out = printed_by(COMMAND, json.dumps(absent), "eval", "score", split / "test.qrels", *runs)
    assert "| F1@20 |" in out.splitlines()[0]


def test_a_page_without_matplotlib_is_one_line_that_says_how_to_get_it(
    split: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = refused("eval", "report", split, "--out", tmp_path / "report.html")
    assert "pip install 'citescout[eval]'" in said
    assert not (tmp_path / "report.html").exists()
