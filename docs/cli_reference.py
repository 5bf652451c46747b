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
_SHARED = 6  # options that a command has as an earlier one has them, from which on they are only named
_HEAD = """# Commands

Made by `make docs` from the commands' own help; do not edit. Exit codes: 0; 1 for input that cannot be used, with one
line on standard error that says where and why; 2 for wrong usage; 130 when interrupted. `-q` before the command hides
progress bars, `-v` shows the log and the trace of an error.
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
    sections, described = [_HEAD], dict[str, dict[str, str]]()
    for command, context in commands(citescout, top):
        rows = _rows(command, context)
        shared = {path: [name for name in rows if there.get(name) == rows[name]] for path, there in described.items()}
        path = max(shared, key=lambda path: len(shared[path]), default="")
        as_there = shared[path] if path and len(shared[path]) >= _SHARED else []
        own = {name: row for name, row in rows.items() if name not in as_there}
        described[context.command_path] = own
        sections.append(_section(command, context, own, as_there, path))
    return "".join(sections)


def _rows(command: click.Command, context: click.Context) -> dict[str, str]:
    """The rows of a command's table, by the names of the options."""
    records = [record for parameter in command.get_params(context) if (record := parameter.get_help_record(context))]
    return {
        names.split()[0]: f"| `{_cell(names)}` | {_escaped(_cell(_one_line(text)))} |"
        for names, text in records
        if text and "--help" not in names
    }


def _section(
    command: click.Command, context: click.Context, own: dict[str, str], as_there: list[str], path: str
) -> str:
    """What is said of a command; of options that it has as the one of that path has them, only the names."""
    usage = " ".join(command.collect_usage_pieces(context))
    paragraphs = [_one_line(paragraph) for paragraph in (command.help or "").split("\n\n")]
    table = ["| option | |\n|---|---|", *own.values()] if own else []
    parts = [f"## {context.command_path}", f"`{context.command_path} {usage}`", *paragraphs, "\n".join(table)]
    if as_there:
        names = ", ".join(f"`{name}`" for name in as_there)
        parts.append(f"As for [{path}](#{path.replace(' ', '-')}): {names}")
    return "\n" + "\n\n".join(part for part in parts if part) + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.replace("\b", "").split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
