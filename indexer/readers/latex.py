"""LaTeX of bibliographies → plain text."""

from __future__ import annotations

import logging
import re

from pylatexenc.latex2text import LatexNodes2Text

_MARKS = re.compile(r"[\\$~{}]|--|``|''")
_NEEDS_A_PARSER = re.compile(r"[\\$]")
_BARE_PERCENT = re.compile(r"(?<!\\)%")
_LONGEST_PARSED = 50_000  # characters; the parser's time grows faster than its input

logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)  # it warns of every command that it cannot make sense of
_converter = LatexNodes2Text(math_mode="text", keep_comments=True)


def plain(value: str) -> str:
    """Accents and symbols as Unicode, without commands and braces.

    A bare "%" is taken for a percent sign, which is what it means in a bibliography.
    """
    if not _MARKS.search(value):
        return value
    if _NEEDS_A_PARSER.search(value) and len(value) <= _LONGEST_PARSED:
        try:
            return str(_converter.latex_to_text(_BARE_PERCENT.sub(r"\\%", value), tolerant_parsing=True))
        except (RecursionError, ValueError, IndexError, AttributeError, TypeError):
            pass  # the parser gives up on some broken LaTeX; what can be done without it follows
    for mark, text in (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("~", " "), ("{", ""), ("}", "")):
        value = value.replace(mark, text)
    return value
