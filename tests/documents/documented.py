"""What the documents show of the command line: the lines of their blocks, and spans of text that are whole commands."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import click

from cli.main import citescout
from cli.recommend import command as recommend_command

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
# `recommend` alone is also the name of a command in running text, and so is every other: see `is_whole`.
PROGRAMS = ("citescout", "recommend", "python", "pip", "make", "curl", "ray")

_FENCE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
_PROMPT = re.compile(r"^(?:\w*\$ +)?")
_COMMENT = re.compile(r"\s+#\s.*$")
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
# A part that stands for whatever the reader has: DIR, NAME, SOURCE…, [options].
_PLACEHOLDER = re.compile(r"(?:^|[ =/.,:])[A-Z][A-Z0-9]*(?:[ .,…:]|$)|…|\[")


@dataclass(frozen=True, slots=True)
class Shown:
    """A command as a document shows it: one line, without prompt and comment."""

    document: str  # file name
    text: str
    in_block: bool  # else a span of running text

    @property
    def program(self) -> str:
        return self.text.split(" ")[0]

    @property
    def arguments(self) -> list[str]:
        return shlex.split(self.text)[1:]


def blocks(document: Path, language: str) -> list[str]:
    """Contents of the document's blocks of that language ("" for none)."""
    return [body for found, body in _FENCE.findall(document.read_text(encoding="utf-8")) if found == language]


def shown_in(document: Path) -> list[Shown]:
    """The commands of a document in their order; continued lines are one."""
    text = document.read_text(encoding="utf-8")
    found: list[tuple[int, Shown]] = []
    for block in _FENCE.finditer(text):
        if block[1] not in ("", "console"):
            continue
        for line in block[2].replace("\\\n", " ").splitlines():
            command = " ".join(_COMMENT.sub("", _PROMPT.sub("", line, count=1)).split())
            if command.split(" ")[0] in PROGRAMS:
                found.append((block.start(), Shown(document.name, command, in_block=True)))
    prose = _FENCE.sub(lambda block: " " * len(block[0]), text)
    for span in _SPAN.finditer(prose):
        shown = Shown(document.name, " ".join(span[1].split()), in_block=False)
        if shown.program in PROGRAMS and not _PLACEHOLDER.search(shown.text) and is_whole(shown):
            found.append((span.start(), shown))
    return [shown for _, shown in sorted(found, key=lambda one: one[0])]


def check_options(shown: Shown) -> None:
    """Let the command's parser meet the arguments; nothing is run.

    Raises:
        click.UsageError: there is no such command or option, or an argument is missing.
    """
    if shown.program == "recommend":
        _parse(shown.arguments, recommend_command, click.Context(recommend_command))
    elif shown.program == "citescout":
        _parse(shown.arguments, citescout, click.Context(citescout))


def is_whole(shown: Shown) -> bool:
    """Whether a span of text could be run as it stands: `citescout index` is only the name of a command."""
    if shown.program in ("python", "pip", "make"):
        return " " in shown.text
    try:
        check_options(shown)
    except click.UsageError:
        return False
    return shown.program in ("citescout", "recommend")


def _parse(arguments: list[str], command: click.Command, context: click.Context) -> None:
    parser = command.make_parser(context)
    values, rest, _ = parser.parse_args(list(arguments))
    if isinstance(command, click.Group):
        inner = command.get_command(context, rest[0]) if rest else None
        if inner is None:
            raise click.UsageError(f"no command {rest[:1]}")
        _parse(rest[1:], inner, click.Context(inner, parent=context, info_name=rest[0]))
        return
    if rest:
        raise click.UsageError(f"{rest} left over")
    given = {name for name, value in values.items() if isinstance(value, str | tuple | list | bool) and value}
    parameters = command.get_params(context)
    missing = [one.name for one in parameters if one.required and one.name not in given]
    answers_at_once = {one.name for one in parameters if one.is_eager}  # --help, --list
    if missing and not given & answers_at_once:
        raise click.UsageError(f"{missing} missing")
