"""The numbers beside lines, as manuscripts for reviewers have them."""

import re
from collections.abc import Sequence
from operator import itemgetter

_STEPS = (1, 5)  # lines are numbered, or every fifth
_FEWEST, _LEAST_SHARE = 3, 0.5  # of the lines, one after the other
_NUMBERED = re.compile(r"[ \t]*(\d{1,5})(?:[ \t]+|(?=\s*$))")


def counting(numbers: Sequence[int], lines: int) -> list[int]:
    """The places, descending, of those that number so many lines; none where there are no such numbers."""
    for step in _STEPS:
        counted: dict[int, tuple[int, int]] = {}  # number → how many count up to it, the place of the last of these
        before: list[int] = []  # the place of the one before each
        for place, number in enumerate(numbers):
            count, last = counted.get(number - step, (0, -1))
            counted[number] = (count + 1, place)
            before.append(last)
        count, place = max(counted.values(), key=itemgetter(0), default=(0, -1))
        if count >= max(_FEWEST, _LEAST_SHARE * lines / step):
            found: list[int] = []
            while place >= 0:
                found.append(place)
                place = before[place]
            return found
    return []


def without_line_numbers(text: str) -> str:
    """The text without the numbers at the beginnings of its lines, or on lines of their own."""
    lines = text.splitlines(keepends=True)
    printed = [place for place, line in enumerate(lines) if line.strip()]
    found = [(place, int(number[1])) for place in printed if (number := _NUMBERED.match(lines[place]))]
    numbered = [found[one] for one in counting([number for _, number in found], len(printed))]
    # From the first line on: reference lists stand further below.
    if not numbered or numbered[-1][0] not in printed[: numbered[-2][1] - numbered[-1][1]]:
        return text
    alone = all(lines[place].strip().isdigit() for place, _ in numbered)
    for place, _ in numbered:
        lines[place] = "" if alone else _NUMBERED.sub("", lines[place], count=1)
    return "".join(lines)
