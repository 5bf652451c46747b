"""LaTeX with code of R in it (.Rnw), as Sweave and knitr take it."""

import re

from manuscripts.files import Files
from manuscripts.formats import SWEAVE

_CHUNK = re.compile(r"^<<(.*)>>=[ \t]*\n((?:(?!@(?:[ \t%].*)?$|<<.*>>=).*\n)*)(?:@.*\n?)?", re.MULTILINE)
_VALUE = re.compile(r"\\Sexpr\s*\{(?:[^{}]|\{[^{}]*\})*\}")  # in which a per cent sign begins no comment
_CHILDREN = re.compile(r"\bchild\s*=(.*)")
_CHILD = re.compile(r"[\w./ -]+\.(?:Rnw|tex)\b", re.IGNORECASE)


def source(files: Files, path: str) -> str:
    """The text of a file of LaTeX without the code of R, of which captions stay, and the files that it takes in."""
    text = files.text(path)
    return _VALUE.sub("", _CHUNK.sub(_shown, text)) if path.lower().endswith(SWEAVE) else text


def _shown(chunk: re.Match[str]) -> str:
    from manuscripts.markdown_dialects import captions  # imports YAML, which few manuscripts in LaTeX need

    children = (name for named in _CHILDREN.findall(chunk[1]) for name in _CHILD.findall(named))
    parts = [f"\\caption{{{one}}}" for one in captions(chunk[1], chunk[2])]
    return "".join((*parts, *(f"\\input{{{name.strip()}}}" for name in children), "%\n"))
