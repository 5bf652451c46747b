"""The rules that hold the rooms apart, checked on the syntax trees of all files."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

COMMAND_LINE = "citescout.cli"
# A room imports from the rooms named here, and from itself.
BEFORE = {
    "common": (),
    "encoders": ("common",),
    "indexer": ("common", "encoders"),
    "fetch": ("common", "indexer"),
    "retrieval": ("common", "encoders", "indexer"),
    "rerank": ("common", "encoders", "indexer", "retrieval"),
    "citescout": ("common", "encoders", "indexer", "retrieval", "rerank"),
    "webui": ("common", "encoders", "indexer", "retrieval", "rerank", "citescout"),
    "eval": ("common", "encoders", "indexer", "retrieval", "rerank", "citescout"),
    "demo": (),
    COMMAND_LINE: (
        "common",
        "encoders",
        "indexer",
        "fetch",
        "retrieval",
        "rerank",
        "citescout",
        "webui",
        "eval",
        "demo",
    ),
}
MOST_LINES = 400
# File → why it may be longer.
LONGER: dict[str, str] = {}
HEAVY = ("torch", "faiss", "transformers", "jnius", "pyserini", "openvino", "lightgbm", "whoosh", "flask", "pymilvus")

FILES = sorted(
    file for room in BEFORE if room != COMMAND_LINE for file in (ROOT / room).rglob("*.py") if file.is_file()
)


def room_of(module: str) -> str | None:
    if module in {COMMAND_LINE, "citescout.__main__"} or module.startswith(COMMAND_LINE + "."):
        return COMMAND_LINE
    first = module.split(".")[0]
    return first if first in BEFORE else None


def module_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported(tree: ast.AST, module: str) -> Iterator[tuple[int, str]]:
    """(line, module) of every import, wherever in the file it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                pytest.fail(f"{module}:{node.lineno} imports relatively")
            base = node.module or ""
            # `from citescout import cli` names the module only by its alias.
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def backward_imports(source: str, module: str) -> list[str]:
    room = room_of(module)
    assert room is not None
    allowed = {room, *BEFORE[room]}
    return [
        f"{module}:{line} imports {name}"
        for line, name in imported(ast.parse(source), module)
        if (other := room_of(name)) is not None and other not in allowed
    ]


def test_every_room_is_in_the_table() -> None:
    packages = {p.parent.name for p in ROOT.glob("*/__init__.py")}
    assert packages - {"tests", "benchmarks"} == set(BEFORE) - {COMMAND_LINE}


def test_the_plan_of_the_house_names_what_is_there() -> None:
    rows = re.findall(r"^\| `([\w/]+)/` \|.*\|(.*)\|$", (ROOT / "docs" / "architecture.md").read_text("utf-8"), re.M)
    assert {room for room, _ in rows} == {room.replace(".", "/") for room in BEFORE}
    named = [f"{room}/{name}" for room, where in rows for name in re.findall(r"`([\w/]+(?:\.py|/))`", where)]
    assert len(named) > len(rows)
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_no_room_imports_from_a_room_after_it() -> None:
    found = [bad for file in FILES for bad in backward_imports(file.read_text("utf-8"), module_of(file))]
    assert found == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("common.files", "from indexer.paper import Paper"),
        ("retrieval.bm25", "import rerank.blend"),
        ("webui.app", "from eval.metrics import Run"),
        ("eval.table", "from webui import create_app"),
        ("citescout.recommender", "from citescout import cli"),
        ("citescout.recommender", "def later():\n    from citescout.cli.main import main"),
    ],
)
def test_the_import_rule_sees_a_backward_import(module: str, line: str) -> None:
    assert backward_imports(line, module)


def test_files_are_short_enough_to_be_read() -> None:
    lengths = {str(f.relative_to(ROOT)): len(f.read_text("utf-8").splitlines()) for f in FILES}
    too_long = {name for name, lines in lengths.items() if lines > MOST_LINES}
    assert too_long == set(LONGER), "too long, or its reason is out of date"


def test_library_code_does_not_print() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert found == []


def modules_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    return {name.split(".")[0] for name in answer.stdout.split()}


def test_the_command_line_starts_without_heavy_libraries() -> None:
    loaded = modules_after("import citescout.cli.main")
    assert "click" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_reading_papers_needs_no_model_library() -> None:
    assert modules_after("import indexer.readers").isdisjoint(HEAVY)
