"""From what the user names (a file, a folder, a zip archive, "-") to the files in it."""

import io
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, cast

from common.errors import SourceError, os_errors
from common.text import STDIN
from indexer.directory import looks_like_index
from indexer.layout import LOCK
from indexer.readers import streams
from indexer.readers.head import Head
from indexer.readers.report import Problem, ReadReport
from indexer.readers.streams import TextFile, is_zip, open_text
from indexer.readers.workbooks import OLE

MAX_FILES = 100_000  # of an archive
_DOCUMENT_PARTS = ("[Content_Types].xml", "mimetype")
_CLUTTER = ("__MACOSX", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that may hold papers."""

    name: str  # as messages show it, such as "dump.zip/part-1.json"
    open_raw: Callable[[], BinaryIO]
    asked_for: bool  # named by the user, rather than found in a folder or archive
    once: bool = False  # a pipe: can be opened only once
    report: ReadReport | None = None  # gets what could not be decoded

    @contextmanager
    def open(self) -> Iterator[TextFile]:
        """The decompressed text.

        Raises:
            SourceError: The file cannot be opened, is damaged, or expands beyond bounds.
        """
        with ExitStack() as stack:
            with _opening(self.name):
                raw = _peekable(self.open_raw())
                if not self.once:
                    stack.enter_context(raw)
                text = open_text(self.name, raw)
            try:
                yield text
            finally:
                if self.report is not None and text.decoder.replaced:
                    self.report.replace(self.name, text.decoder.replaced, text.decoder.read_as)

    def head(self) -> Head:
        """The beginning; nothing is counted."""
        with replace(self, report=None).open() as text:
            return text.head

    def text(self, western: bool = False) -> str:
        """All of it, for what is small; a carriage return alone is a line feed.

        Raises:
            SourceError: See `open` and `TextFile.whole`.
        """
        with self.open() as text:
            return text.whole(western)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Number, from 1, and bytes of every line that is not blank.

        Raises:
            SourceError: See `open` and `TextFile.filled_lines`.
        """
        with self.open() as text:
            yield from text.filled_lines()

    def listed(self) -> list[str]:
        """What the lines of a list say, without the space around it; raises as `lines`."""
        said = (line.decode().strip() for _, line in self.lines())
        return [one for one in said if one]


class Archive:
    """A zip archive that is open while it is needed: a folder may hold more archives than files can be open.

    Args:
        name: As messages show it.
        open_raw: Opens the archive, for reading at any place in it.
        closing: Closes at the end what is still open then.
    """

    def __init__(self, name: str, open_raw: Callable[[], BinaryIO], closing: ExitStack) -> None:
        self._name = name
        self._open_raw = open_raw
        self._opened = closing.enter_context(ExitStack())
        self._zip: zipfile.ZipFile | None = None

    def members(self) -> list[zipfile.ZipInfo]:
        """All files, in the order of their names.

        Raises:
            SourceError: There are more than MAX_FILES.
            zipfile.BadZipFile: The archive is damaged.
        """
        members = [member for member in self._reopened().infolist() if not member.is_dir()]
        if len(members) > MAX_FILES:
            raise SourceError(f"{self._name}: more than {MAX_FILES:,} files in one archive; unpack it yourself")
        return sorted(members, key=lambda member: member.filename)

    def opener(self, member: zipfile.ZipInfo) -> Callable[[], BinaryIO]:
        """What opens a file of the archive, also after `close`."""

        def open_member() -> BinaryIO:
            if member.file_size > streams.FREE_EXPANSION_BYTES + streams.MAX_EXPANSION * member.compress_size:
                raise SourceError(streams.bomb_message(f"{self._name}/{member.filename}"))
            return cast(BinaryIO, self._reopened().open(member))  # gives no more than the size that it declares

        return open_member

    def close(self) -> None:
        """Close the archive for now."""
        self._opened.close()
        self._zip = None

    def _reopened(self) -> zipfile.ZipFile:
        if self._zip is None:
            self._zip = self._opened.enter_context(zipfile.ZipFile(self._opened.enter_context(self._open_raw())))
        return self._zip


def check_named(source: str) -> None:
    """Raise SourceError for a name that is empty, which Python takes for the folder that it is started in."""
    if not source:
        raise SourceError("a source has no name, as of a variable that is not set; the folder you are in is .")


def check_sources(sources: Sequence[str]) -> None:
    """Raise SourceError unless every source is there."""
    if not sources:
        raise SourceError("no source given; name a file, a folder, or - for standard input")
    if list(sources).count("-") > 1:
        raise SourceError("standard input (-) can be read only once; name it once")
    for source in sources:
        check_named(source)
        with _opening(source):
            missing = source != "-" and not Path(source).exists()
        if missing:
            raise SourceError(f"{source}: no such file or folder")


def source_files(sources: Sequence[str], closing: ExitStack, report: ReadReport) -> Iterator[SourceFile]:
    """All files of the sources, folders in the order of their names.

    Files of an archive can be opened until `closing` closes. What cannot be decoded is counted in `report`.

    Raises:
        SourceError: A folder or archive cannot be read.
    """
    for file in named_files(sources, report):
        for member in unpacked(file, closing):
            yield replace(member, report=report)


def file_named(name: str | Path, what: str = "") -> SourceFile:
    """A file of something else than papers, a pipe, or standard input for "-"; a folder cannot be opened.

    `what` stands before the name where it cannot be opened, such as "the ids of ".
    """
    if str(name) == "-":
        return SourceFile(STDIN, lambda: sys.stdin.buffer, asked_for=True, once=True)

    def opened() -> BinaryIO:
        with os_errors(SourceError, f"read {what}{name}"):
            return Path(name).open("rb")

    return SourceFile(str(name), opened, asked_for=True)


def file_of_bytes(name: str, data: bytes) -> SourceFile:
    """A file that is in memory; `name` is for messages."""
    return SourceFile(name, lambda: io.BytesIO(data), asked_for=True)


def named_files(sources: Sequence[str], report: ReadReport | None = None) -> Iterator[SourceFile]:
    """The files that are named or lie in a named folder, archives as they are; broken links in `report`."""
    for source in sources:
        path = Path(source)
        if source == "-":
            yield file_named(source)
        elif path.is_dir():
            yield from _folder_files(path, report or ReadReport())
        else:
            yield SourceFile(source, _opener(path), asked_for=True, once=not path.is_file())


def _opener(path: Path) -> Callable[[], BinaryIO]:
    return lambda: path.open("rb")


def _folder_files(folder: Path, report: ReadReport) -> Iterator[SourceFile]:
    def stop(error: OSError) -> None:
        raise SourceError(f"{error.filename}: cannot be listed ({error.strerror})") from error

    for parent, folders, names in os.walk(folder, onerror=stop):
        if Path(parent) != folder and LOCK in names and looks_like_index(Path(parent)):
            folders.clear()  # an index of ours is no source: it often lies beside what it was made of
            continue
        folders[:] = sorted(name for name in folders if not _is_clutter(name))
        for link in (path for name in folders if (path := Path(parent, name)).is_symlink()):
            report.skip_file(Problem(str(link), "", "a link to a folder, which is not followed; name that folder"))
        for name in sorted(names):
            path = Path(parent, name)
            if _is_clutter(name):
                continue
            if path.is_file():
                yield SourceFile(str(path), _opener(path), asked_for=False)
            elif path.is_symlink():
                report.skip_file(Problem(str(path), "", "a link to nothing"))


def _is_clutter(name: str) -> bool:
    return name.startswith(".") or name in _CLUTTER


def unpacked(file: SourceFile, closing: ExitStack) -> Iterator[SourceFile]:
    """The file itself, or what is in it where it is a zip archive."""
    with _opening(file.name):
        raw = _peekable(file.open_raw())
        start = raw.peek(8)
        if not file.once:
            raw.close()
        elif file.name != STDIN:
            closing.enter_context(raw)
    if not is_zip(start) and not (file.once and start.startswith(OLE)):
        yield SourceFile(file.name, lambda: raw, file.asked_for, once=True) if file.once else file
        return
    with _opening(file.name):
        whole = replace(file, open_raw=_copied(raw, closing), once=False) if file.once else file
        archive = Archive(file.name, whole.open_raw, closing)
        members = archive.members() if is_zip(start) else []
    if not is_zip(start) or any(member.filename in _DOCUMENT_PARTS for member in members):
        archive.close()
        yield whole  # a document of an office program
        return
    for member in members:
        if not any(map(_is_clutter, member.filename.split("/"))):
            yield SourceFile(f"{file.name}/{member.filename}", archive.opener(member), asked_for=False)
    archive.close()


def _copied(pipe: BinaryIO, closing: ExitStack) -> Callable[[], BinaryIO]:
    """Opens the contents of a pipe where one can seek in them."""
    folder = closing.enter_context(tempfile.TemporaryDirectory(prefix="citescout-"))
    copy = Path(folder, "pipe.zip")
    with copy.open("wb") as file:
        shutil.copyfileobj(pipe, file)
    return _opener(copy)


def _peekable(raw: BinaryIO) -> io.BufferedReader:
    return raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, raw))


@contextmanager
def _opening(name: str) -> Iterator[None]:
    """Turn what goes wrong while a file is opened into one line."""
    try:
        yield
    except OSError as error:
        raise SourceError(f"{name}: cannot be read ({error.strerror or error})") from error
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:  # of a file that lost some bytes
        raise SourceError(f"{name}: a damaged or unusual zip archive ({error}); get it again or unpack it") from error
    except RuntimeError as error:
        if "password" not in str(error):
            raise
        raise SourceError(f"{name}: the archive is encrypted; unpack it first") from error
