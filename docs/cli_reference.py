"""Write docs/cli.md: every command with its options, from the commands themselves.

    python docs/cli_reference.py

A test fails when the file is not what this makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from cli.main import citescout

TARGET = Path(__file__).with_name("cli.md")
_HEAD = """# Commands

Made by `make docs` from the commands' own help; do not edit. Exit codes: 0; 1 for input that cannot be used, with one
line on standard error that says where and why; 2 for wrong usage; 130 when interrupted. `-q` before the command is no
progress bars, `-v` the log and the trace of an error.
"""


def commands(command: click.Command, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """All commands below a group, depth first, in the order of its help."""
    if not isinstance(command, click.Group):
        yield command, context
        return
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        if inner is not None and not inner.hidden:
            yield from commands(inner, click.Context(inner, info_name=name, parent=context))


def reference() -> str:
    """The whole page."""
    top = click.Context(citescout, info_name="citescout", **citescout.context_settings)
    return _HEAD + "".join(_section(command, context) for command, context in commands(citescout, top))


def _section(command: click.Command, context: click.Context) -> str:
    usage = " ".join(command.collect_usage_pieces(context))
    paragraphs = [_one_line(paragraph) for paragraph in (command.help or "").split("\n\n")]
    options = [record for parameter in command.get_params(context) if (record := parameter.get_help_record(context))]
    rows = [
        f"| `{_cell(names)}` | {_escaped(_cell(_one_line(text)))} |" for names, text in options if "--help" not in names
    ]
    table = ["| option | |\n|---|---|", *rows] if rows else []
    parts = [f"## {context.command_path}", f"`{context.command_path} {usage}`", *paragraphs, "\n".join(table)]
    return "\n" + "\n\n".join(part for part in parts if part) + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.replace("\b", "").split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
