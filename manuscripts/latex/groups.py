"""Where a group or an optional argument of LaTeX ends."""

import re

_BRACE = re.compile(r"\\.|[{}]|%[^\n]*", re.DOTALL)
_BRACKET = re.compile(r"\\.|[{}\]]|%[^\n]*", re.DOTALL)
_KEY_VALUE = re.compile(r"([a-z-]+)\s*=\s*((?:[^,{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)")
_SPACE = re.compile(r"[ \t]*(?:\n[ \t]*(?!\n))?")  # less than a blank line

_LONGEST_OPTION = 2_000  # characters; brackets that nothing closes are not followed to the end of the text each


def after_space(text: str, place: int) -> int:
    """The place behind what TeX skips between a command and its argument."""
    found = _SPACE.match(text, place)
    return found.end() if found else place


def group_end(text: str, start: int) -> int:
    """The place behind the brace that closes the one at `start`; the end of the text where none does."""
    depth = 0
    for mark in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if depth == 0 and mark[0] == "}":
            return mark.end()
    return len(text)


def bracket_end(text: str, start: int, longest: int) -> int:
    """The place behind the bracket that closes the one at `start`; `start` where none does."""
    depth = 0
    for mark in _BRACKET.finditer(text, start + 1, start + longest):
        if mark[0] == "]" and depth == 0:
            return mark.end()
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if depth < 0:
            break
    return start


def optional(text: str, place: int, longest: int = _LONGEST_OPTION) -> tuple[str | None, int]:
    """What stands in brackets at `place`, at most so many characters, if that is so, and the place behind it."""
    start = after_space(text, place)
    if text[start : start + 1] == "[" and (end := bracket_end(text, start, longest)) > start:
        return text[start + 1 : end - 1], end
    return None, place


def group(text: str, place: int) -> tuple[str | None, int]:
    """What stands in braces at `place`, if that is so, and the place behind it."""
    start = after_space(text, place)
    if text[start : start + 1] != "{":
        return None, place
    end = group_end(text, start)
    return text[start + 1 : end - 1] if text[end - 1 : end] == "}" else text[start + 1 : end], end


def environment_end(text: str, name: str, place: int) -> tuple[int, int]:
    """Where the content of an environment ends that goes on at `place`, and the place behind; the end without any."""
    ended = f"\\end{{{name}}}"
    end = text.find(ended, place)
    return (end, end + len(ended)) if end >= 0 else (len(text), len(text))


def key_values(text: str) -> dict[str, str]:
    """What `key=value, key={value, with a comma}` says."""
    return {found[1]: _bare(found[2].strip()) for found in _KEY_VALUE.finditer(text)}


def _bare(value: str) -> str:
    """A value without the braces around all of it."""
    whole = value.startswith("{") and value.endswith("}") and group_end(value, 0) == len(value)
    return value[1:-1] if whole else value
