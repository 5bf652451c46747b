"""A zip archive of a manuscript → its files, within bounds."""

from __future__ import annotations

import io
import posixpath
import stat
import zipfile
import zlib

from common.errors import SourceError
from manuscripts.limits import MAX_FILES, MAX_UNPACKED
from manuscripts.roots import MARKDOWN, TEX, WHOLE

# What a manuscript's text and bibliography are made of.
OF_LATEX = (*TEX, ".sty", ".bib", ".bbl")
ENDINGS = (*OF_LATEX, *MARKDOWN, ".ris", ".json", ".csljson", ".yml", ".yaml")
_CLUTTER = ("__MACOSX", "node_modules")


def is_clutter(name: str) -> bool:
    """Whether a file or folder of this name is none of the manuscript's."""
    return name.startswith((".", "~$")) or name in _CLUTTER


def unpacked(data: bytes) -> dict[str, bytes]:
    """The files of an archive that may belong to a manuscript, by path; pictures and such are not unpacked.

    Raises:
        SourceError: the archive is damaged or encrypted, holds a link or a path that leads out of it, or expands
            beyond bounds.
    """
    found: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > MAX_FILES:
                raise SourceError(f"the archive holds more than {MAX_FILES:,} files")
            left = MAX_UNPACKED
            for member in members:
                path = _checked(member)
                if member.filename.endswith("/") or not path.lower().endswith((*ENDINGS, *WHOLE)):
                    continue
                if any(map(is_clutter, path.split("/"))):
                    continue
                with archive.open(member) as file:
                    found[path] = file.read(left + 1)
                left -= len(found[path])
                if left < 0:
                    raise SourceError(f"the archive expands to more than {MAX_UNPACKED >> 20} MB of text")
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError) as error:
        raise SourceError(f"a damaged or unusual zip archive ({error})") from None
    except RuntimeError as error:
        if "password" not in str(error) and "encrypted" not in str(error):
            raise
        raise SourceError("the archive is encrypted: unpack it first") from None
    return found


def _checked(member: zipfile.ZipInfo) -> str:
    """The path of a member within the archive."""
    name = member.filename.replace("\\", "/")
    if name.startswith("/") or name[1:2] == ":" or ".." in name.split("/"):
        raise SourceError(f"the archive holds a path that leads out of it: {name[:200]!r}")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise SourceError(f"the archive holds a symbolic link: {name[:200]!r}; pack the file that it leads to")
    return posixpath.normpath(name)
