"""The `citescout` and `recommend` commands, and how their errors reach the user."""

import errno
import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path

import click

from cli.ending import ended_by_signals
from cli.groups import Sentences
from common.errors import CitescoutError
from common.processes import collect_less
from common.progress import set_quiet
from common.text import encodable, one_line

# In the order of the help. Each is `command` of the module of its name, which is imported when the command is used:
# most of them load torch, faiss or Java.
COMMANDS = (
    *("fetch", "index", "encode", "add", "sync", "corpus", "remove", "compact", "re-encode"),
    *("recommend", "cite", "review", "watch", "resolve", "serve", "lsp", "mcp", "key"),
    *("info", "models", "verify", "demo", "train", "eval"),
)

# Of what a disk, a quota or a limit has no room for.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
# Of a file or folder that the user named, or one beside it.
_REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG}


class _LazyGroup(Sentences):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"cli.{name.replace('-', '_')}").command
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; click itself would end with 1 where the reader of our output has seen enough."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _stop_writing()
            return None


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
)
@click.version_option(package_name="citescout")
@click.option("-q", "--quiet", is_flag=True, help="No progress bars.")
@click.option("-v", "--verbose", is_flag=True, help="Log what happens, and show the trace of an error.")
def citescout(quiet: bool, verbose: bool) -> None:
    """Papers to cite, from the title and abstract of the paper you are writing."""
    set_quiet(quiet)
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING, stream=sys.stderr, format="%(levelname)s: %(message)s"
    )
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `citescout`; a user's mistake ends in one line on stderr and exit code 1."""
    whole_process, arguments = arguments is None, list(sys.argv[1:] if arguments is None else arguments)
    _decode_as_utf8(whole_process)
    _have_streams()
    _write_utf8()
    collect_less()
    try:
        with ended_by_signals(last=whole_process):
            citescout.main(arguments, prog_name="citescout", standalone_mode=False)
            if not sys.stdout.closed:  # as the server for editors leaves it
                sys.stdout.flush()
    except CitescoutError as error:
        _trace(arguments)
        _fail(str(error), 1)
    except click.ClickException as error:
        if isinstance(error, click.NoSuchOption) and any(error.option_name in one.opts for one in citescout.params):
            name = error.option_name
            error = click.UsageError(f"{name} stands before the command: citescout {name} …", error.ctx)
        error.show()
        sys.exit(error.exit_code)
    except UnicodeEncodeError as error:
        if not error.encoding.startswith("utf"):
            raise
        # Papers hold no halves of surrogate pairs: Python makes them of such bytes in arguments and names of files.
        _fail(f"{error.object} holds bytes that are not UTF-8: choose another name", 1)
    except (click.Abort, KeyboardInterrupt):
        _fail("interrupted", 130)
    except BrokenPipeError:
        _stop_writing()
    except OSError as error:
        _trace(arguments)
        _fail_where_refused(error)


def recommend() -> None:
    """Run `recommend`, short for `citescout recommend`."""
    sys.argv[1:1] = ["recommend"]
    main()


def _decode_as_utf8(whole_process: bool) -> None:
    """Begin anew where the locale has another encoding: SQLite and Java would look for other names of files."""
    if whole_process and sys.getfilesystemencoding() != "utf-8" and sys.platform != "win32":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - the same command


def _have_streams() -> None:
    """What was closed before the start is empty, and takes everything."""
    nothing = Path(os.devnull)
    sys.stdin = sys.stdin or nothing.open(encoding="utf-8")
    sys.stdout = sys.stdout or nothing.open("w", encoding="utf-8")
    sys.stderr = sys.stderr or nothing.open("w", encoding="utf-8")


def _stop_writing() -> None:
    """What is still to come goes nowhere: the reader of our output (head, less) has seen enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _trace(arguments: Sequence[str]) -> None:
    if "-v" in arguments or "--verbose" in arguments:
        logging.getLogger(__name__).exception("failed")


def _fail_where_refused(error: OSError) -> None:
    if error.errno not in _FULL and not (error.errno in _REFUSED and error.filename):
        raise error
    if error.filename is None:
        _stop_writing()
    _fail(f"{error.filename or 'the output cannot be written'}: {error.strerror}", 1)


def _write_utf8() -> None:
    """Titles come in every script: files and pipes get UTF-8 whatever the locale, a terminal what it can show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors="replace")


def _fail(message: str, code: int) -> None:
    click.echo(f"Error: {one_line(encodable(message))}", err=True)
    sys.exit(code)
