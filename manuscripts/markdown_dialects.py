"""What Pandoc, Quarto, bookdown and MyST add to Markdown: raw LaTeX, attributes, captions in code and more.

Its words and citations are kept, as plain Markdown with Pandoc's citations.
"""

import re
from collections.abc import Iterator
from itertools import zip_longest

from manuscripts.markdown_metadata import loaded

_HTML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*:{3,}.*$", re.MULTILINE)
_RAW_BLOCK = re.compile(
    r"^[ \t]*(`{3,})[ \t]*\{=(?:la)?tex\}[ \t]*\n((?:(?![ \t]*```).*\n)*)[ \t]*\1[ \t]*$", re.MULTILINE
)
_RAW = re.compile(r"`([^`\n]+)`\{=(\w+)\}")
# Other ways of citing, which become Pandoc's: roles of MyST, and commands of LaTeX.
_ROLE = re.compile(r"\{(?:foot)?cite(?::\w+)?\}`([^`]+)`")
_ROLE_NOTE = re.compile(r"\{[^{}]*\}")  # {cite:p}`{see}a{p. 3},b`, as sphinxcontrib-bibtex has it
_COMMAND = re.compile(r"\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\[[^\]]*\])*\{([^{}]+)\}")
_SPACE = r"(?:(?<![ \t])[ \t]+)?"
# References of bookdown and of LaTeX, numbers of equations and names of captions, and shortcodes of Quarto.
_NO_TEXT = re.compile(
    rf"{_SPACE}\\(?:\\?@ref\([^()\s]*\)|(?:(?:eq|auto|c|C|page|v)?ref\*?|label|index)\{{[^{{}}\n]*\}})"
    r"|\(\\{1,2}#[\w:-]+\)|\(ref:[\w-]+\)|\{\{<[^\n{}]*>\}\}"
)
_ATTRIBUTE = r"(?:[#.][^\s{}]+|[\w:-]+=(?:\"[^\"{}]*\"|'[^'{}]*'|[^\s{}\"']*)|-)"
_BRACES = rf"\{{\s*{_ATTRIBUTE}(?:\s+{_ATTRIBUTE})*\s*\}}"
_SPAN = re.compile(rf"\[((?:[^\[\]@]|\[[^\[\]]*\])*)\]{_BRACES}")
# Behind a link, a span, code or a formula, and at the end of a line.
_ATTRIBUTES = re.compile(rf"(?:(?<=[\])$])|(?<=[^`\n]`)){_BRACES}|(?<=[^\s`])[ \t]+{_BRACES}(?=[ \t]*$)", re.MULTILINE)
_ARGUMENTS = r"(?:\[[^\]\n]*\]|\{[^{}\n]*\})*"
_EQUATION = re.compile(
    r"\\begin\{((?:align(?:at)?|displaymath|eqnarray|equation|flalign|gather|multline)\*?)\}"
    r"((?:(?!\\begin\{\1\}).)*?)\\end\{\1\}",
    re.DOTALL,
)
_ENVIRONMENT = re.compile(
    rf"^[ \t]*\\(?:begin|end)\{{\w+\*?\}}{_ARGUMENTS}|\\end\{{\w+\*?\}}(?=[ \t]*$)|^[ \t]*\\(?:noindent|centering)\b",
    re.MULTILINE,
)
_LATEX_CAPTION = re.compile(r"^[ \t]*\\caption\*?(?:\[[^\]\n]*\])?\{(.*)\}[ \t]*$", re.MULTILINE)
_LATEX_LINE = re.compile(r"^[ \t]*(?:\\[A-Za-z]+\*?(?:\[[^\]\n]*\]|\{[^{}\s]*\})*[ \t]*)+$", re.MULTILINE)
_GRID_RULE = re.compile(r"^[ \t]*\+[-=:+]+\+[ \t]*$", re.MULTILINE)
_GRID = re.compile(rf"{_GRID_RULE.pattern}(?:\n[ \t]*[|+][^\n]*[|+][ \t]*$)+", re.MULTILINE)
_CAPTION = re.compile(r"^ {0,3}(?:[Tt]able)?:[ \t]+(?=\S)", re.MULTILINE)  # of a table; or a definition begins
_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_BLANK = re.compile(r"\n[ \t]*\n")
_EXAMPLE = re.compile(r"^[ \t]*\(@([\w-]*)\)(?=[ \t])", re.MULTILINE)
_LABEL = re.compile(rf"{_SPACE}(?:\(@([\w-]*)\)|(?<![\w.\\])@([\w-]+)(?![\w:]|\.\w))")
_OPTION = re.compile(r"\s*(?:#|//|%%)\|(.*)")
_IN_OPTIONS = re.compile(r"(?:fig|tbl|tab|lst)[-.](?:sub)?cap")
_STRING = r"(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
_IN_HEADER = re.compile(rf"\b{_IN_OPTIONS.pattern}\s*=\s*(?:\w+\()?({_STRING}(?:\s*,\s*{_STRING})*)")


def plain(text: str) -> str:
    """The text in plain Markdown, which cites as Pandoc does."""
    before, mark, behind = text.rpartition("-->")  # behind which nothing would close a comment
    text = _FENCE.sub("", _HTML_COMMENT.sub("", before + mark) + behind)
    text = _RAW_BLOCK.sub(r"\2", text)
    text = _RAW.sub(lambda raw: raw[1] if raw[2] in {"tex", "latex"} else "", text)
    text = _EQUATION.sub(r"$$\2$$", text)
    for way in (_ROLE, _COMMAND):
        text = way.sub(lambda found: group(found[1]), text)
    text = _ATTRIBUTES.sub("", _SPAN.sub(r"\1", _NO_TEXT.sub("", text)))
    text = _LATEX_LINE.sub("", _LATEX_CAPTION.sub(r"\n\1\n", _ENVIRONMENT.sub("", text)))
    text = _CAPTION.sub("\n", _GRID.sub(_cells, text))
    return _without_examples(_BREAK.sub(" ", text))


def group(named: str) -> str:
    """Keys in a row as Pandoc cites them."""
    keys = map(str.strip, re.split("[,;]", _ROLE_NOTE.sub("", named)))
    return f"[{'; '.join(f'@{{{key}}}' for key in keys if key)}]"


def captions(header: str, code: str) -> Iterator[str]:
    """The captions of what a chunk of code shows: in its header as R has them, and in the comments it begins with."""
    for found in _IN_HEADER.finditer(header):
        yield from (re.sub(r"\\(.)", r"\1", one[1:-1]) for one in re.findall(_STRING, found[1]))
    lines = []
    for line in code.splitlines():
        if not (option := _OPTION.match(line)):
            break
        lines.append(option[1].removeprefix(" "))
    options, _ = loaded("\n".join(lines))
    for name, value in options.items() if isinstance(options, dict) else ():
        if _IN_OPTIONS.fullmatch(str(name)):
            yield from map(str, value if isinstance(value, list) else [value])


def _cells(table: re.Match[str]) -> str:
    """The cells of a table that is drawn with lines, a paragraph each."""
    cells: list[str] = []
    for row in _GRID_RULE.split(table[0]):
        lines = [line.strip()[1:-1].split("|") for line in row.splitlines() if line.strip()]
        cells += (" ".join(map(str.strip, cell)) for cell in zip_longest(*lines, fillvalue=""))
    return "\n\n".join(("", *cells, ""))


def _without_examples(text: str) -> str:
    """The text without the labels of examples: "(@good)" begins one, and refers to it elsewhere."""
    begun = (paragraph for paragraph in _BLANK.split(text) if _EXAMPLE.match(paragraph.lstrip("\n")))
    labels = {found[1] for paragraph in begun for found in _EXAMPLE.finditer(paragraph)}
    if not labels:
        return text
    text = _EXAMPLE.sub(lambda found: "\n" if found[1] in labels else found[0], text)
    return _LABEL.sub(lambda found: "" if (found[1] or found[2] or "") in labels else found[0], text)
