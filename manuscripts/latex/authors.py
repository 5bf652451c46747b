r"""Who writes a LaTeX manuscript, as far as \author and its kin say it in names."""

import re
from collections.abc import Iterator
from itertools import islice

from manuscripts.authors import names_among
from manuscripts.latex.groups import group
from manuscripts.latex.texts import last_option, readable

_AUTHOR = re.compile(
    r"\\(?:author|icmlauthor|AUTHOR|authorsnames|(?P<parts>Author)|(?P<more>two|three|four|five|six)authors)"
    r"(?![A-Za-z])\*?"
)
_BLOCK = re.compile(r"\\(?:IEEEauthorblockN|Name)(?![A-Za-z])")
_BETWEEN = re.compile(r"\\(?:and|And|AND|sep)(?![A-Za-z])")
# Behind a line break stands where somebody works.
_LINE_END = re.compile(
    r"\\\\|\\newline(?![A-Za-z])|\\(?:affaddr|affiliation|institute|email|IEEEauthorblockA)(?![A-Za-z])"
)
_NO_NAME = re.compile(
    r"\\(?:thanks|footnote|footnotemark|inst|orcid\w*|ORCID\w*|corref|fnref|tnoteref|thanksref|textsuperscript|"
    r"IEEEmembership|IEEEcompsocitemizethanks|href|url|texttt|ead|fnmsep|altaffil\w*|hspace|vspace|textdagger|dagger|ddagger|authornote\w*)"
    r"(?![A-Za-z])\s*(?:\[[^\]]*\])?\s*(?:\{(?:[^{}]|\{[^{}]*\})*\})?"
)
_NUMBERS = re.compile(r"\$[^$]*\$|(?<!\\)\^(?:\{[^{}]*\}|.)|\d+")  # not the accent of \^o
_TIE = re.compile(r"(?<!\\)~")
_MOST_COMMANDS = 500


def authors_of(text: str) -> tuple[str, ...]:
    """The names, each once, in their order; empty where there is none."""
    return names_among(name for block in _blocks(text) for part in _BETWEEN.split(block) for name in _names(part))


def _blocks(text: str) -> Iterator[str]:
    for found in islice(_AUTHOR.finditer(text), _MOST_COMMANDS):
        for block in _arguments(text, found):
            inner = [group(block, one.end())[0] or "" for one in _BLOCK.finditer(block)]
            yield from inner or [block]


def _arguments(text: str, command: re.Match[str]) -> list[str]:
    """What stands in braces behind a command: names, or given and family name, which become one."""
    _, place = last_option(text, command.end())
    found: list[str] = []
    while (read := group(text, place))[0] is not None:
        found.append(read[0] or "")
        place = read[1]
        if not (command["parts"] or command["more"]):
            break
    return [" ".join(found)] if command["parts"] else found


def _names(part: str) -> list[str]:
    line = _LINE_END.split(_NO_NAME.sub(" ", part).strip(), maxsplit=1)[0]
    line = readable(_TIE.sub(" ", _NUMBERS.sub(" ", line)))
    return re.split(r",|;|\band\b|&|·|•", line)
