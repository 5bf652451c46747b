"""What cites an entry of a bibliography in a text, by its key."""

import re

from manuscripts.manuscript import Markup

# Manual of Pandoc, "Citation syntax": letters, digits and _, and single signs between them; others stand in braces.
_MARKDOWN = re.compile(r"\w(?:[:.#$%&\-+?<>~/]?\w)*")
_MARKDOWN_IN_BRACES = re.compile(r"[^{}\s]+")
_TYPST = re.compile(r"[\w-](?:[\w:.-]*[\w-])?")  # as a reference; any other label by its name
_LATEX = re.compile(r"(?:(?!\^\^)[^\\{}%#~,\s])+")  # what is no comment, parameter, space or command, nor ends the key


def citing(key: str, markup: Markup) -> str:
    """What cites the entry of that key in a text of this markup; "" where a key as this one cannot be cited in it."""
    if markup == "typst":
        escaped = re.sub(r'["\\]', r"\\\g<0>", key)
        return f"@{key}" if _TYPST.fullmatch(key) else f'#cite(label("{escaped}"))'
    if markup == "markdown":
        return f"[@{written}]" if (written := key_in_markdown(key)) else ""
    return f"\\cite{{{key}}}" if _LATEX.fullmatch(key) else ""


def key_in_markdown(key: str) -> str:
    """The key as it stands behind the @ of Markdown; "" where it cannot."""
    if _MARKDOWN.fullmatch(key):
        return key
    return f"{{{key}}}" if _MARKDOWN_IN_BRACES.fullmatch(key) else ""
