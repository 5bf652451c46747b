"""A text that is being read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Frame:
    """A text that is being read, from `place` on: a file's, or what stands for a macro."""

    text: str
    place: int = 0
    file: str = ""  # path; "" for a macro
    macro: str = ""  # name
    folder: str = ""  # from which \import reads
