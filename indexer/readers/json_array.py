"""JSON values of a text too large for memory, one at a time: elements of arrays, or objects in a row.

The standard library's decoder reads one element after the other out of a window that moves over the text. (ijson
would be the usual choice, but its fast backend crashes the interpreter on numbers of more than 4,300 digits, and it
cannot go on after damage.) After damage, reading resumes at the next object that begins like the ones before.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO

from indexer.readers import streams
from indexer.readers.base import Malformed

ARRAY = re.compile(r"\[")
_CHUNK = 1 << 18  # bytes
_BETWEEN = re.compile(r"[\s,]*")
_SPACE = re.compile(r"\s*")
_OBJECT = re.compile(r'\{\s*"')
_NEAR_END = 16  # characters; an error this close to the end of the window may be the window's
_MOST_FAILURES = 100  # to resume after one damaged place

_decoder = json.JSONDecoder(strict=False)


def elements(body: BinaryIO, opening: re.Pattern[str] | None = ARRAY) -> Iterator[object]:
    """Every element of every array that `opening` finds, with a Malformed where some could not be read.

    Without an opening: every value of the text.
    """
    window = _Window(body)
    if opening is None:
        yield from _values(window, window.at_text_end)
        return
    while window.seek(opening):
        yield from _values(window, partial(window.at_array_end, last=opening is ARRAY))


def _values(window: _Window, at_end: Callable[[], bool]) -> Iterator[object]:
    shape: tuple[str, ...] | None = None
    while not at_end():
        try:
            value = window.decode()
        except ValueError as error:
            resumed = window.resume(shape)
            yield Malformed(str(error) + ("" if resumed else "; nothing after it could be read"))
            if not resumed:
                return
            continue
        if isinstance(value, dict) and value:
            shape = _shape(value)
        yield value


def _shape(value: object) -> tuple[str, ...]:
    """The first keys of an object, which distinguish records from the objects within them."""
    return tuple(list(value)[:2]) if isinstance(value, dict) else ()


class _Window:
    """The part of the text that is in memory, and the place in it that is to be read next."""

    def __init__(self, body: BinaryIO) -> None:
        self._body = body
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._at = 0
        self._ended = False
        self._damaged_at = 0

    def seek(self, pattern: re.Pattern[str]) -> bool:
        """Move behind the next match; False where there is none."""
        while not (match := pattern.search(self._text, self._at)):
            self._at = max(self._at, len(self._text) - 1_000)  # a match may begin near the end
            if not self._more():
                return False
        self._at = match.end()
        return True

    def at_text_end(self) -> bool:
        """Move to the next value; True where there is none."""
        self._skip(_BETWEEN)
        return self._at >= len(self._text)

    def at_array_end(self, *, last: bool) -> bool:
        """Move to the next element; True behind the end of the array.

        Where the array is the `last` thing in the text, an end with something behind it is none.
        """
        self._skip(_BETWEEN)
        if self._text[self._at : self._at + 1] != "]":
            return False
        self._at += 1
        if not last:
            return True
        self._skip(_SPACE)
        return self._text[self._at : self._at + 1] in ("", "[")

    def decode(self) -> object:
        """The element that begins here.

        Raises:
            ValueError: It is no JSON, is cut off, or is too long.
        """
        value, self._at = self._parse()
        return value

    def resume(self, shape: tuple[str, ...] | None) -> bool:
        """After a failed decode, move to the next object of that shape (or of any); False where there is none."""
        self._at = self._damaged_at
        failures = 0
        while failures < _MOST_FAILURES and self.seek(_OBJECT):
            self._at = self._text.rindex("{", 0, self._at)
            try:
                value, end = self._parse()
            except ValueError:
                failures += 1
                self._at += 1
                continue
            if shape is None or _shape(value) == shape:
                return True
            self._at = end
        self._text, self._at, self._ended = "", 0, True  # the rest is not read
        return False

    def _parse(self) -> tuple[object, int]:
        """The value that begins here and the place behind it."""
        while True:
            try:
                return _decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut_off = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - _NEAR_END
                if cut_off and len(self._text) - self._at > streams.MAX_RECORD_BYTES:
                    self._damaged_at = len(self._text)
                    raise ValueError(streams.too_long()) from error
                if cut_off and self._more():
                    continue
                self._damaged_at = max(error.pos, self._at + 1)
                raise ValueError(f"no valid JSON: {error.msg}") from error
            except RecursionError as error:
                self._damaged_at = self._at + 1
                raise ValueError("no valid JSON: nested too deep") from error
            except ValueError:  # a number with too many digits
                self._damaged_at = self._at + 1
                raise

    def _skip(self, pattern: re.Pattern[str]) -> None:
        while True:
            match = pattern.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text) or not self._more():
                return

    def _more(self) -> bool:
        """Read on; what lies before the current place is dropped. False at the end of the text."""
        if self._ended:
            return False
        rest = self._text[self._at :]
        data = self._body.read(max(_CHUNK, len(rest)))  # twice as much each time, so that no text is read often
        self._ended = not data
        self._text, self._at = rest + self._utf8.decode(data, self._ended), 0
        return True
