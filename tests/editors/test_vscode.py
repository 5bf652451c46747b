"""The extension for VS Code says in its manifest what its program reads and starts for."""

import json
import re
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
MANIFEST = json.loads((FOLDER / "package.json").read_text())
PROGRAM = (FOLDER / "extension.js").read_text()


def test_every_setting_that_is_read_is_declared_and_none_else():
    read = {f"citescout.{name}" for name in re.findall(r'settings\.get\("(\w+)"\)', PROGRAM)}
    assert read == set(MANIFEST["contributes"]["configuration"]["properties"])


def test_it_starts_in_the_languages_that_it_serves():
    served = json.loads(re.search(r"LANGUAGES = (\[.*?\]);", PROGRAM)[1])
    assert MANIFEST["activationEvents"] == [f"onLanguage:{language}" for language in served]


def test_every_command_that_it_offers_exists():
    declared = {command["command"] for command in MANIFEST["contributes"]["commands"]}
    assert declared == set(re.findall(r'registerCommand\("([\w.]+)"', PROGRAM))


def test_a_folder_that_is_not_trusted_cannot_choose_the_program():
    restricted = MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert {"citescout.command", "citescout.arguments"} <= set(restricted)


def test_the_lock_holds_what_the_manifest_asks_for():
    lock = json.loads((FOLDER / "package-lock.json").read_text())
    assert lock["packages"][""]["dependencies"] == MANIFEST["dependencies"]
    assert lock["version"] == MANIFEST["version"]
