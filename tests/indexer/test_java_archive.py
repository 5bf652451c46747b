"""Java's classes in the user's cache: made once, mapped by later processes, and never what makes a command fail."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import files_of_at_most

from common.processes import module_path
from demo import CORPUS

pytestmark = pytest.mark.long

_CACHE = "CITESCOUT_CACHE"
# Java says of every class where it comes from.
_SEARCH = """
import sys
from pathlib import Path
import jnius_config
jnius_config.add_options("-Xlog:class+load:file=" + sys.argv[2])
from indexer.java_classes import load
load(Path(sys.argv[1]))
print("done")
"""


def searched(tmp_path: Path, cache: Path, search: str = _SEARCH) -> dict[str, str]:
    """Class → where it was loaded from, of a process that writes an index and searches it."""
    place = tmp_path / str(time.monotonic_ns())
    place.mkdir()
    log = place / "classes"
    (place / "indexer.py").write_text("raise SystemExit('of the user')")  # what lies where a command is run is not ours
    ran = subprocess.run(  # noqa: S603
        [sys.executable, "-P", "-c", search, str(place / "bm25"), str(log)],
        env={
            **os.environ,
            _CACHE: str(cache),
            # Another Java than ours, and options for other programs, with which ours would not start.
            "JVM_PATH": "/nowhere/libjvm.so",
            **dict.fromkeys(("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"), "-XX:+UseG1GC"),
            "PYTHONPATH": module_path(),
        },
        cwd=place,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "done\n"  # where results stand, Java says nothing
    loads = (line.rpartition("] ")[2].partition(" source: ") for line in log.read_text("utf-8").splitlines())
    return {name: source for name, _, source in loads if source}


def share(sources: dict[str, str]) -> float:
    """Of Lucene's classes, how many were mapped from the archive."""
    lucene = [source for name, source in sources.items() if name.startswith("org.apache.lucene")]
    assert len(lucene) > 300
    return sum("shared objects file" in source for source in lucene) / len(lucene)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with an archive, which was made where an old one and a younger one lay."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "cache" / "java").mkdir(parents=True)
    for name, days in (("old", 200), ("young", 100)):
        path = folder / "cache" / "java" / f"{name}.jsa"
        path.touch()
        os.utime(path, (time.time() - days * 86400,) * 2)
    searched(folder, folder / "cache")
    return folder / "cache"


def archive_in(cache: Path) -> Path:
    (found,) = (path for path in (cache / "java").glob("*.jsa") if path.stem != "young")
    return found


def test_later_processes_map_the_classes_of_an_index_and_a_search(made: Path, tmp_path: Path) -> None:
    before = archive_in(made).stat()
    assert share(searched(tmp_path, made)) > 0.97
    after = archive_in(made).stat()
    assert (after.st_ino, after.st_size) == (before.st_ino, before.st_size)  # it is not made again
    assert after.st_mtime > before.st_mtime  # but it is known to be used


def test_nothing_else_is_left_and_what_nobody_used_for_long_is_gone(made: Path) -> None:
    stem = archive_in(made).stem
    assert {path.name for path in (made / "java").iterdir()} == {f"{stem}.jsa", "young.jsa"}


def test_a_damaged_archive_is_not_mapped(made: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "cache" / "java" / archive_in(made).name
    damaged.parent.mkdir(parents=True)
    content = bytearray(archive_in(made).read_bytes())
    draws = random.Random(0)
    for _ in range(2000):
        content[draws.randrange(5000, len(content))] ^= 0xFF
    damaged.write_bytes(content)
    assert share(searched(tmp_path, tmp_path / "cache")) == 0


def test_one_that_cannot_be_made_is_not_tried_again(tmp_path: Path) -> None:
    failing = _SEARCH.replace(
        "load(Path", "import indexer.java_archive as a\na._run = lambda *_: (_ for _ in ()).throw(OSError())\nload(Path"
    )
    assert share(searched(tmp_path, tmp_path / "cache", failing)) == 0
    assert archive_in(tmp_path / "cache").stat().st_size == 0
    assert share(searched(tmp_path, tmp_path / "cache")) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_full_disk_leaves_nothing_that_later_starts_would_go_by(tmp_path: Path) -> None:
    with files_of_at_most(16 << 20):
        assert share(searched(tmp_path, tmp_path / "cache")) == 0
    assert list((tmp_path / "cache" / "java").iterdir()) == []


def test_without_a_place_for_it_java_starts_as_ever(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    for cache in (tmp_path / "cache", Path("~nobody-of-this-name/cache")):
        assert share(searched(tmp_path, cache)) == 0


def test_who_ends_the_first_start_leaves_nothing_of_it(demo_index: Path, tmp_path: Path) -> None:
    cache, temporary = tmp_path / "cache", tmp_path / "temporary"
    temporary.mkdir()
    command = [sys.executable, "-m", "citescout", "recommend", CORPUS, "--index", demo_index, "--out", tmp_path / "out"]
    environment = {**os.environ, _CACHE: str(cache), "TMPDIR": str(temporary), "PYTHONPATH": module_path()}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:  # noqa: S603
        while not list(cache.glob("java/*/names")):  # until Java runs in the process that tells which classes it loads
            assert process.poll() is None
            time.sleep(0.01)
        process.terminate()
        assert process.wait(30) == 128 + signal.SIGTERM
    assert list(temporary.iterdir()) == []
    assert list((cache / "java").iterdir()) == []


def test_what_a_killed_process_left_goes_with_the_next_start(made: Path, tmp_path: Path) -> None:
    left = tmp_path / "cache" / "java" / archive_in(made).stem
    left.mkdir(parents=True)
    (left / "names").write_text("half")
    searched(tmp_path, tmp_path / "cache")
    assert [path.name for path in left.parent.iterdir()] == [archive_in(made).name]
