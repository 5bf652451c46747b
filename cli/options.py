"""Options that several commands share."""

import math
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from common.errors import CitescoutError, SourceError
from common.files import behind_links, write_output
from encoders.model import folder_named
from encoders.models import names, registered
from rerank.token_split import TokenSplit

Decorator = Callable[[Callable[..., None]], Callable[..., None]]


class _Path(click.Path):
    """The path of an option, whose value is not the option behind it where somebody forgot it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and value.startswith("--"):
            self.fail(f"its value is missing, and {value} follows; a file of that name is ./{value}", param, ctx)
        if value == "":  # of which Python makes the folder that it is started in
            self.fail("its value is empty, as of a variable that is not set; the folder you are in is .", param, ctx)
        return super().convert(value, param, ctx)


FOLDER = _Path(path_type=Path, file_okay=False)
FILE = _Path(path_type=Path, dir_okay=False)
FILE_OR_FOLDER = _Path(path_type=Path)


def _keep_indexes(path: Path) -> None:
    """Refuse what would lie in an index directory, which holds nothing else and is written by the index alone."""
    from indexer.directory import within_index

    if index := within_index(behind_links(path)):
        raise SourceError(f"cannot write {path}: {index} is an index directory; choose another place")


class _OutputFile(_Path):
    """A file to write. What stands against that is said before the work, which may take hours, and not after it.

    Files are replaced when they are complete: of a link what it leads to, and never a device or pipe.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        is_output = value == "-" or _is_standard_output(value)
        if is_output and self.allow_dash:
            return None
        if is_output:
            advice = "a file called - is ./-" if value == "-" else f"it goes to {value}"
            raise SourceError(f"cannot write to standard output here; {advice}")
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if path.exists() and not path.is_file():
            raise SourceError(f"cannot write {path}: it is a device or pipe, and no file")
        if path.is_symlink() and (path := behind_links(path)).is_symlink():
            raise SourceError(f"cannot write {path}: it is one of links that lead to each other, and no file")
        folder = path.absolute().parent
        if not folder.is_dir():
            raise SourceError(f"cannot write {path}: there is no folder {folder}")
        if not os.access(path if path.exists() else folder, os.W_OK):
            raise SourceError(f"cannot write {path}: permission denied")
        _keep_indexes(path)
        return path


def _is_standard_output(path: str | Path) -> bool:
    """Whether it is the file or pipe that standard output goes to, as /dev/stdout is: not to be replaced meanwhile."""
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(1))
    except (OSError, ValueError):  # no such file, no standard output, no name of a file
        return False


OUTPUT_FILE = _OutputFile(path_type=Path, dir_okay=False)
OUTPUT = _OutputFile(path_type=Path, dir_okay=False, allow_dash=True)  # or standard output: None


def put(text: str, out: Path | None) -> None:
    """Write to the file, else to standard output.

    Raises:
        SourceError: the file cannot be written.
    """
    if out is None:
        click.echo(text, nl=False)
        sys.stdout.flush()
    else:
        write_output(out, text.encode("utf-8", "replace"))


class _OutputFolder(_Path):
    """A folder to write into, which is made where it is not there; see `_OutputFile`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        there = next(one for one in (path.absolute(), *path.absolute().parents) if os.access(one, os.F_OK))
        if not there.is_dir():
            raise SourceError(f"cannot write into {path}: {there} is no folder")
        if not os.access(there, os.W_OK | os.X_OK):
            raise SourceError(f"cannot write into {path}: permission denied")
        _keep_indexes(path)
        return path


OUTPUT_FOLDER = _OutputFolder(path_type=Path, file_okay=False)

# What `--encoder` and MODEL take, beside what a command adds.
ENCODERS = "|".join([*names("encoder"), "PATH", "HF-ID"])

index_directory = click.option("--index", "directory", type=FOLDER, required=True, help="The index directory.")


class Number(click.FloatRange):
    """A number of a range: neither nan, which is within every range of click, nor inf, with which no work ends."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        found: float = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return found


class Parsed(click.ParamType):  # type: ignore[type-arg]
    """Values that a function makes of text; what it raises is what is wrong with the text."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        """`parse` raises a ValueError or a CitescoutError for text that is no such value."""
        self.name, self._parse = name, parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value, which a default may be already."""
        try:
            return self._parse(value) if isinstance(value, str) else value
        except (ValueError, CitescoutError) as error:
            self.fail(str(error), param, ctx)


def _named_index(value: str) -> tuple[str, Path]:
    name, sign, folder = value.partition("=")
    if not sign or Path(value).exists():
        return "", FOLDER.convert(value, None, None)
    if not re.fullmatch(r"[\w][\w.-]{0,63}", name):
        raise ValueError(f"{name!r} is not a name for an index: letters, digits, dots, dashes and underscores")
    return name, FOLDER.convert(folder, None, None)


# An index directory, or NAME=DIR; converted to (name, folder), the name "" where there is none.
NAMED_INDEX = Parsed("[NAME=]DIR", _named_index)


def by_name(indexes: Sequence[tuple[str, Path]]) -> dict[str, Path]:
    """The folders of several indexes by their names; a single one needs none."""
    names = [name for name, _ in indexes]
    if len(indexes) > 1 and ("" in names or len(set(names)) < len(names)):
        raise click.UsageError("several indexes need names that differ: --index NAME=DIR --index OTHER=DIR")
    return dict(indexes)


tokens = click.option(
    "--tokens",
    type=Parsed("split", TokenSplit.parsed),
    metavar="QUERY+CANDIDATE",
    help="How many tokens the cross-encoder reads of query and candidate, such as 256+64; by default as its files say.",
)
# As large as scikit-learn takes it.
SEED = click.IntRange(0, 2**32 - 1)
seed = click.option("--seed", default=0, type=SEED, help="Seed of what is drawn at random.")
host = click.option(
    "--host",
    default="127.0.0.1",
    callback=lambda _context, _parameter, value: value.strip("[]"),  # an IPv6 address as it stands in a URL
    help="Address to listen on; 0.0.0.0 for others too, such as a phone.",
)
port = click.option("--port", default=8000, type=click.IntRange(0, 65535), help="Port to listen on.")


def with_options(*options: Decorator) -> Decorator:
    """Gives a command these options, in their order."""

    def given_to(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return given_to


# What every evaluation on a folder of corpora is given: `folder`, `work`, `names` and `queries`.
on_corpora = with_options(
    click.argument("folder", type=FOLDER),
    click.option("--work", type=OUTPUT_FOLDER, required=True, help="Folder for indexes and results."),
    click.option(
        "--corpus", "names", multiple=True, help="Only this corpus (repeatable); 'union' is all in one index."
    ),
    click.option("--queries", type=click.IntRange(1), help="A seeded sample of this many queries a corpus."),
)


def encoder_option(help: str, none: bool = False) -> Decorator:
    """`--encoder`; where it may be "none", the command gets None for that."""

    def chosen(_context: click.Context, _parameter: click.Parameter, value: str) -> str | None:
        if value != "none":
            return _whole_encoder(value)
        if not none:
            raise click.BadParameter("none makes no vectors: name a model (only a new index can be without vectors)")
        return None

    metavar = f"{ENCODERS}|none" if none else ENCODERS
    return click.option("--encoder", default="minilm", metavar=metavar, help=help, callback=chosen)


def _whole_encoder(name: str) -> str:
    """A folder by its whole path, for an index keeps it, and is used from other folders; any other name as it is."""
    folder = folder_named(name)
    return name if registered(name) or not (name and folder.is_dir()) else str(folder.absolute())


def format_option(names: Iterable[str], default: str = "table", help: str = "Format of the output.") -> Decorator:
    """In which of these formats the command writes, handed on as `format_name`."""
    return click.option("--format", "format_name", default=default, type=click.Choice(list(names)), help=help)


def comma_separated(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[Any, ...] | None:
    """Callback: "bm25,dense" → ("bm25", "dense")."""
    return None if value is None else tuple(part.strip() for part in value.split(",") if part.strip())


class TakesMany(click.Command):
    """A command whose options with a metavar in "..." take all arguments up to the next option: `--against *.jsonl`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse with such an option repeated before each of its values."""
        many = {
            name
            for parameter in self.params
            if isinstance(parameter, click.Option) and (parameter.metavar or "").endswith("...")
            for name in parameter.opts
        }
        return super().parse_args(ctx, list(_repeated(args, many)))


def _repeated(arguments: Iterable[str], many: Collection[str]) -> Iterator[str]:
    """`--against a b` as `--against a --against b`."""
    option, values = "", 0
    for argument in arguments:
        if argument.startswith("-") and argument != "-":
            name, _, value = argument.partition("=")
            option, values = (name, len(value)) if name in many else ("", 0)
        elif option:
            if values:
                yield option
            values += 1
        yield argument


def refuse_given(names: Collection[str], why: str) -> None:
    """Refuse options and arguments, by their parameters, that are given to the running command and change nothing.

    Raises:
        click.UsageError: the first of them, and why.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in names and context.get_parameter_source(name) != click.core.ParameterSource.DEFAULT:
            raise click.UsageError(f"{parameter.opts[0]} {why}")
