"""The command as shells, cron and containers start and end it."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from demo import CORPUS

COMMAND = shlex.join([sys.executable, "-m", "citescout"])


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line of bash, with the command as $C."""
    return subprocess.run(  # noqa: S603
        ["bash", "-c", line.replace("$C", COMMAND)],  # noqa: S607
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("$C models >&-", 0, ""),
        ("$C models 2>&-", 0, ""),
        ("$C models <&-", 0, ""),
        ("$C models > /dev/full", 1, "Error: the output cannot be written: No space left on device"),
        ("$C models | head -1 >/dev/null", 0, ""),
    ],
)
def test_streams_that_are_closed_or_full_are_no_traceback(line: str, code: int, message: str) -> None:
    done = shell(line)
    assert (done.returncode, done.stderr.strip()) == (code, message)


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="Windows calls it otherwise")
def test_a_file_that_standard_output_goes_to_is_written_on_and_not_replaced(tmp_path: Path, demo_index: Path) -> None:
    there, index = shlex.quote(str(tmp_path)), shlex.quote(str(demo_index))
    ask = f"echo citations | $C recommend - --index {index} -k 1 --format trec --out /dev/stdout"
    done = shell(f"cd {there}; (echo before; {ask}; echo after) > log; cat log")
    lines = [line.split()[0] for line in done.stdout.splitlines()]
    assert (lines, done.stderr.count("Error")) == (["before", "standard%20input", "after"], 0), done
    done = shell(f"cd {there}; echo citations | $C recommend - --index {index} --append-to a.bib > a.bib")
    assert done.stderr == "Error: cannot write to standard output here; it goes to a.bib\n", done


# The second is not installed, as on many a server; with the third Python itself takes names of files for ASCII.
@pytest.mark.long
@pytest.mark.parametrize(
    "locale",
    [{"LC_ALL": "C"}, {"LC_ALL": "xx_XX.UTF-8"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
)
def test_names_of_files_are_in_utf_8_where_the_locale_is_c_or_missing(tmp_path: Path, locale: dict[str, str]) -> None:
    index = shlex.quote(str(tmp_path / "übung 論文"))
    for line in (
        f"$C -q index {shlex.quote(str(CORPUS))} --index {index} --encoder none",
        f"echo citations | $C recommend - --index {index}",
    ):
        done = shell(line, **locale)
        assert done.returncode == 0, done.stderr
    assert "%" in done.stdout


@pytest.mark.long
@pytest.mark.parametrize(("language", "encoding"), [("tr_TR", "UTF-8"), ("de_DE", "ISO-8859-1")])
def test_papers_are_added_and_found_in_every_locale(tmp_path: Path, language: str, encoding: str) -> None:
    name = f"{language}.{encoding}"
    try:
        make = ["localedef", "-i", language, "-f", encoding, str(tmp_path / name)]
        subprocess.run(make, check=True, capture_output=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("Debian's package locales is not installed")
    index, one = shlex.quote(str(tmp_path / "übung")), shlex.quote(str(tmp_path / "one.jsonl"))
    for line, said in (
        (f"head -1 {shlex.quote(str(CORPUS))} > {one}; $C -q index {one} --index {index} --encoder none", "Indexed 1 "),
        (f"$C -q add {shlex.quote(str(CORPUS))} --index {index}", "Added 374 papers"),
        (f"echo INFORMATION RETRIEVAL IN INDIA | $C recommend - --index {index} -k 1", "INFORMATION"),
    ):
        done = shell(line, LC_ALL=name, LOCPATH=str(tmp_path))
        assert (done.returncode, said in done.stdout + done.stderr) == (0, True), done


def test_a_program_that_imports_the_command_is_not_begun_anew() -> None:
    line = f'{shlex.quote(sys.executable)} -c "import citescout.__main__, sys; print(sys.getfilesystemencoding())"'
    assert shell(line, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0").stdout == "ascii\n"


_WAITING = """
import logging, signal, tempfile, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # tests that nohup runs leave it ignored
from concurrent.futures import ThreadPoolExecutor
from cli.main import citescout, main
import cli.models

def wait(**options):
    threads = ThreadPoolExecutor(1)
    threads.submit(time.sleep, 60)
    try:
        with tempfile.TemporaryDirectory(dir="."):
            print("there", flush=True)
            time.sleep(60)
    except SystemExit:
        logging.getLogger("asyncio").error("unhandled exception during asyncio.run() shutdown")
        raise ImportError("a library makes another error of it")

cli.models.command.callback = wait
main()
"""


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (signal.SIGINT, "interrupted"),
        (signal.SIGTERM, "ended by SIGTERM"),
        (signal.SIGHUP, "ended by SIGHUP"),
    ],
)
def test_who_ends_it_has_it_tidy_up_and_does_not_wait_for_threads(
    number: signal.Signals, message: str, tmp_path: Path
) -> None:
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", _WAITING, "models"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert list(tmp_path.iterdir())
        began = time.monotonic()
        process.send_signal(number)
        assert process.communicate()[1] == f"Error: {message}\n"
        assert process.returncode == 128 + number
        assert time.monotonic() - began < 30
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_it_starts_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("import time\nprint('there', flush=True)\ntime.sleep(60)\n")
    with subprocess.Popen(
        [sys.executable, "-m", "citescout", "models"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(__file__).parents[1]}"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate()[1] == ""
        assert process.returncode == -signal.SIGINT  # a shell says 130


def test_what_nohup_has_it_not_hear_does_not_end_it() -> None:
    script = (
        "import os, signal; from cli.main import main; import cli.models\n"
        "cli.models.command.callback = lambda **options: os.kill(os.getpid(), signal.SIGHUP)\n"
        "main()"
    )
    done = shell(f"trap '' HUP; {shlex.join([sys.executable, '-c', script, 'models'])}")
    assert (done.returncode, done.stderr) == (0, "")
