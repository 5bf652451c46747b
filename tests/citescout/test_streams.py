"""The commands among other programs: a reader that has seen enough, and traces for those who ask for one."""

import os
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from command_line import run_alone

ROOT = Path(__file__).parents[2]
MAIN = "from cli.main import main; main()"


def test_a_reader_that_has_seen_enough_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)  # as `head` does
    try:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", MAIN, "eval", "baselines", "--list"],
            stdout=writing, stderr=subprocess.PIPE, text=True, cwd=ROOT, timeout=120,
        )  # fmt: skip
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_list_in_a_terminal_begins_its_own_line(demo_index):
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    command = [sys.executable, "-c", MAIN, "recommend", "-", "--index", str(demo_index), "-k", "1"]
    subprocess.run(  # noqa: S603
        command, input=b"citation networks", stdout=theirs, stderr=theirs, check=True, cwd=ROOT, timeout=120
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # the end of a terminal
        while piece := os.read(ours, 1 << 16):
            shown += piece
    os.close(ours)
    assert b"standard input: citation networks" in shown.split(b"\r\n")


def test_a_trace_comes_with_verbose_alone(tmp_path):
    command = ("info", "--index", tmp_path / "nothing")
    (code, _, plain), (_, _, verbose) = run_alone(*command), run_alone("-v", *command)
    assert code == 1
    assert plain.count("\n") == 1
    assert "Traceback" in verbose
    assert verbose.endswith(plain)


LATIN = os.fsdecode("Müller".encode("latin-1"))  # as old archives name files; half a surrogate pair stands for the ü


@pytest.fixture
def latin(tmp_path):
    """Run a command in a folder with a file of papers and a manuscript that have such names."""
    try:
        (tmp_path / f"{LATIN}.jsonl").write_text('{"id": "a", "title": "Neural ranking"}\n{"id": "b"}\n')
        (tmp_path / f"{LATIN}.md").write_text("# Ranking by neurons\n\nAbstract: We rank.\n")
    except OSError:
        pytest.skip("this file system has no such names")

    return partial(run_alone, folder=tmp_path)


@pytest.mark.long
def test_files_whose_names_are_not_utf8_are_read_and_named(latin):
    code, out, err = latin("index", f"{LATIN}.jsonl", "--index", "ix", "--encoder", "none")
    assert (code, "Indexed 1 paper" in out, "M?ller.jsonl: line 2" in err) == (0, True, True), err
    code, out, err = latin("recommend", f"{LATIN}.md", "--index", "ix", "--format", "trec")
    assert (code, len(out.splitlines())) == (0, 1), err


@pytest.mark.parametrize(
    "arguments",
    [
        ("index", f"{LATIN}.jsonl", "--index", LATIN, "--encoder", "none"),
        ("corpus", "build", "--from", f"{LATIN}.jsonl", "--index", "ix"),
        ("info", "--index", f"no {LATIN}"),
    ],
)
def test_a_name_that_cannot_be_kept_is_one_line(latin, arguments):
    code, out, err = latin(*arguments)
    assert (code, out, err.count("\n")) == (1, "", 1), err
    assert "M?ller" in err
