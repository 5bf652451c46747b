"""Text as files, databases and other languages' libraries can hold it."""

from __future__ import annotations


def encodable(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair, which UTF-8 cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
