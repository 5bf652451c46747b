"""A zip archive of a manuscript, or what arXiv gives as its sources → its files, within bounds."""

import io
import posixpath
import stat
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from gzip import GzipFile
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element, ParseError
from zipfile import BadZipFile, ZipFile, ZipInfo

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from common.errors import SourceError
from common.text import composed, encodable
from manuscripts import formats
from manuscripts.limits import MAX_FILES, MAX_UNPACKED
from manuscripts.roots import is_about_files

# What a manuscript's text and bibliography are made of.
OF_LATEX = (*formats.TEX, ".sty", ".bib", ".bbl")
ENDINGS = (*OF_LATEX, *formats.TYPST, *formats.MARKDOWN, formats.NOTEBOOK, ".ris", ".json", ".csljson", ".yml", ".yaml")
INNER_ARCHIVE = ".zip"  # the path of an archive within one of the files that it was chosen with: its files are theirs
_OF_TAR = (*ENDINGS, *formats.DOCUMENTS, formats.TEXT)  # no PDF, which are figures there
_MEMBER = b"PK\x01\x02"  # with which each begins in the list of them
_MOST_LISTED = 10 * MAX_FILES  # members; pictures count, and those of archives within it that are not compressed
_SAYS_UTF8 = 0x800  # flag of a member
_TOO_MANY = f"the archive holds more than {MAX_FILES:,} files"
_CLUTTER = ("__MACOSX", "node_modules")

_Member = tuple[ZipInfo, bytes]


def is_clutter(name: str) -> bool:
    """Whether a file or folder of this name is none of the manuscript's."""
    return name.startswith((".", "~$")) or name in _CLUTTER


def unpacked(data: bytes) -> dict[str, bytes]:
    """The files of an archive that may belong to a manuscript, by path; pictures and such are not unpacked.

    Raises:
        SourceError: the archive is damaged or encrypted, holds a link or a path that leads out of it, or expands
            beyond bounds.
    """
    files = _unpacked(data)
    within = files.pop(INNER_ARCHIVE, None)
    return files if within is None else _unpacked(within) | files


def _unpacked(data: bytes) -> dict[str, bytes]:
    return {_checked(member): content for member, content in contents(data, "archive", _of_manuscripts)}


def names_in(archive: Path | bytes) -> list[str]:
    """The names of what is in a zip archive, without clutter; none of what is no such archive or damaged.

    Bytes may be a stranger's and are looked at outside of the sandbox, too: of hundreds of thousands of members, which
    take long and much memory to list, there are none either.
    """
    if isinstance(archive, bytes) and archive.count(_MEMBER) > _MOST_LISTED:
        return []
    try:
        with ZipFile(io.BytesIO(archive) if isinstance(archive, bytes) else archive) as opened:
            return [name for name in opened.namelist() if not any(map(is_clutter, name.split("/")))]
    except (BadZipFile, NotImplementedError, ValueError, OSError):
        return []


def contents(data: bytes, what: str, wanted: Callable[[Sequence[ZipInfo]], Iterable[ZipInfo]]) -> Iterator[_Member]:
    """The members that are `wanted` of all, and what is in them; errors call the archive `what`.

    Raises:
        SourceError: the archive is damaged or encrypted, or expands beyond bounds.
    """
    left = MAX_UNPACKED
    with _readable(what), ZipFile(io.BytesIO(data)) as archive:
        for member in wanted(archive.infolist()):
            with archive.open(member) as file:
                content = _bounded(file, left, what)
            left -= len(content)
            yield member, content


def ungzipped(data: bytes) -> bytes:
    """What is gzipped, such as LaTeX; a tar archive as a zip archive of the files that may belong to a manuscript.

    Raises:
        SourceError: it is damaged, holds a link or a path that leads out of it, or expands beyond bounds.
    """
    stream, left = io.BytesIO(), MAX_UNPACKED
    with _readable("archive"), GzipFile(fileobj=io.BytesIO(data)) as file:
        head = file.read(tarfile.BLOCKSIZE)
        file.seek(0)
        if not formats.is_tar(head):
            return _bounded(file, left, "file")
        files: dict[str, bytes] = {}  # of two members of one name the last counts
        with tarfile.open(fileobj=file, mode="r:") as tar:
            for number, member in enumerate(tar):
                if number == MAX_FILES:
                    raise SourceError(_TOO_MANY)
                info = ZipInfo(encodable(member.name))
                info.external_attr = stat.S_IFLNK << 16 if member.issym() or member.islnk() else 0
                if _checked(info).lower().endswith(_OF_TAR) and (text := tar.extractfile(member)):
                    files[info.filename] = _bounded(text, left, "archive")
                    left -= len(files[info.filename])
        with ZipFile(stream, "w") as archive:
            for name, content in files.items():
                archive.writestr(ZipInfo(name), content)
    return stream.getvalue()


def _bounded(file: IO[bytes] | GzipFile, left: int, what: str) -> bytes:
    """What is in a file, of so many bytes at most."""
    content = file.read(left + 1)
    if len(content) > left:
        raise SourceError(f"the {what} expands to more than {MAX_UNPACKED >> 20} MB of text")
    return content


@contextmanager
def _readable(what: str) -> Iterator[None]:
    """Turn what is wrong with an archive into one line."""
    try:
        yield
    except (BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError, ValueError, OSError) as error:
        raise SourceError(f"the {what} is damaged or unusual ({error})") from None
    except RuntimeError as error:
        if "password" not in str(error) and "encrypted" not in str(error):
            raise
        raise SourceError(f"the {what} is encrypted: unpack it first") from None


def xml_parts(members: Iterable[tuple[str, bytes]], text: str) -> dict[str, Element]:
    """The parts of a document that are XML, by name; of those that are damaged only the one with its `text` is missed.

    Raises:
        SourceError: that one is damaged or missing, or as `contents`.
    """
    found: dict[str, Element] = {}
    for name, content in members:
        try:
            found[name] = fromstring(content)
        except (ParseError, DefusedXmlException, ValueError, LookupError) as error:  # or its encoding is none
            if name == text:
                raise SourceError(f"the document is damaged ({type(error).__name__})") from None
    if text not in found:
        raise SourceError("the document is damaged: it has no text")
    return found


def _of_manuscripts(members: Sequence[ZipInfo]) -> Iterable[ZipInfo]:
    if len(members) > MAX_FILES:
        raise SourceError(_TOO_MANY)
    parts: list[tuple[str, ZipInfo]] = []
    for member in members:
        path = _checked(member)
        if path == INNER_ARCHIVE or not (member.filename.endswith("/") or any(map(is_clutter, path.split("/")))):
            parts.append((path.lower(), member))
    mains = (path for path, _ in parts if path.endswith(formats.MAINS) and not is_about_files(path))
    endings = (*ENDINGS, *formats.WHOLE) if any(mains) else (*ENDINGS, formats.TEXT)
    return (member for path, member in parts if path == INNER_ARCHIVE or path.endswith(endings))


def _checked(member: ZipInfo) -> str:
    """The path of a member within the archive."""
    name = _name(member).replace("\\", "/")
    if name.startswith("/") or name[1:2] == ":" or ".." in name.split("/"):
        raise SourceError(f"the archive holds a path that leads out of it: {name[:200]!r}")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise SourceError(f"the archive holds a symbolic link: {name[:200]!r}; pack the file that it leads to")
    return composed(posixpath.normpath(name))


def _name(member: ZipInfo) -> str:
    """Its name, which macOS writes in UTF-8 without saying so; it was taken for cp437 then."""
    try:
        return member.filename if member.flag_bits & _SAYS_UTF8 else member.filename.encode("cp437").decode()
    except UnicodeError:
        return member.filename
