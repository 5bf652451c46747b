"""Indexes that visitors have built around their bibliographies, one at a time.

How a corpus is fetched and how a process is started is not known here: the caller of `create_app` passes it in.
"""

import logging
import os
import re
import shutil
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Literal, Protocol

from citescout.live import LiveRecommender
from common.errors import CitescoutError, IndexDirectoryError, QueryError, SourceError, os_errors
from indexer.directory import Served, read_current

State = Literal["building", "served", "failed"]
SIZES = (500, 2_000, 5_000)  # papers
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,39}")  # without a dot, as files beside the folder have one
_MOST_BUILT = 50  # indexes in the folder; of as many builds that failed is kept what they looked up
_LINES = 30  # of the command's output that are shown
_TAIL = 16_384  # bytes of it that are looked at

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build is."""

    name: str
    state: State
    lines: tuple[str, ...]  # what the command has said, the last of it


class Running(Protocol):
    """A build that was begun."""

    def wait(self) -> int:
        """Its exit status, when it has ended: 0 if it succeeded."""
        ...

    def stop(self) -> None:
        """End it; begun again, it goes on."""
        ...


# For a bibliography (files or DOIs), an index directory, a size, and a file for what it says.
Begin = Callable[[Sequence[str], Path, int, Path], Running]
Serve = Callable[[str, LiveRecommender], None]


class Builds:
    """The folder for such indexes, and the build that is running."""

    def __init__(self, folder: Path, begin: Begin, opened: Callable[[Path], LiveRecommender]) -> None:
        """Build in `folder`.

        Args:
            folder: Each index is a folder in it, beside the bibliography that it is of.
            begin: Begins a build; may raise an OSError.
            opened: Opens the index that was built.

        Raises:
            SourceError: the folder cannot be written.
        """
        # Absolute, as the command has it in what it says.
        self._folder, self._begin, self._opened = folder.absolute(), begin, opened
        self._lock = threading.Lock()  # over what follows
        self._states: dict[str, State] = {}
        self._running: Running | None = None
        self._opening = threading.Lock()  # over an index that is opened because somebody asks, and what follows
        self._refused: dict[str, Served | None] = {}  # what CURRENT said of those that could not be opened
        self._serve: Serve = lambda _name, _index: None
        with os_errors(SourceError, f"make the folder {folder}"):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os_errors(SourceError, f"write into {folder}"), TemporaryFile(dir=folder):
            pass

    def serve_with(self, serve: Serve) -> None:
        """Call it with the name of each index, and the index: of those that were built, and of others when they are.

        One that cannot be opened is logged and left out.
        """
        self._serve = serve
        for path in sorted(self._folder.iterdir()):
            if path.is_dir() and _NAME.fullmatch(path.name) and self.is_built(path.name):
                self._states[path.name] = self._opened_and_served(path.name)

    def is_built(self, name: str) -> bool:
        """Whether there is an index of that name, even one that cannot be read."""
        try:
            return read_current(self._folder / name) is not None
        except IndexDirectoryError:
            return True

    def start(self, name: str, bibliography: tuple[str, bytes] | Sequence[str], size: int) -> None:
        """Begin to build an index of that name; one that was cut off goes on.

        Args:
            name: Of the index.
            bibliography: Ending and contents of a file, or DOIs, PMIDs and arXiv ids.
            size: Papers that are wanted.

        Raises:
            QueryError: the name is none, or another index is being built.
            SourceError: the bibliography cannot be written.
        """
        if not _NAME.fullmatch(name):
            raise QueryError("the name has to be letters, digits, dashes and underscores, 40 at most")
        with self._lock:
            if self._running is not None:
                raise QueryError("another index is being built: try again when it is ready")
            built = {path.name for path in self._folder.iterdir() if path.is_dir() and self.is_built(path.name)}
            if name not in built and len(built) >= _MOST_BUILT:
                raise QueryError(f"this server keeps {_MOST_BUILT} indexes of visitors, and has that many already")
            with os_errors(SourceError, f"write into {self._folder}"):
                self._forget_failed({name, *built})
                origins = self._written(name, bibliography)
                output = self._output(name)
                output.touch(mode=0o600)
                self._running = self._begin(origins, self._folder / name, size, output)
            self._states[name] = "building"
            waiting = threading.Thread(target=self._wait, args=(name, self._running), daemon=True)
        waiting.start()

    def progress(self, name: str) -> Progress | None:
        """How far it is, or was when a server was cut off; None where nothing of that name was begun.

        A build may outlive a server that was killed: its index is served once somebody asks how far it is.
        """
        with self._lock:
            state = self._states.get(name)
        if state != "building" and _NAME.fullmatch(name):
            if not self.is_built(name):
                state = "failed" if self._output(name).exists() else None
            elif state != "served":
                state = self._opened_once(name)
        return Progress(name, state, tuple(self._said(name))) if state else None

    def stop(self, name: str = "") -> None:
        """End what is running, if it has that name, where one is given: begun again, it goes on."""
        with self._lock:
            running = self._running if not name or self._states.get(name) == "building" else None
        if running is not None:
            running.stop()

    def _wait(self, name: str, running: Running) -> None:
        state: State = "failed"
        try:
            if status := running.wait():
                _log.warning("%s was not built: exit status %d", self._folder / name, status)
            else:
                state = self._opened_and_served(name)
        finally:
            with self._lock:
                self._states[name] = state
                self._running = None

    def _opened_once(self, name: str) -> State:
        """The same for all who ask at once; what cannot be opened is tried again when it has changed."""
        with self._opening:
            if (state := self._states.get(name)) == "served" or state == "building":
                return state
            current = self._current(name)
            if name in self._refused and self._refused[name] == current:
                return "failed"
            state = self._states[name] = self._opened_and_served(name)
            if state == "failed":
                self._refused[name] = current
            return state

    def _current(self, name: str) -> Served | None:
        with suppress(IndexDirectoryError):
            return read_current(self._folder / name)
        return None

    def _opened_and_served(self, name: str) -> State:
        try:
            self._serve(name, self._opened(self._folder / name))
        except CitescoutError as error:
            _log.warning("%s is not served: %s", self._folder / name, error)
            return "failed"
        return "served"

    def _forget_failed(self, others: Collection[str]) -> None:
        """Delete what other builds left, but of the latest: whoever has many fail is not to fill the disk."""
        begun = sorted(self._folder.glob("*.log"), key=lambda path: path.stat().st_mtime, reverse=True)
        failed = [path.stem for path in begun if _NAME.fullmatch(path.stem) and path.stem not in others]
        for name in failed[_MOST_BUILT - 1 :]:
            self._states.pop(name, None)
            shutil.rmtree(self._folder / name, ignore_errors=True)
            for path in filter(Path.is_file, self._folder.glob(f"{name}.*")):
                path.unlink()

    def _written(self, name: str, bibliography: tuple[str, bytes] | Sequence[str]) -> Sequence[str]:
        """The bibliography as the command takes it: the update reads it there again."""
        if not isinstance(bibliography, tuple):
            return bibliography
        ending, data = bibliography
        path = self._folder / f"{name}{ending}"
        path.touch(mode=0o600)
        path.write_bytes(data)
        return [str(path)]

    def _output(self, name: str) -> Path:
        return self._folder / f"{name}.log"

    def _said(self, name: str) -> list[str]:
        try:
            text = self._output(name).read_bytes()[-_TAIL:].decode("utf-8", "replace")
        except OSError:
            return []
        text = text.replace(f"{self._folder}{os.sep}", "")  # where it is on this server is not the visitors' business
        return [line for line in text.splitlines() if line.strip()][-_LINES:]
