"""What babel's German makes of a quotation mark: `"` and a character behind it."""

import re

from manuscripts.files import Files

# The document's language is the main one of babel's, the last where none is called so, else an option of the class.
_BABEL = re.compile(r"\\usepackage\s*(?:\[([^\]]*)\]\s*)?\{(babel|n?german)\}")
_CLASS = re.compile(r"\\documentclass\s*\[[^\]]*german[^\]]*\]")
_MAIN = re.compile(r"main\s*=\s*\w*german\b|^(?!.*main\s*=).*german\s*,?\s*$", re.DOTALL)
_SHORTHAND = re.compile(r"""(?<!\\)"([`'<>aouAOUs=~/|"-])""")
_MEANT = {"`": "„", "'": "“", "<": "«", ">": "»", "s": "ß", "=": "-", "~": "-", "/": "/"} | dict(
    zip("aouAOU", "äöüÄÖÜ", strict=True)
)


def with_shorthands(text: str, files: Files) -> str:
    """The text put together of these files with what its shorthands stand for, where German is the language of one."""
    if not any(map(_is_german, files.latex())):
        return text
    return _SHORTHAND.sub(lambda found: _MEANT.get(found[1], ""), text)


def _is_german(source: str) -> bool:
    loaded = _BABEL.search(source)
    if loaded and loaded[1]:
        return _MAIN.search(loaded[1]) is not None
    return loaded is not None and (loaded[2] != "babel" or _CLASS.search(source) is not None)
