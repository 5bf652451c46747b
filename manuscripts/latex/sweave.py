"""LaTeX with code of R in it (.Rnw), as Sweave and knitr take it."""

import re

from manuscripts.files import Files
from manuscripts.formats import SWEAVE

_CHUNK = re.compile(
    r"^[ \t]*<<(.*)>>=.*(?:\n|\Z)((?:(?![ \t]*(?:@(?:[ \t%].*)?$|<<.*>>=)).*\n)*)(?:[ \t]*@.*\n?)?", re.MULTILINE
)
_VALUE = re.compile(r"\\Sexpr\s*\{(?:[^{}]|\{[^{}]*\})*\}")  # in which a per cent sign begins no comment
_CHILDREN = re.compile(r"\b(?:child\s*=|knit_child\s*\()(.*)")
_CHILD = re.compile(r"[\"']([^\"'\n]+\.(?:Rnw|tex))[\"']", re.IGNORECASE)


def source(files: Files, path: str) -> str:
    """The text of a file of LaTeX without the code of R, of which captions stay, and the files that it takes in."""
    text = files.text(path)
    if not path.lower().endswith(SWEAVE):
        return text
    return _VALUE.sub(lambda value: _taken_in(value[0]), _CHUNK.sub(_shown, text))


def _shown(chunk: re.Match[str]) -> str:
    from manuscripts.markdown_dialects import captions  # imports YAML, which few manuscripts in LaTeX need

    return "".join((*(f"\\caption{{{one}}}" for one in captions(chunk[1], chunk[2])), _taken_in(chunk[1]), "%\n"))


def _taken_in(code: str) -> str:
    return "".join(f"\\input{{{name}}}" for named in _CHILDREN.findall(code) for name in _CHILD.findall(named))
