"""A stream that stops a parser which takes too much for one record."""

from __future__ import annotations

import io
from typing import BinaryIO

from indexer.readers import streams
from indexer.readers.head import CONTROL_TO_SPACE


class Bounded(io.RawIOBase):
    """Bytes of `body`; ValueError once MAX_RECORD_BYTES have been taken since `since_record` was set to 0.

    Args:
        body: What is read.
        control_to_space: Turn raw control characters into spaces, which JSON needs.
        chunk: Most bytes handed out at a time, where a parser's memory for a chunk is to be bounded too.
    """

    def __init__(self, body: BinaryIO, *, control_to_space: bool = False, chunk: int = 1 << 16) -> None:
        super().__init__()
        self._body = body
        self._control_to_space = control_to_space
        self._chunk = chunk
        self.since_record = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill the buffer up to the chunk's size."""
        data = self._body.read(min(len(buffer), self._chunk))
        self.since_record += len(data)
        if self.since_record > streams.MAX_RECORD_BYTES:
            raise ValueError(streams.too_long())
        buffer[: len(data)] = data.translate(CONTROL_TO_SPACE) if self._control_to_space else data
        return len(data)
