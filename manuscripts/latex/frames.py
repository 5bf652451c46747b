"""The texts that are being read within each other: files, and what stands for macros."""

import re
from dataclasses import dataclass

from manuscripts.latex.groups import after_space, group, optional
from manuscripts.latex.macros import FALSE, TRUE

SPECIAL = re.compile(r"\\([A-Za-z@]+)|\\.|%[^\n]*(?:\n[ \t]*)?", re.DOTALL)


@dataclass(slots=True)
class Frame:
    """A text that is being read, from `place` on: a file's, or what stands for a macro."""

    text: str
    place: int = 0
    file: str = ""  # path; "" for a macro
    macro: str = ""  # name
    folder: str = ""  # from which \import reads


def argument(frames: list[Frame], default: str | None) -> str:
    """The next argument, from whatever text goes on."""
    frame = going_on(frames)
    if default == FALSE:
        starred = frame.text.startswith("*", frame.place)
        frame.place += starred
        return TRUE if starred else FALSE
    if default is not None:
        given, frame.place = optional(frame.text, frame.place)
        return default if given is None else given
    given, frame.place = group(frame.text, frame.place)
    if given is not None:
        return given
    frame.place = after_space(frame.text, frame.place)
    single = SPECIAL.match(frame.text, frame.place)
    token = single[0] if single else frame.text[frame.place : frame.place + 1]
    frame.place += len(token)
    return token


def stop_and_space(frames: list[Frame], stop: str) -> str:
    r"""What \xspace and \onedot stand for here: the latter's `stop` but before another, and a space before a word."""
    following = next((one.text[one.place] for one in reversed(frames) if one.place < len(one.text)), "")
    space = " " if following.isalnum() or following in ("$", "(") else ""
    return space if following == stop else stop + space


def going_on(frames: list[Frame]) -> Frame:
    """The text that goes on, once the macros that are read to their end are left."""
    while len(frames) > 1 and not (frame := frames[-1]).file:
        if after_space(frame.text, frame.place) < len(frame.text):
            break
        frames.pop()
    return frames[-1]
