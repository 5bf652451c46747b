"""What Pandoc, Quarto, bookdown, MyST and Obsidian add to Markdown: raw LaTeX, attributes, captions, links and more.

Its words and citations are kept, as plain Markdown with Pandoc's citations.
"""

import re
from collections.abc import Iterator, Set
from itertools import zip_longest

from manuscripts.markdown_metadata import loaded

_HTML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# What HTML does not show, or shows as it is written.
_HTML_CODE = re.compile(
    r"^[ \t]*<(pre|script|style|svg|textarea)\b(?:(?!<\1\b|```).)*?</\1\s*>", re.DOTALL | re.IGNORECASE | re.MULTILINE
)
# Comments of Obsidian and of MyST, what Manubot fills in, and lists of contents.
_COMMENT = re.compile(
    r"%%[^%\n]+%%|(?<![^\n])%%(?:(?!%%|```).)*%%(?=[ \t]*(?![^\n]))"
    r"|(?<=\n\n)%[ \t][^\n]*|\{##(?:(?!\{##).)*?##\}|\{%[^{}\n]*%\}|\{\{[\w.]+\}\}"
    r"|^\[(?:TOC|toc|\[_?TOC_?\])\][ \t]*$",
    re.DOTALL | re.MULTILINE,
)
# Directives of MyST with text in them, of which these are called by a title; others by a file, as figures are. And
# chunks of bookdown, with options in the braces.
_TITLED = "admonition|card|dropdown|list-table|margin|proof|prf:\\w+|sidebar|tab-item|table|topic"
_DIRECTIVE = re.compile(
    rf"\{{(?:({_TITLED})|aside|attention|blockquote|caution|danger|div|epigraph|error|exercise|figure|glossary|grid"
    r"|grid-item(?:-card)?|hint|important|note|pull-quote|seealso|solution|tab-set|tip|warning"
    r"|(?:asis|block2?|conjecture|corollary|definition|example|exercise|hypothesis|lemma|marginfigure|proof|proposition|remark"
    r"|solution|theorem)(?:[ ,][^{}]*)?)\}(.*)"
)
_DIRECTIVE_OPTIONS = re.compile(r"---[ \t]*\n(?:.*\n)*?---[ \t]*(?:\n|\Z)|(?:[ \t]*:[\w-]+:.*(?:\n|\Z))*")
_FENCE = re.compile(r"^[ \t]*:{3,}[ \t]*(?:(\{[a-z][\w:-]*\}.*)(?:\n[ \t]*:[\w-]+:.*)*|.*)$", re.MULTILINE)
# Where cells of MyST end.
_BLOCK = re.compile(r"^\+\+\+(?:[ \t]*\{[^\n]*?\"part\":[ \t]*\"([^\"\n]*)\")?.*$", re.MULTILINE)
# Of Obsidian: kinds of boxes, notes on works by their keys, other notes, what is shown within, and names of paragraphs.
_BOX = re.compile(r"^((?:[ \t]*>)+[ \t]*)\[![\w-]+\][+-]?[ \t]*(.*)$", re.MULTILINE)
_WORK = re.compile(r"\[\[(?:[^\[\]|@]*/)?(@[^\s\[\]|#;,]+?)(?:\.md)?(?:#[^\[\]|]*)?(?:\|[^\[\]]*)?\]\](?![({])")
_NOTE = re.compile(
    r"(?<![\w\]!`])\[\[(?:[^\[\]|\n]*\|([^\[\]|\n]+)|([^\[\]|#^\d\"'@:\n]+)(?:#[^\[\]|\n]*)?)\]\](?![({]|\[(?!\[))"
)
_SHOWN = re.compile(r"!\[\[(?!@)[^\[\]\n]*\]\]|(?<![^\s])\^(?=[\d-]*[A-Za-z])[A-Za-z0-9-]+[ \t]*$", re.MULTILINE)
_MARKED = re.compile(r"(?<![\w=])==(?=[^\s=+])([^=\n]+)(?<=\S)==(?![\w=])")
# Remarks and changes of CriticMarkup, which are as accepted.
_CHANGE = re.compile(r"\{(?:>>[^{}]*<<|--[^{}]*--|~~[^{}~]*~>([^{}~]*)~~|\+\+([^{}]*)\+\+|==([^{}]*)==)\}")
# A block that is called "abstract": a box of Obsidian, a div of Pandoc or of HTML.
_ABSTRACT = re.compile(
    r"^[ \t]*>[ \t]*\[!(?:abstract|summary)\].*\n((?:[ \t]*>.*(?:\n|\Z))+)"
    r"|^:{3,}[ \t]*(?:\{[ \t]*[.#])?abstract(?![\w-]).*\n((?:(?!:{3}).*\n)*):{3,}[ \t]*$"
    r"|^<div[ \t][^<>\n]*\b(?:class|id)=[\"']abstract[\"'][^<>\n]*>((?:(?!</?div\b)[^\0])*)</div>",
    re.MULTILINE | re.IGNORECASE,
)
# What may stand above it: a title and authors, but neither other headings nor an abstract, nor code.
_ABOVE = re.compile(r"\s*+(?:# .*\n)?(?:(?!#{1,6}[ \t]|[ \t]*(?:```|~~~)|[*_]*abstract\b).*\n)*+", re.IGNORECASE)
_RAW_BLOCK = re.compile(
    r"^[ \t]*(`{3,})[ \t]*\{=(?:la)?tex\}[ \t]*\n((?:(?![ \t]*```).*\n)*)[ \t]*\1[ \t]*$", re.MULTILINE
)
_RAW = re.compile(r"`([^`\n]+)`\{=(\w+)\}")
# Other ways of citing, which become Pandoc's: roles of MyST, and commands of LaTeX.
_ROLE = re.compile(r"\{(?:foot)?cite(?::\w+)?\}`([^`]+)`")
# Other roles, with words in them; names of what is referred to; works named by links.
_ANY_ROLE = re.compile(r"\{[a-z][\w:.+-]*\}(?=`[^`\n]+`)")
_TARGET = re.compile(r"^\(([\w:.-]+)\)=[ \t]*$|^[ \t]*:(?:label|name):[ \t]*(\S+)[ \t]*$", re.MULTILINE)
# Those, attributes that name something, and labels of chunks of code.
_LABELLED = re.compile(
    rf"{_TARGET.pattern}|\{{(?:[^{{}}\n]*\s)?#([\w:.-]+)[^{{}}\n]*\}}"
    r"|^[ \t]*(?:#|//|%%)\|[ \t]*label:[ \t]*[\"']?([\w:.-]+)",
    re.MULTILINE,
)
_LINKED = re.compile(r"\[\]\((?:doi:|https?://(?:dx\.)?doi\.org/)([^\s()]+)\)|<doi:([^\s<>]+)>")
_ROLE_NOTE = re.compile(r"\{[^{}]*\}")  # {cite:p}`{see}a{p. 3},b`, as sphinxcontrib-bibtex has it
_COMMAND = re.compile(r"\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\[[^\]]*\])*\{([^{}]+)\}")
_SPACE = r"(?:(?<![ \t])[ \t]+)?"
# References of bookdown, of LaTeX and of MyST, numbers of equations and names of captions, and shortcodes of Quarto.
_NO_TEXT = re.compile(
    rf"{_SPACE}\\(?:\\?@ref\([^()\s]*\)|(?:(?:eq|auto|c|C|page|v)?ref\*?|label|index)\{{[^{{}}\n]*\}})"
    rf"|{_SPACE}\{{(?:doc|eq|index|label|numref|(?:prf:)?ref)\}}`[^`\n]*`"
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
_BREAK = re.compile(r"<br[ \t]*/?>|</(?:t[dhr]|li|p|div|dt|dd|h[1-6]|summary|figcaption)>(?!`)", re.IGNORECASE)
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
    text = _HTML_CODE.sub("", _COMMENT.sub("", _HTML_COMMENT.sub("", before + mark) + behind))
    text = _CHANGE.sub(lambda found: found[1] or found[2] or found[3] or "", text)
    text = _NOTE.sub(lambda found: found[1] or found[2], _WORK.sub(r"[\1]", _BOX.sub(r"\1\2\n\1", text)))
    text = _MARKED.sub(r"\1", _SHOWN.sub("", text))
    targets = {found[1] or found[2] for found in _TARGET.finditer(text)}
    text = _FENCE.sub(
        lambda fence: _title(fence[1] or ""), _BLOCK.sub(lambda end: f"## {end[1]}" if end[1] else "", text)
    )
    text = _RAW_BLOCK.sub(r"\2", text)
    text = _RAW.sub(lambda raw: raw[1] if raw[2] in {"tex", "latex"} else "", text)
    text = _EQUATION.sub(r"$$\2$$", text)
    for way in (_ROLE, _COMMAND, _LINKED):
        text = way.sub(lambda found: group(found[1] or found[2]), text)
    text = _ANY_ROLE.sub("", _NO_TEXT.sub("", text))
    text = _ATTRIBUTES.sub("", _SPAN.sub(r"\1", text))
    text = _LATEX_LINE.sub("", _LATEX_CAPTION.sub(r"\n\1\n", _ENVIRONMENT.sub("", text)))
    text = _CAPTION.sub("\n", _GRID.sub(_cells, text))
    return _without_labels(_BREAK.sub(" ", text), targets)


def labels_in(text: str) -> Iterator[str]:
    """The names that the text gives to its figures, sections and the like."""
    return (found[found.lastindex or 0] for found in _LABELLED.finditer(text))


def parted_abstract(text: str) -> tuple[str, str]:
    """The abstract, where a block at the beginning of the text is called so, or "", and the text without it."""
    found = _ABSTRACT.search(text)
    if not (found and _ABOVE.fullmatch(text, 0, found.start())):
        return "", text
    abstract = re.sub("^[ \t]*>", "", found[1], flags=re.MULTILINE) if found[1] else found[2] or found[3] or ""
    return abstract, text[: found.start()] + text[found.end() :]


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


def is_directive(info: str) -> bool:
    """Whether what a fence begins with says that it holds text."""
    return _DIRECTIVE.fullmatch(info.strip()) is not None


def words_of_directive(info: str, content: str) -> str:
    """The text in a fence that is a directive of MyST; "" for code."""
    return f"{_title(info)}\n\n{_DIRECTIVE_OPTIONS.sub('', content, count=1)}" if is_directive(info) else ""


def _title(info: str) -> str:
    found = _DIRECTIVE.fullmatch(info.strip())
    return found[2].strip() if found and found[1] else ""


def _cells(table: re.Match[str]) -> str:
    """The cells of a table that is drawn with lines, a paragraph each."""
    cells: list[str] = []
    for row in _GRID_RULE.split(table[0]):
        lines = [line.strip()[1:-1].split("|") for line in row.splitlines() if line.strip()]
        cells += (" ".join(map(str.strip, cell)) for cell in zip_longest(*lines, fillvalue=""))
    return "\n\n".join(("", *cells, ""))


def _without_labels(text: str, targets: Set[str]) -> str:
    """The text without `targets` and the labels of examples: "(@good)" begins one, and refers to it elsewhere."""
    text = _TARGET.sub(lambda target: "" if target[1] else target[0], text)
    begun = (paragraph for paragraph in _BLANK.split(text) if _EXAMPLE.match(paragraph.lstrip("\n")))
    labels = {found[1] for paragraph in begun for found in _EXAMPLE.finditer(paragraph)}
    if not labels | targets:
        return text
    text = _EXAMPLE.sub(lambda found: "\n" if found[1] in labels else found[0], text)
    return _LABEL.sub(lambda found: "" if (found[1] or found[2] or "") in labels | targets else found[0], text)
