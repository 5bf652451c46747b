"""Records of lines that begin with a tag: what RIS, MEDLINE, Web of Science and EndNote have in common.

A line without a tag continues the value before it.
"""

import re
from collections.abc import Collection, Iterator

from indexer.readers import streams
from indexer.readers.base import Malformed
from indexer.readers.streams import TextFile


class Tagged:
    """One record: under every tag its values, each in the lines that it spans."""

    def __init__(self) -> None:
        self._values: dict[str, list[list[str]]] = {}
        self._last = ""
        self.source = ""  # its lines as they are in the file, from the first tag to the last

    def __bool__(self) -> bool:
        return bool(self._values)

    @property
    def says_anything(self) -> bool:
        """Whether a value is not empty: JabRef writes a %0 without one before each record that it has for EndNote."""
        return any(line for values in self._values.values() for lines in values for line in lines)

    def take(self, line: str, found: re.Match[str] | None) -> None:
        """One more line: a value, where a tag was `found` in it, else what goes on with the value before it."""
        if found:
            self._values.setdefault(found[1], []).append([(found[2] or "").strip()])
            self._last = found[1]
        elif self and line.strip():
            self._values[self._last][-1].append(line.strip())

    def values(self, tag: str) -> list[list[str]]:
        """All values of a tag, each in its lines."""
        return self._values.get(tag, [])

    def every(self, *tags: str) -> list[str]:
        """All values of these tags that are not empty, by tag, each on one line."""
        return [
            value for tag in tags for lines in self._values.get(tag, []) if (value := " ".join(filter(None, lines)))
        ]

    def first(self, *tags: str) -> str:
        """The first of `every`, or ""."""
        return next(iter(self.every(*tags)), "")

    def lines(self, *tags: str) -> list[str]:
        """All lines of these tags that are not empty, for tags that have a value on each."""
        return [line for tag in tags for lines in self._values.get(tag, []) for line in lines if line]


def tagged_records(
    file: TextFile, tagged: re.Pattern[str], begins: Collection[str], ends: Collection[str] = ()
) -> Iterator[tuple[str, Tagged | Malformed]]:
    """Place and contents of every record.

    `tagged` matches a line with a tag; its groups are the tag and the value. A record goes from a tag of `begins` to
    the next one, to one of `ends`, or to the end of the file. What stands before the first record, or between one's end
    and the next, belongs to none.
    """
    record = Tagged()
    size, first_line = 0, 1
    source: list[str] = []
    for number, line in file.lines():
        size += len(line or b"")
        if line is None or size > streams.MAX_BLOCK_BYTES:
            yield f"line {number}", Malformed(streams.too_long(streams.MAX_BLOCK_BYTES))
            record, size, source = Tagged(), 0, []
            continue
        raw = line.decode("utf-8", "replace")
        text = raw.rstrip("\r\n")
        found = tagged.fullmatch(text)
        tag = found[1] if found else ""
        if tag in begins or tag in ends:
            if record.says_anything:
                record.source = "".join([*source, raw] if tag in ends else source)
                yield f"line {first_line}", record
            record, size, first_line, source = Tagged(), len(line), number, []
        source.append(raw)
        if tag not in ends and (record or tag in begins):
            record.take(text, found)
    if record.says_anything:
        record.source = "".join(source)
        yield f"line {first_line}", record
