"""Reference lists that are printed below the text, as in a PDF → entries."""

import re

from manuscripts.bibliographies import entry_of_text
from manuscripts.headings import BEHIND_LIST, REFERENCE_LIST
from manuscripts.manuscript import Entry
from manuscripts.reference_lines import entries as lines_of_list

_MARKED = re.compile(r"^[ \t]*(?:\[\w{1,12}\][ \t]*|\d{1,3}\.[ \t]+)", re.MULTILINE)
# A reference by names: surname and initials, or a full name, at the beginning of a line, and a year soon.
_BEGINS = re.compile(
    r"^(?=[^\W\d_][\w’'.-]+(?:,| and | et al| [A-Z][\w.’'-]*(?:,| [A-Z]|\.| and )))"
    r"(?=.{0,300}?\b(?:19|20)\d\d[a-z]?\b)",
    re.DOTALL,
)
_ENDED = re.compile(r"(?:[.\])]|\d|https?://\S+|\.)\s*$")
_MARKDOWN_HEADING = re.compile(r"^(?:#{1,6}[ \t]+[*_]*|\*\*(?=[^*\n]+\*\*[ \t]*$))(.*?)[ \t#*:]*$", re.MULTILINE)
_MARKDOWN = re.compile(
    r"\\(?=[^\w\s])|\*+|(?<!\w)_+(?=\w)|(?<=[\w.,])_+(?!\w)|[<>]|\]\([^()\s]*\)"
)  # escapes, emphasis, links


def parted_list(text: str) -> tuple[str, tuple[Entry, ...]]:
    """The text above the last heading of a reference list, and the entries below; the whole text without any."""
    headings = list(REFERENCE_LIST.finditer(text))
    if not headings:
        return text, ()
    return text[: headings[-1].start()], _entries_of_list(text[headings[-1].end() :])


def parted_markdown(text: str) -> tuple[str, tuple[Entry, ...]]:
    """The same of Markdown, whose text goes on below the next heading."""
    end = len(text)
    for heading in reversed(list(_MARKDOWN_HEADING.finditer(text))):
        if REFERENCE_LIST.fullmatch(heading[1]):
            if entries := _entries_of_list(_MARKDOWN.sub("", text[heading.end() : end])):
                return text[: heading.start()] + text[end:], entries
            break
        end = heading.start()
    return text, ()


def _entries_of_list(text: str) -> tuple[Entry, ...]:
    """The entries of a printed reference list: numbered, or beginning with names on a line of their own."""
    if end := BEHIND_LIST.search(text):
        text = text[: end.start()]
    lines = [line for line in text.splitlines() if line.strip() and not line.strip().isdecimal()]  # page numbers
    if len(_MARKED.findall(text)) > 1:
        first = next((number for number, line in enumerate(lines) if _MARKED.match(line)), 0)
        found = lines_of_list("\n".join(lines[first:]))
    else:
        found = lines_of_list("\n\n".join(_by_names(lines)))
    return tuple(entry_of_text(str(number), line) for number, line in enumerate(found, start=1))


def _by_names(lines: list[str]) -> list[str]:
    """Lines joined to entries: one begins where the last has ended and names come before a year."""
    found: list[list[str]] = []
    for number, line in enumerate(lines):
        following = "\n".join(lines[number : number + 4])
        if not found or (_ENDED.search(found[-1][-1]) and _BEGINS.match(following)):
            found.append([line])
        else:
            found[-1].append(line)
    return ["\n".join(entry) for entry in found]
