"""The keys of entries in a text of BibTeX, read without the rest: they are there in broken entries, too."""

import re

# Of entries anywhere in their line, as behind a byte order mark. What is a field (year=2020) is no key.
KEY = re.compile(
    r"(?<!\w)@\s*(?!(?:string|comment|preamble)\b)[a-z]+\s*[{(]\s*((?!\w+=)[^\s,{}]{1,300})\s*,", re.IGNORECASE
)


def keys_in(text: str) -> tuple[str, ...]:
    """The keys of the entries of a text."""
    return tuple(KEY.findall(text))
