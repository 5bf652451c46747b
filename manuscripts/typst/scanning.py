"""Where the parts of a source in Typst end: its groups, expressions and statements, and the arguments of a call."""

import re

NAME = r"[^\W\d][\w-]*"
STRING = r'"(?:[^"\\]|\\.)*"'
# Comments nest, here up to three deep.
_IN_COMMENT = r"(?:(?!/\*|\*/).)*"
_INNERMOST = rf"/\*{_IN_COMMENT}\*/"
_INNER = rf"/\*{_IN_COMMENT}(?:{_INNERMOST}{_IN_COMMENT})*\*/"
COMMENT = rf"//[^\n]*|/\*(?:{_IN_COMMENT}(?:{_INNER}{_IN_COMMENT})*\*/|.*?\*/|.*)"
# Comments, raw text and mathematics, whose brackets are none; an address, in which no comment begins.
PASSED = rf"https?://[^\s\[\]\"]*|{COMMENT}|(?P<ticks>`{{3,}}).*?(?:(?P=ticks)|\Z)|`[^`]*`|\$(?:[^$\\]|\\.)*\$"
STATEMENTS = frozenset(("let", "set", "show", "import", "include", "return", "if", "for", "while", "context"))
BRANCHES = frozenset(("if", "for", "while"))  # a condition, and then a block

_IN_MARKUP = re.compile(rf"\\.|{PASSED}|#(?=[^\W\d]|[({{\[\"])|[\[\]]", re.DOTALL)
_IN_CODE = re.compile(rf"{STRING}|{PASSED}|[()\[\]{{}},;\n]", re.DOTALL)
_STRING = re.compile(STRING, re.DOTALL)
_NAME = re.compile(NAME)
_CALL = re.compile(rf"(?:{NAME}\.)*{NAME}")
_FIELD = re.compile(rf"\.{NAME}")
_GOES_ON = ("=", ":", ">", ",", "+", "else")  # a statement whose line ends so
_ELSE = re.compile(r"\s*else\b\s*")
_CONTEXT = re.compile(r"\s*(?=[^\W\d]|[({\[\"])")
_NAMED = re.compile(rf"({NAME})\s*:\s*(.*)", re.DOTALL)
_COMMENTS = re.compile(rf"(?:\s+|{COMMENT})*", re.DOTALL)


def group_end(text: str, place: int) -> int:
    """The place behind the group that the bracket at `place` opens, the end of the text where nothing closes it."""
    marks, closing = (_IN_MARKUP, "]") if text[place] == "[" else (_IN_CODE, ")]}")
    place += 1
    while found := marks.search(text, place):
        place = found.end()
        if found[0] in closing:
            return place
        if found[0] in "([{":
            place = group_end(text, found.start())
        elif found[0] == "#":
            place = code_end(text, place)
    return len(text)


def code_end(text: str, place: int) -> int:
    """The place behind the expression or statement at `place`."""
    name = _NAME.match(text, place)
    if name and name[0] in BRANCHES:
        return _blocks_end(text, block_start(text, name.end()))
    if name and name[0] == "context" and (inner := _CONTEXT.match(text, name.end())):
        return code_end(text, inner.end())
    if name and name[0] in STATEMENTS:
        return _statement_end(text, name.end())
    start = name or _STRING.match(text, place)
    place = start.end() if start else group_end(text, place)
    while text[place : place + 1] in ("(", "[", "."):
        field = _FIELD.match(text, place)
        if text[place] == "." and not field:
            break
        place = field.end() if field else group_end(text, place)
    return place


def block_start(text: str, place: int) -> int:
    """Where the block behind a condition begins, or where the condition ends without one."""
    start = place
    while found := _IN_CODE.search(text, place):
        goes_on = found[0] == "\n" and text[start : found.start()].rstrip().endswith(_GOES_ON)
        if found[0] in "[{)]};\n" and not goes_on:
            return found.start()
        place = group_end(text, found.start()) if found[0] == "(" else found.end()
    return len(text)


def _blocks_end(text: str, place: int) -> int:
    """The place behind the block that begins at `place`, and behind those of what else there is."""
    while text[place : place + 1] in ("[", "{"):
        place = group_end(text, place)
        other = _ELSE.match(text, place)
        if not other:
            break
        name = _NAME.match(text, other.end())
        place = block_start(text, name.end()) if name and name[0] == "if" else other.end()
    return place


def _statement_end(text: str, place: int) -> int:
    """The place behind a statement, which ends with its line unless that leaves it open."""
    start = place
    while found := _IN_CODE.search(text, place):
        place = found.end()
        if found[0] == "\n":
            open_line = text[start : found.start()].rstrip().endswith(_GOES_ON)
            if not open_line and not _ELSE.match(text, place):
                return found.start()
        elif found[0] in ")]};":
            return place if found[0] == ";" else found.start()
        elif found[0] in "([{":
            place = group_end(text, found.start())
    return len(text)


def parted(source: str) -> list[str]:
    """The name of what is called, with dots, and the groups and methods behind it."""
    name = _CALL.match(source)
    place = name.end() if name else 0
    parts = [source[:place]]
    while place < len(source):
        end = group_end(source, place) if source[place] in "([" else code_end(source, place + 1)
        parts.append(source[place:end])
        place = end
    return parts


def arguments(inner: str) -> tuple[list[str], dict[str, str]]:
    """The sources of the arguments between the brackets of a call: those without a name, and the others by theirs."""
    pieces, place, start = [], 0, 0
    while found := _IN_CODE.search(inner, place):
        place = group_end(inner, found.start()) if found[0] in "([{" else found.end()
        if found[0] == ",":
            pieces.append(inner[start : found.start()])
            start = place
    plain: list[str] = []
    named: dict[str, str] = {}
    for piece in (*pieces, inner[start:]):
        source = _COMMENTS.sub("", piece, count=1).strip()
        if found := _NAMED.match(source):
            named.setdefault(found[1], found[2])
        elif source:
            plain.append(source)
    return plain, named
