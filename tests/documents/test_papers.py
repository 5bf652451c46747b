"""docs/papers.md: every command is one, every file is there, every experiment of a paper has its row."""

import re

import pytest
from documented import ROOT, Shown, check_options

from eval.experiments.base import experiments

TEXT = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]
    for line in TEXT.splitlines()
    if line.startswith("| ") and not line.startswith("| what |")
]
COMMANDS = [command for row in ROWS for command in re.findall(r"`(citescout [^`]+)`", row[1])]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_the_options_that_it_is_given(command: str) -> None:
    check_options(Shown("papers.md", command, in_block=False))


def test_every_row_has_its_command_or_says_what_is_missing() -> None:
    assert len(ROWS) > 35
    for row in ROWS:
        assert len(row) == 4, row
        assert "`citescout " in row[1] or re.search(r"not here|needs users", row[3]), row


def test_every_file_exists() -> None:
    files = {file for row in ROWS for file in re.findall(r"`([^`]+)`", row[2])}
    assert len(files) > 30
    assert not [file for file in files if not (ROOT / file).is_file()]


def test_every_experiment_of_a_paper_has_a_row_with_its_command() -> None:
    for one in experiments().values():
        if one.paper:
            rows = [row for row in ROWS if row[0].startswith(f"{one.paper} (") or row[0] == one.paper]
            assert rows, one.paper
            assert any(f"citescout eval experiment {one.name} " in row[1] for row in rows), one.name
