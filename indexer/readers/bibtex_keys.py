"""The keys of entries in a text of BibTeX, read without the rest: they are there in broken entries, too."""

import re

SETTINGS = frozenset(("ieeetranbstctl", "control"))  # kinds of entries that tell a style something and name no work
# Of entries anywhere in their line, as behind a byte order mark. What is a field (year=2020) is no key.
KEY = re.compile(
    r"(?<!\w)@\s*(?!(?:string|comment|preamble)\b)[a-z]+\s*[{(]\s*((?!\w+=)[^\s,{}]{1,300})\s*,", re.IGNORECASE
)
_KEYLESS = re.compile(
    r"^([ \t]*@[ \t]*(?!string|comment|preamble)[a-z]+[ \t]*[{(])(?=\s*[a-z-]+\s*=\s*[{\"\d])",
    re.IGNORECASE | re.MULTILINE,
)
_SETTING = re.compile(rf"@\s*(?:{'|'.join(SETTINGS)})\b", re.IGNORECASE)
_PARENTS = re.compile(r"\b(?:crossref|xdata)\s*=\s*[{\"]([^{}\"]*)", re.IGNORECASE)
_BLOCK = re.compile(r"@\s*(?!comment\b)[a-z]+\s*([{(])", re.IGNORECASE)
# By what a block in braces, one in parentheses, or a value may end → all that matters on the way; braces hide quotes.
_MARKS = {"}": re.compile(r"[{}]"), ")": re.compile(r"[{})\"]"), ",})": re.compile(r"[{},)\"]")}
# What biber takes for a comment, if it stands between the fields of an entry: no part of a value, nor of a key.
_REMARK = re.compile(r"(?<=[\s,}\"])%[^\n]*")
# With the next entry, at which one that is not closed, or has an odd quotation mark, ends as the parser takes it.
_BRACE = re.compile(r"[{}()\"%]|^[ \t]*@[ \t]*[a-z]+[ \t]*[{(]", re.IGNORECASE | re.MULTILINE)
_NEXT_FIELD = re.compile(r"\s*([A-Za-z-]+)\s*=\s*[{\"\d]")
_PLAIN_VALUE = re.compile(r"\w+\s|\"[^\"{}]*\"\s")


def keys_in(text: str) -> tuple[str, ...]:
    """The keys of the entries of a text."""
    return tuple(KEY.findall(text))


def with_commas(text: str) -> str:
    """A text whose entries without a key have the comma that parts it from the fields, as in `@article{,`."""
    return _KEYLESS.sub(r"\1,", text)


def without_remarks(text: str) -> str:
    """A text with blanks in place of the comments within its entries; a preamble and others' comments stay."""
    if not _REMARK.search(text):
        return text
    parts: list[str] = []
    place = start = 0
    while block := _BLOCK.search(text, place):
        place, depth, quoted, closing = block.end(), 0, False, "}" if block[1] == "{" else ")"
        while mark := _BRACE.search(text, place):
            if len(mark[0]) > 1:
                place = mark.start()
                break
            place, is_outside = mark.end(), not depth and not quoted
            if mark[0] == "%":
                if is_outside and (remark := _REMARK.match(text, mark.start())):
                    parts += [text[start : mark.start()], " " * len(remark[0])]
                    place = start = remark.end()
            elif is_outside and mark[0] == closing:
                break
            quoted ^= mark[0] == '"' and not depth
            depth += {"{": 1, "}": -1}.get(mark[0], 0)
    return "".join([*parts, text[start:]])


def entries_by_key(text: str) -> dict[str, str]:
    """The entries of works in a text, each up to the next one; of those with one key the first."""
    starts = list(KEY.finditer(text))
    ends = [*(start.start() for start in starts[1:]), len(text)]
    found: dict[str, str] = {}
    for start, end in zip(starts, ends, strict=False):
        if not _SETTING.match(text, start.start()):
            found.setdefault(start[1], text[start.start() : end])
    return found


def repeated_in(text: str) -> dict[str, list[int]]:
    """Every key that several entries of a text have, with their lines."""
    found: dict[str, list[int]] = {}
    line, counted = 1, 0
    for entry in KEY.finditer(text):
        line += text.count("\n", counted, entry.start(1))
        counted = entry.start(1)
        found.setdefault(entry[1], []).append(line)
    return {key: lines for key, lines in found.items() if len(lines) > 1}


def parents_in(entry: str) -> list[str]:
    """The keys of the entries that an entry takes fields from."""
    return [key.strip() for keys in _PARENTS.findall(entry) for key in keys.split(",")]


def unclosed_line(text: str) -> int | None:
    """The line of the entry that the end of a text is within, as BibTeX counts braces; None where there is none."""
    place = 0
    while block := _BLOCK.search(text, place):
        end = end_mark(text, block.end(), "}" if block[1] == "{" else ")")
        if end is None:
            return text.count("\n", 0, block.start()) + 1
        place = end.end()
    return None


def field_without_comma(value: str) -> str:
    """The name of the field that a value runs into where the comma behind it is missing; "" where none is."""
    if "=" not in value:
        return ""
    end = end_mark(value, 1, "}") if value[:1] == "{" else _PLAIN_VALUE.match(value)
    following = _NEXT_FIELD.match(value, end.end()) if end else None
    return following[1] if following else ""


def in_braces(value: str) -> bool:
    """Whether one pair of braces stands around all of a value; those of two accents at its ends do not."""
    return value.startswith("{") and (end := end_mark(value, 1, "}")) is not None and end.end() == len(value)


def end_mark(text: str, place: int, ends: str) -> re.Match[str] | None:
    """The first of `ends`, a key of `_MARKS`, behind `place` in no braces or quotes; a backslash hides nothing."""
    depth, quoted = 0, False
    for mark in _MARKS[ends].finditer(text, place):
        if not depth and not quoted and mark[0] in ends:
            return mark
        if mark[0] == '"':
            quoted ^= not depth
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
    return None
