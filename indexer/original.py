"""The entry of a bibliography that a paper came from, as its owner wrote it."""

import re
from dataclasses import dataclass
from typing import Literal, Self

import orjson

LONGEST = 100_000  # characters; an entry that is longer, such as one with a full text in a note, is not kept

# Of a book its volume, which of an article is the journal's.
_BOOKS = {
    "bibtex": re.compile(r"\s*@\s*(?:mv)?(?:book|collection|reference)\b", re.IGNORECASE),
    "ris": re.compile(r"^TY\s+-\s*(?:ED|E)?BOOK\b", re.MULTILINE),
    "csl-json": re.compile(r".*?\"type\"\s*:\s*\"book\"", re.DOTALL),
}
_VOLUMES = {
    "bibtex": re.compile(r"[\s,]volume\s*=[\s{\"]*([^{}\",\n]+)", re.IGNORECASE),
    "ris": re.compile(r"^VL\s+-(.+)", re.MULTILINE),
    "csl-json": re.compile(r"\"volume\"\s*:[\s\"]*([^\",}]+)"),
}
_FIRST_PAGES = {
    "bibtex": re.compile(r"[\s,]pages\s*=[\s{\"]*(\w+)", re.IGNORECASE),
    "ris": re.compile(r"^SP\s+-\s*(\w+)", re.MULTILINE),
    "csl-json": re.compile(r"\"page\"\s*:[\s\"]*(\w+)"),
}
# The year in which a work came out first, where the entry has a later edition.
_FIRST_YEARS = {
    "bibtex": re.compile(r"[\s,]orig(?:date|year)\s*=[\s{\"]*(\d{4})", re.IGNORECASE),
    "ris": re.compile(r"^OP[ \t]+-[^\d\n]*(\d{4})", re.MULTILINE),
    "csl-json": re.compile(r"\"original-date\"\s*:[^\d}]{0,200}(\d{4})"),
}


@dataclass(frozen=True, slots=True)
class Original:
    """One entry; `text` is byte for byte that of its file where the format is a text format."""

    format: Literal["bibtex", "ris", "csl-json"]
    text: str
    before: tuple[str, ...] = ()  # what it needs ahead of it: BibTeX's @preamble, and the @string that it uses
    after: tuple[str, ...] = ()  # what it needs behind it: the entries that its crossref and xdata name
    others: tuple["Original", ...] = ()  # of the same paper in other formats, which may say what this one does not

    def kept(self) -> Self | None:
        """The entry itself, None where it is too long to be kept."""
        return self if sum(map(len, (self.text, *self.before, *self.after))) <= LONGEST else None

    @property
    def volume_of_book(self) -> str:
        """Which of the volumes of one work a book is, as its owner wrote it; "" where the entry does not say it."""
        return self.volume_and_page[0] if _BOOKS[self.format].match(self.text) else ""

    @property
    def volume_and_page(self) -> tuple[str, str]:
        """The volume and the first page, as its owner wrote them; "" for what the entry does not say."""
        found = (patterns[self.format].search(self.text) for patterns in (_VOLUMES, _FIRST_PAGES))
        volume, page = (one[1].strip() if one else "" for one in found)
        return volume, page

    @property
    def first_year(self) -> int | None:
        """The year in which the work came out first, where the entry says it of a later edition; else None."""
        found = _FIRST_YEARS[self.format].search(self.text)
        return int(found[1]) if found else None

    def packed(self) -> str:
        """As one text, for a database."""
        others = [one.packed() for one in self.others]
        return orjson.dumps((self.format, self.text, self.before, self.after, *others)).decode()

    @classmethod
    def unpacked(cls, packed: str) -> Self:
        """What `packed` made a text of."""
        kind, text, before, after, *others = orjson.loads(packed)
        return cls(kind, text, tuple(before), tuple(after), tuple(map(cls.unpacked, others)))
