"""The entry of a bibliography that a paper came from, as its owner wrote it."""

from dataclasses import dataclass
from typing import Literal, Self

import orjson

LONGEST = 100_000  # characters; an entry that is longer, such as one with a full text in a note, is not kept


@dataclass(frozen=True, slots=True)
class Original:
    """One entry; `text` is byte for byte that of its file where the format is a text format."""

    format: Literal["bibtex", "ris", "csl-json"]
    text: str
    before: tuple[str, ...] = ()  # what it needs ahead of it: BibTeX's @preamble, and the @string that it uses
    after: tuple[str, ...] = ()  # what it needs behind it: the entries that its crossref and xdata name

    def kept(self) -> Self | None:
        """The entry itself, None where it is too long to be kept."""
        return self if sum(map(len, (self.text, *self.before, *self.after))) <= LONGEST else None

    def packed(self) -> str:
        """As one text, for a database."""
        return orjson.dumps((self.format, self.text, self.before, self.after)).decode()

    @classmethod
    def unpacked(cls, packed: str) -> Self:
        """What `packed` made a text of."""
        kind, text, before, after = orjson.loads(packed)
        return cls(kind, text, tuple(before), tuple(after))
