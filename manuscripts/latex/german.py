"""What babel's German makes of a quotation mark: `"` and a character behind it."""

from __future__ import annotations

import re

from manuscripts.files import Files

_GERMAN = re.compile(
    r"\\documentclass\s*\[[^\]]*german[^\]]*\]|\\usepackage\s*\[[^\]]*german[^\]]*\]\s*\{babel\}"
    r"|\\usepackage\s*(?:\[[^\]]*\]\s*)?\{n?german\}"
)
_SHORTHAND = re.compile(r"""(?<!\\)"([`'<>aouAOUs=~/|"-])""")
_MEANT = {"`": "„", "'": "“", "<": "«", ">": "»", "s": "ß", "=": "-", "~": "-", "/": "/"} | dict(
    zip("aouAOU", "äöüÄÖÜ", strict=True)
)


def with_shorthands(text: str, files: Files) -> str:
    """The text put together of these files with what its shorthands stand for, where one of them loads German."""
    if not any(_GERMAN.search(files.text(path)) for path in files.paths(".tex")):
        return text
    return _SHORTHAND.sub(lambda found: _MEANT.get(found[1], ""), text)
