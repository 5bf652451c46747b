"""Where in a sentence the citation goes: the marks that writers and their tools leave there."""

from __future__ import annotations

import re

# [CITATION], [cite], [citation needed], [?], (?), [@key; @other], \citep[see][p. 3]{key}, and numbers as in [3, 5–7].
_MARK = re.compile(
    r"""\[\s*(?:citations?(?:\s+needed)?|cite|ref|\?+)\s*\]
    | \(\s*\?+\s*\)
    | \[\s*-?@[^\[\]]*\]
    | \\[a-zA-Z]*cite[a-zA-Z]*\*?(?:\s*\[[^\[\]]*\]){0,2}\s*\{[^{}]*\}
    | \[\s*\d+(?:\s*[,;–-]\s*\d+)*\s*\]
    """,
    re.IGNORECASE | re.VERBOSE,
)


def without_marks(text: str) -> str:
    """The words alone, one space between them."""
    return " ".join(_MARK.sub(" ", text).split())


def parts_between_marks(text: str) -> list[str]:
    """What stands before the first mark, between each two, and after the last; one part where there is no mark."""
    return _MARK.split(text)
