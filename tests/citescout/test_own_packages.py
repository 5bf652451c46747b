"""Scripts of users that lie beside a file or folder with the name of one of our packages."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from citescout.own_packages import LIBRARY

ROOT = Path(__file__).parents[2]
FIRST_USES = ("from citescout import Recommender", "import citescout.live", "from citescout.settings import Settings")
# How an editable install makes our packages known: behind all that is on sys.path.
EDITABLE = f"""
import sys
from importlib.machinery import PathFinder
class Finder:
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, [{str(ROOT)!r}]) if path is None else None
sys.meta_path.insert(sys.meta_path.index(PathFinder) + 1, Finder)
"""


def run(folder: Path, program: str, on_path: bool = True) -> subprocess.CompletedProcess[str]:
    (folder / "script.py").write_text(program)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if on_path:
        environment["PYTHONPATH"] = str(ROOT)
    return subprocess.run(
        [sys.executable, "script.py"], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )


def refusal(name: str, found: object) -> str:
    return (
        f"ImportError: citescout has a package of its own named '{name}', and Python finds {found} in its place: "
        "rename that, or keep it off sys.path"
    )


@pytest.mark.parametrize("program", FIRST_USES)
@pytest.mark.parametrize("name", LIBRARY)
def test_a_file_with_the_name_of_a_package_is_named(tmp_path: Path, name: str, program: str) -> None:
    (tmp_path / f"{name}.py").write_text("")
    done = run(tmp_path, program)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == refusal(name, tmp_path / f"{name}.py")


def test_a_package_and_a_module_that_is_imported_already_are_named(tmp_path: Path) -> None:
    package = tmp_path / "elsewhere" / "common"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    imported = "import sys; sys.path.insert(0, 'elsewhere'); import common; del sys.path[0]\n"
    assert run(tmp_path, imported + FIRST_USES[0]).stderr.splitlines()[-1] == refusal("common", package)
    made = "import sys, types; sys.modules['common'] = types.ModuleType('common')\n"
    assert run(tmp_path, made + FIRST_USES[0]).stderr.splitlines()[-1] == refusal("common", "<module 'common'>")


def test_a_folder_of_data_is_in_the_way_of_an_editable_install_alone(tmp_path: Path) -> None:
    (tmp_path / "retrieval").mkdir()
    assert run(tmp_path, FIRST_USES[0]).returncode == 0
    done = run(tmp_path, EDITABLE + FIRST_USES[0], on_path=False)
    assert done.stderr.splitlines()[-1] == refusal("retrieval", tmp_path / "retrieval")


def test_names_of_what_the_library_does_not_import_are_free(tmp_path: Path) -> None:
    for name in ("eval", "demo", "fetch", "webui", "cli"):
        (tmp_path / f"{name}.py").write_text("OURS = True")
    program = "import eval, cli, citescout\nassert eval.OURS and cli.OURS\n" + "\n".join(FIRST_USES)
    done = run(tmp_path, program)
    assert (done.returncode, done.stderr) == (0, "")
    command = [sys.executable, "-m", "citescout", "--version"]
    for path, said in ((ROOT, ""), (f"{tmp_path}{os.pathsep}{ROOT}", refusal("cli", tmp_path / "cli.py"))):
        environment = {**os.environ, "PYTHONPATH": str(path)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)  # noqa: S603
        assert "".join(done.stderr.splitlines()[-1:]) == said


def test_all_packages_that_the_library_imports_are_looked_at() -> None:
    found = set()
    for file in (ROOT / "citescout").rglob("*.py"):
        if file.name != "__main__.py":
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.ImportFrom):
                    found.add(re.split(r"\.", node.module or "")[0])
    ours = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert (found & ours) - {"citescout"} == set(LIBRARY)
