"""Title and abstract of a draft, and how they are found in running text."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_TITLE = 500  # characters
MAX_ABSTRACT = 10_000  # characters; a long abstract has 3,000
_LONGEST_FIRST_LINE = 300  # characters of a title above its abstract

_HEADING = re.compile(
    r"^[ \t]*(?:abstract|summary|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t)\b[ \t]*[.:—–-]*[ \t]*", re.IGNORECASE | re.MULTILINE
)
_END = re.compile(
    r"^[ \t]*(?:(?:\d+|[IVX]+)?[.:]?[ \t]*introduction\b|key[ -]?words?\b|index terms\b|ccs concepts\b|"
    r"categories and subject|general terms\b|acm reference format|pacs\b|1\.?[ \t]+[A-Z][a-z]+)",
    re.IGNORECASE | re.MULTILINE,
)
_HYPHEN = re.compile(r"(?<=[a-z])[-\u2010\u00ad]\n(?=[a-z])")


@dataclass(frozen=True, slots=True)
class Draft:
    """What is asked about; one of the two may be ""."""

    title: str
    abstract: str

    def shortened(self) -> Draft:
        """Each within its limit, cut at a word; the title on one line."""
        return Draft(_cut(" ".join(self.title.split()), MAX_TITLE), _cut(self.abstract.strip(), MAX_ABSTRACT))


def split_title(text: str) -> tuple[str, str]:
    """A "title, line break, abstract" → its two parts; ("", text) where the first line is no title.

    It is one if a blank line follows it, or a paragraph that is clearly longer than a line; or, where it does not end
    as a sentence does, a single line that is clearly longer than itself.
    """
    first, _, rest = text.strip().partition("\n")
    lines = rest.splitlines()
    if not rest.strip() or len(first) > _LONGEST_FIRST_LINE:
        return "", text.strip()
    wrapped = len(lines) > 1 or first.rstrip().endswith((".", ",", ";"))  # perhaps, by hand
    if not lines[0].strip() or len(lines[0]) > max(160 if wrapped else 0, 1.5 * len(first)):
        return first.strip(), rest.strip()
    return "", text.strip()


def abstract_of(text: str) -> str:
    """What stands between the heading "Abstract" and the introduction or the keywords; "" without the heading."""
    heading = _HEADING.search(text)
    if not heading:
        return ""
    end = _END.search(text, heading.end())
    return running_text(text[heading.end() : end.start() if end else None])


def before_abstract(text: str) -> str:
    """What stands above the heading "Abstract"; the whole text without it."""
    heading = _HEADING.search(text)
    return text[: heading.start()] if heading else text


def running_text(text: str) -> str:
    """Lines joined to paragraphs, words that were parted at a line's end in one piece."""
    paragraphs = re.split(r"\n\s*\n", _HYPHEN.sub("", text))
    return "\n\n".join(filter(None, (" ".join(paragraph.split()) for paragraph in paragraphs)))


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length].rpartition(" ")[0] or text[:length]
