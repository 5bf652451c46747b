"""The rules that hold the packages apart, checked on the syntax trees of all files."""

import ast
import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from command_line import printed_by

ROOT = Path(__file__).parents[1]

_TO_RERANK = ("common", "encoders", "indexer", "retrieval", "rerank")
_TO_CITESCOUT = (*_TO_RERANK, "manuscripts", "citescout")
# A package imports from the packages named here, and from itself.
BEFORE: dict[str, tuple[str, ...]] = {
    "common": (),
    "encoders": _TO_RERANK[:1],
    "indexer": _TO_RERANK[:2],
    "fetch": ("common", "indexer"),
    "retrieval": _TO_RERANK[:3],
    "rerank": _TO_RERANK[:4],
    "manuscripts": ("common", "indexer"),
    "citescout": (*_TO_RERANK, "manuscripts"),
    "exports": ("common", "indexer", "retrieval", "rerank", "manuscripts", "citescout"),
    "training": _TO_CITESCOUT,
    "webui": (*_TO_CITESCOUT, "exports"),
    "assistants": (*_TO_CITESCOUT, "exports"),
    "editors": (*_TO_CITESCOUT, "exports"),
    "eval": (*_TO_CITESCOUT, "training"),
    "demo": (),
    "cli": (*_TO_CITESCOUT, "exports", "training", "fetch", "webui", "assistants", "editors", "eval", "demo"),
}
MOST_LINES = 300
# File → why it may be longer.
LONGER: dict[str, str] = {}
HEAVY = ("torch", "faiss", "transformers", "jnius", "pyserini", "openvino", "lightgbm", "whoosh", "flask", "pymilvus")

FILES = sorted(file for package in BEFORE for file in (ROOT / package).rglob("*.py") if file.is_file())
OF_THE_PAGE = sorted(
    file for file in (ROOT / "webui" / "static").iterdir() if file.suffix in {".js", ".css"} and file.name != "d3.js"
)


def package_of(module: str) -> str | None:
    # `python -m citescout` is the command line under the package's name.
    first = "cli" if module == "citescout.__main__" else module.split(".")[0]
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
            # `from webui import app` names the module only by its alias.
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def backward_imports(source: str, module: str) -> list[str]:
    package = package_of(module)
    assert package is not None
    allowed = {package, *BEFORE[package]}
    return [
        f"{module}:{line} imports {name}"
        for line, name in imported(ast.parse(source), module)
        if (other := package_of(name)) is not None and other not in allowed
    ]


# Folder → the modules outside of it that may import from it: nobody else knows Milvus or Ray.
ADAPTERS = {
    "engines": {"indexer.manifest", "retrieval.opening", "cli.index"},
    "bulk": {"indexer.builds", "cli.encode"},
}


@pytest.mark.parametrize("folder", ADAPTERS)
def test_adapters_are_reached_through_few_modules(folder: str) -> None:
    asking = {
        module_of(file)
        for file in FILES
        if folder not in file.parts
        for _, name in imported(ast.parse(file.read_text("utf-8")), module_of(file))
        if folder in name.split(".")
    }
    assert asking == ADAPTERS[folder]


def test_every_package_is_in_the_table() -> None:
    packages = {p.parent.name for p in ROOT.glob("*/__init__.py")}
    assert packages - {"tests", "benchmarks"} == set(BEFORE)


def test_the_architecture_names_what_is_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)/` \|", text, re.M)) == set(BEFORE)
    parts = dict(re.findall(r"^\*\*`(\w+)/`\*\*\n\n((?: *\S.*\n)+)", text, re.M))
    assert set(parts) == set(BEFORE) - {"demo"}
    files = re.compile(r"`([\w/]+(?:\.py|/))`")
    named = [(package, name) for package, where in parts.items() for name in files.findall(where)]
    assert len(named) > 10 * len(parts)
    # Within the package, or of another one.
    assert [one for one in named if not (ROOT / one[0] / one[1]).exists() and not (ROOT / one[1]).exists()] == []


def test_no_package_imports_from_one_after_it() -> None:
    found = [bad for file in FILES for bad in backward_imports(file.read_text("utf-8"), module_of(file))]
    assert found == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("common.files", "from indexer.paper import Paper"),
        ("retrieval.bm25", "import rerank.blend"),
        ("webui.app", "from eval.metrics import Run"),
        ("eval.table", "from webui import create_app"),
        ("citescout.recommender", "import cli"),
        ("citescout.recommender", "def later():\n    from cli.main import main"),
    ],
)
def test_the_import_rule_sees_a_backward_import(module: str, line: str) -> None:
    assert backward_imports(line, module)


def import_graph(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Module → modules that it imports, wherever in the file and for types alone, too; `from a import b` is of a.b."""
    graph: dict[str, set[str]] = {}
    for module, source in sources.items():
        names = (name for _, name in imported(ast.parse(source), module))
        found = (name if name in sources else name.rpartition(".")[0] for name in names)
        graph[module] = {name for name in found if name in sources and name != module}
    return graph


def test_no_modules_import_each_other_in_a_circle() -> None:
    sources = {module_of(file): file.read_text("utf-8") for file in FILES}
    TopologicalSorter(import_graph(sources)).prepare()


@pytest.mark.parametrize("line", ["import a.b", "def later():\n    from a.b import c", "from a import b"])
def test_the_circle_rule_sees_a_circle(line: str) -> None:
    sources = {"a.b": "from a.c import d", "a.c": "import a.e", "a.e": line}
    with pytest.raises(CycleError):
        TopologicalSorter(import_graph(sources)).prepare()
    TopologicalSorter(import_graph({**sources, "a.e": "import a.f"})).prepare()


def test_files_are_short_enough_to_be_read() -> None:
    lengths = {str(f.relative_to(ROOT)): len(f.read_text("utf-8").splitlines()) for f in (*FILES, *OF_THE_PAGE)}
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
    return {name.split(".")[0] for name in printed_by(code).split()}


def test_the_command_line_starts_without_heavy_libraries() -> None:
    loaded = modules_after("import cli.main")
    assert "click" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_reading_papers_needs_no_model_library() -> None:
    assert modules_after("import indexer.readers").isdisjoint(HEAVY)


def test_test_modules_have_names_of_their_own() -> None:
    # pytest imports them by their names alone: of two it runs one, if both are collected at once.
    paths = [path for path in (ROOT / "tests").rglob("test_*.py") if not (path.parent / "__init__.py").exists()]
    names = [path.name for path in paths]
    assert sorted(names) == sorted(set(names))
