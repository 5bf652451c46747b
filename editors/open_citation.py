"""The citation that is being written: where its key goes, in LaTeX, Markdown and Typst."""

import re
from dataclasses import dataclass

from exports.in_text import key_in_markdown
from manuscripts.formats import MARKDOWN, TEX, TYPST
from manuscripts.markdown_dialects import is_directive

HERE = "citescout-here"  # stands for the key while the sentence around it is read
_LOOKED_AT = 2_000  # characters before the cursor
_DEEPEST = 10  # directives in directives
# Behind a key before it, `\citep[see][p. 3]{one,tw`, and behind those of another text, `\autocites{one}{tw`.
_LATEX = re.compile(
    r"\\(?!setcite|citestyle|bibcite|citename)[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\([^()]*\))*"
    r"(?:\s*(?:\[[^\]]*\]|\{[^{}]*\}))*"
    r"\s*\{(?:(?:[^{}\\%]|%[^\n]*\n)*,)?(?:\s|%[^\n]*\n)*(?P<key>[^{},\\%\s]*)$"
)
_MARKDOWN = re.compile(r"(?<![\w@\\.`])@\{?(?P<key>(?:\w[\w:.#$&+?<>~/-]*)?)$")
_MYST = re.compile(r"\{(?:foot)?cite(?::\w+)?\}`(?:[^`\n]*,\s*)?(?P<key>[^\s`,{}]*)$")
# Behind letters of an address there is no citation; but those of Chinese are followed by one without a space.
_TYPST = re.compile(r"(?:(?<![A-Za-z0-9_@\\])@|#[\w-]*cite[\w-]*\((?:[^()<>]*,)?\s*<)(?P<key>(?:\w[\w:.-]*)?)$")
_CODE = re.compile(  # `open` is the line with its end, where this is within code
    r"^(?:[ \t>]|[-*+] |\d+[.)] )*(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)\n"
    r"(?P<inner>)(?:.*\n)*?(?:[ \t>]*(?P=fence)[`~]*[ \t]*\r?$|(?P<open>.*)\Z)",
    re.MULTILINE,
)
_RAW = re.compile(r"(?P<fence>`{3,}).*?(?:(?P=fence)|(?P<open>)\Z)", re.DOTALL)
_OPTION = re.compile(r"\s*(?:#|//|%%)\|")  # of code, such as a caption, which may cite
_REST = re.compile(r"[\w:.+/-]*")  # of the key, behind the cursor
_UNSPACED = re.compile(r"[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")  # letters of Chinese and Japanese
_SENTENCE = ".:"  # stand behind a key, too, which has none of them at its end
_OF_KIND = {TEX: (_LATEX,), MARKDOWN: (_MARKDOWN, _MYST, _LATEX), TYPST: (_TYPST,)}
_CODE_BESIDE = {_MARKDOWN: _CODE, _MYST: _CODE, _TYPST: _RAW}


@dataclass(frozen=True, slots=True)
class OpenCitation:
    """The key that the cursor stands in, or where one goes."""

    start: int  # the characters of the text that a key replaces
    end: int
    typed: str  # of the key, up to the cursor
    key: str  # the whole one that is pointed at, though only what has begun before the cursor is replaced
    marked: str  # the text with `HERE` as this key, and the citation closed
    bare: bool  # whether it stands behind the @ of Markdown, without a brace
    gap: str = ""  # what keeps the key and the text behind it apart

    def written(self, key: str) -> str:
        """The key as it is to stand there."""
        return ((key_in_markdown(key) if self.bare else "") or key) + self.gap


def open_citation(text: str, cursor: int, name: str) -> OpenCitation | None:
    """The citation in which the cursor stands, as a character of `text`; None where it stands in none.

    `name` is that of the file, whose ending says how citations are written in it.
    """
    before = text[max(cursor - _LOOKED_AT, 0) : cursor]
    kind = next((kind for kind in _OF_KIND if name.lower().endswith(kind)), None)
    found = next(filter(None, (pattern.search(before) for pattern in _OF_KIND[kind])), None) if kind else None
    if not found or ((code := _CODE_BESIDE.get(found.re)) and _within(code, text[:cursor])):
        return None
    typed, rest = found["key"], _REST.match(text, cursor)
    start, behind = cursor - len(typed), rest[0].rstrip(_SENTENCE) if rest else ""
    own = behind  # of the key that has begun: no brace ends it, and no space in a text without spaces
    if text[:start].endswith("@") and not _UNSPACED.search(typed):
        own = _UNSPACED.split(behind, maxsplit=1)[0].rstrip(_SENTENCE)
    end = cursor + len(own) if typed else cursor
    closing = _closed(found, text[end:])
    gap = "" if end == cursor + len(behind) else "," if found.re in (_LATEX, _MYST) and not closing else " "
    marked = text[:start] + HERE + closing + gap + text[end:]
    bare = found.re is _MARKDOWN and not text[:start].endswith("{")
    return OpenCitation(start, end, typed, (typed + behind).rstrip(_SENTENCE), marked, bare, gap)


def _within(code: re.Pattern[str], before: str) -> bool:
    """Whether the text ends within a block of code, and neither in a caption of what it shows nor in a text."""
    for _ in range(_DEEPEST):
        found = [*code.finditer(before)]
        if not found or found[-1]["open"] is None or _OPTION.match(found[-1]["open"]):
            return False
        if code is not _CODE or not is_directive(found[-1]["info"]):
            break
        before = before[found[-1].start("inner") :]
    return True


def _closed(found: re.Match[str], behind: str) -> str:
    """What closes a citation that its writer has not closed yet."""
    opened = found[0].removesuffix(found["key"])
    line = behind.partition("\n")[0]
    if found.re is _LATEX:
        return "" if re.match(r"(?:[^{}\\\n]|\n(?=\s*\}))*\}", behind) else "}"
    if found.re is _MYST:
        return "" if re.match(r"(?:[^`{}]|\{[^`{}]*\}(?!`))*`", line) else "`"
    if found.re is _TYPST:
        return "" if opened == "@" or line.startswith(">") else ">)"
    if opened.endswith("{"):
        return "" if line.startswith("}") else "}"
    paragraph = found.string[: found.start()].rpartition("\n\n")[2]
    within = paragraph.rfind("[") > paragraph.rfind("]")
    return "]" if within and not re.match(r"[^\[\]]*\]", line) else ""
