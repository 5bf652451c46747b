"""Files in a zip archive."""

import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from typing import BinaryIO, cast

from common.errors import SourceError
from indexer.readers import streams

MAX_FILES = 100_000


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
        self._closing = closing
        self._opened: ExitStack | None = None
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
        if self._opened is not None:
            self._opened.close()
        self._opened = self._zip = None

    def _reopened(self) -> zipfile.ZipFile:
        if self._zip is None:
            self._opened = self._closing.enter_context(ExitStack())
            raw = self._opened.enter_context(self._open_raw())
            self._zip = self._opened.enter_context(zipfile.ZipFile(raw))
        return self._zip
